import CairnDocument
import Foundation
import TestSupport
import Testing

/// The members of a label, as a program other than cairn would read them.
private struct PlainLabel: Decodable, Equatable {
  struct Region: Decodable, Equatable {
    var id: String
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }
  var annotator: String
  var `class`: String
  var confidence: Double
  var kind: String
  var photo: String
  var region: Region?
  var run: String?
  var stamp: String
  var verdict: String
}

@Suite("Label bytes")
struct LabelBytesTests {
  private static let photo = "2ab7526f7c315bfe301aade3515a6734081663fc936bc4ee2c969beb8c72bab3"
  private static let members: [String: String] = [
    "annotator": #""human:alice@example.org""#, "class": #""hemlock""#, "confidence": "1",
    "kind": #""label""#, "photo": "\"\(photo)\"",
    "stamp": #""2026-11-20T23:31:05.123Z-0003-7f3a9c21""#, "verdict": #""present""#,
  ]

  private func text(_ changes: [String: String] = [:], without key: String? = nil) -> String {
    let members = LabelBytesTests.members.merging(changes) { $1 }.filter { $0.key != key }
    return "{" + members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ",\n") + "}"
  }

  private func refusalOf(_ text: String) -> DocumentError? {
    refusal { () throws(DocumentError) in try Label(bytes: text.utf8) }
  }

  @Test("writes the same bytes as the general JSON writer", arguments: UInt64(0)..<128)
  func writers(seed: UInt64) {
    var random = SeededGenerator(seed)
    let label = random.label()
    #expect(label.canonicalBytes == label.json.canonicalBytes)
    #expect(Document.label(label).canonicalBytes == label.json.canonicalBytes)
  }

  @Test("reads the same label as the general JSON reader", arguments: UInt64(1000)..<1128)
  func readers(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let label = random.label()
    #expect(try Label(bytes: label.canonicalBytes) == label)
    #expect(try JSON(bytes: label.canonicalBytes) == label.json)
    let sloppy = random.sloppyText(label.json, escapes: false)
    let read = try Label(bytes: sloppy.utf8)
    #expect(read == label, "\(sloppy)")
    #expect(read.json == (try JSON(bytes: sloppy.utf8)))
    #expect(read.canonicalBytes == label.canonicalBytes)
  }

  @Test("writes JSON from which Foundation decodes the same fields", arguments: UInt64(2000)..<2064)
  func foundation(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let label = random.label()
    let theirs = try JSONDecoder().decode(PlainLabel.self, from: Data(label.canonicalBytes))
    let region = label.region.map {
      PlainLabel.Region(id: $0.id.text, x: $0.x, y: $0.y, width: $0.width, height: $0.height)
    }
    let ours = PlainLabel(
      annotator: label.annotator.description, class: label.classKey.text,
      confidence: label.confidence, kind: "label", photo: label.photo.description,
      region: region, run: label.run?.text, stamp: label.stamp.description,
      verdict: label.verdict.rawValue)
    #expect(theirs == ours)
    #expect(theirs.annotator.utf8.elementsEqual(ours.annotator.utf8))
  }

  @Test(
    "rejects damaged bytes or reads them as the general JSON reader does",
    arguments: UInt64(3000)..<3064)
  func damage(seed: UInt64) {
    var random = SeededGenerator(seed)
    let signs = Array("{}[]\",:\\u0-.1a \n".utf8) + [0xC3, 0xFF]
    for _ in 0..<20 {
      var bytes = random.label().canonicalBytes
      let index = random.below(bytes.count)
      switch random.below(3) {
      case 0: bytes.insert(random.pick(signs), at: index)
      case 1: bytes[index] = random.pick(signs)
      default: bytes.remove(at: index)
      }
      guard let label = try? Label(bytes: bytes) else { continue }
      #expect((try? JSON(bytes: bytes)) == label.json, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test("reads the template of the tests below")
  func template() { #expect(refusalOf(text()) == nil) }

  @Test(
    "rejects a label with a missing member",
    arguments: ["annotator", "class", "confidence", "kind", "photo", "stamp", "verdict"])
  func missing(key: String) {
    #expect(refusalOf(text(without: key))?.kind == .schema)
  }

  @Test(
    "rejects a label with an invalid member",
    arguments: [
      ("annotator", #""alice""#), ("annotator", "1"), ("annotator", "null"),
      ("class", #""Hemlock""#),
      ("class", "[]"), ("confidence", "1.0000001"), ("confidence", "-0.1"), ("confidence", #""1""#),
      ("confidence", "null"), ("confidence", "1e400"), ("kind", #""photo""#), ("kind", "null"),
      ("photo", #""2ab7""#), ("photo", #""\#(photo.uppercased())""#), ("photo", "{}"),
      ("stamp", #""2026-02-29T00:00:00.000Z-0000-00000000""#), ("stamp", "0"),
      ("verdict", #""maybe""#), ("verdict", "true"), ("run", "null"), ("run", #""41d8""#),
      ("region", "null"), ("region", "[]"), ("region", "{}"),
      ("region", #"{"id":"a1b2c3d4","x":0.5,"y":0,"width":0.6,"height":1}"#),
      ("region", #"{"id":"a1b2c3d4","x":0,"y":0,"width":0,"height":1}"#),
      ("region", #"{"id":"a1b2c3d4","x":-0.1,"y":0,"width":1,"height":1}"#),
      ("region", #"{"id":"a1b2c3d","x":0,"y":0,"width":1,"height":1}"#),
      ("region", #"{"id":"a1b2c3d4","x":"0","y":0,"width":1,"height":1}"#),
      ("region", #"{"id":"a1b2c3d4","x":0,"y":0,"width":1,"height":1,"crowd":1}"#),
      ("region", #"{"id":"a1b2c3d4","x":0,"y":0,"width":1,"height":1,"polygons":null}"#),
      ("region", #"{"id":"a1b2c3d4","x":0,"y":0,"width":1,"height":1,"polygons":[]}"#),
      ("region", #"{"id":"a1b2c3d4","x":0,"y":0,"width":1,"height":1,"polygons":[[]]}"#),
      ("region", #"{"id":"a1b2c3d4","x":0,"y":0,"width":1,"height":1,"polygons":[[[0,0,1,1]]]}"#),
    ])
  func malformed(key: String, value: String) { #expect(refusalOf(text([key: value])) != nil) }

  @Test("accepts confidences 0 and 1 and regions that exceed the image by a billionth")
  func ends() throws {
    for (spelled, written) in [("0", "0"), ("1", "1"), ("1.0", "1"), ("0.50", "0.5"), ("-0", "0")] {
      let label = try Label(bytes: text(["confidence": spelled]).utf8)
      #expect(label.exactConfidence.text == written)
    }
    let region = #"{"id":"a1b2c3d4","x":0.5,"y":0,"width":0.5000000009,"height":1}"#
    #expect(refusalOf(text(["region": region])) == nil)
  }

  @Test(
    "rejects a duplicate key, known or unknown, in any spelling",
    arguments: [
      #""class": "hemlock""#, #""\u0063lass": "hemlock""#, #""verdict": "absent""#, #""run": "x""#,
      #""x": 1, "x": 1"#, #""x": 1, "\u0078": 2"#, #""kind": "label""#,
      #""region": {"x": 1, "x": 1}"#,
    ])
  func twice(members: String) {
    #expect(refusalOf(text().dropLast() + "," + members + "}") != nil)
  }

  @Test("rejects a known key that is written with escapes")
  func escapedKey() {
    let escaped = text(without: "class").dropLast() + #","\u0063lass":"hemlock"}"#
    #expect(refusalOf(String(escaped)) != nil)
    let optional = text().dropLast() + #","ru\u006e":"41d8e07a5bc2f6930da7"}"#
    #expect(refusalOf(String(optional)) != nil)
  }

  @Test("distinguishes trailing text, conflict markers, deep nesting and excessive size")
  func kindsOfErrors() {
    #expect(refusalOf(text() + "x")?.kind == .syntax)
    #expect(refusalOf("[]")?.kind == .syntax)
    #expect(refusalOf("{\n<<<<<<< HEAD\n" + text().dropFirst())?.kind == .conflictMarkers)
    #expect(refusalOf("{\n<<<<<<< HEAD\n" + text().dropFirst())?.line == 2)
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(refusalOf(text(["x": nested(31)])) == nil)
    #expect(refusalOf(text(["x": nested(32)]))?.kind == .tooLarge)
    let padded = text() + String(repeating: " ", count: 1 << 20)
    #expect(refusalOf(padded)?.kind == .tooLarge)
  }

  @Test("reads 60,000 unknown members in reverse order")
  func manyMembers() throws {
    let members = (0..<60_000).reversed().map { "\"\(100_000 + $0)\":0" }.joined(separator: ",")
    let label = try Label(bytes: (text().dropLast() + "," + members + "}").utf8)
    #expect(label.extra.members.count == 60_000)
  }
}
