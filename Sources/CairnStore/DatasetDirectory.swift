package import CairnFiles
package import SystemPackage

/// The files of one copy of a dataset: its work tree, and this device's private files.
///
/// This type does not access git's objects.
package struct DatasetDirectory: Sendable {
  /// The top of the work tree.
  package let root: FilePath
  /// `.git/cairn`: files of this device, never pushed.
  package let privateDirectory: FilePath
  /// Files are written here, and then moved to their place.
  let temporaryDirectory: FilePath
  package let blobs: BlobStore
  package let environment: Environment

  package init(root: FilePath, gitDirectory: FilePath, blobs: BlobStore, environment: Environment) {
    self.root = root
    privateDirectory = DatasetDirectory.privateDirectory(in: gitDirectory)
    temporaryDirectory = privateDirectory.appending("tmp")
    self.blobs = blobs
    self.environment = environment
  }

  /// Returns the directory of a device's private files in the git directory of a work tree.
  package static func privateDirectory(in gitDirectory: FilePath) -> FilePath {
    gitDirectory.appending("cairn")
  }

  package var files: FileSystem { environment.files }

  /// The lock file of the edit session.
  var editLock: FilePath { privateDirectory.appending("lock") }

  /// Returns whether this or another process has an edit session.
  package func isBeingEdited() throws(FileError) -> Bool {
    try ProcessLock.isHeld(editLock, files: files)
  }

  /// The file of the index database.
  package var indexDatabase: FilePath { privateDirectory.appending("index.sqlite") }

  func temporaryFile() -> FilePath {
    temporaryDirectory.appending(String(environment.random(), radix: 36))
  }
}
