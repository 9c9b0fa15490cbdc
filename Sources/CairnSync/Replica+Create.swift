internal import CairnDocument
internal import CairnFiles
public import CairnGit
public import CairnStore
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
  ) throws -> (replica: Replica, checkout: CheckoutReport) {
    let remote = try DirectoryRemote(address, relativeTo: base, world: world)
    // HEAD may name a branch that nobody has pushed.
    let candidates = [try remote.repository.headBranch(), "refs/heads/main", "refs/heads/master"]
    let branch = try candidates.compactMap { $0 }.first {
      try remote.repository.reference($0) != nil
    }
    guard let branch, let commit = try remote.repository.reference(branch) else {
      throw SyncError.emptyRemote(address)
    }
    try remote.checkManifest(at: commit)
    if let names = try world.files.list(path), !names.isEmpty {
      throw SyncError.destinationExists(path)
    }
    let existed = world.files.directoryExists(path)
    if !existed, try world.files.exists(path) { throw SyncError.destinationExists(path) }
    do {
      try world.files.createDirectory(path)
      let root = world.files.resolve(path) ?? path
      let branchName = String(branch.dropFirst("refs/heads/".count))
      let repository = try Repository.create(
        root, bare: false, branch: branchName, files: world.files)
      try repository.addRemote(
        "origin", url: DirectoryRemote.isDirectory(address) ? remote.path.string : address)
      try repository.setConfiguration("branch.\(branchName).remote", "origin")
      try repository.setConfiguration("branch.\(branchName).merge", branch)
      let replica = try Replica(repository: repository, root: root, world: world)
      replica.command = command
      try replica.configure(command: command)
      let session = try replica.edit("clone")
      try replica.receiveEverything(of: remote, at: commit, options: options)
      let checkout = try replica.checkOutFirst(
        commit, part(repository, repository.commit(commit).tree), from: address, session: session)
      try world.files.remove(replica.seenFile)
      _ = try replica.amendOwnCommits(session)
      return (replica, checkout)
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

  /// Brings the remote's objects, on the same disk by sharing its packs, and the images they name.
  private func receiveEverything(
    of remote: DirectoryRemote, at commit: ObjectID, options: TransferOptions
  ) throws {
    options.progress("receiving objects", 0, 1)
    try remote.repository.shareObjects(with: repository)
    // What it borrows from yet another repository was not shared.
    if try remote.repository.borrowsObjects {
      _ = try fetch(from: remote, named: "origin", options: options)
      return
    }
    if options.images {
      let images = try remote.repository.newObjects(from: commit, excluding: [], below: "images")
      _ = try fetchImages(
        remote.repository.pointers(among: images), from: remote.blobs, options: options)
    }
    try track("refs/remotes/origin/" + branch().dropFirst("refs/heads/".count), commit)
  }

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

extension Repository {
  /// Whether some objects are kept in another repository.
  fileprivate var borrowsObjects: Bool {
    get throws { try files.exists(commonDirectory.pushing("objects/info/alternates")) }
  }

  /// Gives a new repository the packs and objects of this one, shared on the same disk.
  ///
  /// What comes with it and is not reachable does no harm; what is borrowed from yet another
  /// repository (alternates) is left for ``copy(_:to:)``.
  ///
  /// Upkeep of the other side may move objects meanwhile: from loose files to packs, so that packs are
  /// listed last, and from pack to pack, so that all is listed again where one has gone.
  fileprivate func shareObjects(with other: Repository) throws {
    let (source, target) = (
      commonDirectory.appending("objects"), other.commonDirectory.appending("objects")
    )
    let directories = (try files.list(source) ?? []).filter { $0.count == 2 }
    var isWhole = false
    while !isWhole {
      isWhole = true
      for directory in directories + ["pack"] {
        let names = try files.list(source.appending(directory)) ?? []
        // A pack is looked for by its index, so that comes last.
        for name in names.sorted(by: { !$0.hasSuffix(".idx") && $1.hasSuffix(".idx") }) {
          let isPart = name.hasPrefix("tmp_") || name.hasSuffix(".tmp") || name.hasSuffix(".keep")
          let place = target.appending(directory).appending(name)
          if try isPart || files.exists(place) { continue }
          try files.createDirectory(target.appending(directory))
          do throws(FileError) {
            try files.share(source.appending(directory).appending(name), at: place)
          } catch {
            guard error.code == .noSuchFileOrDirectory else { throw error }
            isWhole = false
          }
        }
      }
    }
    try other.refreshObjects()
  }
}
