public import CairnDocument
public import SystemPackage

/// Options for adding photos.
public struct PhotoImport: Sendable {
  /// The pin that photos are assigned to.
  public enum PinChoice: Equatable, Sendable {
    case none
    case pin(PinID)
    /// The pin nearest to the location in each file, within a distance in meters.
    case nearest(within: Double)
    /// The nearest pin; if there is none, pins are created so that each photo with a location has
    /// one.
    case automatic(within: Double)
  }

  /// The pin that photos are assigned to; by default none.
  public var pin: PinChoice = .none
  /// Whether keywords and named regions in the files become labels of the current user; by default
  /// they are only recorded with the photo (``ImageFacts``).
  public var importsKeywords = false
  /// Skips photos that look like an existing or earlier one: the maximum number of bits in which
  /// their perceptual hashes differ. Nil to skip none.
  public var similarity: Int?
  /// The name that is recorded with each photo; nil for that of its file.
  package var recordedName: String?

  /// Creates options that add photos without a pin and without labels.
  public init() {}
}

/// The result of adding one file.
public struct AddedPhoto: Sendable {
  /// What happened to a file.
  public enum Status: String, Sendable {
    case added
    /// The dataset already has the photo; nothing was changed.
    case known
    /// The photo looks like another one and was skipped.
    case similar
    case failed
    /// The file is in a directory with images, but is not an image.
    case skipped
  }

  /// The path of the file.
  public let file: FilePath
  /// What happened to the file.
  public let status: Status
  /// Nil when the file could not be read.
  public let id: PhotoID?
  /// The reason why the file failed, or a note about it.
  public let note: String?
  /// The classes of the labels made from keywords and regions in the file.
  public var labels: [ClassKey] = []
  /// The pin that the photo was assigned to; nil for none.
  public var pin: PinID?
  /// The photo that it looks like, if it was skipped for that reason.
  public var similarPhoto: PhotoID?
  /// The type of a skipped file, such as `MP4`, from its extension, its contents or its kind.
  public var type: String?

  init(_ file: FilePath, _ status: Status, _ id: PhotoID? = nil, note: String? = nil) {
    (self.file, self.status, self.id, self.note) = (file, status, id, note)
  }

  init(skipping file: FilePath, _ type: String) {
    self.init(file, .skipped)
    self.type = type
  }
}
