public import CairnDocument

/// A place that has photos to choose from: a service on the web, a list of addresses, a folder.
///
/// A source is a value that says what to ask next and what an answer means; it opens no connection and
/// reads no clock. Whoever drives it bounds the answers, keeps to the ``HostPace`` of its ``SourceName``
/// and tries again. The same query and cursor always give the same step.
public protocol PhotoSource: Sendable {
  var name: SourceName { get }

  /// Returns how to come by the page after `cursor`; nil for the first page.
  ///
  /// - Throws: ``SourceError`` with `.badQuery` when the source cannot answer such a query.
  func step(_ query: SourceQuery, after cursor: String?) throws(SourceError) -> SourceStep

  /// Reads the answer to the question that ``step(_:after:)`` asked. What is missing or odd in one photo
  /// leaves out that photo; its texts may say anything.
  ///
  /// - Throws: ``SourceError`` with `.garbled` when the answer has another shape altogether.
  func page(
    _ answer: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage

  /// Returns the refusal that an answer of any status is, in the words of the service; nil when it is
  /// none that the service documents.
  func refusal(_ answer: JSON) -> SourceRefusal?
}

/// How to come by a page.
public enum SourceStep: Sendable, Equatable {
  /// By a request (GET) that is answered with JSON.
  case ask(url: String, headers: [String: String])
  /// The source knows it already.
  case page(SourcePage)
}

/// Some photos, and where to go on.
public struct SourcePage: Sendable, Equatable {
  public var photos: [SourcePhoto]
  /// What the next page comes after; nil at the end.
  public var next: String?

  public init(_ photos: [SourcePhoto], next: String? = nil) {
    (self.photos, self.next) = (photos, next)
  }
}

/// Why a service does not answer.
public struct SourceRefusal: Sendable, Equatable {
  public var kind: SourceError.Kind
  /// What it says, for people.
  public var words: String
  /// Whether the same may succeed a little later.
  public var isTransient: Bool

  init(_ kind: SourceError.Kind, _ words: String, isTransient: Bool = false) {
    (self.kind, self.words, self.isTransient) = (kind, words, isTransient)
  }
}

/// What is wanted of a source.
public struct SourceQuery: Sendable, Equatable {
  /// Words, a species or a breed; nil for anything.
  public var text: String?
  /// Where the photos were taken; nil for anywhere.
  public var area: SearchArea?
  /// Those that are wanted; nil for any, unknown ones too.
  public var licences: Set<LicenceKind>?
  /// Whether the image is wanted as it was uploaded, rather than about 1,000 pixels wide.
  public var wantsOriginal = false

  public init() {}
}

/// A circle on the map.
public struct SearchArea: Sendable, Equatable {
  public var center: Coordinate
  public var radiusMetres: Double

  public init(_ center: Coordinate, radiusMetres: Double) {
    (self.center, self.radiusMetres) = (center, radiusMetres)
  }
}

/// Where a service is, and as whom it is asked.
public struct SourceAccess: Sendable, CustomStringConvertible, CustomReflectable {
  /// With its final slash.
  public var url: String
  public var key: String?

  /// - Parameter url: Nil for the service's own.
  public init(_ name: SourceName, url: String? = nil, key: String? = nil) {
    let url = url ?? name.url ?? ""
    self.url = url.hasSuffix("/") || url.hasSuffix(".php") ? url : url + "/"
    self.key = key
  }

  public var description: String { url }
  public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
