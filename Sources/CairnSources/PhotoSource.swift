public import CairnDocument

/// A source of photos: a web service, a list of URLs, or a folder.
///
/// A source is a value that builds requests and parses responses; it opens no connection and reads
/// no clock. Its caller limits the size of responses, respects the ``RateLimit`` of its
/// ``SourceName`` and retries. The same query and cursor always result in the same step.
package protocol PhotoSource: Sendable {
  var name: SourceName { get }

  /// Returns the request for the page after `cursor`, or the page itself; a nil cursor means the
  /// first page.
  ///
  /// - Throws: ``SourceError`` with `.unsupportedQuery` when the source does not support the query.
  func step(_ query: SourceQuery, after cursor: String?) throws(SourceError) -> SourceResult

  /// Parses the response to the request from ``step(_:after:)``. Skips photos with missing or
  /// invalid fields; the texts of photos are untrusted.
  ///
  /// - Throws: ``SourceError`` with `.invalidResponse` when the response has an unexpected
  ///   structure.
  func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage

  /// Returns the rejection in a response of any status, with the service's message; nil when it is
  /// no rejection that the service documents.
  func rejection(_ response: JSON) -> SourceRejection?
}

/// The next step for obtaining a page.
package enum SourceResult: Sendable, Equatable {
  /// Send a GET request, which is answered with JSON.
  case request(url: String, headers: [String: String])
  /// The source has the page without a request.
  case page(SourcePage)
}

/// Some photos, and the cursor of the next page.
package struct SourcePage: Sendable, Equatable {
  package var photos: [SourcePhoto]
  /// The cursor of the next page; nil at the end.
  package var next: String?

  package init(_ photos: [SourcePhoto], next: String? = nil) {
    (self.photos, self.next) = (photos, next)
  }
}

/// The reason why a service rejects a request.
package struct SourceRejection: Sendable, Equatable {
  package var kind: SourceError.Kind
  /// The message for people.
  package var message: String
  /// Whether a later attempt may succeed.
  package var isTransient: Bool

  init(_ kind: SourceError.Kind, _ message: String, isTransient: Bool = false) {
    (self.kind, self.message, self.isTransient) = (kind, message, isTransient)
  }
}

/// A query to a source.
public struct SourceQuery: Sendable, Equatable {
  /// Search text, a species or a breed; nil for anything.
  public var text: String?
  /// The area where the photos were taken; nil for anywhere.
  public var area: SearchArea?
  /// The accepted licenses; nil for any, including unknown ones.
  public var licenses: Set<LicenseKind>?
  /// Whether to fetch the image as uploaded instead of at about 1,000 pixels wide.
  public var wantsOriginal = false

  /// Creates a query for any photos.
  public init() {}
}

/// A circle on the map.
public struct SearchArea: Sendable, Equatable {
  /// Its center.
  public var center: Coordinate
  /// Its radius.
  public var radiusMeters: Double

  /// Creates a circle.
  public init(_ center: Coordinate, radiusMeters: Double) {
    (self.center, self.radiusMeters) = (center, radiusMeters)
  }
}

/// The URL and key of a service.
package struct SourceCredentials: Sendable, CustomStringConvertible, CustomReflectable {
  /// Ends with a slash, or with `.php`.
  package var url: String
  package var key: String?

  /// - Parameter url: Nil for the service's default URL.
  package init(_ name: SourceName, url: String? = nil, key: String? = nil) {
    let url = url ?? name.url ?? ""
    self.url = url.hasSuffix("/") || url.hasSuffix(".php") ? url : url + "/"
    self.key = key
  }

  package var description: String { url }
  package var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
