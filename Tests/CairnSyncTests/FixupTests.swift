import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Foundation
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Fixups of commits by other tools")
struct FixupTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica

  /// A, and B cloned from it, with a pin called “old” and a label.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pairWithPin()
  }

  private func rename(_ replica: Replica, to name: String) throws {
    guard case .pin(var pin) = try replica.directory.document(at: .pin(pinID)) else { return }
    try replica.write { session in
      pin.name = Register(name, session.stamp(replacing: pin.name.stamp))
      return [.pin(pin)]
    }
  }

  private func pin(_ replica: Replica) throws -> Pin? {
    guard case .pin(let pin) = try replica.directory.document(at: .pin(pinID)) else { return nil }
    return pin
  }

  /// Renames the pin by hand and commits with git.
  private func renameByHand(_ devices: Devices, _ replica: Replica, to name: String) throws {
    let path = DocumentPath.pin(pinID).description
    var members = try JSON(bytes: try #require(try replica.directory.read(path))).object!
    var register = members["name"]!.object!
    register["value"] = .string(name)
    members["name"] = .object(register)
    try replica.directory.write(members.canonicalBytes, to: path)
    try devices.git("commit", "-qam", "by hand", at: replica.directory.root)
  }

  @Test("stamps an edit committed with git, identically on every device")
  func stampedOnArrival() throws {
    let c = try devices.clone("c")
    try renameByHand(devices, a, to: "by hand")
    try devices.git("push", "-q", "origin", "main", at: a.directory.root)
    let old = try #require(try pin(b)?.name.stamp)
    // a --git--> remote --> b, c
    let report = try b.pull()
    try c.pull()
    #expect(
      report.merge.fixups == [
        Fixup(path: DocumentPath.pin(pinID).description, reason: .stamped)
      ])
    #expect(try b.repository.head() == c.repository.head())
    let name = try #require(try pin(b)?.name)
    #expect(name.value == "by hand")
    #expect(name.stamp > old)
    // A itself stamps it when it commits next.
    try a.commit()
    #expect(try pin(a)?.name == name)
    try a.sync()
    try b.sync()
    #expect(try a.headTree() == b.headTree())
  }

  @Test("rewrites another tool's new document in canonical form, identically on every device")
  func nonCanonicalDocument() throws {
    let c = try devices.clone("c")
    let session = try a.edit("label")
    let label = Label(
      photo: photoID(9), classKey: ClassKey("elm")!,
      annotator: Annotator("human:gil@example.org")!, verdict: .present, stamp: session.stamp())
    let path = Document.label(label).path.description
    let text = String(decoding: label.canonicalBytes, as: UTF8.self)
    let loose = text.replacing("\n", with: " ").replacing("  ", with: "")
    try a.directory.write(Array(loose.utf8), to: path)
    let root = a.directory.root
    try devices.git("add", ".", at: root)
    try devices.git("commit", "-qm", "by a script", at: root)
    try devices.git("push", "-q", "origin", "main", at: root)
    // One device fast-forwards, the other has its own commit to merge.
    try c.label(2, "elm", by: "carol")
    try b.pull()
    try c.sync()
    try b.sync()
    for device in [b, c] { #expect(try device.directory.read(path) == label.canonicalBytes) }
    #expect(try b.headTree() == c.headTree())
    withExtendedLifetime(session) {}
  }

  @Test("repairs documents committed long ago when it checks everything")
  func repairedThroughout() throws {
    let path = try #require(try a.labels().first.map { Document.label($0).path.description })
    let canonical = try #require(try a.directory.read(path))
    try a.directory.write(canonical + Array("\n".utf8), to: path)
    try devices.git("commit", "-qam", "loose", at: a.directory.root)
    try a.noteSeen(try #require(try a.repository.head()))
    #expect(try a.commit().repairs.fixups.isEmpty)
    let repairs = try a.commit(everywhere: true, session: a.edit("commit")).repairs
    // The class of the label never existed.
    #expect(
      repairs.fixups == [
        Fixup(path: "classes/oak.json", reason: .restored),
        Fixup(path: path, reason: .canonicalized),
      ])
    #expect(try a.directory.read(path) == canonical)
    #expect(try a.commit(everywhere: true, session: a.edit("commit")).repairs.fixups.isEmpty)
  }

  @Test("checks what another tool commits on a new branch")
  func newBranch() throws {
    let label = Label(
      photo: photoID(9), classKey: ClassKey("elm")!,
      annotator: Annotator("human:gil@example.org")!, verdict: .present, stamp: .given)
    let path = Document.label(label).path.description
    let root = a.directory.root
    try devices.git("switch", "-q", "-c", "topic", at: root)
    try a.directory.write(label.canonicalBytes + Array("\n".utf8), to: path)
    try devices.git("add", ".", at: root)
    try devices.git("commit", "-qm", "by a script", at: root)
    #expect(try a.commit().repairs.fixups == [Fixup(path: path, reason: .canonicalized)])
    #expect(try a.directory.read(path) == label.canonicalBytes)
    #expect(try a.commit().repairs.fixups.isEmpty)
  }

  @Test("stamps unstamped edits in a clone, so that its own edits win over them")
  func cloneStamps() throws {
    try renameByHand(devices, a, to: "by hand")
    try devices.git("push", "-q", "origin", "main", at: a.directory.root)
    let c = try devices.clone("c")
    try b.pull()
    #expect(try b.repository.head() == c.repository.head())
    try rename(c, to: "by c")
    try c.sync()
    try b.sync()
    #expect(try pin(b)?.name.value == "by c")
  }

  @Test("dates a revert by its commit, in any order of merges", arguments: [0, 1, 2])
  func revert(order: Int) throws {
    let c = try devices.clone("c")
    let d = try devices.clone("d")
    // C renames first, then A, then A's commit is reverted: C's name is older than the revert.
    try rename(c, to: "by c")
    try c.commit()
    try rename(a, to: "by a")
    try a.commit()
    try devices.git("revert", "--no-edit", "HEAD", at: a.directory.root)
    // D has a commit of its own to merge.
    try d.label(2, "elm", by: "dora")
    try d.commit()
    for device in [a, c, d] {
      for other in [a, c, d] where other !== device {
        try device.addRemote(
          other.directory.root.lastComponent!.string, other.directory.root.string, creating: false,
          relativeTo: devices.root)
      }
    }
    func pull(_ device: Replica, _ name: String) throws {
      _ = try device.pull(name)
    }
    let last: Replica
    switch order {
    case 0:
      try pull(c, "a")
      try pull(c, "d")
      last = c
    case 1:
      try pull(d, "c")
      try pull(d, "a")
      last = d
    default:
      try pull(a, "d")
      try pull(a, "c")
      last = a
    }
    #expect(try pin(last)?.name.value == "old")
    #expect(try last.labels().count == 2)
  }

  /// The field that a side of a fork changes by hand.
  enum Side: CaseIterable { case nothing, location, removed }

  @Test(
    "dates an edit made before a merged fork by its own commit",
    arguments: Side.allCases, Side.allCases)
  func editedBeforeFork(ours: Side, theirs: Side) throws {
    let root = b.directory.root
    let path = DocumentPath.pin(pinID).description
    let known = try #require(try b.repository.head())
    try renameByHand(devices, b, to: "by hand")
    let renamed = try b.repository.commit(try #require(try b.repository.head())).author.time
    func commit(_ side: Side, _ name: String) throws {
      var pin = try #require(try pin(b))
      switch side {
      case .nothing: break
      case .location:
        pin.location = Register(Coordinate(latitude: 3, longitude: 4)!, pin.location.stamp)
      case .removed: pin.removed = Register(true, pin.removed.stamp)
      }
      try b.directory.write(pin.canonicalBytes, to: path)
      try b.directory.write(Array("text\n".utf8), to: name)
      try devices.git("add", ".", at: root)
      try devices.git("commit", "-qm", name, at: root)
    }
    try devices.git("branch", "side", at: root)
    try commit(ours, "main.txt")
    try devices.git("checkout", "-q", "side", at: root)
    try commit(theirs, "side.txt")
    try devices.git("checkout", "-q", "main", at: root)
    try devices.git("merge", "-q", "--no-edit", "side", at: root)
    let head = try #require(try b.repository.head())
    let fixups = try b.fixups(of: head, excluding: [known])
    #expect(fixups.list.map(\.path) == [path])
    let fixed = try Pin(bytes: try #require(fixups.documents[path]?.bytes))
    #expect(fixed.name.value == "by hand")
    #expect(fixed.name.stamp.milliseconds == renamed * 1000)
    for (side, stamp) in [
      (Side.location, fixed.location.stamp), (.removed, fixed.removed.stamp),
    ] {
      let isChanged = ours == side || theirs == side
      #expect((stamp.milliseconds > renamed * 1000) == isChanged)
    }
  }

  @Test("dates each of two consecutive edits by its own commit")
  func editedInTurn() throws {
    let path = DocumentPath.pin(pinID)
    let old = try #require(try pin(a))
    var renamed = old
    renamed.name = Register("by hand", old.name.stamp)
    var moved = renamed
    moved.location = Register(Coordinate(latitude: 3, longitude: 4)!, old.location.stamp)
    var fixups = CommitFixups()
    try fixups.edit(
      path, from: old.canonicalBytes, to: renamed.canonicalBytes, at: 1_900_000_000)
    try fixups.edit(
      path, from: renamed.canonicalBytes, to: moved.canonicalBytes, at: 1_900_000_100)
    let fixed = try Pin(bytes: try #require(fixups.documents["\(path)"]?.bytes))
    #expect(fixed.name.stamp.milliseconds == 1_900_000_000_000)
    #expect(fixed.location.stamp.milliseconds == 1_900_000_100_000)
  }

  /// How a person with plain git pulls.
  enum PlainPull: String, CaseIterable {
    case merge = "--no-rebase"
    case rebase = "--rebase"
  }

  @Test(
    "keeps the last of several git edits when the first was stamped elsewhere meanwhile",
    arguments: PlainPull.allCases, ["labels", "pins"])
  func editedOnBothSidesOfAPull(method: PlainPull, kind: String) throws {
    // Ann's clock is an hour fast: by its time, her next edit with git could not win.
    let fast = Stamp(
      milliseconds: a.environment.now() + 3_600_000, counter: 0, replica: ReplicaID(rawValue: 7))
    let label = Label(
      photo: photoID(1), classKey: ClassKey("elm")!,
      annotator: Annotator("human:ann@example.org")!, verdict: .present, stamp: fast)
    try a.write { _ in [.label(label), pinDocument("present", fast)] }
    try a.sync()
    let path =
      kind == "labels"
      ? Document.label(label).path.description : DocumentPath.pin(pinID).description
    let git = devices.root.appending("git")
    try devices.git("clone", "-q", devices.remote.string, git.string, at: devices.root)
    func edit(from old: String, to new: String) throws {
      let file = git.pushing(FilePath(path))
      let bytes = try #require(try FileSystem().read(file))
      let text = String(decoding: bytes, as: UTF8.self).replacing("\"\(old)\"", with: "\"\(new)\"")
      try FileSystem().write(
        Array(text.utf8), to: file, temporary: git.appending("temporary"))
      try devices.git("commit", "-qam", new, at: git)
    }
    try edit(from: "present", to: "withdrawn")
    try devices.git("push", "-q", at: git)
    try a.sync()
    try edit(from: "withdrawn", to: "absent")
    let option = method == .merge ? "ours" : "theirs"
    try devices.git("pull", "-q", method.rawValue, "--no-edit", "-X", option, at: git)
    try devices.git("push", "-q", at: git)
    // Ann and Bob know some of the commits, a new clone none.
    try a.sync()
    try b.sync()
    let c = try devices.clone("c")
    for device in [a, b, c] {
      let bytes = try #require(try device.directory.read(path))
      #expect(String(decoding: bytes, as: UTF8.self).contains("\"absent\""))
    }
    #expect(try Set([a, b, c].map { try $0.headTree() }).count == 1)
  }

  @Test("restores the original edit when its revert is reverted", arguments: [true, false])
  func revertedTwice(isPushedBetween: Bool) throws {
    try rename(a, to: "new")
    try a.commit()
    let root = a.directory.root
    try devices.git("revert", "--no-edit", "HEAD", at: root)
    if isPushedBetween {
      try devices.git("push", "-q", "origin", "main", at: root)
      try b.pull()
    }
    try devices.git("revert", "--no-edit", "HEAD", at: root)
    try devices.git("push", "-q", "origin", "main", at: root)
    try b.pull()
    #expect(try pin(b)?.name.value == "new")
    try a.sync()
    try b.sync()
    #expect(try pin(a)?.name.value == "new")
    #expect(try a.headTree() == b.headTree())
  }

  @Test("prefers a later edit that a merge dropped to an earlier edit rebased onto the merge")
  func rebasedOntoDroppedEdit() throws {
    let c = try devices.clone("c")
    // c withdraws the label and renames the pin, then b rejects and renames them; a merges b and
    // discards b's changes.
    func edit(_ replica: Replica, _ verdict: Verdict) throws {
      guard case .label(var label)? = try replica.document(at: oakPath) else { return }
      try replica.write { session in
        (label.verdict, label.stamp) = (verdict, session.stamp(replacing: label.stamp))
        return [.label(label)]
      }
      try replica.commit()
    }
    try rename(c, to: "by c")
    try edit(c, .withdrawn)
    try rename(b, to: "by b")
    try edit(b, .absent)
    let root = a.directory.root
    try a.label(2, "elm", by: "alice")
    try a.commit()
    try devices.git("fetch", "-q", b.directory.root.string, "main", at: root)
    try devices.git("merge", "-q", "--no-edit", "-s", "ours", "FETCH_HEAD", at: root)
    try devices.git("fetch", "-q", root.string, "main", at: c.directory.root)
    try devices.git("rebase", "-q", "FETCH_HEAD", at: c.directory.root)
    try c.sync()
    try a.sync()
    try b.sync()
    for device in [a, b, c] {
      guard case .label(let label)? = try device.document(at: oakPath) else {
        Issue.record("the label is gone")
        continue
      }
      #expect(label.verdict == .absent)
      #expect(try pin(device)?.name.value == "by b")
    }
    #expect(try Set([a, b, c].map { try $0.headTree() }).count == 1)
  }

  /// The path of alice's label of the first photo.
  private var oakPath: DocumentPath {
    Document.label(
      Label(
        photo: photoID(1), classKey: ClassKey("oak")!,
        annotator: Annotator("human:alice@example.org")!, verdict: .present,
        stamp: Stamp(milliseconds: 1, counter: 0, replica: Stamp.otherTools))
    ).path
  }

  @Test("a committed fixup is not an edit, but the same change by a person is")
  func committedFixup() throws {
    func label(confidence: Double) -> Document {
      .label(
        Label(
          photo: photoID(1), classKey: ClassKey("oak")!,
          annotator: Annotator("human:alice@example.org")!, verdict: .absent,
          confidence: confidence, stamp: .given))
    }
    // git has merged the lines of two labels into one that nobody wrote.
    let (mixed, right) = (label(confidence: 0.8), label(confidence: 0.5))
    for isFixup in [true, false] {
      var fixups = CommitFixups()
      fixups.documents[right.path.description] = (right.canonicalBytes, .remerged)
      try fixups.edit(
        right.path, from: mixed.canonicalBytes, to: right.canonicalBytes, at: 1_900_000_000,
        isFixup: isFixup)
      #expect(fixups.list.map(\.reason) == (isFixup ? [] : [.stamped]))
    }
  }

  @Test("a committed fixup is merged with what is known, and stamps no other field")
  func committedFixupOfLess() throws {
    let path = DocumentPath.pin(pinID)
    var old = try #require(try pin(a))
    old.name = Register("raw", old.name.stamp)
    var known = old
    known.name = Register("known", old.name.stamp.successorByOtherTools(at: 1_900_000_000))
    var fixup = old
    fixup.location = Register(
      Coordinate(latitude: 3, longitude: 4)!,
      old.location.stamp.successorByOtherTools(at: 1_900_000_000))
    var fixups = CommitFixups()
    fixups.documents["\(path)"] = (known.canonicalBytes, .stamped)
    try fixups.edit(
      path, from: old.canonicalBytes, to: fixup.canonicalBytes, at: 1_900_000_100, isFixup: true)
    let fixed = try Pin(bytes: try #require(fixups.documents["\(path)"]?.bytes))
    #expect(fixed.name == known.name && fixed.location == fixup.location)
    #expect(fixups.dependsOnEarlierEdits)
  }

  @Test("a committed fixup does not restore a document that stays removed")
  func committedFixupOfRemoved() throws {
    let path = DocumentPath.pin(pinID)
    let old = try #require(try pin(a))
    var last = old
    last.name = Register("last", old.name.stamp.successorByOtherTools(at: 1_900_000_000))
    var fixups = CommitFixups()
    // A rebased commit adds an older version again, of which nothing is left, and a device that did not
    // know the removal only put it into canonical form.
    fixups.documents["\(path)"] = (nil, .remerged)
    fixups.removed["\(path)"] = last.canonicalBytes
    try fixups.edit(
      path, from: [32] + old.canonicalBytes, to: old.canonicalBytes, at: 1_900_000_100,
      isFixup: true)
    let fixup = try #require(fixups.documents["\(path)"])
    #expect(fixup.bytes == nil && fixup.reason == .remerged)
    #expect(fixups.removed["\(path)"] == last.canonicalBytes)
  }

  @Test("reads commits of other tools only once")
  func costFollowsChanges() throws {
    try a.label(10..<400, "oak", by: "alice")
    try a.sync()
    try b.sync()
    for round in 0..<10 { try renameByHand(devices, a, to: "round \(round)") }
    try b.label(500, "elm", by: "bob")
    try b.commit()
    try b.addRemote("a", a.directory.root.string, creating: false, relativeTo: devices.root)
    let fresh = try devices.reopen(b)
    _ = try fresh.fetch(
      from: try fresh.openRemote("a").remote, named: "a", options: TransferOptions())
    let (ours, theirs) = (
      try #require(try fresh.repository.head()),
      try #require(try fresh.repository.reference("refs/remotes/a/main"))
    )
    let before = fresh.repository.objectsRead
    let (_, report) = try fresh.mergeTrees(
      ours, theirs, writer: AdaptiveObjectWriter(fresh.repository))
    #expect(report.fixups.count == 1)
    // For each commit: the commit, its parent, three trees of both, and two versions of the pin.
    #expect(fresh.repository.objectsRead - before < 10 * 14 + 40)
  }
}
