import CairnDocument
import CairnMerge
import TestSupport
import Testing

/// Documents of every kind with random edits of their registers.
extension SeededGenerator {
  fileprivate mutating func register<Value>(_ values: [Value]) -> Register<Value> {
    Register(pick(values), stamp())
  }

  fileprivate mutating func version(of kind: DocumentKind) -> JSON {
    let texts = ["", "a", "b"]
    switch kind {
    case .dataset:
      var manifest = Manifest(
        id: DatasetID(unchecked: String(repeating: "0", count: 20)), name: "d", stamp: at(0))
      if chance(50) { manifest.name = register(texts) }
      if chance(50) { manifest.people = register(PeoplePolicy.allCases) }
      if chance(50) {
        manifest.setThreshold(of: pick(["m", "n"]), register([Fraction(0.5), nil]))
      }
      return manifest.json
    case .pin:
      var document = pin()
      if chance(50) { document.name = register(texts) }
      if chance(50) { document.removed = register([true, false]) }
      return document.json
    case .photo:
      var document = photo()
      if chance(50) { document.title = register(texts) }
      if chance(50) { document.removed = register([true, false]) }
      var members = document.members
      // A member that a later version may have.
      if chance(50) { members["rating"] = value(depth: 2) }
      return .object(members)
    case .label:
      return CairnMergeTests.label(
        "human:ann@x", pick(Verdict.allCases), confidence: pick([0.5, 1]), stamp()
      ).json
    case .class:
      var document = LabelClass(key: ClassKey("oak")!, name: "oak", stamp: stamp())
      if chance(50) { document.name = register(texts) }
      if chance(50) { document.aliasOf = register([ClassKey("elm")!, nil]) }
      if chance(50) { document.set = register([ClassKey("tree")!, nil]) }
      return document.json
    case .run:
      var document = Run(
        id: RunID(unchecked: String(repeating: "1", count: 20)), annotator: Annotator("model:m@1")!,
        by: Annotator("human:ann@x")!, stamp: at(0))
      if chance(70) { document.withdrawn = register([true, false]) }
      for _ in 0..<below(3) {
        document.addSilent((0..<1 + below(3)).map { _ in PhotoID(digest: bytes(32)) })
      }
      return document.json
    case .erasure:
      var document = Erasure(
        PhotoID(digest: [UInt8](repeating: 7, count: 32)), bytes: 9,
        by: Annotator(pick(["human:ann@x", "human:bob@x"]))!, reason: pick(texts), stamp: stamp())
      for _ in 0..<below(3) {
        document.record(
          pick([.erased, .kept]), ofStore: pick(["/store", "s3://bucket/x"]), stamp: stamp())
      }
      return document.json
    case .redaction:
      var document = Redaction(ofPhoto: PhotoID(digest: [UInt8](repeating: 7, count: 32)))
      for _ in 0..<below(3) {
        document.erase(
          pick([.position, .metadata]), by: Annotator(pick(["human:ann@x", "human:bob@x"]))!,
          reason: pick(texts), stamp: stamp())
      }
      return document.json
    }
  }
}

@Suite("Documents of every kind")
struct DocumentLawsTests {
  @Test("obey the join laws after random edits", arguments: DocumentKind.allCases)
  func laws(kind: DocumentKind) {
    for seed in UInt64(0)..<24 {
      var random = SeededGenerator(seed)
      let versions = (0..<7).map { _ in random.version(of: kind) }
      if let broken = checkJoinLaws(versions) {
        Issue.record("\(kind), seed \(seed): \(broken)")
        return
      }
    }
  }

  @Test("keep an alias when another device creates the same class at any time")
  func aliasBesideNewClass() throws {
    var alias = LabelClass(key: ClassKey("doggy")!, name: "doggy", stamp: at(1))
    alias.aliasOf = Register(ClassKey("dog")!, at(2))
    let created = LabelClass(key: ClassKey("doggy")!, name: "Doggy", stamp: at(9, by: 2))
    let joined = try LabelClass(json: alias.json.joined(with: created.json))
    #expect(joined.aliasOf == alias.aliasOf)
    #expect(joined.name == created.name)
  }

  @Test("keep the later record of two erasures of a photo, and what all stores did")
  func erasures() throws {
    let photo = PhotoID(digest: [UInt8](repeating: 7, count: 32))
    let (ann, bob) = (Annotator("human:ann@x")!, Annotator("human:bob@x")!)
    var mine = Erasure(photo, bytes: 9, by: ann, reason: "a face", stamp: at(1))
    mine.record(.erased, ofStore: "/store", stamp: at(5))
    var theirs = Erasure(photo, bytes: 9, by: bob, reason: "asked to", stamp: at(2, by: 2))
    theirs.record(.kept, ofStore: "https://example.org/lfs", stamp: at(3, by: 2))
    theirs.record(.kept, ofStore: "/store", stamp: at(4, by: 2))
    for (a, b) in [(mine, theirs), (theirs, mine)] {
      let joined = try Erasure(json: a.json.joined(with: b.json))
      #expect(joined.erased == theirs.erased)
      #expect(joined.stores["/store"] == Register(.erased, at(5)))
      #expect(joined.stores["https://example.org/lfs"]?.value == .kept)
    }
  }

  @Test(
    "keep the photos on which a model was silent, added by two devices at once", arguments: 0..<20)
  func silentPhotos(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var run = Run(
      id: RunID(unchecked: String(repeating: "1", count: 20)), annotator: Annotator("model:m@1")!,
      by: Annotator("human:ann@x")!, recordsSilent: true, stamp: at(0))
    let photos = (0..<60).map { _ in PhotoID(digest: random.bytes(32)) }
    run.addSilent(photos[..<10])
    var (mine, theirs) = (run, run)
    mine.addSilent(photos[10..<30])
    mine.addSilent(photos[30..<35])
    // Some were added by both.
    theirs.addSilent(photos[25..<50])
    theirs.withdrawn = Register(true, at(1))
    let joined = try Run(json: mine.json.joined(with: theirs.json))
    #expect(joined.json == theirs.json.joined(with: mine.json))
    #expect(joined.json == mine.json.merged(with: theirs.json, since: run.json))
    let silent = try #require(joined.silent)
    #expect(silent.count == 50 && joined.withdrawn.value)
    #expect(
      photos[..<50].allSatisfy(silent.contains) && !photos[50...].contains(where: silent.contains))
  }
}
