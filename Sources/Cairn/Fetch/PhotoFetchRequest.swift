package import CairnDocument
package import CairnSources
package import SystemPackage

/// The photos to fetch, and the options for adding them.
package struct PhotoFetchRequest: Sendable {
  package var source: SourceName
  /// The search query. With a pin, sources that support locations search around the pin; if its
  /// licenses are nil, the usual ones of the source apply.
  package var query = SourceQuery()
  /// The pin that the photos are assigned to.
  package var pin: PinID?
  /// The search radius around the pin, in meters.
  package var radiusMeters = 1000.0
  /// The number of new photos to fetch; nil for all.
  package var count: Int?
  /// Whether to accept any license, including unknown ones.
  package var allowsAnyLicense = false
  /// The URLs for ``SourceName/urls``.
  package var locations: [WebLocation] = []
  /// The files for ``SourceName/folder``: images, and directories with all images below them.
  package var files: [FilePath] = []
  /// Whether the pin's current photos are removed after the new ones have arrived.
  package var isNewCollection = false
  /// Whether the classes that the source assigns to a photo become a model's labels.
  package var importsLabels = true
  /// Polled to check whether to stop; photos added so far stay and are reported.
  package var isStopped: @Sendable () -> Bool = { false }

  package init(_ source: SourceName) { self.source = source }
}

/// The result of a fetch.
package struct PhotoFetchReport: Sendable {
  package struct FetchedPhoto: Sendable {
    package let id: PhotoID
    package let photo: SourcePhoto
    /// The class names from the source.
    package let classes: [String]
    /// The reason why a name was left out, as a sentence.
    package let note: String?
  }

  /// A photo that could not be fetched.
  package struct Failure: Sendable {
    /// Its title or address.
    package let name: String
    /// The requested URL, including any credentials in it.
    package let address: String?
    package let message: String
  }

  package var added: [FetchedPhoto] = []
  /// The number of offered photos that the dataset already has, including removed ones.
  package var known = 0
  package var failed: [Failure] = []
  /// The photos that were removed because the new ones replace them.
  package var removed: [PhotoID] = []
  /// The error that ended the fetch early, or because of which photos are missing.
  package var failure: CairnError?

  package init() {}

  mutating func add(_ other: PhotoFetchReport) {
    added += other.added
    known += other.known
    failed += other.failed
    removed += other.removed
    failure = failure ?? other.failure
  }
}
