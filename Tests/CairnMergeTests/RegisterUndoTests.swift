import CairnDocument
import TestSupport
import Testing

@testable import CairnMerge

@Suite("Undo of registers")
struct RegisterUndoTests {
  private static let early = "2026-11-20T09:00:00.000Z-0000-7f3a9c21"
  private static let middle = "2026-11-20T09:00:01.000Z-0000-7f3a9c21"
  private static let late = "2026-11-20T09:00:02.000Z-0000-02c4e6a8"

  private func register(_ value: JSON, _ stamp: String = early) -> JSON {
    ["stamp": .string(stamp), "value": value]
  }

  private func undo(_ before: JSON?, _ after: JSON, _ now: JSON) -> RegisterUndo {
    RegisterUndo(from: before, to: after, in: now) { $0.successor() }
  }

  @Test("restores the value from before with a later stamp, and leaves other fields")
  func restores() throws {
    let before: JSON = ["name": register("Mill"), "removed": register(false)]
    let after: JSON = ["name": register("Mull", Self.middle), "removed": register(false)]
    // Meanwhile somebody removed it.
    let now: JSON = ["name": register("Mull", Self.middle), "removed": register(true, Self.late)]
    let undo = undo(before, after, now)
    #expect(undo.kept.isEmpty)
    #expect(undo.document["removed"] == now["removed"])
    #expect(undo.document["name"]?["value"] == "Mill")
    let (stamp, replaced) = try (
      #require(undo.document["name"]?.register), #require(now["name"]?.register)
    )
    #expect(stamp > replaced)
    // A device with the edit takes the undo, whichever comes first.
    #expect(now.joined(with: undo.document) == undo.document)
    #expect(undo.document.joined(with: after) == undo.document)
  }

  @Test("leaves a field that was edited again, and names it")
  func editedAgain() {
    let before: JSON = ["policy": ["rule": register("majority"), "limit": register(1)]]
    let after: JSON = [
      "policy": ["rule": register("latest", Self.middle), "limit": register(2, Self.middle)]
    ]
    let now: JSON = [
      "policy": ["rule": register("unanimous", Self.late), "limit": register(2, Self.middle)]
    ]
    let undo = undo(before, after, now)
    #expect(undo.kept == ["policy.rule"])
    #expect(undo.document["policy"]?["rule"] == now["policy"]?["rule"])
    #expect(undo.document["policy"]?["limit"]?["value"] == 1)
  }

  @Test("marks an added document as removed, and clears a field that did not exist")
  func added() {
    let pin: JSON = ["id": "a", "name": register("Mill"), "removed": register(false)]
    #expect(undo(nil, pin, pin).document["removed"]?["value"] == true)
    #expect(undo(nil, pin, pin).document["name"] == pin["name"])
    let run: JSON = ["id": "b", "withdrawn": register(false)]
    #expect(undo(nil, run, run).document["withdrawn"]?["value"] == true)
    let removed: JSON = ["id": "a", "removed": register(true, Self.late)]
    #expect(undo(nil, pin, removed).kept == ["removed"])

    let (plain, alias): (JSON, JSON) = (["key": "a"], ["aliasOf": register("b"), "key": "a"])
    #expect(undo(plain, alias, alias).document["aliasOf"]?["value"] == .null)
  }

  @Test("adds a field again that an undo left without a trace")
  func missing() {
    let (plain, alias): (JSON, JSON) = (["key": "a"], ["aliasOf": register("b"), "key": "a"])
    #expect(undo(alias, plain, plain).document == alias)
    let other: JSON = ["aliasOf": register("c", Self.late), "key": "a"]
    #expect(undo(alias, plain, other).document == other)
  }

  @Test("takes a value that an undo restored for the one from before")
  func restoredByUndo() {
    let (first, second) = (register("Mill", Self.early), register("Mull", Self.middle))
    let restored = register("Mill", Self.late)
    let undo = RegisterUndo(
      from: ["name": register("")], to: ["name": first], in: ["name": restored],
      earlier: { name, register in name == "name" && register == restored ? first : second }
    ) { $0.successor() }
    #expect(undo.kept.isEmpty)
    #expect(undo.document["name"]?["value"] == "")
  }

  @Test("changes nothing but edited registers, for any documents", arguments: UInt64(0)..<64)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed)
    let (before, after, now) = (random.value(), random.value(), random.value())
    #expect(undo(after, after, now).document == now)
    let undone = undo(before, after, now).document
    // What is replaced is replaced on all devices.
    #expect(now.joined(with: undone) == undone)
  }
}
