import CairnDocument
import CairnMerge
import TestSupport
import Testing

@Suite("Unstamped edits")
struct UnstampedEditsTests {
  private let now = at(100, by: 9)

  private func stamped(_ version: JSON, since old: JSON) -> JSON {
    version.stampingEdits(since: old) { _ in now }
  }

  @Test("leaves an unedited value unchanged")
  func untouched() {
    let old = photo().json
    #expect(stamped(old, since: old) == old)
    #expect(stamped(7, since: old) == 7)
    #expect(stamped(old, since: 7) == old)
  }

  @Test("stamps a changed register whose stamp was left unchanged, and no other")
  func changed() throws {
    let old = photo()
    var edited = old
    edited.title = Register("by hand", old.title.stamp)
    edited.caption = Register("by cairn", at(5))
    let result = try Photo(json: stamped(edited.json, since: old.json))
    #expect(result.title == Register("by hand", now))
    #expect(result.caption == edited.caption)
    #expect(result.source == old.source)
  }

  @Test("stamps a register when any of its members changed")
  func unknownMember() {
    let old: JSON = ["name": register("a", at(1))]
    var inner = old["name"]!.object!
    inner["note"] = "by hand"
    let result = stamped(["name": .object(inner)], since: old)
    #expect(result["name"]?["note"] == "by hand")
    #expect(result["name"]?["value"] == "a")
    #expect(result["name"]?["stamp"]?.string == now.description)
  }

  @Test("passes the replaced stamp to the closure once for each edit")
  func closure() {
    let old: JSON = [
      "a": register(1, at(1)), "b": register(2, at(2)), "deep": ["c": register(3, at(3))],
    ]
    let edited: JSON = [
      "a": register(10, at(1)), "b": register(2, at(2)), "deep": ["c": register(30, at(0))],
    ]
    var given: [Stamp] = []
    let result = edited.stampingEdits(since: old) {
      given.append($0)
      return $0.successor(by: ReplicaID(rawValue: 9))
    }
    // If a stamp went back, the edit replaces the old stamp.
    #expect(given == [at(1), at(3)])
    #expect(result["deep"]?["c"] == register(30, at(3, 1, by: 9)))
  }

  @Test("puts back a member that was deleted")
  func deletedMember() {
    let old: JSON = ["a": register(1, at(1)), "b": ["c": register(2, at(2))]]
    #expect(stamped(["b": [:]], since: old) == old)
    #expect(stamped([:], since: old) == old)
  }

  @Test("stamps a register that lost its stamp")
  func lostStamp() {
    let old: JSON = ["a": register(1, at(1))]
    let result = stamped(["a": ["value": 1]], since: old)
    #expect(result["a"] == register(1, now))
  }

  @Test("takes from a line-based merge only registers later than the join")
  func mergeOfLines() {
    let join: JSON = ["a": register(1, at(5)), "b": register(2, at(5))]
    // One side's stamp with the other's value; an older value; a new member.
    let merge: JSON = [
      "a": register(7, at(5)), "b": register(9, at(4)), "c": register(3, at(1)),
    ]
    #expect(join.takingLaterRegisters(of: merge) == join.joined(with: ["c": register(3, at(1))]))
    let later: JSON = ["a": register(8, at(6)), "b": register(2, at(5))]
    #expect(join.takingLaterRegisters(of: later) == later)
  }

  @Test("keeps a field that only one side changed, stamped or not")
  func oneSide() {
    let base: JSON = ["a": register(1, at(5)), "b": register(2, at(5))]
    let byHand: JSON = ["a": register(0, at(5)), "b": register(2, at(5))]
    let stamped: JSON = ["a": register(1, at(5)), "b": register(4, at(9))]
    let merged: JSON = ["a": register(0, at(5)), "b": register(4, at(9))]
    #expect(byHand.merged(with: stamped, since: base) == merged)
    #expect(stamped.merged(with: byHand, since: base) == merged)
    #expect(base.merged(with: byHand, since: base) == byHand)
  }

  @Test("merges since a base with the same result in both directions", arguments: UInt64(0)..<64)
  func mergingCommutes(seed: UInt64) {
    var random = SeededGenerator(seed)
    let (base, a, b) = (random.value(), random.value(), random.value())
    #expect(a.merged(with: b, since: base) == b.merged(with: a, since: base))
    #expect(a.merged(with: a, since: base) == a)
  }

  @Test("rethrows errors of the closure")
  func passesErrors() {
    let (old, edited): (JSON, JSON) = (register(1, at(1)), register(2, at(1)))
    #expect(throws: DocumentError.self) {
      try edited.stampingEdits(since: old) { _ in throw DocumentError(.schema, "no clock") }
    }
  }

  @Test("stamps a label as a whole and a new register not at all")
  func labelsAndNewRegisters() throws {
    let old = label("human:alice@x", .present, at(1))
    var edited = old
    edited.verdict = .absent
    let result = try Label(bytes: stamped(edited.json, since: old.json).canonicalBytes)
    #expect(result.stamp == now)
    #expect(result.verdict == .absent)
    let added: JSON = ["a": register(1, at(1)), "new": register(2, at(0))]
    #expect(stamped(added, since: ["a": register(1, at(1))]) == added)
  }

  @Test("gives edits later stamps than the values they replace", arguments: UInt64(0)..<32)
  func outbid(seed: UInt64) {
    var random = SeededGenerator(seed)
    let (old, new) = (random.value(), random.value())
    let result = new.stampingEdits(since: old) { $0.successor(by: $0.replica) }
    #expect(result.stampingEdits(since: old) { _ in now } == result)
    if old["stamp"] != nil, let before = old.latestRegister, new.latestRegister != nil, new != old {
      #expect(result.joined(with: old) == result)
      #expect(result.latestRegister! > before)
    }
  }

  @Test("finds the latest stamp of any register at any depth")
  func latestStamp() {
    #expect(pin(at(3)).json.latestStamp == at(3))
    var one = pin(at(3))
    one.removed = Register(true, at(8))
    #expect(one.json.latestStamp == at(8))
    #expect(label("human:a@x", at(4)).json.latestStamp == at(4))
    let deep: JSON = ["a": ["b": ["c": register(0, at(9))]], "d": register(0, at(2))]
    #expect(deep.latestStamp == at(9))
    #expect(JSON.null.latestStamp == nil)
    #expect((["stamp": "x", "a": [register(0, at(1))]] as JSON).latestStamp == nil)
  }
}

extension JSON {
  /// The stamp of this value if it is a register.
  fileprivate var latestRegister: Stamp? { self["stamp"]?.string.flatMap { Stamp($0) } }
}
