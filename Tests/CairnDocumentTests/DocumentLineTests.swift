import TestSupport
import Testing

@testable import CairnDocument

@Suite("Document lines")
struct DocumentLineTests {
  private let rules = DocumentLine.Rules(
    stamp: Stamp(milliseconds: 5000, counter: 0, replica: ReplicaID(rawValue: 7)),
    person: Annotator("human:ann@example.org")!,
    classKey: { (name) throws(DocumentError) in ClassKey(naming: name)! })

  private func read(_ text: String, over existing: JSON? = nil) throws -> Document {
    try DocumentLine(bytes: text.utf8).document(rules, over: existing) {
      $0.successor(by: ReplicaID(rawValue: 9))
    }
  }

  @Test("reads a complete document unchanged", arguments: UInt64(0)..<40)
  func whole(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let label = random.label()
    #expect(try read(label.json.canonicalText) == .label(label))
    #expect(try read(label.json.canonicalText, over: label.json) == .label(label))
    let line = try DocumentLine(bytes: label.canonicalBytes)
    #expect(try line.path(rules) == .label(label.photo, label.name))
  }

  @Test("converts canonical bytes to one line and back", arguments: UInt64(0)..<20)
  func line(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let json: JSON = [
      "a": random.json(depth: 3), "b": [[], [:], 1.5, .null, true],
      "c \\\" {": ["x": "\n  \\", "y": "a: b,\n"],
    ]
    var line: [UInt8] = []
    JSON.appendLine(ofCanonical: json.canonicalBytes, to: &line)
    #expect(line.count { $0 == 0x0A } == 1 && line.last == 0x0A)
    #expect(try JSON(bytes: line).canonicalBytes == json.canonicalBytes)
  }

  @Test("derives the ids of pins and regions from their content")
  func contentIDs() throws {
    let pin = #"{"location":{"latitude":1.50,"longitude":2},"name":"Mill"}"#
    let same = #"{"name":{"value":"Mill"},"location":{"value":{"longitude":2,"latitude":1.5}}}"#
    #expect(try read(pin) == read(same))
    #expect(
      try read(pin).path != read(#"{"location":{"latitude":1.5,"longitude":2},"name":"Hill"}"#).path
    )
    let photo = String(repeating: "ab", count: 32)
    let box = #"{"photo":"\#(photo)","class":"oak","region":{"x":0,"y":0,"width":1,"height":0.5}}"#
    #expect(try read(box) == read(box))
  }

  @Test("stamps only the fields that differ from the existing document")
  func over() throws {
    let photo = String(repeating: "ab", count: 32)
    let first = try read(
      #"{"id":"\#(photo)","image":{"bytes":1,"format":"png","height":1,"width":1},"title":"A"}"#)
    let replaced = Stamp(milliseconds: 9000, counter: 0, replica: ReplicaID(rawValue: 7))
    guard case .photo(var stored) = first else { return }
    stored.title = Register("B", replaced)
    stored.caption = Register("C", replaced)
    #expect(
      try read(#"{"id":"\#(photo)","title":"B"}"#, over: stored.json) == .photo(stored))
    let edited = try read(#"{"id":"\#(photo)","title":"D"}"#, over: stored.json)
    stored.title = Register("D", replaced.successor(by: ReplicaID(rawValue: 9)))
    #expect(edited == .photo(stored))

    let label = try read(#"{"photo":"\#(photo)","class":"oak"}"#)
    #expect(try read(#"{"photo":"\#(photo)","class":"oak"}"#, over: label.json) == label)
    let other = #"{"photo":"\#(photo)","class":"oak","verdict":"absent"}"#
    guard case .label(let new) = try read(other, over: label.json) else { return }
    #expect(new.stamp > rules.stamp)
  }
}
