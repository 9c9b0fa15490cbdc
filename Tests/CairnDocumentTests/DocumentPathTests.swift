import TestSupport
import Testing

@testable import CairnDocument

@Suite("Document paths")
struct DocumentPathTests {
  private static let photo = "2ab7526f7c315bfe301aade3515a6734081663fc936bc4ee2c969beb8c72bab3"
  private static let labels = "labels/2a/b7/\(photo)"

  @Test(
    "parses and formats every kind of path",
    arguments: [
      ("cairn.json", .dataset), ("pins/8c/8c1f04d7be2a96350e4d.json", .pin),
      ("photos/2a/b7/\(photo).json", .photo), ("\(labels)/hemlock~alice-d9954552.json", .label),
      ("\(labels)/hemlock~alice-d9954552~a1b2c3d4.json", .label),
      ("\(labels)/0752b3b4~d9954552.json", .label), ("classes/cairn-terrier.json", .class),
      ("runs/41/41d8e07a5bc2f6930da7.json", .run), ("erasures/2a/\(photo).json", .erasure),
      ("erasures/photos/2a/\(photo).json", .redaction),
      ("erasures/people/41/41d8e07a5bc2f6930da7.json", .redaction),
      ("images/2a/b7/\(photo).jpg", nil),
      ("images/2a/b7/\(photo).png", nil), ("images/2a/b7/\(photo).webp", nil),
      ("images/2a/b7/\(photo).onnx", nil),
    ] as [(String, DocumentKind?)])
  func roundTrip(text: String, kind: DocumentKind?) throws {
    let path = try #require(DocumentPath(text))
    #expect(path.description == text)
    #expect(path.kind == kind)
    #expect(DocumentPath.topLevel.contains { text.hasPrefix($0) })
  }

  @Test(
    "rejects paths that do not belong to a dataset",
    arguments: [
      "", "/", ".", "..", "cairn", "Cairn.json", "cairn.JSON", "cairn.json/", "./cairn.json",
      "/cairn.json", "x/cairn.json", "cairn.txt", "README.md", ".git/config", ".gitattributes",
      "pins/8c/../../cairn.json", "../pins/8c/8c1f04d7be2a96350e4d.json",
      "pins/../8c1f04d7be2a96350e4d.json", "pins/8d/8c1f04d7be2a96350e4d.json",
      "pins/8C/8c1f04d7be2a96350e4d.json", "pins/8C/8C1F04D7BE2A96350E4D.json",
      "Pins/8c/8c1f04d7be2a96350e4d.json", "pins/8c1f04d7be2a96350e4d.json",
      "pins/8c/1f/8c1f04d7be2a96350e4d.json", "pins/8c/8c1f04d7be2a96350e4.json",
      "pins/8c/8c1f04d7be2a96350e4dd.json", "pins/8c/8c1f04d7be2a96350e4g.json",
      "pins/8c/8c1f04d7be2a96350e4d.jpg", "pins/8c/8c1f04d7be2a96350e4d",
      "pins/8c/8c1f04d7be2a96350e4d.json.json", "pins/8c//8c1f04d7be2a96350e4d.json",
      "pins\\8c\\8c1f04d7be2a96350e4d.json", "pins/8c/8c1f04d7be2a96350e4d.json\n",
      "pins/8c/8c1f04d7be2a96350e4d.json\0", "pins/\u{301}8c/8c1f04d7be2a96350e4d.json",
      "photos/2a/b8/\(photo).json", "photos/2a/\(photo).json", "photos/b7/2a/\(photo).json",
      "photos/2a/b7/\(photo.uppercased()).json", "images/2a/b7/\(photo).jpeg",
      "images/2a/b7/\(photo).JPG", "images/2a/b7/\(photo).json", "images/2a/b7/\(photo)",
      "\(labels)/hemlock.json", "\(labels)/hemlock~.json", "\(labels)/~alice-d9954552.json",
      "\(labels)/Hemlock~alice-d9954552.json", "\(labels)/hemlock~Alice-d9954552.json",
      "\(labels)/hemlock~alice-d9954552~.json", "\(labels)/hemlock~alice-d9954552~A1B2C3D4.json",
      "\(labels)/hemlock~alice-d9954552~a1b2c3d4~x.json", "\(labels)/hemlock~a~b.json",
      "\(labels)/..~alice-d9954552.json", "\(labels)/../hemlock~alice-d9954552.json",
      "labels/2a/b8/\(photo)/hemlock~alice-d9954552.json", "\(labels)/con~alice-d9954552.json",
      "classes/con.json", "classes/Cairn.json", "classes/a/b.json", "classes/...json",
      "classes/.json",
      "erasures/photos/2b/\(photo).json", "erasures/people/2a/\(photo).json",
      "erasures/photos/41/41d8e07a5bc2f6930da7.json", "erasures/x/2a/\(photo).json",
      "classes/..json", "classes/a b.json", "classes/é.json", "runs/41/41D8e07a5bc2f6930da7.json",
    ])
  func refused(text: String) { #expect(DocumentPath(text) == nil) }

  @Test("names a label's file after its class, annotator and region")
  func labelNames() throws {
    let photo = try #require(PhotoID(DocumentPathTests.photo))
    let stamp = Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 1))
    var label = Label(
      photo: photo, classKey: try #require(ClassKey("hemlock")),
      annotator: try #require(Annotator("human:alice@example.org")), verdict: .present, stamp: stamp
    )
    #expect(label.name.description == "hemlock~alice-d9954552")
    label.verdict = .withdrawn
    label.confidence = 0.25
    #expect(label.name.description == "hemlock~alice-d9954552")
    label.region = Region(
      id: try #require(RegionID("a1b2c3d4")), x: 0, y: 0, width: 1, height: 1)
    #expect(label.name.description == "hemlock~alice-d9954552~a1b2c3d4")
    #expect(LabelName(label.name.description) == label.name)
    #expect(
      Document.label(label).path.description
        == "\(DocumentPathTests.labels)/hemlock~alice-d9954552~a1b2c3d4.json")
    #expect(DocumentPath.labels(of: photo) == DocumentPathTests.labels)
    #expect(DocumentPath.photos(startingWith: "2ab752") == "photos/2a/b7")
  }

  @Test("builds portable paths for random labels and parses them", arguments: UInt64(0)..<64)
  func randomLabels(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let label = random.label()
    let path = Document.label(label).path
    #expect(DocumentPath(path.description) == path)
    // No characters that Windows rejects, and no letters that differ only in case.
    #expect(path.description.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F && !(0x41...0x5A ~= $0) })
    #expect(!path.description.contains { ":*?<>|\"\\".contains($0) })
  }

  @Test("rejects a document at the path of another")
  func elsewhere() throws {
    let stamp = Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 1))
    let (a, b) = (try #require(ClassKey("a")), try #require(ClassKey("b")))
    let bytes = LabelClass(key: a, name: "a", stamp: stamp).canonicalBytes
    #expect(throws: Never.self) { try Document(bytes: bytes, at: .class(a)) }
    #expect(throws: DocumentError.self) { try Document(bytes: bytes, at: .class(b)) }
    #expect(throws: DocumentError.self) { try Document(bytes: bytes, at: .manifest) }
    let photo = try #require(PhotoID(DocumentPathTests.photo))
    #expect(throws: DocumentError.self) { try Document(bytes: bytes, at: .image(photo, .jpeg)) }
  }

  @Test("accepts only lowercase ids of fixed length and randomizes every digit")
  func ids() throws {
    #expect(ReplicaID("7f3a9c21")?.description == "7f3a9c21")
    #expect(ReplicaID(rawValue: 0x1f).description == "0000001f")
    #expect(ReplicaID("7F3A9C21") == nil && ReplicaID("+f3a9c21") == nil)
    #expect(PinID("8c1f04d7be2a96350e4d") != nil && PinID("8c1f04d7be2a96350e4D") == nil)
    let photo = try #require(PhotoID(DocumentPathTests.photo))
    #expect(PhotoID(digest: photo.digest) == photo)
    #expect(photo.digest.first == 0x2a && photo.digest.last == 0xb3)
    #expect(photo.short == "2ab7526f7c31")
    var random = SeededGenerator(1)
    let created = (0..<64).map { _ in PinID { random.next() } }
    #expect(Set(created).count == 64)
    #expect(created.allSatisfy { PinID($0.text) == $0 })
    for position in 0..<20 {
      #expect(Set(created.map { Array($0.text)[position] }).count > 8)
    }
  }
}
