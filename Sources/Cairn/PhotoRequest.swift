public import CairnDocument
public import CairnSources
public import SystemPackage

/// Which photos are to be fetched, and what becomes of them.
public struct PhotoRequest: Sendable {
  public var source: SourceName
  /// What is asked. Where a pin is given, its place is asked about, of sources that know places; where
  /// licences are nil, those that are usual for the source.
  public var query = SourceQuery()
  /// The pin that they are put to.
  public var pin: PinID?
  /// How far from the pin, in metres.
  public var radiusMetres = 1000.0
  /// How many new ones; nil for all that there are.
  public var count: Int?
  /// Any licence will do, unknown ones too.
  public var takesAnyLicence = false
  /// The addresses of ``SourceName/urls``.
  public var locations: [WebLocation] = []
  /// The files of ``SourceName/folder``, directories with all images below them.
  public var files: [FilePath] = []
  /// Whether the photos that the pin has now are removed when the new ones are here.
  public var isNewCollection = false
  /// Whether what the source says is on a photo becomes a model's labels.
  public var takesLabels = true
  /// Asked every now and then whether to stop; what came until then stays, and is told.
  public var isStopped: @Sendable () -> Bool = { false }

  public init(_ source: SourceName) { self.source = source }
}

/// What a fetch brought.
public struct PhotoHarvest: Sendable {
  public struct Arrival: Sendable {
    public let id: PhotoID
    public let photo: SourcePhoto
    /// The class names that the source gave it.
    public let classes: [String]
    /// Why a name that it gave is no label, in a sentence.
    public let note: String?
  }

  /// One that could not be had.
  public struct Failure: Sendable {
    /// Its title or address.
    public let name: String
    /// As it was asked for, with whatever lets in whoever has it.
    public let address: String?
    public let message: String
  }

  public var added: [Arrival] = []
  /// How many were offered that the dataset has, removed ones among them.
  public var known = 0
  public var failed: [Failure] = []
  /// What the new ones took the place of.
  public var removed: [PhotoID] = []
  /// Why there are fewer than were wanted, where the source would have had more.
  public var trouble: CairnError?

  public init() {}

  mutating func add(_ other: PhotoHarvest) {
    added += other.added
    known += other.known
    failed += other.failed
    removed += other.removed
    trouble = trouble ?? other.trouble
  }
}
