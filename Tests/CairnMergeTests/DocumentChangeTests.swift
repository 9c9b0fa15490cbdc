import CairnDocument
import CairnMerge
import Testing

@Suite("What differs between two versions of a document, in words")
struct DocumentChangeTests {
  private func change(_ old: Document?, _ new: Document?) -> DocumentChange {
    DocumentChange(old?.canonicalBytes, new?.canonicalBytes, at: (new ?? old)!.path)
  }

  private func words(_ old: Document?, _ new: Document?) -> [String] {
    change(old, new).statements.map(\.text)
  }

  private func words(_ old: Label?, _ new: Label?) -> [String] {
    words(old.map(Document.label), new.map(Document.label))
  }

  private let alice = "human:alice@example.org"

  // MARK: Labels

  @Test("a label is told as what its annotator says")
  func newLabel() {
    #expect(words(nil, label(alice)) == ["alice@example.org says hemlock present"])
    #expect(
      words(nil, label("model:net@2", confidence: 0.93))
        == ["net@2 says hemlock present (0.93)"])
    #expect(
      words(nil, label(alice, .absent, region: "a1b2c3d4"))
        == ["alice@example.org says hemlock absent in the box 0,0,1,1"])
    #expect(
      words(nil, label(alice, .withdrawn))
        == ["alice@example.org took back what they said of hemlock"])
    var ofRun = label("model:net@2")
    ofRun.run = RunID("41d8e07a5bc2f6930da7")
    #expect(words(nil, ofRun) == ["net@2 says hemlock present, in run 41d8e07a5bc2"])
  }

  @Test("a label that changes is told with what was said before")
  func changedLabel() {
    let present = label(alice)
    func after(_ verdict: Verdict, confidence: Double = 1) -> [String] {
      words(present, label(alice, verdict, confidence: confidence, at(1)))
    }
    let who = "alice@example.org"
    #expect(after(.absent) == ["\(who) says hemlock absent, said present before"])
    #expect(
      after(.present, confidence: 0.5) == ["\(who) says hemlock present (0.5), said 1 before"])
    #expect(
      after(.absent, confidence: 0.5) == [
        "\(who) says hemlock absent (0.5), said present (1) before"
      ]
    )
    #expect(after(.withdrawn) == ["\(who) took back that hemlock is present"])
    #expect(after(.present) == ["\(who) says hemlock present, again"])
    #expect(
      words(label(alice, .withdrawn), label(alice, .absent, at(1)))
        == ["\(who) says hemlock absent, had taken it back before"])
    #expect(words(present, nil) == ["what \(who) said of hemlock is gone (present)"])
  }

  @Test("a box that moves is told with where it was")
  func movedRegion() {
    let old = label(alice, region: "a1b2c3d4")
    var new = label(alice, region: "a1b2c3d4", at(1))
    new.region?.x = 0.5
    new.region?.width = 0.5
    #expect(
      words(old, new) == [
        "alice@example.org says hemlock present in the box 0.5,0,0.5,1, "
          + "said in the box 0,0,1,1 before"
      ])
  }

  // MARK: Documents of registers

  @Test("a new document is told by what it begins with, and by what else it says")
  func added() throws {
    #expect(words(nil, .photo(photo())) == ["added, from a.jpg"])
    var titled = photo()
    titled.title = Register("North\nslope", at(1))
    titled.pin = Register(PinID("8c1f04d7be2a96350e4d"), at(1))
    #expect(
      words(nil, .photo(titled))
        == ["added, from a.jpg", "pin 8c1f04d7be2a", "title “North↵slope”"])
    #expect(words(nil, .pin(pin())) == ["added at 1, 2"])
    let oak = try #require(ClassKey("oak"))
    #expect(words(nil, .class(LabelClass(key: oak, name: "oak", stamp: at(0)))) == ["coined"])
    #expect(
      words(nil, .class(LabelClass(key: oak, name: "Oak", stamp: at(0)))) == ["coined as “Oak”"])
    #expect(
      words(nil, .run(try run()))
        == ["started by alice@example.org at 2026-11-18 11:06:40 UTC"])
  }

  @Test("every field of a photo and a pin that changes is a sentence")
  func changedFields() {
    var new = photo()
    new.title = Register("A", at(1))
    new.caption = Register("b", at(1))
    new.removed = Register(true, at(1))
    #expect(words(.photo(photo()), .photo(new)) == ["caption “b”", "removed", "title “A”"])
    #expect(
      words(.photo(new), .photo(photo()))
        == ["caption “b” taken away", "restored", "title “A” taken away"])
    var again = new
    again.title = Register("B", at(2))
    again.removed = Register(true, at(2))
    #expect(words(.photo(new), .photo(again)) == ["removed, again", "title “A” → “B”"])

    var moved = pin()
    moved.location = Register(Coordinate(latitude: -3.5, longitude: 2)!, at(1))
    moved.name = Register("camp", at(1))
    #expect(
      words(.pin(pin()), .pin(moved)) == ["moved from 1, 2 to -3.5, 2", "renamed “base” → “camp”"])
    #expect(change(.pin(pin()), .pin(moved)).subject == "pin “camp”")
    #expect(words(.pin(pin()), nil) == ["its document is gone"])
  }

  @Test("a class is renamed, becomes a kind of another and another's name, under today's names")
  func classes() throws {
    let key = try #require(ClassKey("oak"))
    var new = LabelClass(key: key, name: "Oak", stamp: at(0))
    new.parent = Register(ClassKey("tree"), at(1))
    let naming = DocumentChange.Naming(
      ofClass: { $0.text.uppercased() }, ofPin: { _ in "nowhere" })
    let old = LabelClass(key: key, name: "Quercus", stamp: at(0))
    let change = DocumentChange(old.json, new.json, at: .class(key), naming: naming)
    #expect(change.subject == "class OAK")
    #expect(change.statements.map(\.text) == ["renamed “Quercus” → “Oak”", "is a kind of TREE"])

    func sentence(_ register: String, _ old: JSON?, _ new: JSON?) -> [String] {
      func version(_ value: JSON?, _ stamp: Stamp) -> JSON {
        var members = LabelClass(key: key, name: "Oak", stamp: at(0)).members
        members[register] = value.map { CairnMergeTests.register($0, stamp) }
        return .object(members)
      }
      return DocumentChange(
        version(old, at(0)), version(new, at(1)), at: .class(key), naming: naming
      ).statements.map(\.text)
    }
    #expect(sentence("aliasOf", nil, "dog") == ["is another name for DOG"])
    #expect(sentence("aliasOf", "dog", "cat") == ["is another name for CAT, was one for DOG"])
    #expect(sentence("aliasOf", "dog", .null) == ["is no longer an alias"])
    #expect(sentence("set", .null, "breed") == ["belongs to the set breed"])
    #expect(sentence("set", "breed", .null) == ["belongs to no set any more"])
    #expect(sentence("removed", false, true) == ["removed"])
  }

  @Test("a run is withdrawn and restored, a dataset renamed and its policy changed")
  func runsAndDatasets() throws {
    var withdrawn = try run()
    withdrawn.withdrawn = Register(true, at(1))
    #expect(words(.run(try run()), .run(withdrawn)) == ["withdrawn"])
    #expect(words(.run(withdrawn), .run(try run())) == ["restored"])
    #expect(change(nil, .run(withdrawn)).subject == "run 41d8e07a5bc2 of net@2")

    let id = try #require(DatasetID("00112233445566778899"))
    let old = Manifest(id: id, name: "Trees", stamp: at(0))
    var new = old
    new.name = Register("Woods", at(1))
    new.people = Register(.latest, at(1))
    #expect(
      words(.manifest(old), .manifest(new))
        == ["renamed “Trees” → “Woods”", "policy.people: majority → latest"])
  }

  @Test("fields of later versions are told by their names, wherever they stand")
  func unknownFields() {
    func version(_ members: [(String, JSON)]) -> JSON {
      var object = photo().members
      for (key, value) in members { object[key] = value }
      return .object(object)
    }
    func words(_ old: [(String, JSON)], _ new: [(String, JSON)]) -> [String] {
      DocumentChange(version(old), version(new), at: .photo(photoID)).statements.map(\.text)
    }
    #expect(words([], [("stars", register(4, at(1)))]) == ["stars: 4"])
    #expect(
      words([("stars", register(4, at(1)))], [("stars", register("very good", at(2)))])
        == ["stars: 4 → “very good”"])
    #expect(words([("stars", register(4, at(1)))], []) == ["stars: 4 is gone"])
    #expect(
      words([("stars", register(4, at(1)))], [("stars", register(4, at(2)))])
        == ["stars: 4, again"])
    #expect(
      words([("deep", ["a": register([1, "x"], at(1)), "b": 1])], [("deep", ["b": 2])])
        == ["deep.a: [ 1, \"x\" ] is gone", "deep.b: 1 → 2"])
    #expect(
      words([("a.b", register(1, at(1)))], [("a.b", register(1, at(2)))]) == ["a.b: 1, again"])
    #expect(
      words(
        [("limits", register(["net": 0.5, "old": 1, "same": 2], at(1)))],
        [("limits", register(["net": 0.75, "same": 2, "new": 3], at(2)))])
        == ["limits: net: 0.5 → 0.75, new: 3, old: 1 is gone"])
    var label = label(alice).json.object!
    label["note"] = "look again"
    #expect(
      DocumentChange(
        CairnMergeTests.label(alice).json, .object(label),
        at: .label(photoID, CairnMergeTests.label(alice).name)
      ).statements.map(\.text) == ["alice@example.org on hemlock: note: “look again”"])
  }

  // MARK: Versions that do not read, and joins

  @Test("a document that does not read is told so, and so is one that reads again")
  func unreadable() {
    let (good, bad) = (photo().canonicalBytes, Array("<<<<<<< ours\n".utf8))
    func words(_ old: [UInt8]?, _ new: [UInt8]?) -> [String] {
      DocumentChange(old, new, at: .photo(photoID)).statements.map(\.text)
    }
    #expect(words(good, bad).first?.hasPrefix("does not read: line 1: ") == true)
    #expect(words(good, bad).count == 1)
    #expect(words(bad, good).first?.hasPrefix("reads again, it did not: ") == true)
    #expect(words(bad, good).last == "added, from a.jpg")
    #expect(words(bad, nil) == ["did not read, and is gone"])
    let error = DocumentChange(good, bad, at: .photo(photoID)).rendered
    #expect(error.map { $0["field"] } == ["error"])
    #expect(error[0]["new"]?.string?.hasPrefix("line 1") == true)
  }

  @Test("other bytes that say the same are told as that, and no field is")
  func sameInOtherBytes() {
    let spaced = Array(photo().json.canonicalText.replacing("\n", with: "\n ").utf8)
    let change = DocumentChange(photo().canonicalBytes, spaced, at: .photo(photoID))
    #expect(change.statements.map(\.text) == ["same content, different formatting"])
    #expect(change.rendered.isEmpty)
  }

  @Test("what a join took from one of its parents is not common to the changes since both")
  func joins() {
    var ours = photo()
    ours.title = Register("A", at(1))
    var theirs = photo()
    theirs.caption = Register("b", at(1))
    let joined = ours.json.joined(with: theirs.json)
    func decided(_ result: JSON) -> [String]? {
      let since = [ours, theirs].map { DocumentChange($0.json, result, at: .photo(photoID)) }
      return since[0].common(with: [since[1]])?.statements.map(\.text)
    }
    #expect(decided(joined) == nil)
    var edited = joined.object!
    edited["title"] = register("Both", at(3))
    #expect(decided(.object(edited)) == ["title “A” → “Both”"])
  }

  @Test("programs get each field that changed with what it belongs to")
  func rendered() throws {
    let change = change(.label(label(alice)), .label(label(alice, .absent, at(1))))
    #expect(
      change.rendered == [
        [
          "annotator": "human:alice@example.org", "change": "modified", "class": "hemlock",
          "field": "verdict", "kind": "label", "new": "absent", "old": "present",
          "path": .string(change.path.description), "photo": .string(photoID.description),
        ]
      ])
    let added = self.change(nil, .photo(photo())).rendered
    #expect(
      added.compactMap { $0["field"]?.string } == [
        "caption", "image.bytes", "image.format", "image.height", "image.width", "pin", "removed",
        "source", "title",
      ])
    #expect(added.allSatisfy { $0["old"] == .null && $0["class"] == nil })
  }

  private func run() throws -> Run {
    Run(
      id: try #require(RunID("41d8e07a5bc2f6930da7")), annotator: Annotator("model:net@2")!,
      by: Annotator(alice)!, parameters: ["resize": 224], stamp: at(0))
  }
}
