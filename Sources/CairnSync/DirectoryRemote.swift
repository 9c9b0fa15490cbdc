internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// A remote in a directory: a bare repository on a disk or a share, or another dataset.
final class DirectoryRemote: GitRemote {
  /// The address as the person knows it.
  let address: String
  let path: FilePath
  let repository: Repository
  private let world: World
  private let pusher: Pusher?

  /// Who pushes, and from where: for the remote's log.
  struct Pusher {
    let signature: Signature
    let root: FilePath
  }

  /// Opens the remote at `text`, a path.
  ///
  /// - Parameter base: Where a relative path starts.
  /// - Parameter pusher: Nil where nothing is pushed.
  /// - Throws: ``SyncError/unreachable(_:reason:)``.
  init(
    _ text: String, address: String, relativeTo base: FilePath, pusher: Pusher?, world: World
  ) throws {
    (self.address, self.pusher, self.world) = (address, pusher, world)
    path = base.pushing(FilePath(text)).lexicallyNormalized()
    guard world.files.directoryExists(path) else {
      throw SyncError.unreachable(address, reason: "there is no directory \(path)")
    }
    do {
      repository = try Repository.open(path, files: world.files)
    } catch {
      guard error.code == .notFound else { throw error }
      throw SyncError.unreachable(address, reason: "\(path) is not a git repository")
    }
  }

  func references(for direction: GitSettings.Direction) throws -> RemoteReferences {
    let references = try repository.references()
    let head = try repository.headBranch()
    return RemoteReferences(
      tips: references, headBranch: head.flatMap { references[$0] == nil ? nil : $0 })
  }

  /// A new repository is given the remote's packs, on the same disk by sharing them.
  func fetch(
    _ tips: [ObjectID], into other: Repository, known: [ObjectID], progress: TransferProgress
  ) throws {
    if known.isEmpty {
      progress("receiving objects", 0, 1)
      try repository.shareObjects(with: other)
      // What it borrows from yet another repository was not shared.
      if try !repository.borrowsObjects { return }
    }
    let known = try other.newestCommits(of: known, alsoIn: repository)
    for tip in tips {
      // Also when the tip is there: what it reaches may not be, in a copy that borrows objects.
      let new = try repository.newObjects(from: tip, excluding: known)
      progress("receiving objects", 0, new.ids.count)
      try repository.copy(new, to: other)
    }
  }

  func push(
    _ update: ReferenceUpdate, with objects: NewObjects, from other: Repository,
    progress: TransferProgress
  ) throws -> PushOutcome {
    progress("sending objects", 0, objects.ids.count)
    try other.copy(objects, to: repository)
    do {
      try move(update)
      return PushOutcome(.moved)
    } catch ReferenceError.moved {
      return PushOutcome(.raced)
    }
  }

  private func move(_ update: ReferenceUpdate) throws {
    guard let pusher else { throw SyncError.noIdentity }
    if try repository.isBare || repository.headBranch() != update.name {
      try repository.moveReference(
        update.name, from: update.old, to: update.new, log: (by: pusher.signature, "push"))
      // A repository made by `git init --bare` may point to a branch that nobody has.
      if try repository.isBare && repository.head() == nil {
        try repository.setHeadBranch(update.name)
      }
      return
    }
    // Another dataset: its work tree moves along, and what its owner has not committed is joined.
    let other: Replica
    do {
      other = try Replica.open(path, world: world)
    } catch StoreError.notADataset {
      throw SyncError.checkedOutElsewhere(address)
    }
    // Briefly: its owner may be pushing here at the same moment, and wait for us.
    let session = try other.edit("push from \(pusher.root)", patience: 5000)
    try other.checkNothingUnfinished()
    _ = try other.checkOut(update.new, from: update.old, because: "pushed to", session: session)
  }

  func close() {}

  /// Whether its owner lets those who push keep it in shape (`receive.autogc`).
  var mayBeKeptInShape: Bool { (try? repository.flag("receive.autogc")) ?? false }
}
