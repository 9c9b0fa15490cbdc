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

  /// Copies the dataset at `address` to a new directory.
  ///
  /// - Parameter part: What to check out; nil for all.
  /// - Throws: ``SyncError/destinationExists(_:)`` when there is something at `path` already.
  public static func clone(
    _ address: String, to path: FilePath, relativeTo base: FilePath,
    part: (Repository, ObjectID) throws -> SparseCone? = { _, _ in nil },
    command: FilePath?, options: TransferOptions = TransferOptions(), world: World
  ) throws -> (replica: Replica, checkout: CheckoutReport, images: ImageArrival) {
    let settings = try GitSettings.user()
    let remote = try Remote(
      settings.rewritten(address, for: .fetching), named: "origin", settings: settings,
      relativeTo: base, world: world)
    defer { remote.git.close() }
    let references = try remote.git.references(for: .fetching)
    // HEAD may name a branch that nobody has pushed.
    let candidates = [references.headBranch, "refs/heads/main", "refs/heads/master"]
    guard let branch = candidates.compactMap({ $0 }).first(where: { references[$0] != nil }),
      let commit = references[branch]
    else { throw SyncError.emptyRemote(remote.git.address) }
    if let names = try world.files.list(path), !names.isEmpty {
      throw try world.files.exists(path.pushing(unfinishedClone))
        ? SyncError.interruptedClone(path) : SyncError.destinationExists(path)
    }
    let existed = world.files.directoryExists(path)
    if !existed, try world.files.exists(path) { throw SyncError.destinationExists(path) }
    do {
      try world.files.createDirectory(path)
      let root = world.files.resolve(path) ?? path
      let branchName = String(branch.dropFirst("refs/heads/".count))
      let repository = try Repository.create(
        root, bare: false, branch: branchName, files: world.files)
      try repository.addRemote("origin", url: Remote.stored(address, relativeTo: base))
      try repository.setConfiguration("branch.\(branchName).remote", "origin")
      try repository.setConfiguration("branch.\(branchName).merge", branch)
      let replica = try Replica(repository: repository, root: root, world: world)
      replica.command = command
      try replica.configure(command: command)
      let session = try replica.edit("clone")
      try world.files.create(path.pushing(unfinishedClone), [])
      if options.images == false { try repository.setConfiguration(imagesKey, "none") }
      let images = try replica.fetch(
        commit, of: branch, from: remote, named: "origin", options: options)
      let checkout = try replica.checkOutFirst(
        commit, part(repository, repository.commit(commit).tree), from: remote.git.address,
        session: session)
      try world.files.remove(replica.seenFile)
      _ = try replica.amendOwnCommits(session)
      try world.files.remove(path.pushing(unfinishedClone))
      return (replica, checkout, images)
    } catch {
      if existed {
        for name in try world.files.list(path) ?? [] {
          try? world.files.removeTree(path.appending(name))
        }
      } else {
        try? world.files.removeTree(path)
      }
      throw error
    }
  }

  /// Is there while a clone is under way.
  private static let unfinishedClone: FilePath = ".git/cairn/cloning"

  private func checkOutFirst(
    _ commit: ObjectID, _ part: SparseCone?, from address: String, session: EditSession
  ) throws -> CheckoutReport {
    let reason = "clone: from \(address)"
    guard let part else {
      return try checkOut(commit, from: nil, because: reason, session: session)
    }
    try repository.moveReference(
      try branch(), from: nil, to: commit, log: (try committer(), reason))
    var report = CheckoutReport()
    report.imagesMissing = try moveToPart(part).imagesMissing
    return report
  }

  /// Makes an empty bare repository, for datasets to be pushed to.
  public static func createBare(_ path: FilePath, world: World) throws {
    if let names = try world.files.list(path), !names.isEmpty {
      throw SyncError.destinationExists(path)
    }
    _ = try Repository.create(path, bare: true, files: world.files)
  }
}
