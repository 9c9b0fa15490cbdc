internal import CairnDocument
public import CairnGit
internal import CairnStore
internal import SystemPackage

/// What a push did.
public struct PushReport: Sendable {
  public let remote: String
  /// The commit that the remote's branch names now.
  public let commit: ObjectID
  /// False when the remote had everything already.
  public let isNew: Bool
  public let objects: Int
  public let images: Int
}

extension Replica {
  /// Sends what the remote lacks: images first, then the objects, then the branch is moved under
  /// its lock, if it is still where it was.
  ///
  /// - Throws: ``SyncError/notFastForward(remote:)`` when the remote has commits that are not here.
  public func push(
    _ remoteName: String? = nil, options: TransferOptions = TransferOptions()
  ) throws -> PushReport {
    let (name, remote) = try openRemote(remoteName)
    let branch = try branch()
    guard let head = try repository.head() else { throw SyncError.emptyRemote("this dataset") }
    let tracking = "refs/remotes/\(name)/" + branch.dropFirst("refs/heads/".count)

    let theirs = try remote.repository.reference(branch)
    if theirs == head {
      try track(tracking, head)
      return PushReport(remote: name, commit: head, isNew: false, objects: 0, images: 0)
    }
    if let theirs {
      guard repository.contains(theirs), try repository.isAncestor(theirs, of: head) else {
        throw SyncError.notFastForward(remote: name)
      }
    }
    let new = try repository.newObjects(from: head, excluding: theirs.map { [$0] } ?? [])
    let images = try sendImages(of: new, to: remote, options: options)
    options.progress("sending objects", 0, new.ids.count)
    try repository.copy(new, to: remote.repository)
    do {
      try move(remote, branch, from: theirs, to: head)
    } catch ReferenceError.moved {
      throw SyncError.notFastForward(remote: name)
    }
    try track(tracking, head)
    if remote.mayBeKeptInShape { keepInShape(remote.repository) }
    return PushReport(
      remote: name, commit: head, isNew: true, objects: new.ids.count, images: images)
  }

  /// - Returns: How many images the remote had not.
  private func sendImages(
    of new: NewObjects, to remote: DirectoryRemote, options: TransferOptions
  ) throws -> Int {
    let pointers = try repository.pointers(among: new)
    var count = 0
    for (done, pointer) in pointers.enumerated() {
      options.progress("sending images", done, pointers.count)
      do {
        if try remote.blobs.fetch(pointer.id, from: directory.blobs) { count += 1 }
      } catch StoreError.missingBlob(let id) {
        throw SyncError.imageNowhere(id)
      }
    }
    if count > 0 { try remote.blobs.flush() }
    return count
  }

  private func move(
    _ remote: DirectoryRemote, _ branch: String, from old: ObjectID?, to new: ObjectID
  ) throws {
    let log = (by: try committer(), message: "push")
    if try remote.repository.isBare || remote.repository.headBranch() != branch {
      try remote.repository.moveReference(branch, from: old, to: new, log: log)
      // A repository made by `git init --bare` may point to a branch that nobody has.
      if try remote.repository.isBare && remote.repository.head() == nil {
        try remote.repository.setHeadBranch(branch)
      }
      return
    }
    // Another dataset: its work tree moves along, and what its owner has not committed is joined.
    let other: Replica
    do {
      other = try Replica.open(remote.path, world: world)
    } catch StoreError.notADataset {
      throw SyncError.checkedOutElsewhere(remote.address)
    }
    // Briefly: its owner may be pushing here at the same moment, and wait for us.
    let session = try other.edit("push from \(directory.root)", patience: 5000)
    try other.checkNothingUnfinished()
    _ = try other.checkOut(new, from: old, because: "pushed to", session: session)
  }
}
