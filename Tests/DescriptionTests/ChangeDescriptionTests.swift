import Cairn
import CairnBase
import CairnDocument
import CairnMerge
import Testing

@Suite("Descriptions of document changes")
struct ChangeDescriptionTests {
  private func change(_ old: Document?, _ new: Document?) -> DocumentChange {
    DocumentChange(old?.canonicalBytes, new?.canonicalBytes, at: (new ?? old)!.path)
  }

  private func texts(_ old: Document?, _ new: Document?) -> [String] {
    change(old, new).texts
  }

  private func texts(_ old: Label?, _ new: Label?) -> [String] {
    texts(old.map(Document.label), new.map(Document.label))
  }

  private let alice = "human:alice@example.org"

  // MARK: Labels

  @Test("describes a new label by what its annotator asserts")
  func newLabel() {
    #expect(texts(nil, label(alice)) == ["alice@example.org labeled hemlock present"])
    #expect(
      texts(nil, label("model:net@2", confidence: 0.93))
        == ["net@2 labeled hemlock present (0.93)"])
    #expect(
      texts(nil, label(alice, .absent, region: "a1b2c3d4"))
        == ["alice@example.org labeled hemlock absent in the box 0,0,1,1"])
    #expect(
      texts(nil, label(alice, .withdrawn))
        == ["alice@example.org withdrew the label hemlock"])
    let ofRun = label("model:net@2", run: RunID("41d8e07a5bc2f6930da7"))
    #expect(texts(nil, ofRun) == ["net@2 labeled hemlock present, in run 41d8e07a5bc2"])
  }

  @Test("describes a changed label with its previous verdict")
  func changedLabel() {
    let present = label(alice)
    func after(_ verdict: Verdict, confidence: Double = 1) -> [String] {
      texts(present, label(alice, verdict, confidence: confidence, at(1)))
    }
    let who = "alice@example.org"
    #expect(after(.absent) == ["\(who) labeled hemlock absent, previously present"])
    #expect(
      after(.present, confidence: 0.5) == ["\(who) labeled hemlock present (0.5), previously 1"])
    #expect(
      after(.absent, confidence: 0.5) == [
        "\(who) labeled hemlock absent (0.5), previously present (1)"
      ]
    )
    #expect(after(.withdrawn) == ["\(who) withdrew the label hemlock (was present)"])
    #expect(after(.present) == ["\(who) labeled hemlock present, again"])
    #expect(
      texts(label(alice, .withdrawn), label(alice, .absent, at(1)))
        == ["\(who) labeled hemlock absent, previously withdrawn"])
    #expect(texts(present, nil) == ["label hemlock by \(who) deleted (was present)"])
  }

  @Test("describes a moved box with its previous position")
  func movedRegion() {
    let old = label(alice, region: "a1b2c3d4")
    var new = label(alice, region: "a1b2c3d4", at(1))
    new.region?.x = 0.5
    new.region?.width = 0.5
    #expect(
      texts(old, new) == [
        "alice@example.org labeled hemlock present in the box 0.5,0,0.5,1, "
          + "previously in the box 0,0,1,1"
      ])
  }

  @Test("describes a label with an outline by its box and its number of points")
  func outline() {
    var new = label(alice, region: "a1b2c3d4", at(1))
    let ring = [(0, 0), (1, 0), (1, 1)].map { Polygon.Point(x: $0.0, y: $0.1) }
    new.region = Region(id: RegionID("a1b2c3d4")!, polygons: [Polygon(outer: ring)])
    #expect(
      texts(label(alice, region: "a1b2c3d4"), new) == [
        "alice@example.org labeled hemlock present in the box 0,0,1,1 (outline of 3 points), "
          + "previously in the box 0,0,1,1"
      ])
  }

  // MARK: Documents of registers

  @Test("describes a new document by its initial values and its other fields")
  func added() throws {
    #expect(texts(nil, .photo(photo())) == ["added, from a.jpg"])
    var titled = photo()
    titled.title = Register("North\nslope", at(1))
    titled.pin = Register(PinID("8c1f04d7be2a96350e4d"), at(1))
    #expect(
      texts(nil, .photo(titled))
        == ["added, from a.jpg", "pin 8c1f04d7be2a", "title “North↵slope”"])
    #expect(texts(nil, .pin(pin())) == ["added at 1, 2"])
    let oak = try #require(ClassKey("oak"))
    #expect(texts(nil, .class(LabelClass(key: oak, name: "oak", stamp: at(0)))) == ["created"])
    #expect(
      texts(nil, .class(LabelClass(key: oak, name: "Oak", stamp: at(0)))) == ["created as “Oak”"])
    #expect(
      texts(nil, .run(try run()))
        == ["started by alice@example.org at 2026-11-18 11:06:40 UTC"])
  }

  @Test("describes every changed field of a photo and a pin")
  func changedFields() {
    var new = photo()
    new.title = Register("A", at(1))
    new.caption = Register("b", at(1))
    new.removed = Register(true, at(1))
    #expect(texts(.photo(photo()), .photo(new)) == ["caption “b”", "removed", "title “A”"])
    #expect(
      texts(.photo(new), .photo(photo()))
        == ["caption “b” removed", "restored", "title “A” removed"])
    var again = new
    again.title = Register("B", at(2))
    again.removed = Register(true, at(2))
    #expect(texts(.photo(new), .photo(again)) == ["removed, again", "title “A” → “B”"])

    var moved = pin()
    moved.location = Register(Coordinate(latitude: -3.5, longitude: 2)!, at(1))
    moved.name = Register("camp", at(1))
    #expect(
      texts(.pin(pin()), .pin(moved)) == ["moved from 1, 2 to -3.5, 2", "renamed “base” → “camp”"])
    #expect(change(.pin(pin()), .pin(moved)).subject == "pin “camp”")
    #expect(texts(.pin(pin()), nil) == ["document deleted"])
  }

  @Test("describes changes of a class with the current names of other classes")
  func classes() throws {
    let key = try #require(ClassKey("oak"))
    var new = LabelClass(key: key, name: "Oak", stamp: at(0))
    new.parent = Register(ClassKey("tree"), at(1))
    let naming = DocumentChange.Naming(
      ofClass: { $0.text.uppercased() }, ofPin: { _ in "nowhere" })
    let old = LabelClass(key: key, name: "Quercus", stamp: at(0))
    let change = DocumentChange(old.json, new.json, at: .class(key), naming: naming)
    #expect(change.subject == "class OAK")
    #expect(change.texts == ["renamed “Quercus” → “Oak”", "is a kind of TREE"])

    func sentence(_ register: String, _ old: JSON?, _ new: JSON?) -> [String] {
      func version(_ value: JSON?, _ stamp: Stamp) -> JSON {
        var members = LabelClass(key: key, name: "Oak", stamp: at(0)).members
        members[register] = value.map { DescriptionTests.register($0, stamp) }
        return .object(members)
      }
      return DocumentChange(
        version(old, at(0)), version(new, at(1)), at: .class(key), naming: naming
      ).texts
    }
    #expect(sentence("aliasOf", nil, "dog") == ["is an alias of DOG"])
    #expect(sentence("aliasOf", "dog", "cat") == ["is an alias of CAT, previously of DOG"])
    #expect(sentence("aliasOf", "dog", .null) == ["is no longer an alias"])
    #expect(sentence("set", .null, "breed") == ["is in the exclusive set breed"])
    #expect(sentence("set", "breed", .null) == ["is in no exclusive set anymore"])
    #expect(sentence("removed", false, true) == ["removed"])
  }

  @Test("describes changes of a run and of a dataset")
  func runsAndDatasets() throws {
    var withdrawn = try run()
    withdrawn.withdrawn = Register(true, at(1))
    #expect(texts(.run(try run()), .run(withdrawn)) == ["withdrawn"])
    #expect(texts(.run(withdrawn), .run(try run())) == ["restored"])
    #expect(change(nil, .run(withdrawn)).subject == "run 41d8e07a5bc2 of net@2")

    let id = try #require(DatasetID("00112233445566778899"))
    let old = Manifest(id: id, name: "Trees", stamp: at(0))
    var new = old
    new.name = Register("Woods", at(1))
    new.people = Register(.latest, at(1))
    #expect(
      texts(.manifest(old), .manifest(new))
        == ["renamed “Trees” → “Woods”", "policy.people: majority → latest"])
  }

  @Test("describes fields of later versions by their paths")
  func unknownFields() {
    func version(_ members: [(String, JSON)]) -> JSON {
      var object = photo().members
      for (key, value) in members { object[key] = value }
      return .object(object)
    }
    func texts(_ old: [(String, JSON)], _ new: [(String, JSON)]) -> [String] {
      DocumentChange(version(old), version(new), at: .photo(photoID)).texts
    }
    #expect(texts([], [("stars", register(4, at(1)))]) == ["stars: 4"])
    #expect(
      texts([("stars", register(4, at(1)))], [("stars", register("very good", at(2)))])
        == ["stars: 4 → “very good”"])
    #expect(texts([("stars", register(4, at(1)))], []) == ["stars: 4 removed"])
    #expect(
      texts([("stars", register(4, at(1)))], [("stars", register(4, at(2)))])
        == ["stars: 4, again"])
    #expect(
      texts([("deep", ["a": register([1, "x"], at(1)), "b": 1])], [("deep", ["b": 2])])
        == ["deep.a: [ 1, \"x\" ] removed", "deep.b: 1 → 2"])
    #expect(
      texts([("a.b", register(1, at(1)))], [("a.b", register(1, at(2)))]) == ["a.b: 1, again"])
    #expect(
      texts(
        [("limits", register(["net": 0.5, "old": 1, "same": 2], at(1)))],
        [("limits", register(["net": 0.75, "same": 2, "new": 3], at(2)))])
        == ["limits: net: 0.5 → 0.75, new: 3, old: 1 removed"])
    var label = label(alice).json.object!
    label["note"] = "look again"
    #expect(
      DocumentChange(
        DescriptionTests.label(alice).json, .object(label),
        at: .label(photoID, DescriptionTests.label(alice).name)
      ).texts == ["alice@example.org on hemlock: note: “look again”"])
  }

  // MARK: Invalid versions, and merges

  @Test("reports a document that became invalid or valid again")
  func unreadable() {
    let (good, bad) = (photo().canonicalBytes, Array("<<<<<<< ours\n".utf8))
    func texts(_ old: [UInt8]?, _ new: [UInt8]?) -> [String] {
      DocumentChange(old, new, at: .photo(photoID)).texts
    }
    #expect(texts(good, bad).first?.hasPrefix("invalid: line 1: ") == true)
    #expect(texts(good, bad).count == 1)
    #expect(texts(bad, good).first?.hasPrefix("valid again; it was invalid: ") == true)
    #expect(texts(bad, good).last == "added, from a.jpg")
    #expect(texts(bad, nil) == ["deleted; it was invalid"])
  }

  @Test("reports equal content in different bytes")
  func sameInOtherBytes() {
    let spaced = Array(photo().json.canonicalText.replacing("\n", with: "\n ").utf8)
    let change = DocumentChange(photo().canonicalBytes, spaced, at: .photo(photoID))
    #expect(change.texts == ["same content, different formatting"])
  }

  @Test("reports only the fields in which a merge differs from both parents")
  func joins() {
    var ours = photo()
    ours.title = Register("A", at(1))
    var theirs = photo()
    theirs.caption = Register("b", at(1))
    let joined = ours.json.joined(with: theirs.json)
    func decided(_ result: JSON) -> [String]? {
      let since = [ours, theirs].map { DocumentChange($0.json, result, at: .photo(photoID)) }
      return since[0].common(with: [since[1]])?.texts
    }
    #expect(decided(joined) == nil)
    var edited = joined.object!
    edited["title"] = register("Both", at(3))
    #expect(decided(.object(edited)) == ["title “A” → “Both”"])
  }

  private func run() throws -> Run {
    Run(
      id: try #require(RunID("41d8e07a5bc2f6930da7")), annotator: Annotator("model:net@2")!,
      by: Annotator(alice)!, parameters: ["resize": 224], stamp: at(0))
  }
}
