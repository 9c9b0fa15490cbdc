import CairnDocument
import CairnGit
import CairnMerge
import CairnStore
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("Histories without erased facts")
struct HistoryRewriteTests {
  private let devices: Devices
  private let a: Replica
  private var repository: Repository { a.repository }

  private static let photo = photoID(1)
  private static let ann = Annotator("human:amy@example.org")!
  private static let bob = Annotator("human:bob@example.org")!
  private static let dataset = DatasetID("8c1f04d7be2a96350e4d")!
  private static let opaque = ErasedPersonID(ann, salt: dataset.text).annotator
  private static let photoPath = DocumentPath.photo(photo).description

  private static let position = record(of: Redaction(ofPhoto: photo), .position)
  private static let metadata = record(of: Redaction(ofPhoto: photo), .metadata)
  private static let otherPosition = record(of: Redaction(ofPhoto: photoID(2)), .position)
  private static let person = record(of: Redaction(ofPerson: ann, in: dataset), .identity)

  private static func record(of redaction: Redaction, _ fact: Redaction.Fact) -> Redaction {
    var redaction = redaction
    redaction.erase(fact, by: bob, reason: "", stamp: .given)
    return redaction
  }

  init() throws {
    devices = try Devices()
    a = try devices.start("a")
  }

  private func rewrite(_ records: Redaction...) -> HistoryRewrite {
    HistoryRewrite(ErasedFacts(records), in: repository)
  }

  private func rewritten(_ id: ObjectID, _ records: Redaction...) throws -> ObjectID {
    let rewrite = HistoryRewrite(ErasedFacts(records), in: repository)
    let new = try rewrite.rewritten(id)
    try rewrite.finish()
    // Without the objects, the same ids.
    let dry = HistoryRewrite(ErasedFacts(records), in: repository, isDryRun: true)
    #expect(try dry.rewritten(id) == new)
    return new
  }

  // MARK: Documents

  private func document(_ seed: Int = 1, title: String = "", pin: PinID? = pinID) -> [UInt8] {
    var photo = photoDocument(seed)
    photo.title = Register(title, .given)
    photo.pin = Register(pin, .given)
    return photo.canonicalBytes
  }

  private func label(by annotator: Annotator, _ seed: Int = 1) -> (path: String, bytes: [UInt8]) {
    let label = Label(
      photo: photoID(seed), classKey: ClassKey("oak")!, annotator: annotator, verdict: .present,
      stamp: .given)
    return (Document.label(label).path.description, label.canonicalBytes)
  }

  private func photo(_ commit: ObjectID) throws -> Photo {
    let tree = try repository.tree(ofCommit: commit)
    return try Photo(bytes: #require(try repository.file(at: Self.photoPath, in: tree)))
  }

  /// The dataset's first commit, then one without facts, with facts, and after them.
  private func history() throws -> [ObjectID] {
    let first = try #require(try repository.head())
    let before = try a.commitByGit(["notes.txt": Array("x".utf8)], on: first)
    let added = try a.commitByGit(
      [
        Self.photoPath: document(title: "Home"),
        label(by: Self.ann).path: label(by: Self.ann).bytes,
        label(by: Self.bob).path: label(by: Self.bob).bytes,
        DocumentPath.photo(photoID(2)).description: document(2),
      ], on: before)
    let after = try a.commitByGit([Self.photoPath: document(title: "Home", pin: nil)], on: added)
    return [first, before, added, after]
  }

  // MARK: Tests

  @Test("lack a position in every commit, with all else unchanged")
  func position() throws {
    let history = try history()
    let new = try rewritten(history[3], Self.position)
    let commit = try repository.commit(new)
    let old = try repository.commit(history[3])
    #expect(new != history[3] && commit.author == old.author && commit.message == old.message)
    let parent = commit.parents[0]
    #expect(try photo(new).pin == Register(nil, .given))
    #expect(try photo(parent).pin == Register(nil, .given))
    #expect(try photo(parent).title == Register("Home", .given))
    let changed = try repository.diff(
      repository.commit(history[2]).tree, repository.commit(parent).tree)
    #expect(changed.map(\.path) == [Self.photoPath])
    // Only the position itself changed in the second commit.
    #expect(try repository.commit(new).tree == repository.commit(parent).tree)
  }

  @Test("keep the ids of commits up to the first one with the facts")
  func untouched() throws {
    let history = try history()
    let new = try rewritten(history[3], Self.position)
    let parent = try repository.commit(new).parents[0]
    #expect(parent != history[2])
    #expect(try repository.commit(parent).parents == [history[1]])
    #expect(try rewritten(history[1], Self.position, Self.person) == history[1])
    let other = Self.record(of: Redaction(ofPhoto: photoID(3)), .metadata)
    #expect(try rewritten(history[3], other) == history[3])
  }

  @Test("keep every header line but signatures")
  func headers() throws {
    let history = try history()
    let tree = try repository.commit(history[2]).tree
    let writer = LooseObjectWriter(repository)
    let text = """
      tree \(tree)
      parent \(history[2])
      author Gil <gil@example.org> 1900000000 +0130
      committer Gil <gil@example.org> 1900000001 -0200
      gpgsig -----BEGIN PGP SIGNATURE-----
       abc
       -----END PGP SIGNATURE-----
      encoding ISO-8859-1

      Signed
      """
    let signed = try writer.write(.commit, Array(text.utf8))
    let new = try rewritten(signed, Self.position)
    let commit = try repository.commit(new)
    let bytes = try repository.withObject(new) { Array($1) }
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        tree \(commit.tree)
        parent \(commit.parents[0])
        author Gil <gil@example.org> 1900000000 +0130
        committer Gil <gil@example.org> 1900000001 -0200
        encoding ISO-8859-1

        Signed
        """)
  }

  @Test("lack the metadata and the labels of a photo in every commit")
  func metadata() throws {
    let history = try history()
    let new = try rewritten(history[3], Self.metadata)
    for commit in [new, try repository.commit(new).parents[0]] {
      let photo = try photo(commit)
      #expect(photo.title == Register("", .given) && photo.source.value == "")
      #expect(photo.pin.value == nil && photo.removed == Register(false, .initial))
      let tree = try repository.tree(ofCommit: commit)
      #expect(try repository.node(at: "labels", in: tree) == nil)
      #expect(
        try repository.file(at: DocumentPath.photo(photoID(2)).description, in: tree)
          == document(2))
    }
  }

  @Test("name a person by an opaque address in every commit")
  func person() throws {
    let history = try history()
    let writer = LooseObjectWriter(repository)
    let ann = Signature(name: "Ann", email: "Amy@example.org", time: 1_900_000_000, offset: 60)
    let tip = try writer.write(
      Commit(
        tree: try repository.commit(history[3]).tree, parents: [history[3]], author: ann,
        committer: ann, message: "Add\n\nReviewed-by: Ann <amy@example.org>\n"))
    let new = try rewritten(tip, Self.person)
    let commit = try repository.commit(new)
    #expect(commit.author.name == "erased" && commit.author.email == Self.opaque.identity)
    #expect(commit.author.time == ann.time && commit.author.offset == 60)
    #expect(commit.committer == commit.author)
    #expect(commit.message == "Add\n\nReviewed-by: erased <\(Self.opaque.identity)>\n")
    #expect(commit.parents[0] != history[3])
    let labels = try repository.contents(of: commit.tree, below: "labels")
    #expect(labels == [label(by: Self.bob), label(by: Self.opaque)].asDictionary)
    #expect(try photo(new).title.value == "Home")
  }

  @Test("join two labels of a person that get the same name")
  func joined() throws {
    let first = try #require(try repository.head())
    var newer = try Label(bytes: label(by: Self.opaque).bytes)
    (newer.verdict, newer.stamp) = (.absent, Stamp.given.successor())
    let tip = try a.commitByGit(
      [
        label(by: Self.ann).path: label(by: Self.ann).bytes,
        Document.label(newer).path.description: newer.canonicalBytes,
      ], on: first)
    let tree = try repository.commit(try rewritten(tip, Self.person)).tree
    #expect(
      try repository.contents(of: tree, below: "labels")
        == [Document.label(newer).path.description: newer.canonicalBytes])
  }

  @Test("empty a person's label that does not parse, under its new name")
  func brokenLabel() throws {
    let first = try #require(try repository.head())
    let (path, bytes) = label(by: Self.ann)
    let tip = try a.commitByGit([path: Array(bytes.dropLast(3))], on: first)
    let tree = try repository.commit(try rewritten(tip, Self.person)).tree
    #expect(
      try repository.contents(of: tree, below: "labels") == [label(by: Self.opaque).path: []])
  }

  @Test("have the merges and fixups that cairn would make of the new commits")
  func merges() throws {
    let history = try history()
    let (x, y) = (
      try a.commitByGit(["x.txt": [1]], on: history[2]),
      try a.commitByGit([Self.photoPath: document(title: "Home 2")], on: history[2])
    )
    func merge(_ a: ObjectID, _ b: ObjectID) throws -> ObjectID {
      let writer = AdaptiveObjectWriter(repository)
      let tree = try self.a.mergeTrees(a, b, writer: writer).tree
      let id = try writer.write(self.a.mergeCommit(of: a, b, tree: tree))
      try writer.finish()
      return id
    }
    let merged = try merge(x, y)
    let new = try rewritten(merged, Self.position)
    #expect(Replica.isOwnMerge(try repository.commit(new)))
    let parents = try [x, y].map { try rewritten($0, Self.position) }
    #expect(try new == merge(parents[0], parents[1]))
    #expect(new != merged)

    // Two commits that differ only in the position become one, and so does their merge.
    let (p, q) = (
      try a.commitByGit([Self.photoPath: document(pin: nil)], on: history[1]),
      try a.commitByGit([Self.photoPath: document()], on: history[1])
    )
    let one = try rewritten(p, Self.position)
    #expect(try rewritten(q, Self.position) == one)
    #expect(try rewritten(merge(p, q), Self.position) == one)

    var fixups = CommitFixups()
    fixups.documents[Self.photoPath] = (document(title: "Fixed"), .stamped)
    let fixup = try a.commitWithFixups(history[3], by: fixups)
    let newFixup = try repository.commit(try rewritten(fixup, Self.position))
    #expect(Replica.isFixup(newFixup, of: newFixup.parents[0]))
    #expect(newFixup.parents[0] != history[3])
  }

  @Test("obey the laws: rewriting again changes nothing, and the order of facts does not matter")
  func laws() throws {
    let history = try history()
    let writer = LooseObjectWriter(repository)
    let ann = Signature(name: "Ann", email: "amy@example.org", time: 1_900_000_000)
    let tree = try repository.commit(history[3]).tree
    let own = try writer.write(
      a.mergeCommit(of: history[3], history[1], tree: tree))
    let tip = try writer.write(
      Commit(tree: tree, parents: [own, history[2]], author: ann, committer: ann, message: "x"))
    let records = [Self.position, Self.metadata, Self.otherPosition, Self.person]
    for first in records {
      for second in records {
        let all = try rewritten(tip, first, second)
        #expect(try rewritten(all, first, second) == all)
        #expect(try rewritten(rewritten(tip, first), second) == all)
        #expect(try rewritten(rewritten(tip, first), first, second) == all)
      }
    }
  }

  @Test("continue from commits that were rewritten before")
  func known() throws {
    let history = try history()
    let clean = try rewritten(history[2], Self.position)
    let next = try a.commitByGit([Self.photoPath: document(title: "Again")], on: clean)
    let rewrite = HistoryRewrite(ErasedFacts([Self.position]), in: repository, clean: [clean])
    let new = try rewrite.rewritten(next)
    try rewrite.finish()
    #expect(rewrite.results[clean] == nil && rewrite.changedCommits == 1)
    #expect(try new == rewritten(next, Self.position))
    #expect(try repository.commit(new).parents == [clean])
  }

  @Test("change tags, and the notes and documents at other paths")
  func others() throws {
    let history = try history()
    let writer = LooseObjectWriter(repository)
    let tag = try writer.write(
      .tag,
      Array(
        """
        object \(history[2])
        type commit
        tag v1
        tagger Ann <amy@example.org> 1700000000 +0000

        First

        """.utf8))
    let new = try rewritten(tag, Self.position, Self.person)
    let text = String(decoding: try repository.withObject(new) { Array($1) }, as: UTF8.self)
    #expect(
      text.hasPrefix("object \(try rewritten(history[2], Self.position, Self.person))\n"))
    #expect(text.contains("tagger erased <\(Self.opaque.identity)> 1700000000 +0000\n"))

    let copies = try a.commitByGit(
      [
        "backup/\(Self.photo).json": document(title: "Home"),
        "backup/label.json": label(by: Self.ann).bytes,
        "backup/readme.json": Array("{\"title\": \"amy@example.org\"}".utf8),
        ".mailmap": Array("Ann <amy@example.org>\nBob <bob@example.org>\n".utf8),
      ], on: history[1])
    let changed = try repository.commit(try rewritten(copies, Self.metadata, Self.person)).tree
    let files = try repository.contents(of: changed, below: "backup")
    #expect(files.keys.sorted() == ["backup/\(Self.photo).json", "backup/readme.json"])
    let photo = try Photo(bytes: #require(files["backup/\(Self.photo).json"]))
    #expect(photo.title.value == "")
    #expect(
      try repository.file(at: ".mailmap", in: changed) == Array("Bob <bob@example.org>\n".utf8))
  }
}

extension Repository {
  /// Returns the bytes of every file below a directory of a tree, by path.
  fileprivate func contents(of tree: ObjectID?, below directory: String) throws -> [String: [UInt8]]
  {
    var contents: [String: [UInt8]] = [:]
    try forEachFile(in: tree, below: directory) { path, node in
      contents[path] = try blob(node.id)
    }
    return contents
  }
}

extension [(path: String, bytes: [UInt8])] {
  fileprivate var asDictionary: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: map { ($0.path, $0.bytes) })
  }
}
