internal import CairnDocument
internal import CairnFiles
internal import CairnGit
package import CairnStore
internal import CairnTransport
package import SystemPackage

extension Replica {
  /// Creates a dataset in a directory, which may already hold a git repository, and commits it.
  ///
  /// - Parameter command: The path of the `cairn` program, for git to run where git-lfs is not
  ///   installed.
  /// - Throws: ``SyncError/destinationExists(_:)`` when it is a dataset already.
  package static func create(
    _ path: FilePath, name: String, command: FilePath?, environment: Environment
  ) throws -> Replica {
    let existed = environment.files.directoryExists(path)
    if !existed, try environment.files.exists(path) { throw SyncError.destinationExists(path) }
    try environment.files.createDirectory(path)
    guard let root = environment.files.resolve(path) else { throw StoreError.notADataset(path) }
    let isRepository = try environment.files.exists(root.appending(".git"))
    let isUnfinished = try isUnfinishedStart(root, environment: environment)
    // A process that was killed may have made the repository, or not.
    try Repository.removeUnfinished(in: root, files: environment.files)
    if !isUnfinished,
      try environment.files.exists(root.appending(DocumentPath.manifest.description))
    {
      if isRepository {
        try Repository.open(root, files: environment.files).removeTemporaryFiles()
      }
      throw SyncError.destinationExists(root)
    }
    let attributes = try environment.files.read(root.appending(GitAttributes.path))
    // What this call has made; another process may create the same dataset.
    var (hasRepository, hasFiles) = (false, false)
    do {
      let repository =
        try isRepository
        ? Repository.open(root, files: environment.files)
        : Repository.create(root, bare: false, files: environment.files) {
          try noteStart($0, environment: environment)
        }
      hasRepository = !isRepository
      let replica = try Replica(repository: repository, root: root, environment: environment)
      try repository.removeTemporaryFiles()
      _ = (try replica.author(), try replica.branch())
      if isRepository { try noteStart(repository.gitDirectory, environment: environment) }
      replica.command = command
      try replica.configure(command: command)
      let session = try replica.edit("init")
      hasFiles = true
      try replica.directory.write(
        GitAttributes.adding(to: attributes ?? []), to: GitAttributes.path)
      if try replica.directory.read(DocumentPath.manifest.description) == nil {
        let manifest = Manifest(
          id: DatasetID(random: environment.random), name: name, stamp: session.stamp())
        try session.write([.manifest(manifest)])
      }
      try replica.commit(
        message: "Create the dataset “\(name)”", others: [GitAttributes.path], session: session)
      try environment.files.remove(repository.gitDirectory.pushing(unfinishedStart))
      return replica
    } catch {
      if isUnfinished { throw error }
      if isRepository {
        try? environment.files.remove(root.appending(".git").pushing(unfinishedStart))
      }
      if hasRepository { try? environment.files.removeTree(root.appending(".git")) }
      if hasFiles {
        try? environment.files.remove(root.appending(DocumentPath.manifest.description))
        let path = root.appending(GitAttributes.path)
        try? environment.files.remove(path)
        if let attributes { try? environment.files.create(path, attributes) }
      }
      if !existed, hasRepository { try? environment.files.removeTree(root) }
      throw error
    }
  }

  /// The file in the git directory that exists while a dataset is being created.
  private static let unfinishedStart: FilePath = "cairn/starting"

  /// Whether a creation was interrupted before its commit.
  private static func isUnfinishedStart(_ root: FilePath, environment: Environment) throws -> Bool {
    guard try environment.files.exists(root.appending(".git").pushing(unfinishedStart)) else {
      return false
    }
    let repository = try Repository.open(root, files: environment.files)
    let tree = try repository.tree(ofCommit: repository.head())
    return try repository.node(at: DocumentPath.manifest.description, in: tree) == nil
  }

  private static func noteStart(_ gitDirectory: FilePath, environment: Environment) throws {
    let note = gitDirectory.pushing(unfinishedStart)
    try environment.files.createDirectory(above: note)
    try environment.files.create(note, [])
  }

  /// Creates an empty bare repository to push datasets to, unless `path` already is one.
  package static func createBare(_ path: FilePath, environment: Environment) throws {
    if let names = try environment.files.list(path), !names.isEmpty {
      let repository = try? Repository.open(path, files: environment.files)
      if let repository, repository.isBare, try repository.references().isEmpty { return }
      throw SyncError.destinationExists(path)
    }
    _ = try Repository.create(path, bare: true, files: environment.files)
  }
}
