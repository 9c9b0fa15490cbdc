internal import CairnBase
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// A remote in a directory: a bare repository on a disk or a share, or another dataset.
final class DirectoryRemote: GitRemote {
  /// The address to show to the user.
  let address: String
  let path: FilePath
  let repository: Repository
  private let environment: Environment
  private let context: TransportContext
  private let pusher: PushIdentity?

  /// The identity and the dataset of a push, for the remote's reflog.
  struct PushIdentity {
    let signature: Signature
    let root: FilePath
  }

  /// Opens the remote at `text`, a path.
  ///
  /// - Parameter base: The directory that a relative path starts from.
  /// - Parameter pusher: Nil when nothing is pushed.
  /// - Throws: ``SyncError/unreachable(_:reason:)``.
  init(
    _ text: String, address: String, relativeTo base: FilePath, pusher: PushIdentity?,
    context: TransportContext, environment: Environment
  ) throws {
    (self.address, self.pusher) = (address, pusher)
    (self.context, self.environment) = (context, environment)
    path = base.pushing(FilePath(text)).lexicallyNormalized()
    guard environment.files.directoryExists(path) else {
      throw SyncError.unreachable(address, reason: "there is no directory \(path)")
    }
    do {
      // Its objects are not completed: git would run commands that its configuration names.
      repository = try Repository.open(path, files: environment.files)
      repository.keepsHistoryEnds = true
    } catch {
      guard error.code == .notFound else { throw error }
      throw SyncError.unreachable(address, reason: "\(path) is not a git repository")
    }
    // Remove what a killed push has left, such as a lock that keeps git out.
    if pusher != nil { try? repository.removeTemporaryFiles() }
  }

  func references(for direction: GitSettings.Direction) throws -> RemoteReferences {
    let references = try repository.references()
    let head = try repository.headBranch()
    return RemoteReferences(
      tips: references, headBranch: head.flatMap { references[$0] == nil ? nil : $0 },
      historyEnds: repository.historyEnds)
  }

  /// Copies objects to `other`; a new repository gets all packs, shared when on the same disk.
  func fetch(
    _ tips: [ObjectID], into other: Repository, known: [ObjectID], progress: TransferProgress
  ) throws {
    let (isNew, isPartial) = (known.isEmpty, try repository.promisor() != nil)
    let ends = repository.historyEnds
    if isNew, !isPartial, ends.isEmpty {
      progress("receiving objects", 0, 1)
      let isWhole = try repository.shareObjects(with: other)
      // Objects that the remote borrows from yet another repository were not shared.
      if try isWhole && !repository.borrowsObjects { return }
    }
    do {
      let known = try other.newestCommits(of: known, alsoIn: repository)
      for tip in tips {
        // Even if the tip is present: a copy that borrows objects may lack what it reaches.
        let new = try repository.endingHistory(also: other.historyEnds) {
          try repository.newObjects(from: tip, excluding: known)
        }
        guard try isNew || repository.historyReaches(other, from: new.ids) else {
          throw incomplete("shallow")
        }
        progress("receiving objects", 0, new.ids.count)
        try repository.copy(new, to: other)
      }
      if isNew { try other.endHistory(of: tips, at: ends) }
    } catch let error as GitError where isPartial && error.code == .notFound {
      throw incomplete("partial")
    }
  }

  /// Returns the error for a remote that lacks what is needed. git would fetch it there with the
  /// programs that the configuration of the remote names.
  private func incomplete(_ kind: String) -> GitError {
    GitError(
      .incomplete,
      "the repository at \(path) is a \(kind) clone, which its owner has to complete")
  }

  func push(
    _ update: ReferenceUpdate, with objects: MissingObjects, from other: Repository,
    progress: TransferProgress
  ) throws -> PushOutcome {
    progress("sending objects", 0, objects.ids.count)
    if try repository.workTrees(on: update.name).isEmpty && needsGit() {
      return try pushWithGit(update, with: objects, from: other, progress: progress)
    }
    try other.copyPacks(of: objects, to: repository)
    do {
      try move(update)
      return PushOutcome(.moved)
    } catch ReferenceError.moved {
      return PushOutcome(.raced)
    }
  }

  /// Pushes as git does, with the repository's hooks.
  private func pushWithGit(
    _ update: ReferenceUpdate, with objects: MissingObjects, from other: Repository,
    progress: TransferProgress
  ) throws -> PushOutcome {
    guard context.git != nil else {
      return PushOutcome(
        .refused("its hooks or receive settings need git, which is not installed here"))
    }
    let git = SmartRemote(.directory(path.string), named: nil, context)
    let outcome = try git.push(update, with: objects, from: other, progress: progress)
    if outcome.result == .moved { try nameDefaultBranch(update.name) }
    return outcome
  }

  /// Returns whether the repository has hooks for pushes, or settings that restrict them or act on
  /// them.
  private func needsGit() throws -> Bool {
    let settings = try repository.settings()
    // cairn does not remove branches, checks whether it may replace commits, and pushes to a
    // checked-out branch itself.
    let irrelevant: Set = [
      "receive.autogc", "receive.denycurrentbranch", "receive.denydeletecurrent",
      "receive.denydeletes", "receive.denynonfastforwards", "receive.unpacklimit",
    ]
    let isSet = settings.entries.contains { key, _ in
      key.hasPrefix("receive.") && !irrelevant.contains(key) || key == "transfer.fsckobjects"
        || key == "transfer.hiderefs"
    }
    if isSet { return true }
    var hooks = settings["core.hooksPath"] ?? "hooks"
    if hooks.hasPrefix("~/"), let home = environmentVariable("HOME") {
      hooks = home + hooks.dropFirst()
    }
    let directory = repository.commonDirectory.pushing(FilePath(hooks))
    let names = [
      "pre-receive", "update", "proc-receive", "reference-transaction", "post-receive",
      "post-update",
    ]
    return try names.contains { name in
      guard let hook = environment.files.resolve(directory.appending(name)) else { return false }
      return try environment.files.status(hook)?.isExecutable ?? false
    }
  }

  /// Makes `branch` the default one if HEAD names one that does not exist, as in a repository made
  /// by `git init --bare`.
  private func nameDefaultBranch(_ branch: String) throws {
    if try repository.isBare && repository.head() == nil { try repository.setHeadBranch(branch) }
  }

  /// Returns the error for a branch that is checked out in a work tree that cannot be updated.
  private func checkedOut(in workTree: FilePath) throws -> SyncError {
    var remedy: String?
    if try workTree != repository.workTree
      && !environment.files.exists(workTree.appending(".git"))
    {
      remedy = "git -C \(shellArgument(repository.commonDirectory.string)) worktree prune"
    } else if repository.isBare {
      remedy = "git -C \(shellArgument(workTree.string)) switch --detach"
    }
    return .checkedOutElsewhere(workTree, remedy: remedy)
  }

  private func move(_ update: ReferenceUpdate) throws {
    guard let pusher else { throw SyncError.noIdentity }
    let workTrees = try repository.workTrees(on: update.name)
    guard let workTree = workTrees.first else {
      try repository.moveReference(
        update.name, from: update.old, to: update.new, log: (by: pusher.signature, "push"))
      return try nameDefaultBranch(update.name)
    }
    // Another dataset: update its work tree, and merge its uncommitted changes.
    let other: Replica
    do {
      other = try Replica.open(workTree, environment: environment, completing: false)
    } catch StoreError.notADataset {
      throw try checkedOut(in: workTree)
    }
    guard workTrees.count == 1, other.repository.commonDirectory == repository.commonDirectory
    else { throw try checkedOut(in: workTree) }
    // Wait briefly: its owner may be pushing here at the same moment, and wait for this copy.
    let session = try other.edit("push from \(pusher.root)", timeout: 5000)
    if let operation = try other.interruptedOperation() {
      throw SyncError.refused(
        remote: address,
        reason: "a git \(operation.kind.rawValue) is in progress in \(workTree)", messages: [])
    }
    _ = try other.checkOut(
      update.new, from: update.old, reason: "push from \(pusher.root)", session: session)
  }

  func close() {}

  /// Whether the remote accepts no commit that lacks the one that its branch has.
  var deniesReplacement: Bool {
    (try? repository.flag("receive.denyNonFastForwards", default: false)) ?? false
  }

  /// Whether the remote allows a push to run maintenance on it (`receive.autogc`).
  var allowsMaintenance: Bool { (try? repository.flag("receive.autogc")) ?? false }
}
