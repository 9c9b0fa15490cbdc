import CairnDocument
import CairnMerge
import TestSupport
import Testing

@Suite("Exclusive sets")
struct ExclusiveSetTests {
  private static let breeds = ["beagle", "poodle", "terrier"]
  private static let classes = ClassTable(
    breeds.map { labelClass($0, set: "breed") } + [
      labelClass("dog"), labelClass("beagel", aliasOf: "beagle"),
    ])
  private let rules = ResolutionRules(classes: classes)

  /// The reason that rejects a class: alice names another one of the set.
  private func chosen(_ key: String) -> ResolutionReason {
    .agreement(
      VoteSides(present: [], absent: [], alternatives: [alternative(key, "alice")]),
      set: ClassKey("breed"))
  }

  @Test("replaces a person's earlier class of the set with their later one")
  func ownLaterChoice() {
    let found = rules.explain(shuffling: [
      label("human:alice@x", of: "beagle", at(1)), label("human:alice@x", of: "terrier", at(2)),
      label("human:alice@x", of: "dog", at(0)),
    ])
    #expect(found["terrier"]?.state == .confirmed)
    #expect(found["dog"]?.state == .confirmed)
    #expect(found["beagle"]?.state == .rejected)
    #expect(found["beagle"]?.reason == chosen("terrier"))
    #expect(found["beagle"]?.statuses == ["alice@x: superseded"])
    #expect(found["poodle"] == nil)
  }

  @Test("disputes three different classes and confirms the one that most people name")
  func plurality() {
    let three = [
      label("human:a@x", of: "terrier", at(1)), label("human:b@x", of: "beagle", at(2)),
      label("human:c@x", of: "poodle", at(3)),
    ]
    var found = rules.explain(shuffling: three)
    for key in ["terrier", "beagle", "poodle"] { #expect(found[key]?.state == .disputed) }
    found = rules.explain(shuffling: three + [label("human:d@x", of: "beagle", at(4))])
    #expect(found["beagle"]?.state == .confirmed)
    #expect(
      found["beagle"]?.reason
        == .plurality(
          VoteSides(
            present: people("b", "d"), absent: [],
            alternatives: [alternative("poodle", "c"), alternative("terrier", "a")])))
    #expect(found["terrier"]?.state == .rejected)
    #expect(found["poodle"]?.state == .rejected)
  }

  @Test("disputes different classes of the set and explains why")
  func dispute() {
    let labels = [
      label("human:alice@x", of: "terrier", at(1)), label("human:bob@x", of: "beagel", at(2)),
    ]
    var found = rules.explain(shuffling: labels)
    #expect(found["terrier"]?.state == .disputed)
    #expect(
      found["terrier"]?.reason
        == .tie(
          VoteSides(
            present: people("alice"), absent: [], alternatives: [alternative("beagle", "bob")])))
    #expect(found["beagle"]?.state == .disputed)

    found = rules.explain(shuffling: labels + [label("human:cy@x", of: "beagle", at(0))])
    #expect(found["beagle"]?.state == .confirmed)
    #expect(
      found["terrier"]?.reason
        == .majority(
          VoteSides(
            present: people("alice"), absent: [],
            alternatives: [alternative("beagle", "bob", "cy")])))
    #expect(found["terrier"]?.statuses == ["alice@x: outvoted"])

    var latest = rules
    latest.people = .latest
    found = latest.explain(shuffling: labels)
    #expect(found["beagle"]?.state == .confirmed)
    #expect(found["terrier"]?.state == .rejected)

    var unanimous = rules
    unanimous.people = .unanimous
    found = unanimous.explain(shuffling: labels)
    #expect(found["beagle"]?.state == .disputed)
    #expect(found["terrier"]?.state == .disputed)
  }

  @Test("counts a person's “absent” as of their later choice of another class")
  func ownAbsent() {
    let labels = [
      label("human:alice@x", .absent, of: "beagle", at(1)),
      label("human:bob@x", of: "beagle", at(2)), label("human:alice@x", of: "poodle", at(3)),
    ]
    let found = ResolutionRules(people: .latest, classes: Self.classes).explain(shuffling: labels)
    #expect(
      found["beagle"]?.reason
        == .latest(
          people("alice")[0], VoteSides(present: people("bob"), absent: people("alice"))))
    #expect(found["beagle"]?.state == .rejected)
    #expect(found["poodle"]?.state == .confirmed)
  }

  @Test("ignores a choice that the person later denied or withdrew")
  func deniedChoice() {
    for (last, verdict) in [
      ("beagle", Verdict.withdrawn), ("beagle", .absent), ("beagel", .absent),
    ] {
      let choice = verdict == .withdrawn ? [] : [label("human:alice@x", of: "beagle", at(2))]
      let denied = label("human:alice@x", verdict, of: last, at(3))
      let before = label("human:alice@x", of: "terrier", at(1))
      // One file holds one label: under the same key the denial has replaced the choice.
      let labels = last == "beagle" ? [before, denied] : [before, denied] + choice
      #expect(rules.explain(shuffling: labels)["terrier"]?.state == .confirmed, "\(verdict)")
    }
  }

  @Test("rejects a model's class when a person names another of the set")
  func peopleOverModels() {
    let labels = [
      label("human:alice@x", of: "beagle", at(0)),
      label("model:m@1", of: "terrier", confidence: 0.9, at(1)),
      label("model:n@1", of: "poodle", confidence: 0.2, at(1)),
      label("model:n@1", of: "dog", confidence: 0.7, at(1)),
    ]
    let found = rules.explain(shuffling: labels)
    #expect(found["terrier"]?.state == .rejected)
    #expect(found["terrier"]?.reason == chosen("beagle"))
    #expect(found["terrier"]?.statuses == ["m@1: overruled"])
    #expect(found["dog"]?.state == .predicted)
  }

  @Test("rejects a class that only an unsure model named when a person names another of the set")
  func peopleOverUnsureModels() {
    let run = RunID("00000000000000000001")!
    let choice = label("human:alice@x", of: "beagle", at(5))
    let unsure = label("model:m@1", of: "poodle", confidence: 0.2, at(1))
    let denial = label("model:m@1", .absent, of: "poodle", at(1))
    let newer = label("model:m@2", of: "dog", at(2))
    for labels in [[unsure], [denial], [unsure, newer]] {
      let found = rules.explain(shuffling: [choice] + labels)["poodle"]
      #expect(found?.state == .rejected)
      #expect(found?.reason == chosen("beagle"))
      #expect(found?.evidence.contains(where: \.status.counts) == false)
    }
    // A withdrawn label does not count, so nothing is left to reject.
    let withdrawn = label("model:m@1", of: "poodle", run: run, confidence: 0.9, at(1))
    let rules = ResolutionRules(classes: Self.classes, withdrawnRuns: [run])
    #expect(rules.explain(shuffling: [choice, withdrawn])["poodle"]?.state == .open)
  }

  @Test("predicts each model's most confident class, then the most confident of all models")
  func models() {
    let labels = [
      label("model:m@1", of: "beagle", confidence: 0.6),
      label("model:m@1", of: "poodle", confidence: 0.7),
      label("model:n@1", of: "terrier", confidence: 0.8),
      label("model:n@1", of: "dog", confidence: 0.9),
      label("model:o@1", of: "terrier", confidence: 0.55),
    ]
    let found = rules.explain(shuffling: labels)
    #expect(found.filter { $0.value.state == .predicted }.keys.sorted() == ["dog", "terrier"])
    #expect(found["terrier"]?.confidence == 0.8)
    #expect(found["terrier"]?.statuses == ["n@1: counted", "o@1: counted"])
    #expect(found["beagle"]?.statuses == ["m@1: second-choice"])
    #expect(found["poodle"]?.statuses == ["m@1: less-sure"])
  }

  @Test("breaks ties of models by class key within a model and by annotator between models")
  func equallyConfident() {
    let own = [
      label("model:m@1", of: "beagle", confidence: 0.7),
      label("model:m@1", of: "poodle", confidence: 0.7),
    ]
    var found = rules.explain(shuffling: own)
    #expect(found["poodle"]?.state == .predicted)
    #expect(found["beagle"]?.state == .open)
    found = rules.explain(shuffling: own + [label("model:n@1", of: "beagle", confidence: 0.7)])
    #expect(found["beagle"]?.state == .predicted)
    #expect(found["poodle"]?.state == .open)
  }

  @Test("predicts a model's second choice when a person has denied its first")
  func secondChoice() {
    let labels = [
      label("human:alice@x", .absent, of: "beagle"),
      label("model:m@1", of: "beagle", confidence: 0.9),
      label("model:m@1", of: "poodle", confidence: 0.6),
    ]
    let found = rules.explain(shuffling: labels)
    #expect(found["beagle"]?.state == .rejected)
    #expect(found["poodle"]?.state == .predicted)
  }

  @Test(
    "confirms or predicts at most one class and gives a status to every label",
    arguments: UInt64(0)..<100)
  func atMostOne(seed: UInt64) {
    var random = SeededGenerator(seed)
    let annotators = [
      "human:a@x", "human:b@x", "human:b@old", "human:c@x", "model:m@1", "model:m@2", "model:n@1",
    ]
    let run = RunID("00000000000000000001")!
    let labels = (0..<12).map { index in
      var one = label(
        random.pick(annotators), random.pick(Verdict.allCases),
        of: random.pick(Self.breeds + ["beagel", "dog"]),
        confidence: random.pick([0.4, 0.6, 0.6, 1]),
        region: random.chance(30) ? "0000000\(index % 10)" : nil, random.stamp())
      if random.chance(20) { one.run = run }
      return one
    }
    for people in PeoplePolicy.allCases {
      let rules = ResolutionRules(
        people: people, thresholds: ["n": 0.3], classes: Self.classes, withdrawnRuns: [run],
        mailmap: Mailmap("<b@x> <b@old>"))
      let explained = rules.explain(labels)
      #expect(rules.explain(labels.shuffled(using: &random)) == explained)
      #expect(rules.resolve(labels) == explained.filter { $0.state != .open })
      let status = explained.filter { one in
        Self.breeds.contains(one.classKey.text) && [.confirmed, .predicted].contains(one.state)
      }
      #expect(status.count <= 1, "\(status.map(\.classKey))")
      #expect(explained.map(\.evidence.count).reduce(0, +) == labels.count)
      for one in explained {
        let counts = one.evidence.filter(\.status.counts)
        #expect(one.state != .predicted || counts.allSatisfy { !$0.annotator.isHuman })
        #expect(
          one.state != .predicted && one.state != .open || !counts.contains { $0.annotator.isHuman }
        )
        #expect((one.state == .open) == (one.confidence == 0))
      }
    }
  }
}
