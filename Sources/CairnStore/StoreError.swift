public import CairnDocument
public import SystemPackage

/// What is wrong with a dataset's directory.
public enum StoreError: Error, Equatable, Sendable {
  case notADataset(FilePath)
  /// Another process is writing; `holder` says which.
  case locked(FilePath, holder: String?)
  /// A document does not read; `path` lies in the dataset.
  case invalidDocument(path: String, DocumentError)
  /// A directory of the dataset is a symbolic link, which is never followed.
  case symbolicLink(FilePath)
  /// A path from a repository that no disk should be asked to hold.
  case unsafePath(String)
  /// The bytes of an image do not hash to its id.
  case corruptBlob(PhotoID, FilePath)
  /// An image that a document names is not on this disk.
  case missingBlob(PhotoID)
}
