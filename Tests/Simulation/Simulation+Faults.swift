// What else happens: plain git, pruning, backups.

import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync
import SystemPackage

extension Simulation {
  /// A person uses git instead of cairn on a device.
  func useGit(_ device: SimulatedDevice) throws {
    ledger.hasUsedGit = true
    if device.isInterrupted { ledger.hasCommittedCheckout = true }
    switch random.below(6) {
    case 5: try amendWithGit(device)
    case 0, 1: try perform(device, "commits with git") { try device.commitWithGit() }
    case 3: try chooseFilesWithGit(device)
    case 2:
      let (remote, before) = (random.pick(remotes), try device.tree())
      try perform(device, "commits and pulls \(remote.name) with git") {
        try device.commitWithGit()
        try device.git("pull", "-q", "--no-rebase", "--no-edit", remote.name, "main")
      }
      if try device.isStopped("MERGE_HEAD") {
        ledger.hasMergedRemoval = true
        steps.append("… which stops at a conflict")
        try device.checkConflict()
      } else if random.chance(50) {
        try editPulled(device, since: before)
      }
    default:
      try rebaseWithGit(device, on: random.pick(remotes))
    }
  }

  /// A person edits a document that git has just pulled, before cairn has seen the commits.
  private func editPulled(_ device: SimulatedDevice, since before: ObjectID?) throws {
    // A copied directory may hold the same version, and commits it as it is.
    if ledger.hasCopies { return }
    let paths = try device.replica.repository.diff(before, device.tree()).map(\.path)
      .filter { DocumentPath($0)?.kind != nil && $0 != "cairn.json" }
    if paths.isEmpty { return }
    let path = random.pick(paths)
    try perform(device, "edits \(path), which git has pulled") {
      try device.editByHand(path, &ledger) { PlainGitUser.reworded($0, &random) }
    }
  }

  /// A person replaces the last commit, or the last two, with another version of a document.
  private func amendWithGit(_ device: SimulatedDevice) throws {
    if try ["MERGE_HEAD", "rebase-merge"].contains(where: device.isStopped) { return }
    // Not the first commit: all others build on it.
    let repository = device.replica.repository
    guard let head = try repository.head(), let parent = try repository.commit(head).parents.first,
      try !repository.commit(parent).parents.isEmpty
    else { return }
    let isAmended = random.chance(60)
    try perform(device, isAmended ? "amends the last commit" : "combines the last two commits") {
      try device.commitWithGit()
      if !isAmended { try device.git("reset", "-q", "--soft", "HEAD~1") }
      ledger.hasRebased = true
      let path = DocumentPath.photo(random.pick(photos)).description
      let title = "amended \(random.below(1000))"
      try device.editByHand(path, &ledger, isAmending: true) { PlainGitUser.retitled($0, title) }
      try device.git("add", "--sparse", ".")
      try device.git("commit", "-q", "--amend", "--no-edit")
    }
  }

  func rebaseWithGit(
    _ device: SimulatedDevice, on remote: (name: String, repository: Repository, path: FilePath)
  ) throws {
    if device.isInterrupted { ledger.hasCommittedCheckout = true }
    try perform(device, "commits and rebases on \(remote.name) with git") {
      try device.commitWithGit()
      if try device.hasMerged(beyond: remote.repository) { return }
      // `git pull --rebase` would drop commits that a rewound remote has dropped.
      try device.git("fetch", "-q", remote.name, "main")
      ledger.hasRebased = true
      try device.git("rebase", "-q", "FETCH_HEAD")
    }
    for _ in 0..<6 where try device.isStopped("rebase-merge") {
      steps.append("… which stops at a conflict")
      try device.checkConflict()
      do { try device.commit() } catch SyncError.unfinished {}
      try device.git("-c", "core.editor=true", "rebase", "--continue")
    }
    if try device.isStopped("rebase-merge") { try device.git("rebase", "--abort") }
  }

  /// A person uses git to choose the files in the work tree and the form of git's index.
  private func chooseFilesWithGit(_ device: SimulatedDevice) throws {
    if try ["MERGE_HEAD", "rebase-merge"].contains(where: device.isStopped) { return }
    let index = random.chance(50) ? "--sparse-index" : "--no-sparse-index"
    let directory = random.pick(["labels", "photos", DocumentPath.labels(of: random.pick(photos))])
    let arguments = random.pick([
      ["set", index, directory], ["set", index], ["add", directory], ["reapply", index],
      ["disable"],
    ])
    try perform(device, "git sparse-checkout \(arguments.joined(separator: " "))") {
      try device.commitWithGit()
      try device.git(["sparse-checkout"] + arguments)
    }
  }

  /// A device checks out fewer or more directories.
  func checkOutSparse(_ device: SimulatedDevice) throws {
    let parts: [[String]?] = [
      nil, [], [DocumentPath.labels(of: random.pick(photos))], ["labels", "pins"],
    ]
    let wanted = random.pick(parts)
    if try ["MERGE_HEAD", "rebase-merge"].contains(where: device.isStopped) { return }
    try perform(device, "checks out \(wanted?.description ?? "all")") {
      do {
        _ = try device.replica.checkOutSparse(
          wanted.map { SparseCone(directories: $0) }, session: try device.replica.edit("checkout"))
      } catch SyncError.staged {}
    }
  }

  func workWithGit() throws {
    guard !users.isEmpty else { return }
    ledger.hasUsedGit = true
    let (index, remote) = (random.below(users.count), random.pick(remotes))
    let did = try users[index].work(with: remote.repository, &random, &ledger)
    steps.append("user-\(index) with \(remote.name): \(did)")
    // Before any cairn has seen those commits.
    if random.chance(15) { try rebaseWithGit(random.pick(devices), on: remote) }
  }

  /// A person removes an image by hand, and later its photo, without the merge by which a device has
  /// restored the image in the meantime. Another device labels the photo.
  func removeInParts(_ device: SimulatedDevice) throws {
    guard !users.isEmpty else { return }
    ledger.hasUsedGit = true
    let (index, photo, other) = (
      random.below(users.count), random.pick(photos), random.pick(devices)
    )
    let (name, user) = ("user-\(index)", users[index])
    try user.fetch(from: random.pick(remotes).repository)
    try user.remove(DocumentPath.image(photo, .png).description, &ledger)
    steps.append("\(name) removes the image of \(photo.short)")
    try editFields(device)
    try commit(device)
    let before = try device.replica.repository.head()
    try pull(device, user.root, as: name)
    if random.chance(70) { try pull(other, device.root, as: device.name) }
    try user.remove(DocumentPath.photo(photo).description, &ledger)
    steps.append("\(name) removes \(photo.short)")
    if let before, random.chance(70) {
      try user.merge(before, from: device.replica.repository, &random, &ledger)
      steps.append("\(name) merges lines of \(device.name)")
    }
    if other !== device { try addLabel(other) }
    try pull(device, user.root, as: name)
  }

  /// Pulls directly from a repository that is not one of the remotes.
  func pull(_ device: SimulatedDevice, _ path: FilePath, as name: String) throws {
    if path == device.root { return }
    if try device.replica.repository.remoteURL(name) == nil {
      try device.replica.addRemote(name, path.string, creating: false, relativeTo: root)
    }
    try perform(device, "pulls \(name)") { try device.pull(name) }
  }

  /// Removes a photo and often prunes at once, so that others have the most to restore.
  func removePhoto(_ device: SimulatedDevice) throws {
    try remove(random.pick(photos + [newPhoto]), from: device)
    if random.chance(60) { try prune(device) }
  }

  func remove(_ photo: PhotoID, from device: SimulatedDevice) throws {
    try perform(device, "removes \(photo.short)") {
      try device.edit(&ledger) { session, replica in
        guard case .photo(var document)? = try replica.document(at: .photo(photo)) else {
          return []
        }
        document.removed = Register(true, session.stamp(replacing: document.removed.stamp))
        return [.photo(document)]
      }
    }
  }

  /// Prunes everything that was removed before now.
  func prune(_ device: SimulatedDevice) throws {
    try perform(device, "prunes") {
      let session = try device.replica.edit("gc")
      let report = try device.replica.prune(before: device.clock.now, session: session)
      steps.append("… \(report.paths)")
      guard let commit = report.commit else { return }
      let repository = device.replica.repository
      let before = try repository.contents(
        of: repository.tree(ofCommit: repository.commit(commit).parents.first))
      ledger.prune(before.filter { report.paths.contains($0.key) })
    }
  }

  /// Restores a remote from an older backup, which lacks the commits since then.
  func rewind() throws {
    let remote = random.pick(remotes)
    guard let head = try remote.repository.head(),
      let parent = try remote.repository.commit(head).parents.first
    else { return }
    try remote.repository.moveReference(
      "refs/heads/main", from: head, to: parent,
      log: (Signature(name: "backup", email: "backup@localhost", time: 0), "restored"))
    steps.append("\(remote.name) is restored from a backup")
  }
}
