import CairnDocument
import Foundation
import TestSupport
import Testing

/// Reads a document of the kind that its file name begins with.
private func read(_ file: URL) throws -> Document {
  let bytes = try Data(contentsOf: file)
  return switch file.lastPathComponent.prefix(while: { $0 != "-" }) {
  case "dataset": .manifest(try Manifest(bytes: bytes))
  case "pin": .pin(try Pin(bytes: bytes))
  case "photo": .photo(try Photo(bytes: bytes))
  case "class": .class(try LabelClass(bytes: bytes))
  case "run": .run(try Run(bytes: bytes))
  case "label": .label(try Label(bytes: bytes))
  case "erasure": .erasure(try Erasure(bytes: bytes))
  case "redaction": .redaction(try Redaction(bytes: bytes))
  default: throw CocoaError(.fileReadUnknown)
  }
}

private func names(in directory: URL) -> [String] {
  ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
    .filter { $0.hasSuffix(".json") }.sorted()
}

private let examples = packageDirectory.appending(path: "Schema/examples")
private let invalid = examples.appending(path: "invalid")
private let corpus = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "Corpus/v1")
/// Documents with the members that later releases added to the format.
private let polygonCorpus = corpus.deletingLastPathComponent().appending(path: "v1-polygons")

@Suite("Schema examples")
struct ExampleTests {
  @Test("has examples of every kind of document, and invalid ones")
  func present() {
    let kinds = Set(names(in: examples).map { String($0.prefix { $0 != "-" }) })
    #expect(kinds == Set(DocumentKind.allCases.map(\.rawValue)))
    #expect(names(in: invalid).count >= 15)
    #expect(names(in: corpus).count == 10)
    #expect(names(in: polygonCorpus).count == 3)
  }

  @Test("reads an example at its path and writes the same bytes", arguments: names(in: examples))
  func roundTrip(name: String) throws {
    let file = examples.appending(path: name)
    let bytes = Array(try Data(contentsOf: file))
    let document = try read(file)
    #expect(document.canonicalBytes == bytes)
    #expect(document.json.canonicalBytes == bytes)
    #expect(try JSON(bytes: bytes).canonicalBytes == bytes)
    let path = try #require(DocumentPath(document.path.description))
    let placed = try Document(bytes: bytes, at: path)
    #expect(placed == document)
    #expect(path.kind.map { name.hasPrefix($0.rawValue) } == true)
  }

  @Test("rejects an invalid example with a message", arguments: names(in: invalid))
  func refused(name: String) {
    #expect {
      try read(invalid.appending(path: name))
    } throws: { error in
      (error as? DocumentError)?.message.isEmpty == false
    }
  }
}

/// Documents of every format version. The files are never edited; a new version adds a directory.
@Suite("Frozen corpus")
struct CorpusTests {
  @Test("reads a frozen document and writes the same bytes", arguments: names(in: corpus))
  func roundTrip(name: String) throws {
    let file = corpus.appending(path: name)
    let bytes = Array(try Data(contentsOf: file))
    let document = try read(file)
    #expect(document.canonicalBytes == bytes)
    #expect(try Document(bytes: bytes, at: document.path).canonicalBytes == bytes)
  }

  @Test(
    "reads a frozen label with an outline and writes the same bytes",
    arguments: names(in: polygonCorpus))
  func outlines(name: String) throws {
    let bytes = Array(try Data(contentsOf: polygonCorpus.appending(path: name)))
    let label = try Label(bytes: bytes)
    #expect(label.canonicalBytes == bytes)
    let region = try #require(label.region)
    // The outline of a box that an earlier version moved does not apply, but is kept.
    #expect(region.polygons.isEmpty == (name == "label-moved-box.json"))
    #expect(region.isCrowd == (name == "label-crowd.json"))
  }

  @Test("keeps unknown members when a frozen document is edited")
  func edit() throws {
    let file = corpus.appending(path: "pin-odd.json")
    guard case .pin(var pin) = try read(file) else {
      Issue.record("not a pin")
      return
    }
    let before = pin.members
    let later = try #require(Stamp("2027-01-01T00:00:00.000Z-0000-00000001"))
    pin.name = Register("new", later)
    let after = try Pin(bytes: pin.canonicalBytes).members
    for key in ["Later", "location", "removed", "id"] { #expect(after[key] == before[key]) }
    #expect(after["name"] == ["stamp": .string(later.description), "value": "new"])
  }
}
