package import SystemPackage

/// A photo whose image has been downloaded or is on this disk.
package struct FetchedPhoto: Sendable {
  package let photo: SourcePhoto
  package let file: FilePath
}

/// The result of a fetch.
package struct FetchReport: Sendable {
  package var added = 0
  /// The number of photos found at the source that were fetched before.
  package var known = 0
  package var failed: [(photo: SourcePhoto, error: SourceError)] = []
  /// Whether the source has more photos, but its last pages contained nothing new.
  package var hasGivenUp = false
  /// The error because of which fewer photos than requested were fetched, although the source has
  /// more.
  package var failure: SourceError?
}

/// The outcome of a processed image.
package enum FetchOutcome: Sendable {
  case added
  /// The dataset already has an identical image.
  case known
  case unusable(SourceError)
}
