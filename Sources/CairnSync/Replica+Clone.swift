internal import CairnFiles
public import CairnGit
public import CairnStore
internal import CairnTransport
public import SystemPackage

extension Replica {
  /// Copies the dataset at `address` to a new directory, or goes on where that was cut short.
  ///
  /// - Parameter part: What to check out; nil for all.
  /// - Throws: ``SyncError/destinationExists(_:)`` when there is something else at `path` already.
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

    let stored = try Remote.stored(address, relativeTo: base)
    if try isUnfinishedClone(of: stored, at: path, world: world) {
      let repository = try Repository.open(path, files: world.files)
      return try cloneOn(
        Replica(repository: repository, root: world.files.resolve(path) ?? path, world: world),
        commit, of: branch, from: remote, at: stored, part: part, command: command,
        options: options)
    }
    let existed = world.files.directoryExists(path)
    do {
      let replica = try startClone(of: stored, branch: branch, at: path, world: world)
      return try cloneOn(
        replica, commit, of: branch, from: remote, at: stored, part: part, command: command,
        options: options)
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

  /// Is there while a clone is under way, and holds the address that it is of.
  private static let unfinishedClone: FilePath = ".git/cairn/cloning"

  private static func isUnfinishedClone(
    of address: String, at path: FilePath, world: World
  ) throws -> Bool {
    guard let names = try world.files.list(path) else {
      if try world.files.exists(path) { throw SyncError.destinationExists(path) }
      return false
    }
    if names.isEmpty { return false }
    let note = try world.files.read(path.pushing(unfinishedClone))
    guard note == Array("\(address)\n".utf8) else { throw SyncError.destinationExists(path) }
    return true
  }

  private static func startClone(
    of address: String, branch: String, at path: FilePath, world: World
  ) throws -> Replica {
    try world.files.createDirectory(path)
    let root = world.files.resolve(path) ?? path
    let repository = try Repository.create(
      root, bare: false, branch: String(branch.dropFirst("refs/heads/".count)),
      files: world.files)
    let note = root.pushing(unfinishedClone)
    try world.files.createDirectory(note.removingLastComponent())
    try world.files.create(note, Array("\(address)\n".utf8))
    return try Replica(repository: repository, root: root, world: world)
  }

  /// Does whatever of a clone is not done yet.
  private static func cloneOn(
    _ replica: Replica, _ commit: ObjectID, of branch: String, from remote: Remote,
    at address: String, part: (Repository, ObjectID) throws -> SparseCone?, command: FilePath?,
    options: TransferOptions
  ) throws -> (replica: Replica, checkout: CheckoutReport, images: ImageArrival) {
    let (repository, files) = (replica.repository, replica.world.files)
    let branchName = String(branch.dropFirst("refs/heads/".count))
    if try repository.remoteURL("origin") == nil {
      try repository.addRemote("origin", url: address)
    }
    try repository.setConfiguration("branch.\(branchName).remote", "origin")
    try repository.setConfiguration("branch.\(branchName).merge", branch)
    replica.command = command
    try replica.configure(command: command)
    let session = try replica.edit("clone")
    if options.images == false { try repository.setConfiguration(imagesKey, "none") }
    let images = try replica.fetch(
      commit, of: branch, from: remote, named: "origin", options: options)
    var checkout = CheckoutReport()
    // What was cut short while files were written, the session has brought to its end.
    if let head = try repository.head() {
      if let part = try part(repository, repository.commit(head).tree) {
        checkout.imagesMissing = try replica.moveToPart(part).imagesMissing
      }
    } else {
      checkout = try replica.checkOutFirst(
        commit, part(repository, repository.commit(commit).tree), from: remote.git.address,
        session: session)
    }
    try files.remove(replica.seenFile)
    _ = try replica.amendOwnCommits(session)
    try files.remove(replica.directory.root.pushing(unfinishedClone))
    return (replica, checkout, images)
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
}
