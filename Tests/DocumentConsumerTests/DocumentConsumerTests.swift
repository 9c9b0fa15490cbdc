import CairnDocument
import Testing

@Suite("Documents, as another package reads and writes them")
struct DocumentConsumerTests {
  private func stamp(_ milliseconds: Int64) -> Stamp {
    Stamp(milliseconds: milliseconds, counter: 0, replica: ReplicaID(rawValue: 7))
  }

  @Test("writes a label, and reads the same label at its path")
  func label() throws {
    let photo = try #require(PhotoID(String(repeating: "ab", count: 32)))
    let heather = try #require(ClassKey("heather"))
    let alice = try #require(Annotator(email: "alice@example.org"))
    let label = Label(
      photo: photo, classKey: heather, annotator: alice, verdict: .present, confidence: 0.5,
      stamp: stamp(1000))
    let document = Document.label(label)
    let bytes = document.canonicalBytes
    #expect(document.path.description.hasPrefix("labels/ab"))
    #expect(try Document(bytes: bytes, at: document.path) == document)
    #expect(try Label(bytes: bytes).confidence == 0.5)
  }

  @Test("keeps members that this version does not know")
  func unknownMembers() throws {
    let heather = LabelClass(
      key: try #require(ClassKey("heather")), name: "Heather", stamp: stamp(1))
    var members = try #require(try JSON(bytes: Document.class(heather).canonicalBytes).object)
    members["hue"] = .string("purple")
    let document = try Document(bytes: JSON.object(members).canonicalBytes)
    #expect(try JSON(bytes: document.canonicalBytes)["hue"]?.string == "purple")
  }

  @Test("reports why a document is invalid")
  func invalid() throws {
    let error = #expect(throws: DocumentError.self) {
      try Document(bytes: Array(#"{"kind":"label"}"#.utf8))
    }
    #expect(error?.description.isEmpty == false)
  }
}
