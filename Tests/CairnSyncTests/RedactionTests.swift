import CairnDocument
import CairnFiles
import CairnGit
import CairnMerge
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("Facts that copies erase from the history")
struct RedactionTests {
  let devices: Devices
  let a: Replica
  let b: Replica
  static let photo = photoID(1)
  private static let photoPath = DocumentPath.photo(photo).description
  static let record = DocumentPath.redaction(.photo(photo))

  /// A with a photo at a pin and labels, and B cloned from it.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pair { a in
      try a.write { session in
        var photo = photoDocument(1)
        photo.pin = Register(pinID, session.stamp())
        photo.title = Register("Home", session.stamp())
        return [pinDocument("home", session.stamp()), .photo(photo)]
      }
      try a.label(1, "oak", by: "alice")
    }
  }

  @discardableResult
  func erase(
    _ replica: Replica, _ fact: Redaction.Fact = .position
  ) throws -> RedactionReport {
    try replica.editing("erase") {
      try replica.erase(fact, of: [Self.photo], reason: "home address", session: $0)
    }
  }

  func photo(_ replica: Replica, _ seed: Int = 1) throws -> Photo? {
    guard case .photo(let photo)? = try replica.document(at: .photo(photoID(seed))) else {
      return nil
    }
    return photo
  }

  /// Gives photo 2, which is committed and synced, a pin in a file that is not committed.
  private func pinUncommitted() throws {
    try a.write { session in
      var photo = photoDocument(2)
      photo.title = Register("Garden", session.stamp())
      return [.photo(photo)]
    }
    try a.sync()
    var pinned = try #require(try photo(a, 2))
    try a.write { session in
      pinned.pin = Register(pinID, session.stamp())
      return [.photo(pinned)]
    }
  }

  /// Erases facts of a photo in the first copy, and has every access to the disk fail from a step on.
  private func interruptErasure(_ fact: Redaction.Fact, of photo: PhotoID, at step: Int) throws {
    final class Counter: @unchecked Sendable { var left = Int.max }
    let counter = Counter()
    do {
      let broken = try devices.reopen(a) { _, path throws(FileError) in
        counter.left -= 1
        if counter.left < 0 { throw FileError("write", path, .ioError) }
      }
      let session = try broken.edit("erase")
      counter.left = step
      withExtendedLifetime(session) {
        _ = try? broken.erase(
          fact, of: [photo], reason: "interrupted", session: session)
      }
      counter.left = Int.max
    }
  }

  /// Returns the commits of all refs and reflogs in which the photo has a pin.
  func commitsWithPin(_ repository: Repository) throws -> [ObjectID] {
    let tips = try repository.namedObjects().filter { (try? repository.commit($0)) != nil }
    var found: [ObjectID] = []
    try repository.walk(from: Array(tips)) { id in
      let tree = try repository.tree(ofCommit: id)
      if let bytes = try repository.file(at: Self.photoPath, in: tree),
        let photo = try? Photo(bytes: bytes), photo.pin.value != nil
      {
        found.append(id)
      }
      return true
    }
    return found
  }

  func remoteRepository() throws -> Repository {
    try Repository.open(devices.remote, files: FileSystem())
  }

  func remoteHead() throws -> ObjectID? { try remoteRepository().head() }

  @Test("are in no commit that a ref or a reflog names, with the record of who erased them")
  func refs() throws {
    try devices.git("tag", "v1", at: a.directory.root)
    try devices.git("tag", "-am", "second", "v2", at: a.directory.root)
    try devices.git("branch", "topic", at: a.directory.root)
    // A stash with an edit of the photo.
    var photo = try #require(try photo(a))
    photo.caption = Register("by hand", photo.caption.stamp)
    try a.directory.write(photo.canonicalBytes, to: Self.photoPath)
    try devices.git("stash", "-q", at: a.directory.root)
    #expect(try !commitsWithPin(a.repository).isEmpty)
    let before = try #require(try a.repository.head())

    let report = try erase(a)
    #expect(report.recorded == [.photo(Self.photo)] && report.commits > 2)
    #expect(report.documents >= 2)
    #expect(try commitsWithPin(a.repository).isEmpty)
    #expect(try a.repository.head() != before)
    #expect(try self.photo(a)?.pin.value == nil && self.photo(a)?.title.value == "Home")
    #expect(try a.workingState().changes.isEmpty && a.labels().count == 1)
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
    try devices.git("fsck", "--strict", at: a.directory.root)
    let record = try #require(try a.redaction(at: .photo(Self.photo)))
    #expect(record.facts[.position]?.value.reason == "home address")
    // Erasing again does nothing.
    let head = try a.repository.head()
    #expect(try erase(a) == RedactionReport())
    #expect(try a.repository.head() == head)
    // What is left is in objects that nothing names.
    let remaining = try #require(try a.remainingFacts())
    #expect(!remaining.isReachable && remaining.commits > 0 && remaining.objects > 0)
    #expect(remaining.files.isEmpty && remaining.subjects == 1)
    try devices.git("gc", "-q", "--prune=now", at: a.directory.root)
    let again = try devices.reopen(a)
    #expect(try again.remainingFacts()?.isClean == true)
    try devices.git("stash", "pop", "-q", at: a.directory.root)
    #expect(try self.photo(again)?.caption.value == "by hand")
    #expect(try self.photo(again)?.pin.value == nil)
  }

  @Test("are planned without changing anything")
  func plan() throws {
    let head = try a.repository.head()
    let plan = try a.planErasure(.position, of: [Self.photo])
    #expect(plan.recorded == [.photo(Self.photo)] && plan.commits > 0 && plan.documents == 1)
    #expect(try a.repository.head() == head && a.erasedFacts().isEmpty)
    let person = try a.planErasure(of: Annotator("human:alice@example.org")!)
    #expect(person.recorded.count == 1 && person.documents == 1)
    #expect(try a.planErasure(of: Annotator("human:nobody@example.org")!).commits == 0)
    try erase(a)
    #expect(try a.planErasure(.position, of: [Self.photo]) == RedactionReport())
  }

  @Test("are erased from files that are not committed, and edits of other fields stay")
  func uncommitted() throws {
    try b.write { session in
      var photo = photoDocument(1)
      photo.title = Register("Garden", session.stamp())
      photo.pin = Register(pinID, session.stamp())
      return [.photo(photo)]
    }
    try erase(b)
    let photo = try #require(try photo(b))
    #expect(photo.pin.value == nil && photo.title.value == "Garden")
    let committed = try b.repository.file(at: Self.photoPath, in: b.headTree())
    #expect(try Photo(bytes: #require(committed)).title.value == "Home")
    try b.commit()
    // A pin that is set later is erased by the next command.
    try b.write { session in
      var photo = photo
      photo.pin = Register(pinID, session.stamp())
      return [.photo(photo)]
    }
    try b.commit()
    try b.label(2, "oak", by: "bob")
    #expect(try commitsWithPin(b.repository).isEmpty && self.photo(b)?.pin.value == nil)
  }

  @Test("are erased from files of this device if no commit has them")
  func neverCommitted() throws {
    try pinUncommitted()
    let before = try #require(try a.repository.head())
    let files = a.environment.files
    let derived = ["index.sqlite", "review", "edits/ann"].map {
      a.directory.privateDirectory.pushing(FilePath($0))
    }
    for path in derived {
      try files.createDirectory(path.removingLastComponent())
      try files.create(path, Array("derived".utf8))
    }
    let plan = try a.planErasure(.position, of: [photoID(2)])
    #expect(plan.commits == 0 && plan.documents == 1)

    let report = try a.editing("erase") {
      try a.erase(.position, of: [photoID(2)], reason: "home address", session: $0)
    }
    #expect(report.recorded == [.photo(photoID(2))])
    #expect(report.commits == 0 && report.documents == 1)
    let head = try #require(try a.repository.head())
    #expect(try a.repository.commit(head).parents == [before])
    #expect(try photo(a, 2)?.pin.value == nil && photo(a, 2)?.title.value == "Garden")
    #expect(try a.operationLog.numbers().isEmpty)
    for path in derived { #expect(try !files.exists(path), "\(path)") }
    #expect(try a.remainingFacts()?.isClean == true)
    // What is done later can be undone.
    try a.label(2, "oak", by: "alice")
    try a.label(2, "elm", by: "alice")
    #expect(try a.operationLog.numbers().count == 2)
  }

  @Test("are searched for in the logs of this device")
  func logs() throws {
    let (files, log) = (a.environment.files, a.operationLog)
    let directory = a.directory.privateDirectory
    let operations = try log.numbers().map { directory.appending("operations").appending("\($0)") }
    let pinned = try operations.compactMap { path in try files.read(path).map { (path, $0) } }
      .first { String(decoding: $0.1, as: UTF8.self).contains("\"\(pinID.text)\"") }
    let (operation, bytes) = try #require(pinned)
    try erase(a)
    #expect(try a.remainingFacts()?.files.isEmpty == true)
    // As an earlier version of the program left them.
    try files.create(operation, bytes)
    let (edits, review) = (directory.pushing("edits/ann"), directory.appending("review"))
    try files.createDirectory(edits.removingLastComponent())
    try files.create(
      edits,
      Array(
        """
        {"action": 1, "time": 0, "title": "Pin"}
        {"action": 1, "changes": [{"after": null, "before": "\(pinID.text)", "field": "pin", \
        "photo": "\(Self.photo)"}]}

        """.utf8))
    let skipped = """
      {"class": "oak", "did": "skip", "photo": "\(Self.photo)", "undoable": true}

      """
    try files.create(review, Array(skipped.utf8))
    #expect(
      try a.remainingFacts()?.files == ["\(operation)", "\(edits)"].sorted())
    // Without the metadata, it is also a fact which class was asked about.
    try erase(a, .metadata)
    #expect(try a.remainingFacts()?.files.isEmpty == true)
    try files.create(review, Array(skipped.utf8))
    #expect(try a.remainingFacts()?.files == ["\(review)"])
  }

  @Test("may be in a file that cannot be read, which is reported")
  func unreadable() throws {
    try erase(a)
    #expect(try a.remainingFacts()?.unreadable.isEmpty == true)
    let path = Self.photoPath
    let failing = try Replica.open(
      a.directory.root,
      environment: devices.environment(readFault: { file throws(FileError) in
        if file.string.hasSuffix(path) { throw FileError("read", file, .ioError) }
      }))
    let remaining = try #require(try failing.remainingFacts())
    #expect(remaining.unreadable == [path] && !remaining.isClean)
  }

  @Test("of a photo include its labels and texts, but not those of others")
  func metadata() throws {
    try a.write { [.photo(photoDocument(2)), pinDocument("home", $0.stamp())] }
    try a.label(2, "oak", by: "alice")
    try a.label(1, "elm", by: "bob")
    try erase(a, .metadata)
    let photo = try #require(try photo(a))
    #expect(photo.title.value == "" && photo.source.value == "" && photo.pin.value == nil)
    #expect(try a.labels().map(\.photo) == [photoID(2)])
    try a.commit()
    #expect(try a.workingState().changes.isEmpty)
    #expect(try commitsWithPin(a.repository).isEmpty)
    // A label that somebody gives later is erased as well.
    try a.label(1, "elm", by: "bob")
    try a.commit()
    try a.label(2, "elm", by: "bob")
    #expect(try a.labels().allSatisfy { $0.photo == photoID(2) })
  }

  @Test("include a person's address, here and in another copy")
  func person() throws {
    try b.label(1, "elm", by: "alice")
    try b.label(1, "elm", by: "bob")
    let alice = Annotator("human:alice@example.org")!
    let report = try a.editing("erase") {
      try a.erase(alice, reason: "asked for it", session: $0)
    }
    #expect(report.recorded.count == 1)
    guard case .person(let id)? = report.recorded.first else { return }
    #expect(try a.isErased(alice) && a.isErased(id.annotator))
    #expect(try a.labels().map(\.annotator) == [id.annotator])
    try a.sync()
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    for replica in [a, b] {
      #expect(
        try Set(replica.labels().map { "\($0.annotator) \($0.classKey)" }) == [
          "\(id.annotator) oak", "\(id.annotator) elm", "human:bob@example.org elm",
        ])
      #expect(try replica.workingState().changes.isEmpty)
      #expect(try replica.remainingFacts()?.isReachable == false)
      for (_, log) in try replica.repository.reflogs() { #expect(!log.contains("alice@")) }
    }
  }

  @Test("are erased from the staged mailmap, as after a crash")
  func stagedMailmap() throws {
    let (root, path) = (a.directory.root, ".mailmap")
    try a.directory.write(
      Array("Alice <alice@example.org>\nBob <bob@example.org>\n".utf8), to: path)
    try devices.git("add", path, at: root)
    try devices.git("commit", "-qm", "people", at: root)
    let staged = try devices.git("rev-parse", ":\(path)", at: root)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let alice = Annotator("human:alice@example.org")!
    try a.editing("erase") { _ = try a.erase(alice, reason: "asked for it", session: $0) }
    try devices.git("update-index", "--cacheinfo", "100644,\(staged),\(path)", at: root)
    try erase(a)
    #expect(try devices.git("show", ":\(path)", at: root) == "Bob <bob@example.org>\n")
    #expect(try devices.git("status", "--porcelain", at: root) == "")
  }

  @Test("are erased by one commit from what other tools write and from the commit itself")
  func otherTools() throws {
    let alice = Annotator("human:alice@example.org")!
    let stamp = try a.editing("erase") { session in
      _ = try a.erase(alice, reason: "asked for it", session: session)
      return session.stamp()
    }
    let (root, mailmap) = (a.directory.root, ".mailmap")
    let label = Document.label(
      Label(
        photo: Self.photo, classKey: ClassKey("elm")!, annotator: alice, verdict: .present,
        stamp: stamp))
    try a.directory.write(label.canonicalBytes, to: label.path.description)
    try a.directory.write(
      Array("Alice <alice@example.org>\nBob <bob@example.org>\n".utf8), to: mailmap)
    try devices.git("add", mailmap, at: root)
    #expect(try a.remainingFacts()?.files == [mailmap, label.path.description])
    let commit = try #require(
      try a.commit(message: "for alice@example.org", session: a.edit("c")).commit)
    #expect(try a.repository.head() == commit)
    #expect(try a.remainingFacts()?.isReachable == false && a.remainingFacts()?.files == [])
    #expect(try a.repository.commit(commit).message.contains("a line was erased"))
    #expect(try a.labels().count == 2 && a.workingState().changes.isEmpty)
    #expect(try a.directory.read(mailmap) == Array("Bob <bob@example.org>\n".utf8))
    #expect(try devices.git("ls-files", "--", mailmap, at: root) == "")
  }

  @Test("do not change the other lines of a mailmap in another encoding")
  func otherEncoding() throws {
    let bytes = Array("Ren".utf8) + [0xE9] + Array(" <rene@example.org>\n".utf8)
    let line = Array("Al".utf8) + [0xEF] + Array("ce <alice@example.org>\n".utf8)
    try a.directory.write(line + bytes, to: ".mailmap")
    let alice = Annotator("human:alice@example.org")!
    try a.editing("erase") { _ = try a.erase(alice, reason: "asked for it", session: $0) }
    #expect(try a.directory.read(".mailmap") == bytes && a.remainingFacts()?.files == [])
  }

  @Test("include the address of the person who erases it")
  func own() throws {
    let own = try a.person()
    try a.editing("erase") { _ = try a.erase(own, reason: "me", session: $0) }
    let head = try a.repository.commit(#require(try a.repository.head()))
    #expect(head.author.name == "erased" && head.committer.email.hasSuffix("@cairn.invalid"))
    let id = ErasedPersonID(own, salt: try a.manifest().id.text)
    let record = try #require(try a.redaction(at: .person(id)))
    #expect(record.facts[.identity]?.value.by == id.annotator)
    try devices.git("fsck", "--strict", at: a.directory.root)
    for (_, log) in try a.repository.reflogs() { #expect(!log.contains(own.identity)) }
  }

  @Test("are erased at once from the commits of an import, of pruning and of an image's erasure")
  func ownCommits() throws {
    let own = try a.person()
    try a.editing("erase") { _ = try a.erase(own, reason: "me", session: $0) }
    func isHeadErased() throws -> Bool {
      let head = try a.repository.commit(#require(try a.repository.head()))
      return try head.author.email.hasSuffix("@cairn.invalid")
        && a.remainingFacts()?.isReachable == false
    }
    let lines = devices.root.appending("lines")
    let image = #"{"bytes":5,"format":"png","height":2,"width":3}"#
    try FileSystem().create(
      lines, Array(#"{"id":"\#(photoID(3))","image":\#(image)}"#.utf8) + [0x0A])
    let file = try FileDescriptor.open(lines, .readOnly)
    let imported = try file.closeAfter {
      try a.editing("import") { try a.importDocuments(file, session: $0) }
    }
    #expect(try imported.commit == a.repository.head() && isHeadErased())

    var removed = try #require(try photo(a))
    try a.write { session in
      removed.removed = Register(true, session.stamp(replacing: removed.removed.stamp))
      return [.photo(removed)]
    }
    let pruned = try a.editing("gc") { try a.prune(before: .max, session: $0) }
    #expect(pruned.counts[.photo] == 1)
    #expect(try pruned.commit == a.repository.head() && isHeadErased())

    let erased = try a.editing("erase") {
      try a.erase([photoID(3)], reason: "a face", session: $0)
    }
    #expect(erased.recorded == [photoID(3)])
    #expect(try isHeadErased())
  }

  @Test("include the address in reflogs, even if git writes it there again")
  func reflogs() throws {
    let (own, root) = (try a.person(), b.directory.root)
    func logs(_ replica: Replica) throws -> String {
      try replica.repository.reflogs().map { $0.text }.joined()
    }
    try a.editing("erase") { _ = try a.erase(own, reason: "me", session: $0) }
    for replica in [a, b] {
      #expect(try replica.sync().failure == nil)
      #expect(try !logs(replica).contains(own.identity))
    }
    // No object is new.
    try devices.git("checkout", "-q", "-b", "topic", at: root)
    try devices.git("checkout", "-q", "main", at: root)
    try devices.git(
      "update-ref", "--create-reflog", "-m", "for <\(own.identity)>", "refs/heads/other", "HEAD",
      at: root)
    #expect(try logs(b).contains(own.identity))
    #expect(try b.remainingFacts()?.files.isEmpty == false)
    try b.editing("nothing") { _ in }
    #expect(try !logs(b).contains(own.identity))
    #expect(try b.remainingFacts()?.files.isEmpty == true)
    let other = try devices.git("reflog", "show", "--format=%gn %gs", "other", at: root)
    #expect(other.hasPrefix("erased for <erased-"), "\(other)")
  }

  @Test(
    "are erased by the next command if erasing them was interrupted",
    arguments: Array(stride(from: 0, to: 80, by: 2)))
  func crash(step: Int) throws {
    let stamp = try #require(try photo(a)).title.stamp
    try interruptErasure(.metadata, of: Self.photo, at: step)
    let again = try devices.reopen(a)
    try again.editing("erase") {
      _ = try again.erase(.metadata, of: [Self.photo], reason: "again", session: $0)
    }
    #expect(try again.labels().isEmpty && commitsWithPin(again.repository).isEmpty)
    // Its emptied title does not look like an edit, and no earlier version can be restored.
    #expect(try photo(again)?.title == Register("", stamp))
    #expect(try again.operationLog.numbers().isEmpty)
    #expect(try again.workingState().changes.isEmpty)
    #expect(try again.remainingFacts()?.isReachable == false)
    #expect(try devices.git("status", "--porcelain", at: again.directory.root) == "")
    #expect(try again.sync().failure == nil)
    #expect(try remoteHead() == again.repository.head())
  }

  @Test(
    "are erased by the next command from uncommitted files if erasing them was interrupted",
    arguments: Array(stride(from: 0, to: 60, by: 3)))
  func crashUncommitted(step: Int) throws {
    try pinUncommitted()
    try interruptErasure(.position, of: photoID(2), at: step)
    let again = try devices.reopen(a)
    try again.editing("erase") {
      _ = try again.erase(.position, of: [photoID(2)], reason: "again", session: $0)
    }
    #expect(try photo(again, 2)?.pin.value == nil && photo(again, 2)?.title.value == "Garden")
    #expect(try again.operationLog.numbers().isEmpty)
    #expect(try again.remainingFacts()?.isClean == true)
    #expect(try again.sync().failure == nil)
    #expect(try remoteHead() == again.repository.head())
  }

  @Test("of operations cannot be undone")
  func operations() throws {
    #expect(try !a.operationLog.numbers().isEmpty)
    try erase(a)
    #expect(try a.operationLog.numbers().isEmpty)
  }

  @Test("do not make an operation part of another process's one, which got its number")
  func operationNumbers() throws {
    a.operation = RecordedOperation("label")
    try a.label(1, "elm", by: "bob")
    let number = try #require(try a.operationLog.numbers().last)
    let other = try devices.reopen(a)
    try erase(other)
    for seed in 1...number { try other.label(seed, "ash", by: "carol") }
    #expect(try other.operationLog.numbers() == Array(1...number))
    try a.label(1, "fir", by: "bob")
    #expect(try other.operationLog.numbers() == Array(1...number + 1))
    #expect(try other.edits(of: number).edits.count == 1)
    // A record that was discarded is not continued.
    try erase(other, .metadata)
    try a.label(2, "fir", by: "bob")
    #expect(try other.operationLog.numbers() == [1])
    #expect(try other.operationLog.header(of: 1)?.text == "label")
  }
}
