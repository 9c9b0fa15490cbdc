public import CairnFiles
public import SystemPackage

/// The files of one copy of a dataset: its work tree, and what is this device's alone.
///
/// Nothing here knows of git's objects.
public struct DatasetDirectory: Sendable {
  /// The top of the work tree.
  public let root: FilePath
  /// `.git/cairn`: this device only, of which nothing is ever pushed.
  public let privateDirectory: FilePath
  public let blobs: BlobStore
  public let world: World

  public init(root: FilePath, gitDirectory: FilePath, blobs: BlobStore, world: World) {
    self.root = root
    privateDirectory = gitDirectory.appending("cairn")
    self.blobs = blobs
    self.world = world
  }

  public var files: FileSystem { world.files }

  /// The file of the index database.
  public var indexDatabase: FilePath { privateDirectory.appending("index.sqlite") }

  var temporaryDirectory: FilePath { privateDirectory.appending("tmp") }

  func temporaryFile() -> FilePath {
    temporaryDirectory.appending(String(world.random(), radix: 36))
  }
}
