import CairnDocument
import CairnMerge
import TestSupport
import Testing

@Suite("Merging two versions of a document")
struct DocumentMergeTests {
  private let path = DocumentPath.pin(pin().id)

  /// Merges in both directions, which must give the same result.
  private func merge(
    base: [UInt8]? = nil, _ ours: [UInt8], _ theirs: [UInt8], at path: DocumentPath? = nil
  ) -> DocumentMerge {
    let merged = DocumentMerge(base: base, ours, theirs, at: path ?? self.path)
    #expect(merged == DocumentMerge(base: base, theirs, ours, at: path ?? self.path))
    return merged
  }

  /// Returns `pin` with its name edited by hand: the value changes, the stamp does not.
  private func named(_ name: String, _ pin: Pin) -> Pin {
    var copy = pin
    copy.name = Register(name, pin.name.stamp)
    return copy
  }

  private func joinedPin(_ merged: DocumentMerge) throws -> Pin {
    guard case .merged(let bytes) = merged else { throw DocumentError(.schema, "\(merged)") }
    #expect(merged.bytes == bytes)
    let pin = try Pin(bytes: bytes)
    #expect(pin.canonicalBytes == bytes)
    return pin
  }

  @Test("joins two documents with or without a base")
  func joined() throws {
    var (ours, theirs) = (pin(), pin())
    ours.name = Register("ours", at(1))
    theirs.removed = Register(true, at(1, by: 2))
    for base in [nil, pin().canonicalBytes, Array("broken".utf8)] {
      let result = try joinedPin(merge(base: base, ours.canonicalBytes, theirs.canonicalBytes))
      #expect(result.name == ours.name)
      #expect(result.removed == theirs.removed)
      #expect(result.location == pin().location)
    }
  }

  @Test("writes canonical bytes when a version is not canonical")
  func canonical() throws {
    var theirs = pin()
    theirs.name = Register("theirs", at(1))
    let crlf = theirs.json.canonicalText.split(separator: "\n").joined(separator: "\r\n")
    #expect(merge(pin().canonicalBytes, Array(crlf.utf8)) == .merged(theirs.canonicalBytes))
  }

  @Test(
    "keeps the valid version when the other is no document",
    arguments: [
      ("", .syntax), ("{\n<<<<<<< ours\n", .conflictMarkers), ("{}", .schema), ("[]", .schema),
      (#"{"kind":"pin","id":"ffffffffffffffffffff"}"#, .schema),
    ] as [(String, DocumentError.Kind)])
  func kept(text: String, kind: DocumentError.Kind) {
    let good = pin().canonicalBytes
    let merged = merge(base: good, good, Array(text.utf8))
    guard case .kept(let bytes, let error) = merged else {
      Issue.record("\(merged)")
      return
    }
    #expect(bytes == good)
    #expect(merged.bytes == good)
    #expect(error.kind == kind)
  }

  @Test("rejects a valid document that belongs at another path")
  func otherPath() {
    let good = pin().canonicalBytes
    let other = Pin(
      id: PinID("ffffffffffffffffffff")!, at: pin().location.value, name: "x", stamp: at(9))
    guard case .kept(good, let error) = merge(good, other.canonicalBytes) else {
      Issue.record("the pin of this path was not kept")
      return
    }
    #expect(error.message.contains("pins/ff/ffffffffffffffffffff.json"))
  }

  @Test("keeps the broken version whose bytes sort last, with its error, when both are broken")
  func broken() {
    let (a, b) = (Array("a\n".utf8), Array("{\nx".utf8))
    guard case .broken(b, let error) = merge(a, b) else {
      Issue.record("b was not kept")
      return
    }
    #expect(error.line == 2)
    #expect(merge(a, a).bytes == a)
    #expect(merge(base: pin().canonicalBytes, a, b).bytes == b)
  }

  @Test("prefers an unstamped edit to the base on the other side")
  func unstampedEdit() throws {
    // "a" would lose the tie of equal stamps against "base", but must win.
    let base = pin(at(5))
    let ours = named("a", base)
    let merged = merge(base: base.canonicalBytes, ours.canonicalBytes, base.canonicalBytes)
    let result = try joinedPin(merged)
    #expect(result.name == ours.name)
    #expect(result.location == base.location)
    // Without the base this is an ordinary tie.
    let blind = try joinedPin(merge(ours.canonicalBytes, base.canonicalBytes))
    #expect(blind.name.value == "base")
  }

  @Test("keeps the other side's edits of other fields, and lets later edits win")
  func unstampedEditAgainstEdit() throws {
    let base = pin(at(5))
    let ours = named("a", base)
    var theirs = base
    theirs.removed = Register(true, at(7, by: 2))
    var result = try joinedPin(
      merge(base: base.canonicalBytes, ours.canonicalBytes, theirs.canonicalBytes))
    #expect(result.name.value == "a")
    #expect(result.removed.value)
    theirs.name = Register("theirs", at(7, by: 2))
    result = try joinedPin(
      merge(base: base.canonicalBytes, ours.canonicalBytes, theirs.canonicalBytes))
    #expect(result.name == theirs.name)
  }

  @Test("picks the same one of two unstamped edits on every device")
  func bothByHand() throws {
    let base = pin(at(5))
    let (ours, theirs) = (named("a", base), named("b", base))
    let result = try joinedPin(
      merge(base: base.canonicalBytes, ours.canonicalBytes, theirs.canonicalBytes))
    #expect(result.name.value == "b")
    #expect(result.name.stamp == at(5, 1, by: 0))
    let same = try joinedPin(
      merge(base: base.canonicalBytes, ours.canonicalBytes, ours.canonicalBytes))
    #expect(same.name == ours.name)
  }

  @Test("treats a stamp that was moved back, as by a revert, as an edit")
  func movedBack() throws {
    let old = named("old", pin(at(1)))
    var base = old
    base.name = Register("new", at(5))
    let result = try joinedPin(
      merge(base: base.canonicalBytes, old.canonicalBytes, base.canonicalBytes))
    #expect(result.name == old.name)
  }

  @Test("prefers a label with an unstamped edit to its base")
  func labelByHand() throws {
    let base = label("human:alice@x", .present, at(5))
    var ours = base
    ours.verdict = .absent
    let path = Document.label(base).path
    let merged = merge(
      base: base.canonicalBytes, ours.canonicalBytes, base.canonicalBytes, at: path)
    let result = try Label(bytes: merged.bytes)
    #expect(result.verdict == .absent)
    #expect(result.stamp == ours.stamp)
  }

  @Test("merges random versions of a pin equally in both directions", arguments: UInt64(0)..<64)
  func symmetric(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let base = pin(random.stamp())
    func version() -> [UInt8] {
      var version = base
      if random.chance(50) { version = named(random.pick(["a", "b", "z"]), version) }
      if random.chance(40) { version.removed = Register(random.chance(50), random.stamp()) }
      if random.chance(10) { return random.chance(50) ? [] : Array("{}".utf8) }
      return version.canonicalBytes
    }
    let (ours, theirs) = (version(), version())
    let merged = merge(base: base.canonicalBytes, ours, theirs)
    // The result is stable when merged with itself.
    if case .merged(let bytes) = merged {
      #expect(merge(bytes, bytes).bytes == bytes)
      #expect(throws: Never.self) { try Pin(bytes: bytes) }
    }
  }
}
