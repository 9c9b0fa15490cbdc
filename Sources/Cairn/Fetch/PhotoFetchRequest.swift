public import CairnDocument
public import CairnSources
public import SystemPackage

/// The photos to fetch, and the options for adding them.
public struct PhotoFetchRequest: Sendable {
  /// The source.
  public var source: SourceName
  /// The search query. With a pin, sources that support locations search around the pin; if its
  /// licenses are nil, the usual ones of the source apply.
  public var query = SourceQuery()
  /// The pin that the photos are assigned to.
  public var pin: PinID?
  /// The search radius around the pin, in meters.
  public var radiusMeters = 1000.0
  /// The number of new photos to fetch; nil for all.
  public var count: Int?
  /// Whether to accept any license, including unknown ones.
  public var allowsAnyLicense = false
  /// The URLs for ``SourceName/urls``.
  public var locations: [WebLocation] = []
  /// The files for ``SourceName/folder``: images, and directories with all images below them.
  public var files: [FilePath] = []
  /// Whether the pin's current photos are removed after the new ones have arrived.
  public var isNewCollection = false
  /// Whether the classes that the source assigns to a photo become a model's labels.
  public var importsLabels = true

  /// Creates a request for any photos of a source.
  public init(_ source: SourceName) { self.source = source }
}

/// The result of a fetch.
public struct PhotoFetchReport: Sendable {
  /// A photo that was added.
  public struct FetchedPhoto: Sendable {
    /// Its id in the dataset.
    public let id: PhotoID
    /// The photo as the source describes it.
    package let photo: SourcePhoto
    /// The class names from the source.
    public let classes: [String]
    /// The reason why a name was left out, as a sentence.
    public let note: String?

    /// Its title; otherwise the location of its image.
    public var name: String { photo.name }
    /// The name of its author.
    public var author: String? { photo.author }
    /// Its license, such as `CC BY-SA 4.0`.
    public var license: String? { photo.license?.text }
  }

  /// A photo that could not be fetched.
  public struct Failure: Sendable {
    /// Its title or address.
    package let name: String
    /// The requested URL, including any credentials in it.
    public let address: String?
    /// The error, as a sentence.
    public let message: String
  }

  /// A note about a photo that was added or is already known.
  public struct Note: Sendable {
    /// The requested URL, including any credentials in it.
    package let address: String?
    /// The note, as a sentence.
    public let message: String
  }

  /// The photos that were added.
  public var added: [FetchedPhoto] = []
  /// The number of offered photos that the dataset already has, including removed ones.
  public var known = 0
  /// The photos that could not be fetched.
  public var failed: [Failure] = []
  /// What was left out of photos, and why known ones were not changed.
  public var notes: [Note] = []
  /// The types of the files in a folder that are not images, such as `MP4`.
  public var skipped: [String] = []
  /// Whether the search was stopped, because its last results contained nothing new.
  public var hasGivenUp = false
  /// The photos that were removed because the new ones replace them.
  public var removed: [PhotoID] = []
  /// The error that ended the fetch early or kept photos from being fetched.
  public var failure: CairnError?

  package init() {}

  mutating func add(_ other: PhotoFetchReport) {
    added += other.added
    known += other.known
    failed += other.failed
    notes += other.notes
    skipped += other.skipped
    hasGivenUp = hasGivenUp || other.hasGivenUp
    removed += other.removed
    failure = failure ?? other.failure
  }
}
