import CairnDocument
import TestSupport
import Testing

@testable import CairnMerge

@Suite("Erased facts")
struct ErasedFactsTests {
  private static let photo = PhotoID(digest: [UInt8](repeating: 0x2a, count: 32))
  private static let other = PhotoID(digest: [UInt8](repeating: 0x2b, count: 32))
  private static let ann = Annotator("human:ann@example.org")!
  private static let bob = Annotator("human:bob@example.org")!
  private static let dataset = DatasetID("8c1f04d7be2a96350e4d")!
  private static let stamp = Stamp("2026-11-20T10:12:44.518Z-0000-7f3a9c21")!
  private static let opaque = ErasedPersonID(ann, salt: dataset.text).annotator

  private static func record(_ fact: Redaction.Fact, of photo: PhotoID = photo) -> Redaction {
    var record = Redaction(ofPhoto: photo)
    record.erase(fact, by: bob, reason: "", stamp: stamp)
    return record
  }

  private static func record(of person: Annotator) -> Redaction {
    var record = Redaction(ofPerson: person, in: dataset)
    record.erase(.identity, by: bob, reason: "", stamp: stamp)
    return record
  }

  private static func eraser(_ records: Redaction...) -> FactEraser {
    FactEraser(ErasedFacts(records))
  }

  /// A photo with all that can be erased, in a layout that is not canonical.
  private static func document(_ id: PhotoID = photo) throws -> [UInt8] {
    let register = { (value: JSON) -> JSON in
      ["stamp": .string("\(stamp)"), "value": value]
    }
    let json: JSON = [
      "caption": register("the garden"),
      "credit": register([
        "author": "Ann", "place": ["latitude": 1, "longitude": 2], "service": "inaturalist",
      ]),
      "id": .string("\(id)"),
      "image": [
        "bytes": 9, "camera": "Nikon", "format": "png", "height": 3, "keywords": ["oak"],
        "orientation": 6, "place": ["latitude": 1, "longitude": 2],
        "taken": "2026-11-20T10:12:44", "width": 2,
      ],
      "kind": "photo", "pin": register("8c1f04d7be2a96350e4d"), "rating": register(5),
      "removed": register(true), "source": register("garden.png"), "title": register("Ann"),
    ]
    return [0x0A] + json.canonicalBytes
  }

  private static func json(_ bytes: [UInt8]?) throws -> JSON { try JSON(bytes: bytes ?? []) }

  @Test("empty a position under its stamp, and keep everything else")
  func position() throws {
    let eraser = ErasedFactsTests.eraser(ErasedFactsTests.record(.position))
    let bytes = try ErasedFactsTests.document()
    let erased = try ErasedFactsTests.json(
      eraser.erased(bytes, as: .photo, of: ErasedFactsTests.photo))
    var expected = try ErasedFactsTests.json(bytes).object!
    var image = expected["image"]!.object!
    image["place"] = nil
    expected["image"] = .object(image)
    expected["pin"] = ["stamp": .string("\(ErasedFactsTests.stamp)"), "value": .null]
    expected["credit"] = [
      "stamp": .string("\(ErasedFactsTests.stamp)"),
      "value": ["author": "Ann", "service": "inaturalist"],
    ]
    #expect(erased == .object(expected))
    _ = try Photo(json: erased)
    // Nothing to erase: the same bytes, in whatever layout.
    let without = [0x20] + erased.canonicalBytes
    #expect(eraser.erased(without, as: .photo, of: ErasedFactsTests.photo) == without)
    let other = try ErasedFactsTests.document(ErasedFactsTests.other)
    #expect(eraser.erased(other, as: .photo, of: ErasedFactsTests.other) == other)
  }

  @Test("keep only the id, the image's size and format and the removal without metadata")
  func metadata() throws {
    let eraser = ErasedFactsTests.eraser(ErasedFactsTests.record(.metadata))
    let erased = try ErasedFactsTests.json(
      eraser.erased(ErasedFactsTests.document(), as: .photo, of: ErasedFactsTests.photo))
    let photo = try Photo(json: erased)
    #expect(photo.title == Register("", ErasedFactsTests.stamp))
    #expect(photo.caption == Register("", ErasedFactsTests.stamp))
    #expect(photo.source == Register("", ErasedFactsTests.stamp))
    #expect(photo.pin == Register(nil, ErasedFactsTests.stamp))
    #expect(photo.credit == Register(nil, ErasedFactsTests.stamp))
    #expect(photo.removed == Register(true, ErasedFactsTests.stamp))
    #expect(
      photo.members.members.map(\.key) == [
        "caption", "credit", "id", "image", "kind", "pin", "removed", "source", "title",
      ])
    #expect(
      photo.members["image"]?.object?.members.map(\.key)
        == ["bytes", "format", "height", "orientation", "width"])
    let label = Label(
      photo: ErasedFactsTests.photo, classKey: ClassKey("oak")!, annotator: ErasedFactsTests.bob,
      verdict: .present, stamp: ErasedFactsTests.stamp)
    #expect(eraser.erased(label.canonicalBytes, as: nil) == nil)
  }

  @Test("empty a document that does not parse, or keep the sides of a conflict")
  func broken() throws {
    let photo = ErasedFactsTests.photo
    let eraser = ErasedFactsTests.eraser(ErasedFactsTests.record(.position))
    let valid = try ErasedFactsTests.json(ErasedFactsTests.document()).canonicalBytes
    #expect(eraser.erased(Array(valid.dropLast(9)), as: .photo, of: photo) == [])
    #expect(eraser.erased([], as: .photo, of: photo) == [])
    let marked =
      Array("<<<<<<< ours\n".utf8) + valid + Array("=======\n".utf8) + valid
      + Array(">>>>>>> theirs\n".utf8)
    let half = try #require(eraser.erased(valid, as: .photo, of: photo))
    let sides = try #require(eraser.erased(marked, as: .photo, of: photo))
    #expect(ConflictMarkers.sides(of: sides) == [half, half])
    #expect(
      eraser.erased(marked, as: .photo, of: ErasedFactsTests.other) == marked)
    // A document at the path of the photo that names another one.
    var members = try ErasedFactsTests.json(valid).object!
    members["id"] = "x"
    let erased = try ErasedFactsTests.json(
      eraser.erased(JSON.object(members).canonicalBytes, as: .photo, of: photo))
    #expect(erased["pin"]?["value"] == .null && erased["image"]?["place"] == nil)
  }

  @Test("replace a person by the same opaque address everywhere")
  func samePerson() throws {
    let eraser = ErasedFactsTests.eraser(ErasedFactsTests.record(of: ErasedFactsTests.ann))
    #expect(eraser.replacement(of: ErasedFactsTests.ann) == ErasedFactsTests.opaque)
    #expect(
      eraser.replacement(of: Annotator("human:Ann@Example.org")!) == ErasedFactsTests.opaque)
    #expect(eraser.replacement(of: ErasedFactsTests.bob) == nil)
    #expect(eraser.replacement(of: ErasedFactsTests.opaque) == nil)
    #expect(eraser.replacement(of: Annotator("model:ann@example.org")!) == nil)
    let run = Run(
      id: RunID(unchecked: String(repeating: "1", count: 20)), annotator: Annotator("model:m@1")!,
      by: ErasedFactsTests.ann, parameters: ["contact": "Ann <ann@example.org>."],
      stamp: ErasedFactsTests.stamp)
    let erased = try Run(bytes: #require(eraser.erased(run.canonicalBytes, as: .run)))
    #expect(erased.by == ErasedFactsTests.opaque)
    #expect(
      erased.members["parameters"]?["contact"]
        == .string("Ann <\(ErasedFactsTests.opaque.identity)>."))
    var label = Label(
      photo: ErasedFactsTests.photo, classKey: ClassKey("oak")!, annotator: ErasedFactsTests.ann,
      verdict: .absent, stamp: ErasedFactsTests.stamp)
    let bytes = eraser.erasedLabel(label.canonicalBytes)
    label.annotator = ErasedFactsTests.opaque
    #expect(try Label(bytes: bytes) == label)
  }

  @Test("replace a person in whatever is at the path of a run")
  func invalidRun() throws {
    let eraser = ErasedFactsTests.eraser(ErasedFactsTests.record(of: ErasedFactsTests.ann))
    let address = ErasedFactsTests.opaque.identity
    let nameless = Array(#"{"note":"ask <ann@example.org>","ann@example.org":1}"#.utf8)
    #expect(
      try ErasedFactsTests.json(eraser.erased(nameless, as: .run))
        == .object(JSONObject([("note", .string("ask <\(address)>")), (address, 1)])))
    // A side that is no object, and no end.
    let text = Array("<<<<<<< ours\n\"ask <ann@example.org>\"\n=======\n{\"a\":1}\n".utf8)
    #expect(try ErasedFactsTests.json(eraser.erased(text, as: .run)) == ["a": 1])
    #expect(eraser.erased(Array(text.dropLast(8)), as: .run) == [])
  }

  @Test("replace the lines of messages and of a mailmap that name a person")
  func lines() {
    let eraser = ErasedFactsTests.eraser(ErasedFactsTests.record(of: ErasedFactsTests.ann))
    let address = ErasedFactsTests.opaque.identity
    #expect(
      eraser.erasedMessage(
        """
        Add 3 labels

        As ann@example.org said, it is an oak (see bob@example.org).
        Co-authored-by: Ann <ann@example.org>
        Reviewed-by: Bob <bob@example.org>

        """) == """
          Add 3 labels

          (a line was erased)
          Co-authored-by: erased <\(address)>
          Reviewed-by: Bob <bob@example.org>

          """)
    #expect(
      eraser.erasedMailmap(Array("Ann <ann@example.org> <a@x>\nBob <bob@example.org>\n".utf8))
        == Array("Bob <bob@example.org>\n".utf8))
    let clean = "Mail bob@example.org, not ann@example.com\n"
    #expect(eraser.erasedMessage(clean) == clean)
    #expect(eraser.erasedMailmap(Array(clean.utf8)) == Array(clean.utf8))
    #expect(
      eraser.replacingAddresses(in: "“ann@example.org”, ann@example.org! x@y")
        == "“\(address)”, \(address)! x@y")
  }

  @Test("obey the laws: erasing twice, and in any order, is erasing once", arguments: 0..<10)
  func laws(pair: Int) throws {
    let records = [
      ErasedFactsTests.record(.position), ErasedFactsTests.record(.metadata),
      ErasedFactsTests.record(.position, of: ErasedFactsTests.other),
      ErasedFactsTests.record(of: ErasedFactsTests.ann),
      ErasedFactsTests.record(of: ErasedFactsTests.bob),
    ]
    let pairs = records.indices.flatMap { first in
      (first + 1..<records.count).map { (records[first], records[$0]) }
    }
    let (first, second) = pairs[pair]
    let all = FactEraser(ErasedFacts([first, second]))
    let (a, b) = (FactEraser(ErasedFacts([first])), FactEraser(ErasedFacts([second])))
    func conflict(_ sides: [UInt8]...) -> [UInt8] { ConflictMarkers.text(of: sides) }
    func run(by person: Annotator) -> [UInt8] {
      Run(
        id: RunID(unchecked: String(repeating: "1", count: 20)),
        annotator: Annotator("model:m@1")!, by: person, stamp: ErasedFactsTests.stamp
      ).canonicalBytes
    }
    let (run, other) = (run(by: ErasedFactsTests.ann), run(by: ErasedFactsTests.bob))
    let label = Label(
      photo: ErasedFactsTests.photo, classKey: ClassKey("oak")!, annotator: ErasedFactsTests.ann,
      verdict: .present, stamp: ErasedFactsTests.stamp)
    let files: [([UInt8], DocumentKind?, PhotoID?)] = [
      (conflict(run, other), .run, nil),
      (conflict(try ErasedFactsTests.document(), run), .run, nil),
      (conflict(label.canonicalBytes, other), .run, nil),
      (conflict(Array("\"bob@example.org\"\n".utf8), run), .run, nil),
      (try ErasedFactsTests.document(), .photo, ErasedFactsTests.photo),
      (
        try ErasedFactsTests.document(ErasedFactsTests.other), .photo,
        ErasedFactsTests.other
      ),
      (try ErasedFactsTests.document(), nil, nil), (run, .run, nil),
      (records[3].canonicalBytes, .redaction, nil),
      (Array("{".utf8), .photo, ErasedFactsTests.photo),
    ]
    for (bytes, kind, photo) in files {
      let once = all.erased(bytes, as: kind, of: photo)
      #expect(once.flatMap { all.erased($0, as: kind, of: photo) } == once)
      let inTurn = a.erased(bytes, as: kind, of: photo).flatMap {
        b.erased($0, as: kind, of: photo)
      }
      let reversed = b.erased(bytes, as: kind, of: photo).flatMap {
        a.erased($0, as: kind, of: photo)
      }
      #expect(inTurn == once && reversed == once)
    }
  }

  @Test("are read as they were written, and join")
  func text() {
    var facts = ErasedFacts([
      ErasedFactsTests.record(.position), ErasedFactsTests.record(of: ErasedFactsTests.ann),
    ])
    #expect(ErasedFacts(text: facts.text + "later KIND\n") == facts)
    let more = ErasedFacts([ErasedFactsTests.record(.metadata, of: ErasedFactsTests.other)])
    #expect(!facts.isSuperset(of: more))
    facts.formUnion(more)
    #expect(facts.isSuperset(of: more) && ErasedFacts(text: facts.text) == facts)
    #expect(facts.photos == [ErasedFactsTests.photo, ErasedFactsTests.other])
    #expect(ErasedFacts().isEmpty && ErasedFacts().text == "" && !facts.isEmpty)
  }
}
