// Sequences of steps that chance alone would rarely produce, but that people do.

import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync
import SystemPackage

extension Simulation {
  private static let scenarios: [@Sendable (Simulation) throws -> Void] = [
    { try $0.mergeEarlierCommits() },
    { try $0.amendPublishedCommit() },
    { try $0.replaceRemovedFile() },
    { try $0.replacePointer() },
    { try $0.rebaseOverDroppedEdit() },
    { try $0.restoreFromTwoRemovals() },
    { try $0.mergeWithoutManifest() },
    { try $0.editPulledEdit() },
    { try $0.removePulledEdit() },
    { try $0.editNameOfBytes() },
    { try $0.leaveBranch() },
  ]

  /// Sometimes plays a scenario, in half of the seeds. Its random numbers come from a stream of their
  /// own, so the other seeds do not depend on what scenarios there are.
  func perhapsPlayScenario() throws {
    guard hasScenarios, scenarioRandom.chance(6) else { return }
    swap(&random, &scenarioRandom)
    defer { swap(&random, &scenarioRandom) }
    try random.pick(Simulation.scenarios)(self)
  }

  /// Returns two different devices in random order; nil if there is only one.
  private func twoDevices() -> (SimulatedDevice, SimulatedDevice)? {
    if devices.count < 2 { return nil }
    let (first, second) = (random.below(devices.count), random.below(devices.count - 1))
    return (devices[first], devices[second < first ? second : second + 1])
  }

  /// Two devices merge each other's earlier commits, which they got on a stick, so their merges have two
  /// merge bases. One of them then removes a file, often one that only one of the bases has.
  private func mergeEarlierCommits() throws {
    guard let (device, other) = twoDevices() else { return }
    var sticks: [(name: String, path: FilePath, head: ObjectID)] = []
    for device in [device, other] {
      for _ in 0..<(1 + random.below(3)) { try addLabel(device) }
      try commit(device)
      guard let head = try device.replica.repository.head() else { return }
      let name = "stick-\(scenarioCount)"
      scenarioCount += 1
      let path = root.appending("\(name).git")
      let stick = try Repository.create(path, bare: true, files: FileSystem())
      try device.replica.repository.copy(
        try device.replica.repository.newObjects(from: head, excluding: []), to: stick)
      try stick.refreshObjects()
      try stick.moveReference(
        "refs/heads/main", from: nil, to: head,
        log: (Signature(name: "stick", email: "stick@localhost", time: 0), "copied"))
      steps.append("\(device.name) is copied to \(name)")
      sticks.append((name, path, head))
    }
    for device in [device, other] {
      try editFields(device)
      try commit(device)
    }
    try pull(device, sticks[1].path, as: sticks[1].name)
    try pull(other, sticks[0].path, as: sticks[0].name)
    let repository = device.replica.repository
    let bases = try sticks.map { try repository.contents(of: repository.commit($0.head).tree) }
    let labels = try repository.contents(of: device.tree()).keys.filter {
      DocumentPath($0)?.kind == .label && (bases[0][$0] == nil) != (bases[1][$0] == nil)
    }
    if !labels.isEmpty { try removeByHand(random.pick(labels.sorted()), device) }
    try pull(random.chance(50) ? device : other, device.root, as: device.name)
    try pull(device, other.root, as: other.name)
  }

  /// A person removes a file with `git rm`, and commits that with cairn or with git.
  private func removeByHand(_ path: String, _ device: SimulatedDevice) throws {
    if try ["MERGE_HEAD", "rebase-merge"].contains(where: device.isStopped) { return }
    ledger.hasUsedGit = true
    let usesGit = random.chance(50)
    try perform(device, "removes \(path) and commits\(usesGit ? " with git" : "")") {
      guard let old = try device.replica.directory.read(path) else { return }
      try device.git("rm", "-q", "-f", "--", path)
      if try device.replica.directory.read(path) != nil { return }
      ledger.change(path, from: old, to: nil)
      try usesGit ? device.commitWithGit() : device.commit()
    }
  }

  /// A person edits a field with cairn, others fetch the commit, and the person replaces it with one
  /// that has another value under the same stamp, perhaps also on a remote.
  private func amendPublishedCommit() throws {
    let (device, photo) = (random.pick(devices), DocumentPath.photo(random.pick(photos)))
    if try ["MERGE_HEAD", "rebase-merge"].contains(where: device.isStopped) { return }
    try commit(device)
    let before = try device.replica.repository.head()
    try retitle(photo, device)
    try commit(device)
    guard let head = try device.replica.repository.head(),
      try device.replica.repository.commit(head).parents == [before].compactMap({ $0 })
    else { return }
    let remote = random.chance(50) ? random.pick(remotes) : nil
    if let remote, try remote.repository.head() == before {
      try perform(device, "pushes to \(remote.name)") {
        try device.git("push", "-q", remote.name, "main")
      }
    }
    for other in devices where other !== device && random.chance(50) {
      if let remote, random.chance(50) {
        try perform(other, "pulls \(remote.name)") { try other.pull(remote.name) }
      } else {
        try pull(other, device.root, as: device.name)
      }
    }
    (ledger.hasUsedGit, ledger.hasRebased) = (true, true)
    let title = "amended \(random.below(1000))"
    try perform(device, "amends its last commit with “\(title)”") {
      try device.editByHand(photo.description, &ledger, isAmending: true) {
        PlainGitUser.retitled($0, title)
      }
      try device.git("add", "--sparse", ".")
      try device.git("commit", "-q", "--amend", "--no-edit")
    }
    if let remote, try remote.repository.head() == head {
      try perform(device, "pushes with force to \(remote.name)") {
        try device.git("push", "-q", "--force", remote.name, "main")
      }
    }
  }

  private func retitle(_ photo: DocumentPath, _ device: SimulatedDevice) throws {
    let text = "text \(random.below(1000))"
    try perform(device, "gives \(photo) the title “\(text)”") {
      try device.edit(&ledger) { session, replica in
        guard case .photo(var document)? = try replica.document(at: photo) else { return [] }
        document.title = Register(text, session.stamp(replacing: document.title.stamp))
        return [.photo(document)]
      }
    }
  }

  /// A person with git edits a file and removes it, without what a device has made of the edit. Others
  /// may restore it, and the person may put a directory in its place without knowing that.
  private func replaceRemovedFile() throws {
    guard !users.isEmpty else { return }
    ledger.hasUsedGit = true
    let (index, remote, device) = (
      random.below(users.count), random.pick(remotes), random.pick(devices)
    )
    let (name, user) = ("user-\(index)", users[index])
    try user.fetch(from: remote.repository)
    let kind = random.pick(["images/", "labels/", "labels/", "labels/", "photos/"])
    let files = try user.files().filter { $0.hasPrefix(kind) }
    guard !files.isEmpty else { return }
    let path = random.pick(files.sorted())
    if random.chance(70) {
      try user.reword(path, &random, &ledger)
      steps.append("\(name) rewords \(path)")
      try pull(device, user.root, as: name)
    }
    try user.remove(path, &ledger)
    steps.append("\(name) removes \(path)")
    for _ in 0..<random.below(3) { try addLabel(device) }
    try pull(device, user.root, as: name)
    if random.chance(40) { return }
    try user.putDirectory(at: path, &ledger)
    steps.append("\(name) puts a directory in place of \(path)")
    try pull(random.pick(devices), user.root, as: name)
    try pull(device, user.root, as: name)
  }

  /// A person with git replaces the pointer of an image, also after a device has restored it.
  private func replacePointer() throws {
    guard !users.isEmpty else { return }
    ledger.hasUsedGit = true
    let (index, device) = (random.below(users.count), random.pick(devices))
    let (name, user) = ("user-\(index)", users[index])
    try user.fetch(from: random.pick(remotes).repository)
    let images = try user.files().filter { $0.hasPrefix("images/") }
    guard !images.isEmpty else { return }
    let image = random.pick(images.sorted())
    for _ in 0..<(1 + random.below(2)) {
      try user.replacePointer(at: image, &random, &ledger)
      steps.append("\(name) swaps \(image)")
      try pull(device, user.root, as: name)
    }
  }

  /// A person with git merges without the other side's edit, and a device rebases an earlier edit of the
  /// same field on that.
  private func rebaseOverDroppedEdit() throws {
    guard !users.isEmpty, let (device, other) = twoDevices() else { return }
    ledger.hasUsedGit = true
    let (index, remote) = (random.below(users.count), random.pick(remotes))
    let (photo, user) = (DocumentPath.photo(random.pick(photos)), users[index])
    for device in [device, other] {
      try perform(device, "syncs with \(remote.name)") { try device.sync(remote.name) }
    }
    try user.fetch(from: remote.repository)
    let did = try user.work(with: remote.repository, pushes: false, &random, &ledger)
    steps.append("user-\(index): \(did)")
    try retitle(photo, device)
    try commit(device)
    time.pass(Int64(random.below(50_000_000)))
    try retitle(photo, other)
    try perform(other, "syncs with \(remote.name)") { try other.sync(remote.name) }
    let pushed = try user.push(to: remote.repository, strategy: "-s ours", &random, &ledger)
    steps.append("user-\(index) with \(remote.name): \(pushed)")
    try rebaseWithGit(device, on: remote)
  }

  /// Two devices edit, remove and prune a photo, independently. When both know of that, a person adds
  /// one of its labels again.
  private func restoreFromTwoRemovals() throws {
    guard let (device, other) = twoDevices() else { return }
    let (photo, remote) = (random.pick(photos), random.pick(remotes))
    for device in [device, other] {
      try perform(device, "syncs with \(remote.name)") { try device.sync(remote.name) }
    }
    let labels = try device.replica.repository.contents(of: device.tree()).filter {
      $0.key.hasPrefix(DocumentPath.labels(of: photo) + "/")
    }
    for device in [device, other] {
      if random.chance(70) { try editFields(device, photo) }
      try remove(photo, from: device)
      time.pass(Int64(1 + random.below(5_000)))
      try prune(device)
    }
    try pull(device, other.root, as: other.name)
    guard let path = labels.keys.sorted().first, let bytes = labels[path] else { return }
    let usesGit = random.chance(50)
    if usesGit { ledger.hasUsedGit = true }
    try perform(device, "adds \(path) again\(usesGit ? " with git" : "")") {
      if try device.replica.directory.read(path) != nil { return }
      ledger.restore(path, bytes)
      ledger.restoreAlone(DocumentPath.photo(photo).description)
      try device.replica.directory.write(bytes, to: path)
      if usesGit { try device.commitWithGit() }
      try device.commit()
    }
  }

  /// A person with git, whose clock may be fast, takes all commits of a device, and edits one of its
  /// files.
  ///
  /// - Returns: Nil if there is nobody or nothing.
  private func rewordFile(
    of device: SimulatedDevice, in directories: [String]
  ) throws -> (name: String, user: PlainGitUser, path: String)? {
    guard !users.isEmpty else { return nil }
    if try ["MERGE_HEAD", "rebase-merge"].contains(where: device.isStopped) { return nil }
    ledger.hasUsedGit = true
    let index = random.below(users.count)
    let (name, user) = ("user-\(index)", users[index])
    try user.fetch(from: random.pick(remotes).repository)
    try pull(device, user.root, as: name)
    try commit(device)
    try user.fetch(from: device.replica.repository)
    let files = try user.files().filter { path in
      DocumentPath(path) != nil && directories.contains { path.hasPrefix($0) }
    }
    guard !files.isEmpty else { return nil }
    if random.chance(50) {
      user.clock.set(skew: 86_400_000)
      steps.append("\(name)'s clock is a day fast")
    }
    let path = random.pick(files.sorted())
    try user.reword(path, &random, &ledger)
    steps.append("\(name) rewords \(path)")
    return (name, user, path)
  }

  /// A person with git edits a label, and removes it when a device has the edit.
  private func removePulledEdit() throws {
    let device = random.pick(devices)
    guard let (name, user, path) = try rewordFile(of: device, in: ["labels/"]) else { return }
    try pull(device, user.root, as: name)
    try user.remove(path, &ledger)
    steps.append("\(name) removes \(path)")
    try pull(device, user.root, as: name)
    let repository = device.replica.repository
    guard let head = try repository.head(), let known = try user.head(),
      try repository.isAncestor(known, of: head)
    else { return }
    if try repository.hasFile(at: path, in: device.tree()) {
      throw failure("\(path) came back after it was edited and removed")
    }
  }

  /// A person with git edits a document. Another person gets that with git and edits the document
  /// again, perhaps with a clock that is behind; then cairn stamps both edits.
  private func editPulledEdit() throws {
    // A copied directory may hold the same version, and commits it as it is.
    if ledger.hasCopies { return }
    let (device, other) = (random.pick(devices), random.pick(devices))
    guard let (name, _, path) = try rewordFile(of: device, in: ["labels/", "photos/"]) else {
      return
    }
    try perform(device, "pulls \(name) with git, and edits \(path)") {
      try device.git("pull", "-q", "--ff-only", name, "main")
      try device.editByHand(path, &ledger) { PlainGitUser.reworded($0, &random) }
    }
    if random.chance(50) {
      try commit(device)
    } else {
      try pull(device, other.root, as: other.name)
    }
  }

  /// A person with git adds, changes or removes files whose names are not UTF-8.
  private func editNameOfBytes() throws {
    guard !users.isEmpty else { return }
    ledger.hasUsedGit = true
    let (index, device) = (random.below(users.count), random.pick(devices))
    let (name, user) = ("user-\(index)", users[index])
    try user.fetch(from: random.pick(remotes).repository)
    for _ in 0..<(1 + random.below(3)) {
      let path = random.pick(["notes/caf\u{EFE9}", "labels/\u{EFFF}", "\u{EFC3}/x"])
      try user.editOther(path, &random, &ledger)
      steps.append("\(name) edits the file \(path)")
    }
    try pull(device, user.root, as: name)
  }

  /// A person with git commits a merge without the manifest, and a device takes it.
  private func mergeWithoutManifest() throws {
    guard !users.isEmpty else { return }
    ledger.hasUsedGit = true
    let (index, remote, device) = (
      random.below(users.count), random.pick(remotes), random.pick(devices)
    )
    let user = users[index]
    try user.fetch(from: remote.repository)
    let did = try user.work(with: remote.repository, pushes: false, &random, &ledger)
    steps.append("user-\(index): \(did)")
    try addLabel(device)
    try perform(device, "syncs with \(remote.name)") { try device.sync(remote.name) }
    let pushed = try user.push(
      to: remote.repository, dropsManifest: true, &random, &ledger)
    steps.append("user-\(index) with \(remote.name), without the manifest: \(pushed)")
    try perform(device, "syncs with \(remote.name)") { try device.sync(remote.name) }
  }

  /// A person works on a branch and leaves it with a label that is not committed, whose class or photo
  /// only that branch may have. Later the branch is merged.
  private func leaveBranch() throws {
    let device = random.pick(devices)
    let repository = device.replica.repository
    // git refuses to switch branches before an interrupted checkout or merge is finished.
    if try device.isInterrupted || ["MERGE_HEAD", "rebase-merge"].contains(where: device.isStopped)
    {
      return
    }
    ledger.hasUsedGit = true
    try commit(device)
    let branch = "topic-\(scenarioCount)"
    scenarioCount += 1
    try perform(device, "creates the branch \(branch)") {
      try device.git("switch", "-q", "-c", branch)
    }
    // A class that only this branch has.
    let key = ClassKey(branch)!
    for _ in 0..<(1 + random.below(3)) { try addLabel(device, key) }
    if random.chance(50) { try addPhoto(device) }
    try commit(device)
    try addLabel(device, key)
    for _ in 0..<2 where try repository.headBranch() != "refs/heads/main" {
      try perform(device, "switches to main") { try device.git("switch", "-q", "main") }
      try commit(device)
    }
    guard try repository.headBranch() == "refs/heads/main" else {
      throw failure("git does not leave \(branch)")
    }
    let committed = try repository.contents(of: device.tree())
    let isUsed = committed.keys.contains { path in
      if case .label(_, let name) = DocumentPath(path) { name.classKey == key } else { false }
    }
    if isUsed, committed[DocumentPath.class(key).description] == nil {
      throw failure("a label left the class \(key) on its branch")
    }
    for _ in 0..<random.below(3) { try exchange(device) }
    try perform(device, "merges \(branch) with git") {
      try device.git("merge", "-q", "--no-edit", branch)
    }
    if try device.isStopped("MERGE_HEAD") {
      ledger.hasMergedRemoval = true
      steps.append("… which stops at a conflict")
      try device.checkConflict()
    }
    try commit(device)
  }
}
