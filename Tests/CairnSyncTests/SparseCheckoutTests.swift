import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Synchronization
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Sparse checkout")
struct SparseCheckoutTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica

  /// A with a full checkout, and B cloned from it with no documents checked out.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pair(sparseCone: SparseCone(directories: [])) { a in
      for seed in 1...3 { try a.label(seed, "oak", by: "alice") }
    }
  }

  private func files(_ replica: Replica) throws -> [String] {
    try devices.git("ls-files", "--others", "--exclude-standard", at: replica.directory.root)
      .split(separator: "\n").map(String.init)
  }

  private func status(_ replica: Replica) throws -> String {
    try devices.git("status", "--porcelain", at: replica.directory.root)
  }

  /// Changes the sparse checkout, as a separate process would.
  private func checkOut(_ directories: [String]?, _ replica: Replica) throws -> SparseReport {
    try replica.checkOutSparse(
      directories.map { SparseCone(directories: $0) }, session: try replica.edit("checkout"))
  }

  @Test("reads, labels and commits as in a full checkout")
  func labels() throws {
    #expect(try b.labels().count == 3)
    #expect(try status(b) == "")
    try b.label(1, "oak", by: "alice", .absent)
    try b.label(4, "elm", by: "bob")
    // Uncommitted documents are in the work tree, where git sees them …
    #expect(try status(b).split(separator: "\n").count == 2)
    #expect(try b.labels().count == 4)
    let result = try b.commit()
    #expect(result.changes.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.added, .modified])
    // … and the commit removes them from it.
    #expect(try status(b) == "")
    #expect(try files(b).isEmpty)
    #expect(!FileSystem().directoryExists(b.directory.root.appending("labels")))
    #expect(try b.labels().count == 4)
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    try devices.git("fsck", "--strict", at: b.directory.root)
  }

  @Test("merges uncommitted edits with a pull and leaves no file behind")
  func pull() throws {
    try a.label(1, "oak", by: "alice", .absent)
    try a.label(2, "elm", by: "alice")
    try a.sync()
    try b.label(1, "elm", by: "bob")
    try b.label(1, "oak", by: "alice", .withdrawn)
    let report = try b.pull()
    #expect(report.checkout.changed == [.label: 2])
    #expect(report.checkout.merged.count == 1)
    #expect(
      try b.labels().first {
        $0.annotator.identity == "alice@example.org" && $0.photo == photoID(1)
      }?.verdict == .withdrawn)
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try status(b) == "")
    #expect(try files(b).isEmpty)
  }

  @Test("accepts commits made with plain git")
  func plainGit() throws {
    let root = b.directory.root
    try FileSystem().create(root.appending("README"), Array("text\n".utf8))
    try devices.git("add", "README", at: root)
    try devices.git("commit", "-qm", "A readme", at: root)
    try b.label(1, "elm", by: "bob")
    try b.sync()
    #expect(try status(b) == "")
    #expect(try devices.git("log", "--format=%s", "-2", at: root) == "Add 1 label\nA readme\n")
    #expect(try devices.git("show", "--stat", "--format=", at: root).contains("1 file changed"))
    #expect(try devices.git("diff", "HEAD~1", "--name-only", at: root).contains("elm~bob"))
    // Labeled outside of the sparse checkout, and committed with git.
    try b.label(2, "elm", by: "bob")
    try devices.git("add", "--sparse", ".", at: root)
    try devices.git("commit", "-qm", "With git", at: root)
    try b.label(3, "elm", by: "bob")
    try b.sync()
    #expect(try status(b) == "")
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try a.labels().count == 6)
  }

  @Test("merges an uncommitted label with the version that plain git pulled")
  func pulledByGit() throws {
    try b.label(1, "elm", by: "bob", .absent)
    try a.label(1, "elm", by: "bob", .withdrawn)
    try a.sync()
    try devices.git("pull", "-q", "--ff-only", at: b.directory.root)
    let result = try b.commit()
    #expect(result.commit == nil && result.changes.isEmpty)
    #expect(try files(b).isEmpty)
    #expect(try b.labels().filter { $0.verdict == .withdrawn }.count == 1)
    #expect(try a.headTree() == b.headTree())
  }

  @Test("applies an edit from an editor that still holds an older version")
  func savedTwice() throws {
    let label = try #require(try b.labels().first)
    let path = Document.label(label).path.description
    for verdict in [Verdict.absent, .withdrawn] {
      var edited = label
      edited.verdict = verdict
      try b.directory.write(edited.canonicalBytes, to: path)
      #expect(try b.commit().changes.count == 1)
      #expect(try files(b).isEmpty)
      #expect(try b.labels().first { $0.name == label.name }?.verdict == verdict)
    }
  }

  @Test("uses the directories set with git sparse-checkout", arguments: [true, false])
  func chosenByGit(isSparseIndex: Bool) throws {
    let root = b.directory.root
    let index = isSparseIndex ? "--sparse-index" : "--no-sparse-index"
    let place = DocumentPath.labels(of: photoID(1))
    try devices.git("sparse-checkout", "set", index, place, at: root)
    let again = try devices.reopen(b)
    #expect(again.sparseCone?.directories == [place])
    try again.label(1, "elm", by: "bob")
    try again.label(2, "elm", by: "bob")
    try again.sync()
    #expect(try status(again) == "")
    #expect(try again.directory.read("\(place)/elm~bob-\(tag("bob")).json") != nil)
    #expect(try files(again).isEmpty)
    try devices.git("sparse-checkout", "disable", at: root)
    let whole = try devices.reopen(b)
    #expect(whole.sparseCone == nil)
    #expect(try whole.workingState().changes.isEmpty)
    #expect(try status(whole) == "")
  }

  @Test(
    "keeps pulled documents in git's index when git has expanded a directory there",
    arguments: [true, false], ["labels", "nothing"])
  func expandedByGit(isSparseIndex: Bool, cone: String) throws {
    let root = b.directory.root
    let index = isSparseIndex ? "--sparse-index" : "--no-sparse-index"
    try devices.git("sparse-checkout", "set", index, cone, at: root)
    let b = try devices.reopen(self.b)
    try b.label(1, "elm", by: "bob")
    try devices.git("add", "--sparse", ".", at: root)
    try devices.git("commit", "-qm", "With git", at: root)
    try b.sync()
    for seed in [1, 2, 7] { try a.label(seed, "ash", by: "alice") }
    try a.label(3, "oak", by: "alice", .absent)
    try a.sync()
    try b.sync()
    #expect(try status(b) == "")
    #expect(try b.commit().commit == nil)
    // The next commit made with git removes nothing.
    try devices.git("commit", "--allow-empty", "-qm", "anything", at: root)
    #expect(try devices.git("show", "--stat", "--format=", at: root) == "")
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try b.labels().count == 7)
  }

  private func tag(_ person: String) -> String {
    let name = Label(
      photo: photoID(1), classKey: ClassKey("elm")!,
      annotator: Annotator("human:\(person)@example.org")!,
      verdict: .present, stamp: Stamp(milliseconds: 1, counter: 0, replica: Stamp.otherTools)
    ).name.description
    return String(name.split(separator: "-").last!)
  }

  @Test("changes the checkout without losing uncommitted edits")
  func move() throws {
    try a.label(9, "elm", by: "bob")
    let report = try checkOut(["labels/\(photoID(1).short.prefix(2))"], a)
    #expect(report.left.isEmpty)
    #expect(try a.workingState().changes.count == 1)
    #expect(try a.labels().count == 4)
    try a.commit()
    #expect(try status(a) == "")
    let back = try checkOut(nil, a)
    #expect(back.placed > 0)
    #expect(try status(a) == "")
    #expect(try a.labels().count == 4)
    #expect(try a.workingState().changes.isEmpty)
  }

  @Test("refuses to change the checkout while changes are staged")
  func staged() throws {
    let root = a.directory.root
    let path = Document.label(try #require(try a.labels().first)).path.description
    try devices.git("rm", "-q", path, at: root)
    #expect(throws: SyncError.staged([path])) { try checkOut([], a) }
    try a.commit()
    try FileSystem().write(
      Array("x".utf8), to: root.appending("a.txt"), temporary: root.appending("t"))
    try devices.git("add", "a.txt", at: root)
    #expect(throws: SyncError.staged(["a.txt"])) { try checkOut([], a) }
    try devices.git("commit", "-qm", "a text", at: root)
    _ = try checkOut([], a)
    #expect(try a.labels().count == 2)
    #expect(try status(a) == "")
    // The same for changes staged outside of the sparse checkout.
    try devices.git("rm", "-rq", "--sparse", "labels", at: root)
    #expect(throws: SyncError.self) { try checkOut(nil, devices.reopen(a)) }
  }

  @Test("removes no document in another work tree or after git's setting is turned off")
  func otherWorkTree() throws {
    let other = devices.root.appending("other")
    try devices.git("worktree", "add", "-q", "-b", "other", other.string, at: a.directory.root)
    let second = try Replica.open(other, environment: devices.environment())
    _ = try second.checkOutSparse(
      SparseCone(directories: []), session: second.edit("checkout"))
    _ = try checkOut(nil, a)
    #expect(try devices.reopen(a).sparseCone == nil)
    let again = try Replica.open(other, environment: devices.environment())
    #expect(again.sparseCone != nil)
    #expect(try again.commit().changes.isEmpty)
    try devices.git("config", "core.sparseCheckout", "false", at: b.directory.root)
    let whole = try devices.reopen(b)
    #expect(try whole.commit().changes.isEmpty)
    #expect(try whole.workingState().problems.isEmpty)
  }

  @Test("leaves git working in the work trees of a bare repository")
  func bareWithWorkTrees() throws {
    let tree = devices.root.appending("tree")
    try devices.git("worktree", "add", "-q", tree.string, "main", at: devices.remote)
    let replica = try Replica.open(tree, environment: devices.environment())
    _ = try checkOut([], replica)
    #expect(try status(replica) == "")
    #expect(try devices.git("rev-parse", "--is-bare-repository", at: devices.remote) == "true\n")
    #expect(try Repository.open(devices.remote, files: FileSystem()).isBare)
    try a.label(9, "elm", by: "alice")
    try a.sync()
    #expect(try devices.reopen(replica).labels().count == 4)
    #expect(try status(replica) == "")
  }

  @Test("collapses a directory in git's index when a commit removes the file from the work tree")
  func closed() throws {
    let path = Document.label(try #require(try a.labels().first)).path.description
    let text = try #require(try a.directory.read(path))
    try b.directory.write(text, to: path)
    _ = try status(b)
    try b.commit()
    #expect(try status(b) == "")
    #expect(try files(b).isEmpty)
    #expect(try b.repository.indexEntryCount() < 8)
  }

  @Test("leaves a file whose name cairn does not handle, and continues")
  func strangeName() throws {
    try FileSystem().write(
      Array("x".utf8), to: a.directory.root.appending("a\\b.txt"),
      temporary: a.directory.root.appending("t"))
    try devices.git("add", ".", at: a.directory.root)
    try devices.git("commit", "-qm", "a strange name", at: a.directory.root)
    try a.sync()
    let clone = try devices.clone("c", sparseCone: SparseCone(directories: []))
    #expect(try clone.labels().count == 3)
    let report = try checkOut(["labels"], clone)
    #expect(report.left == ["a\\b.txt"])
  }

  @Test("finishes a change of the checkout that a crash interrupted")
  func cutShort() throws {
    let path = Document.label(try #require(try a.labels().first)).path.description
    for steps in 0... {
      _ = try checkOut(["labels"], a)
      let left = Atomic<Int>(steps)
      let crashing = try devices.reopen(a) { (_, _) throws(FileError) in
        if left.subtract(1, ordering: .relaxed).newValue < 0 {
          throw FileError("write", FilePath("x"), .ioError)
        }
      }
      _ = try? checkOut(["photos"], crashing)
      try FileSystem().remove(a.directory.root.pushing(".git/index.lock"))
      try devices.git("commit", "-q", "--allow-empty", "-m", "by git", at: a.directory.root)
      let again = try devices.reopen(a)
      #expect(try again.commit().changes.isEmpty, "\(steps)")
      #expect(try again.labels().count == 3)
      #expect(try status(again) == "", "\(steps)")
      let isThere = try again.directory.read(path) != nil
      #expect(isThere == again.isCheckedOut(path), "\(steps)")
      if left.load(ordering: .relaxed) >= 0 { break }
    }
  }

  @Test("loses no document in a crash at any step", arguments: 0..<8)
  func crash(part: Int) throws {
    for steps in stride(from: 2 * part, to: .max, by: 16) where try !crash(steps: steps) { break }
  }

  /// - Returns: Whether there was a crash.
  private func crash(steps: Int) throws -> Bool {
    let left = Atomic<Int>(steps)
    let fails = { @Sendable (step: FileSystem.Step, path: FilePath) throws(FileError) in
      if left.subtract(1, ordering: .relaxed).newValue < 0 {
        throw FileError("write", path, .ioError)
      }
    }
    let crashing = try devices.reopen(a, fault: fails)
    do {
      _ = try checkOut(["labels/\(photoID(2).short.prefix(2))"], crashing)
      try crashing.label(1, "elm", by: "bob")
      try crashing.commit()
      _ = try checkOut(nil, crashing)
    } catch {
      #expect(left.load(ordering: .relaxed) < 0, "\(error)")
    }
    let again = try devices.reopen(a)
    let result = try again.commit()
    #expect(result.changes.allSatisfy { $0.kind != .removed })
    #expect(result.problems.isEmpty)
    #expect(try again.labels().filter { $0.classKey.description == "oak" }.count == 3)
    #expect(try status(again) == "")
    return left.load(ordering: .relaxed) < 0
  }

  @Test("checks only cairn's own edits in a large checkout unless asked to check everything")
  func large() throws {
    a.largeCheckout = 3
    let path = Document.label(try #require(try a.labels().first)).path.description
    let text = String(decoding: try #require(try a.directory.read(path)), as: UTF8.self)
    try a.directory.write(Array(text.replacing("present", with: "absent").utf8), to: path)
    try a.label(9, "elm", by: "bob")
    let result = try a.commit()
    #expect(result.changes.count == 1)
    #expect(result.uncheckedFiles > 3)
    let rest = try a.commit(everywhere: true, session: a.edit("commit"))
    #expect(rest.changes.map(\.path.description) == [path])
    #expect(try status(a) == "")
  }

  @Test("reads and writes in proportion to the changes, not to the dataset")
  func cost() throws {
    // A label whose photo or class never existed makes a commit search the history for them.
    try a.write { session in
      [.class(LabelClass(key: ClassKey("elm")!, name: "elm", stamp: session.stamp()))]
        + [5, 6].map { seed in
          .photo(
            Photo(
              id: photoID(seed), image: ImageFacts(format: .png, width: 1, height: 1, bytes: 1),
              pin: nil, source: "", stamp: session.stamp()))
        }
    }
    try a.sync()
    try b.sync()
    func cost(_ replica: Replica, _ seed: Int) throws -> (read: Int, steps: Int) {
      let count = Atomic<Int>(0)
      let counting = try devices.reopen(replica) { (_, _) throws(FileError) in
        count.add(1, ordering: .relaxed)
      }
      try counting.label(seed, "elm", by: "bob")
      try counting.commit()
      return (counting.repository.objectsRead, count.load(ordering: .relaxed))
    }
    let small = try cost(b, 5)
    try a.label(10..<600, "oak", by: "alice")
    try a.sync()
    try b.sync()
    let large = try cost(b, 6)
    // One more step for each directory that the first label had to create.
    #expect(large.read <= small.read + 4)
    #expect(large.steps <= small.steps + 4)
  }
}
