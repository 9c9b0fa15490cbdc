internal import CairnDocument
internal import CairnFiles
public import CairnGit
public import CairnStore
internal import CairnTransport
public import SystemPackage

extension Replica {
  /// Makes a dataset in a directory, which may hold a git repository already, and commits it.
  ///
  /// - Parameter command: The `cairn` program, for git to run where git-lfs is not installed.
  /// - Throws: ``SyncError/destinationExists(_:)`` when it is a dataset already.
  public static func create(
    _ path: FilePath, name: String, command: FilePath?, world: World
  ) throws -> Replica {
    let existed = world.files.directoryExists(path)
    if !existed, try world.files.exists(path) { throw SyncError.destinationExists(path) }
    try world.files.createDirectory(path)
    guard let root = world.files.resolve(path) else { throw StoreError.notADataset(path) }
    let isRepository = try world.files.exists(root.appending(".git"))
    if try world.files.exists(root.appending(DocumentPath.manifest.description)) {
      throw SyncError.destinationExists(root)
    }
    let attributes = try world.files.read(root.appending(Attributes.path))
    do {
      let repository =
        try isRepository
        ? Repository.open(root, files: world.files)
        : Repository.create(root, bare: false, files: world.files)
      let replica = try Replica(repository: repository, root: root, world: world)
      _ = try replica.author()
      replica.command = command
      try replica.configure(command: command)
      let session = try replica.edit("init")
      let manifest = Manifest(
        id: DatasetID(random: world.random), name: name, stamp: session.stamp())
      try replica.directory.write(
        Attributes.adding(to: attributes ?? []), to: Attributes.path)
      try session.write([.manifest(manifest)])
      try replica.commit(
        message: "Start the dataset “\(name)”", others: [Attributes.path], session: session)
      return replica
    } catch {
      if !isRepository { try? world.files.removeTree(root.appending(".git")) }
      try? world.files.remove(root.appending(DocumentPath.manifest.description))
      if attributes == nil { try? world.files.remove(root.appending(Attributes.path)) }
      if !existed { try? world.files.removeTree(root) }
      throw error
    }
  }

  /// Makes an empty bare repository, for datasets to be pushed to.
  public static func createBare(_ path: FilePath, world: World) throws {
    if let names = try world.files.list(path), !names.isEmpty {
      throw SyncError.destinationExists(path)
    }
    _ = try Repository.create(path, bare: true, files: world.files)
  }
}
