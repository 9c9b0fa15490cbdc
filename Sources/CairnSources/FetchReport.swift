public import SystemPackage

/// A photo whose image is on this disk.
public struct FetchedPhoto: Sendable {
  public let photo: SourcePhoto
  public let file: FilePath
}

/// What became of a fetch.
public struct FetchReport: Sendable {
  public var arrived = 0
  /// Photos that the source has and that were here before.
  public var known = 0
  public var failed: [(photo: SourcePhoto, error: SourceError)] = []
  /// Why there are fewer than were wanted, where the source would have had more.
  public var trouble: SourceError?
}

/// What became of an image that came.
public enum FetchVerdict: Sendable {
  case added
  /// The dataset has the very same image.
  case known
  case unusable(SourceError)
}
