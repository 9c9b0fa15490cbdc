package import CairnDocument
package import SystemPackage

/// An error in a dataset's directory.
package enum StoreError: Error, Equatable, Sendable {
  case notADataset(FilePath)
  /// Another process is writing; `holder` describes it.
  case locked(FilePath, holder: String?)
  /// A document is invalid; `path` is relative to the dataset.
  case invalidDocument(path: String, DocumentError)
  /// A directory of the dataset is a symbolic link, which is never followed.
  case symbolicLink(FilePath)
  /// A path from a repository that is unsafe to write to a disk.
  case unsafePath(String)
  /// The bytes of an image do not hash to its id.
  case corruptBlob(PhotoID, FilePath)
  /// An image that a document refers to is not on this disk.
  case missingBlob(PhotoID)
  /// An image was erased, so a store does not take it in.
  case erasedBlob(PhotoID)
}
