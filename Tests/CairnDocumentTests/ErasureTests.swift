import CairnDocument
import TestSupport
import Testing

@Suite("Erasures")
struct ErasureTests {
  private let photo = PhotoID(digest: [UInt8](repeating: 0x2a, count: 32))
  private let stamp = Stamp("2026-11-20T10:12:44.518Z-0000-7f3a9c21")!
  private let later = Stamp("2026-11-21T10:12:44.518Z-0000-7f3a9c21")!
  private let ann = Annotator("human:ann@x")!

  private var erasure: Erasure {
    Erasure(photo, bytes: 269_216, by: ann, reason: "recognizable face", stamp: stamp)
  }

  @Test("are read as they were written, with what stores did")
  func roundTrip() throws {
    var erasure = erasure
    #expect(try Erasure(bytes: erasure.canonicalBytes) == erasure)
    erasure.record(.kept, ofStore: "https://git.example.org/lfs", stamp: stamp)
    erasure.record(.erased, ofStore: "s3://bucket/x", stamp: stamp)
    erasure.record(.erased, ofStore: "https://git.example.org/lfs", stamp: later)
    let read = try Erasure(bytes: erasure.canonicalBytes)
    #expect(read == erasure)
    #expect(read.erased.value == Erasure.Record(by: ann, reason: "recognizable face"))
    #expect(read.stores["https://git.example.org/lfs"] == Register(.erased, later))
    #expect(read.stores["s3://bucket/x"] == Register(.erased, stamp))
  }

  @Test("are in a directory of their own, named after the photo")
  func path() throws {
    let path = Document.erasure(erasure).path
    #expect("\(path)" == "erasures/2a/\(photo).json")
    #expect(DocumentPath("\(path)") == path && path.photo == photo && path.kind == .erasure)
    #expect(DocumentPath("erasures/2b/\(photo).json") == nil)
    #expect(throws: DocumentError.self) {
      try Document(bytes: erasure.canonicalBytes, at: .photo(photo))
    }
  }

  @Test("keep members and states of stores of later versions")
  func laterVersions() throws {
    var members = erasure.members
    members["also"] = ["position"]
    members["stores"] = [
      "tape": ["stamp": .string("\(stamp)"), "value": "in the queue"],
      "s3://bucket/x": ["stamp": .string("\(stamp)"), "value": "erased"],
    ]
    var read = try Erasure(json: .object(members))
    #expect(read.stores.keys.sorted() == ["s3://bucket/x"])
    read.record(.erased, ofStore: "/store", stamp: later)
    #expect(read.members["also"] == ["position"])
    #expect(read.members["stores"]?["tape"]?["value"] == "in the queue")
  }

  @Test("need a person, a size and a register for each store")
  func invalid() {
    func without(_ key: String, _ value: JSON?) -> JSON {
      var members = erasure.members
      members[key] = value
      return .object(members)
    }
    let model: JSON = [
      "stamp": .string("\(stamp)"), "value": ["by": "model:m@1", "reason": ""],
    ]
    for invalid in [
      without("bytes", nil), without("bytes", 0), without("erased", nil),
      without("erased", model), without("stores", nil), without("stores", ["x": "erased"]),
      without("photo", "2a"),
    ] {
      #expect(throws: DocumentError.self) { try Erasure(json: invalid) }
    }
  }

  @Test("refer to no other document: the photo may be pruned")
  func references() { #expect(Document.erasure(erasure).references.isEmpty) }
}
