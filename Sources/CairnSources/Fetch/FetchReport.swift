public import SystemPackage

/// A photo whose image has been downloaded or is on this disk.
public struct FetchedPhoto: Sendable {
  public let photo: SourcePhoto
  public let file: FilePath
}

/// The result of a fetch.
public struct FetchReport: Sendable {
  public var arrived = 0
  /// The number of photos found at the source that were fetched before.
  public var known = 0
  public var failed: [(photo: SourcePhoto, error: SourceError)] = []
  /// The error because of which fewer photos than requested were fetched, although the source has
  /// more.
  public var trouble: SourceError?
}

/// The outcome of a processed image.
public enum FetchOutcome: Sendable {
  case added
  /// The dataset already has an identical image.
  case known
  case unusable(SourceError)
}
