import Testing

@testable import CairnDocument

@Suite("Documents as lines")
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

  @Test("a whole document is read as it is", arguments: UInt64(0)..<40)
  func whole(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let label = random.label()
    #expect(try read(label.json.canonicalText) == .label(label))
    #expect(try read(label.json.canonicalText, over: label.json) == .label(label))
    let line = try DocumentLine(bytes: label.canonicalBytes)
    #expect(try line.path(rules) == .label(label.photo, label.name))
  }

  @Test("the one line of canonical bytes reads back as the same bytes", arguments: UInt64(0)..<20)
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

  @Test("the same pin and the same box have the same ids when they come again")
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

  @Test("over what stands, only what differs is said anew")
  func over() throws {
    let photo = String(repeating: "ab", count: 32)
    let first = try read(
      #"{"id":"\#(photo)","image":{"bytes":1,"format":"png","height":1,"width":1},"title":"A"}"#)
    let replaced = Stamp(milliseconds: 9000, counter: 0, replica: ReplicaID(rawValue: 7))
    guard case .photo(var standing) = first else { return }
    standing.title = Register("B", replaced)
    standing.caption = Register("C", replaced)
    #expect(
      try read(#"{"id":"\#(photo)","title":"B"}"#, over: standing.json) == .photo(standing))
    let edited = try read(#"{"id":"\#(photo)","title":"D"}"#, over: standing.json)
    standing.title = Register("D", replaced.successor(by: ReplicaID(rawValue: 9)))
    #expect(edited == .photo(standing))

    let said = try read(#"{"photo":"\#(photo)","class":"oak"}"#)
    #expect(try read(#"{"photo":"\#(photo)","class":"oak"}"#, over: said.json) == said)
    let other = #"{"photo":"\#(photo)","class":"oak","verdict":"absent"}"#
    guard case .label(let new) = try read(other, over: said.json) else { return }
    #expect(new.stamp > rules.stamp)
  }
}
