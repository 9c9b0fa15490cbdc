import CairnDocument
import CairnMerge
import Testing

@Suite("Several keys and addresses of one person")
struct OnePersonTests {
  private let rules = ResolutionRules(
    classes: ClassTable([
      labelClass("puppy", aliasOf: "dog"), labelClass("dog", name: "Dog"), labelClass("cat"),
    ]), mailmap: Mailmap("Alice <alice@x> <alice@phone>"))

  @Test("counts labels on an alias for its class and shows the class's name")
  func alias() {
    let found = rules.explain(shuffling: [
      label("human:alice@x", of: "puppy"), label("human:bob@x", of: "dog"),
    ])
    #expect(found.keys.sorted() == ["dog"])
    #expect(found["dog"]?.name == "Dog")
    #expect(
      found["dog"]?.reason
        == .agreement(VoteSides(present: people("alice", "bob"), absent: []), set: nil))
    #expect(found["dog"]?.evidence.map(\.label.classKey.text).sorted() == ["dog", "puppy"])
  }

  @Test("counts only a person's latest label among several keys of a class")
  func severalKeys() {
    for (early, late) in [("puppy", "dog"), ("dog", "puppy")] {
      let found = rules.explain(shuffling: [
        label("human:bob@x", .present, of: early, at(1)),
        label("human:bob@x", .absent, of: late, at(2)),
      ])["dog"]
      #expect(found?.state == .rejected)
      #expect(
        found?.reason == .agreement(VoteSides(present: [], absent: people("bob")), set: nil))
      #expect(found?.statuses == ["bob@x: superseded", "bob@x: counted"])
    }
  }

  @Test("counts only the later label of two addresses and shows the proper address")
  func severalAddresses() {
    let alice = [
      label("human:alice@phone", .present, of: "cat", at(1)),
      label("human:alice@x", .absent, of: "cat", at(2)),
    ]
    let found = rules.explain(shuffling: alice + [label("human:bob@x", .present, of: "cat")])
    #expect(found["cat"]?.state == .disputed)
    #expect(
      found["cat"]?.reason == .tie(VoteSides(present: people("bob"), absent: people("alice"))))
    let own = rules.explain(shuffling: alice)["cat"]
    #expect(own?.state == .rejected)
    #expect(own?.statuses == ["alice@x: superseded", "alice@x: counted"])
    // Without a .mailmap they are two people who disagree.
    #expect(ResolutionRules().explain(shuffling: alice)["cat"]?.state == .disputed)
  }

  @Test("ignores the case of addresses")
  func addressCase() {
    let found = rules.explain(shuffling: [
      label("human:Bob@X", .present, of: "cat", at(1)),
      label("human:bob@x", .absent, of: "cat", at(2)),
    ])["cat"]
    #expect(found?.reason == .agreement(VoteSides(present: [], absent: people("bob")), set: nil))
  }

  @Test("supersedes an earlier region with a label of the whole photo under any key")
  func regions() {
    let found = rules.explain(shuffling: [
      label("human:bob@x", of: "puppy", region: "00000001", at(1)),
      label("human:bob@x", .absent, of: "dog", at(2)),
      label("human:bob@x", of: "puppy", region: "00000002", at(3)),
    ])["dog"]
    #expect(found?.state == .confirmed)
    #expect(found?.statuses == ["bob@x: superseded", "bob@x: counted", "bob@x: counted"])
  }

  @Test("supersedes earlier labels under other keys with a withdrawn label")
  func withdrawn() {
    let found = rules.explain(shuffling: [
      label("human:bob@x", .present, of: "dog", at(1)),
      label("human:bob@x", .withdrawn, of: "puppy", at(2)),
    ])["dog"]
    #expect(found?.state == .open)
    #expect(found?.statuses == ["bob@x: superseded", "bob@x: withdrawn"])
    let again = rules.explain(shuffling: [
      label("human:bob@x", .withdrawn, of: "puppy", at(2)),
      label("human:bob@x", .present, of: "dog", at(3)),
    ])["dog"]
    #expect(again?.state == .confirmed)
  }

  @Test("reports who was outvoted, overridden by a later label or overruled")
  func outvoted() {
    let labels = [
      label("human:alice@x", .present, of: "cat", at(1)),
      label("human:bob@x", .present, of: "cat", at(2)),
      label("human:cy@x", .absent, of: "cat", at(3)), label("model:m@1", of: "cat", at(4)),
    ]
    var rules = rules
    #expect(
      rules.explain(shuffling: labels)["cat"]?.statuses
        == ["alice@x: counted", "bob@x: counted", "cy@x: outvoted", "m@1: overruled"])
    rules.people = .latest
    let latest = rules.explain(shuffling: labels)["cat"]
    #expect(
      latest?.statuses
        == ["alice@x: spoken-over", "bob@x: spoken-over", "cy@x: counted", "m@1: overruled"])
  }
}
