public import CairnDocument

/// What became of erased images in this copy and in the image stores that it reaches.
public struct ErasureReport: Sendable {
  /// The photos whose images were deleted from this copy, sorted.
  public internal(set) var photos: [PhotoID] = []
  /// The photos that were erased by this command, sorted; none if they were erased before.
  public internal(set) var recorded: [PhotoID] = []
  /// Files of the work tree that have the names of erased images but other content; they were kept.
  public internal(set) var changed: [String] = []
  /// The result for each image store that was asked.
  public package(set) var stores: [ErasureStoreReport] = []

  /// Whether nothing was done, or left to do.
  public var isEmpty: Bool { photos.isEmpty && changed.isEmpty && stores.isEmpty }
}

/// What the image store of a remote did with erased images.
public struct ErasureStoreReport: Sendable {
  /// The name of the remote.
  public let remote: String
  /// The address of the store, without secrets; that of the remote if its store cannot be opened.
  public let address: String
  /// The photos whose images the store no longer has.
  public internal(set) var erased: [PhotoID] = []
  /// The photos whose images the store has and offers no way to delete.
  public internal(set) var kept: [PhotoID] = []
  /// The photos for which the store could not be reached.
  public internal(set) var failed: [PhotoID] = []
  /// Why it could not be reached.
  public internal(set) var failure: (any Error)?
}

extension ErasureStoreReport {
  /// Replaces the error of the store.
  package mutating func replaceFailure(_ replacement: (any Error) -> any Error) {
    failure = failure.map(replacement)
  }
}

extension ErasureReport {
  /// Replaces the errors of the stores.
  package mutating func replaceFailures(_ replacement: (any Error) -> any Error) {
    for index in stores.indices { stores[index].replaceFailure(replacement) }
  }
}
