internal import CairnFiles
package import CairnGit
package import CairnStore
internal import CairnTransport
package import SystemPackage

/// The result of a clone.
package struct Cloned {
  package let replica: Replica
  package let checkout: CheckoutReport
  package let images: ImageFetchReport
  /// Fixups for the last commits of other tools.
  package let fixups: [Fixup]
}

extension Replica {
  /// Clones the dataset at `address` to a new directory, or continues an interrupted clone.
  ///
  /// - Parameters:
  ///   - origin: The name of the remote in the clone.
  ///   - sparseCone: Returns the directories to check out; nil for all files.
  /// - Throws: ``SyncError/destinationExists(_:)`` when something else exists at `path`.
  package static func clone(
    _ address: String, to path: FilePath, relativeTo base: FilePath, origin: String = "origin",
    sparseCone: (Repository, ObjectID) throws -> SparseCone? = { _, _ in nil },
    command: FilePath?, options: TransferOptions = TransferOptions(), environment: Environment
  ) throws -> Cloned {
    let settings = try GitSettings.user()
    let remote = try Remote(
      settings.rewritten(address, for: .fetching), named: origin, settings: settings,
      relativeTo: base, environment: environment)
    defer { remote.git.close() }
    let references = try remote.git.references(for: .fetching)
    let branches = references.tips.keys.filter { $0.hasPrefix("refs/heads/") }.sorted()
    // HEAD may name a branch that nobody has pushed.
    var candidates = [references.headBranch, "refs/heads/main", "refs/heads/master"]
    if branches.count == 1 { candidates.append(branches[0]) }
    guard let branch = candidates.compactMap({ $0 }).first(where: { references[$0] != nil }),
      let commit = references[branch]
    else {
      if branches.isEmpty { throw SyncError.emptyRemote(remote.git.address) }
      let names = branches.map { String($0.dropFirst("refs/heads/".count)) }
      throw SyncError.noDefaultBranch(remote.git.address, branches: names)
    }

    let stored = try Remote.stored(address, relativeTo: base)
    if try isUnfinishedClone(of: stored, at: path, environment: environment) {
      let repository = try Repository.open(path, files: environment.files)
      return try cloneOn(
        Replica(
          repository: repository, root: environment.files.resolve(path) ?? path,
          environment: environment),
        commit, of: branch, from: remote, endingAt: references.historyEnds, at: stored,
        sparseCone: sparseCone, command: command, options: options)
    }
    let existed = environment.files.directoryExists(path)
    // If this fails, another process may be cloning to the same path.
    let replica = try startClone(of: stored, branch: branch, at: path, environment: environment)
    do {
      return try cloneOn(
        replica, commit, of: branch, from: remote, endingAt: references.historyEnds, at: stored,
        sparseCone: sparseCone, command: command, options: options)
    } catch {
      if existed {
        for name in try environment.files.list(path) ?? [] {
          try? environment.files.removeTree(path.appending(name))
        }
      } else {
        try? environment.files.removeTree(path)
      }
      throw error
    }
  }

  /// The file that exists while a clone is in progress, with the address that is cloned.
  private static let unfinishedClone: FilePath = "cairn/cloning"

  private static func isUnfinishedClone(
    of address: String, at path: FilePath, environment: Environment
  ) throws -> Bool {
    try Repository.removeUnfinished(in: path, files: environment.files)
    guard let names = try environment.files.list(path) else {
      if try environment.files.exists(path) { throw SyncError.destinationExists(path) }
      return false
    }
    if names.isEmpty { return false }
    let note = try environment.files.read(path.appending(".git").pushing(unfinishedClone))
    guard note == Array("\(address)\n".utf8) else { throw SyncError.destinationExists(path) }
    return true
  }

  private static func startClone(
    of address: String, branch: String, at path: FilePath, environment: Environment
  ) throws -> Replica {
    try environment.files.createDirectory(path)
    let root = environment.files.resolve(path) ?? path
    let repository = try Repository.create(
      root, bare: false, branch: String(branch.dropFirst("refs/heads/".count)),
      files: environment.files
    ) { gitDirectory in
      let note = gitDirectory.pushing(unfinishedClone)
      try environment.files.createDirectory(above: note)
      try environment.files.create(note, Array("\(address)\n".utf8))
    }
    return try Replica(repository: repository, root: root, environment: environment)
  }

  /// Completes the steps of a clone that are not done yet.
  private static func cloneOn(
    _ replica: Replica, _ commit: ObjectID, of branch: String, from remote: Remote,
    endingAt ends: Set<ObjectID>, at address: String,
    sparseCone: (Repository, ObjectID) throws -> SparseCone?,
    command: FilePath?, options: TransferOptions
  ) throws -> Cloned {
    let (repository, files) = (replica.repository, replica.environment.files)
    try repository.removeTemporaryFiles()
    let origin = remote.name ?? "origin"
    guard !origin.hasPrefix("-"), try repository.isRemoteName(origin) else {
      throw SyncError.invalidRemoteName(origin)
    }
    let branchName = String(branch.dropFirst("refs/heads/".count))
    var settings = Repository.remoteSettings(origin, url: address)
    settings += [("branch.\(branchName).remote", origin), ("branch.\(branchName).merge", branch)]
    if options.images == false { settings.append((imagesKey, "none")) }
    replica.command = command
    try replica.configure(command: command, settings)
    let session = try replica.edit("clone")
    let images = try replica.fetch(
      commit, of: branch, from: remote, named: origin, endingAt: ends, options: options)
    let commit = try replica.withoutErasedFacts(commit)
    var checkout = CheckoutReport()
    // If the checkout was interrupted, `edit` has finished it.
    if let head = try repository.head() {
      if let sparseCone = try sparseCone(repository, repository.commit(head).tree) {
        checkout.imagesMissing = try replica.setSparse(sparseCone).imagesMissing
      }
    } else {
      checkout = try replica.checkOutFirst(
        commit, sparseCone(repository, repository.commit(commit).tree), from: remote.git.address,
        session: session)
    }
    try files.remove(replica.seenFile)
    let tree = try replica.headTree()
    if try replica.canCheckLater(tree) {
      try replica.noteUncheckedPaths()
      replica.acceptedTree = tree
    }
    // Files that cannot stay may be anywhere, also among those of long ago.
    let refused = try replica.refusals(in: tree, since: nil)
    let fixups = try replica.fixUpOwnCommits(session, everywhere: !refused.documents.isEmpty) {
      checkout.add($0)
    }
    try files.remove(repository.gitDirectory.pushing(unfinishedClone))
    return Cloned(replica: replica, checkout: checkout, images: images, fixups: fixups)
  }

  private func checkOutFirst(
    _ commit: ObjectID, _ sparseCone: SparseCone?, from address: String, session: EditSession
  ) throws -> CheckoutReport {
    let reason = "clone: from \(address)"
    guard let sparseCone else {
      return try checkOut(commit, from: nil, reason: reason, session: session)
    }
    try repository.moveReference(
      try branch(), from: nil, to: commit, log: (try logSignature(), reason))
    var report = CheckoutReport()
    report.imagesMissing = try setSparse(sparseCone).imagesMissing
    return report
  }
}
