import TestSupport
import Testing

@testable import CairnDocument

@Suite("Redactions")
struct RedactionTests {
  private let photo = PhotoID(digest: [UInt8](repeating: 0x2a, count: 32))
  private let stamp = Stamp("2026-11-20T10:12:44.518Z-0000-7f3a9c21")!
  private let ann = Annotator("human:ann@x")!
  private let dataset = DatasetID("8c1f04d7be2a96350e4d")!

  private var redaction: Redaction {
    var redaction = Redaction(ofPhoto: photo)
    redaction.erase(.position, by: ann, reason: "home address", stamp: stamp)
    return redaction
  }

  @Test("are read as they were written")
  func roundTrip() throws {
    let read = try Redaction(bytes: redaction.canonicalBytes)
    #expect(read == redaction && read.subject == .photo(photo) && read.salt == nil)
    #expect(
      read.facts == [
        .position: Register(Erasure.Record(by: ann, reason: "home address"), stamp)
      ])
    var person = Redaction(ofPerson: ann, in: dataset)
    person.erase(.identity, by: ann, reason: "", stamp: stamp)
    let other = try Redaction(bytes: person.canonicalBytes)
    #expect(other == person && other.salt == dataset.text)
    #expect(other.subject == .person(ErasedPersonID(ann, salt: dataset.text)))
  }

  @Test("are in directories of their own")
  func path() {
    let path = Document.redaction(redaction).path
    #expect("\(path)" == "erasures/photos/2a/\(photo).json")
    #expect(DocumentPath("\(path)") == path && path.photo == photo && path.kind == .redaction)
    let person = Document.redaction(Redaction(ofPerson: ann, in: dataset)).path
    #expect(DocumentPath("\(person)") == person && person.photo == nil)
    #expect("\(person)".hasPrefix("erasures/people/"))
    #expect(Document.redaction(redaction).references.isEmpty)
  }

  @Test("give a person the same opaque address everywhere, whatever the case of the letters")
  func person() {
    let id = ErasedPersonID(ann, salt: dataset.text)
    #expect(id == ErasedPersonID(Annotator("human:Ann@X")!, salt: dataset.text))
    #expect(id != ErasedPersonID(Annotator("human:bob@x")!, salt: dataset.text))
    #expect(id != ErasedPersonID(ann, salt: "9c1f04d7be2a96350e4d"))
    #expect(id.annotator.description == "human:erased-\(id.text)@cairn.invalid")
    #expect(id.annotator.isHuman)
  }

  @Test("keep members and facts of later versions")
  func laterVersions() throws {
    var members = redaction.members
    members["shape"] = ["stamp": .string("\(stamp)"), "value": true]
    var read = try Redaction(json: .object(members))
    #expect(read.facts.keys.sorted { $0.rawValue < $1.rawValue } == [.position])
    read.erase(.metadata, by: ann, reason: "", stamp: stamp)
    #expect(read.members["shape"]?["value"] == true)
  }

  @Test("need a photo, or a person with a salt, and a person for each fact")
  func invalid() {
    func with(_ key: String, _ value: JSON?) -> JSON {
      var members = redaction.members
      members[key] = value
      return .object(members)
    }
    let model: JSON = [
      "stamp": .string("\(stamp)"), "value": ["by": "model:m@1", "reason": ""],
    ]
    for invalid in [
      with("photo", nil), with("photo", "2a"), with("person", "8c1f04d7be2a96350e4d"),
      with("position", model), with("position", true), with("stamp", .string("\(stamp)")),
    ] {
      #expect(throws: DocumentError.self) { try Redaction(json: invalid) }
    }
    #expect(throws: DocumentError.self) {
      try Redaction(json: ["kind": "redaction", "person": "8c1f04d7be2a96350e4d"])
    }
  }
}
