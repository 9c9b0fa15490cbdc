public import CairnFiles
public import SystemPackage

/// The files of one copy of a dataset: its work tree, and this device's private files.
///
/// This type does not access git's objects.
public struct DatasetDirectory: Sendable {
  /// The top of the work tree.
  public let root: FilePath
  /// `.git/cairn`: files of this device, never pushed.
  public let privateDirectory: FilePath
  public let blobs: BlobStore
  public let environment: Environment

  public init(root: FilePath, gitDirectory: FilePath, blobs: BlobStore, environment: Environment) {
    self.root = root
    privateDirectory = gitDirectory.appending("cairn")
    self.blobs = blobs
    self.environment = environment
  }

  public var files: FileSystem { environment.files }

  /// The file of the index database.
  public var indexDatabase: FilePath { privateDirectory.appending("index.sqlite") }

  var temporaryDirectory: FilePath { privateDirectory.appending("tmp") }

  func temporaryFile() -> FilePath {
    temporaryDirectory.appending(String(environment.random(), radix: 36))
  }
}
