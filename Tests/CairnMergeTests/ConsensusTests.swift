import CairnDocument
import CairnMerge
import Testing

@Suite("The policy dawid-skene")
struct ConsensusTests {
  private func rules(_ classes: [LabelClass] = []) -> ResolutionRules {
    ResolutionRules(people: .dawidSkene, classes: ClassTable(classes))
  }

  /// Labels of one photo, `ann+` for present and `bob-` for absent.
  private func labels(_ words: String, of classKey: String = "oak") -> [Label] {
    words.split(separator: " ").map { word in
      label("human:\(word.dropLast())@x", word.last == "+" ? .present : .absent, of: classKey)
    }
  }

  /// Takes what people say of photos, each as in ``labels(_:of:)``, as what is known of them.
  private func known(
    _ photos: [[Label]], _ rules: ResolutionRules = ResolutionRules(people: .dawidSkene)
  ) -> ResolutionRules {
    var count = ConsensusCount(rules, nil)
    for labels in photos { count.add(rules.opinions(labels)) }
    var rules = rules
    rules.consensus = count.bySubject.compactMapValues { $0.consensus() }
    return rules
  }

  @Test("what all say stands, whatever is known of them; so does what one says alone")
  func unanimous() {
    let liar =
      Array(repeating: labels("ann+ bob+ liar-"), count: 40)
      + Array(repeating: labels("ann- bob- liar+"), count: 40)
    let rules = known(liar)
    for (words, state) in [
      ("liar+", Resolution.State.confirmed), ("liar-", .rejected), ("liar+ ann+", .confirmed),
      ("ann- bob-", .rejected), ("new+", .confirmed),
    ] {
      let resolved = rules.resolve(labels(words))
      #expect(resolved.map(\.state) == [state], "\(words)")
      #expect(resolved[0].confidence == 1)
    }
    // Against ann the liar's word counts for nothing, and never the other way round.
    let against = rules.resolve(labels("ann+ liar-"))[0]
    #expect(against.state == .confirmed && against.confidence > 0.95)
    #expect(rules.resolve(labels("new+ liar-"))[0].state == .disputed)
  }

  @Test("two who are equally good are divided, however usual a class is", arguments: 0..<12)
  func equals(agreed: Int) {
    let count = 1 << agreed
    let rules = known(
      Array(repeating: labels("ann+ bob+"), count: count) + [labels("ann+ bob-")])
    let resolved = rules.resolve(labels("ann+ bob-"))[0]
    #expect(resolved.state == .disputed, "\(count): \(resolved.because)")
    #expect(known([]).resolve(labels("ann+ bob-"))[0].confidence == 0.5)
  }

  @Test("of people of whom nothing is known it takes three to outvote one")
  func unknown() {
    let rules = known([])
    #expect(rules.resolve(labels("ann+ bob+ cy-"))[0].state == .disputed)
    let resolved = rules.resolve(labels("ann+ bob+ cy- dan+"))[0]
    #expect(resolved.state == .confirmed)
    #expect(abs(resolved.confidence - 16.0 / 17) < 1e-12)
    #expect(
      resolved.evidence.map { "\($0.annotator.identity) \($0.standing.code)" }.sorted() == [
        "ann@x counted", "bob@x counted", "cy@x outvoted", "dan@x counted",
      ])
    #expect(resolved.because.hasPrefix("by how people err it is 94 % likely ("))
    // Of an exclusive set, too.
    let set = self.rules(["beagle", "poodle"].map { labelClass($0, set: "breed") })
    let breeds = [label("human:ann@x", of: "beagle"), label("human:bob@x", of: "poodle")]
    #expect(set.resolve(breeds).map(\.state) == [.disputed, .disputed])
    #expect(set.resolve(breeds).map(\.confidence) == [0.5, 0.5])
  }

  @Test("one who is often right outweighs two who guess")
  func reliable() {
    var random = SeededGenerator(3)
    let photos = (0..<200).map { _ -> [Label] in
      let truth = random.chance(50)
      func says(_ isRight: Bool) -> String { truth == isRight ? "+" : "-" }
      return labels(
        "ann\(says(random.chance(98))) bob\(says(random.chance(98))) "
          + "cy\(says(random.chance(50))) dan\(says(random.chance(50)))")
    }
    let rules = known(photos)
    #expect(rules.resolve(labels("ann+ cy- dan-"))[0].state == .confirmed)
    #expect(rules.resolve(labels("ann- cy+ dan+"))[0].state == .rejected)
    #expect(rules.resolve(labels("ann+ bob-"))[0].state == .disputed)
    #expect(rules.resolve(labels("cy+ dan-"))[0].state == .disputed)
  }

  @Test("of an exclusive set one class stands at most, and only one that somebody names")
  func sets() {
    let set = rules(["beagle", "poodle", "husky"].map { labelClass($0, set: "breed") })
    func photo(_ words: String) -> [Label] {
      words.split(separator: " ").map { word in
        let parts = word.split(separator: ":").map(String.init)
        return label("human:\(parts[0])@x", of: parts[1])
      }
    }
    let agreed = ["beagle", "poodle", "husky"].flatMap { name in
      Array(repeating: photo("ann:\(name) bob:\(name) cy:husky"), count: 20)
    }
    let rules = known(agreed, set)
    func states(_ words: String) -> [String: Resolution.State] {
      Dictionary(
        uniqueKeysWithValues: rules.resolve(photo(words)).map { ($0.classKey.text, $0.state) })
    }
    #expect(states("ann:beagle bob:beagle cy:husky") == ["beagle": .confirmed, "husky": .rejected])
    #expect(states("ann:beagle cy:husky") == ["beagle": .confirmed, "husky": .rejected])
    #expect(states("ann:beagle bob:poodle") == ["beagle": .disputed, "poodle": .disputed])
    // Who denies one and names no other cannot be weighed.
    let denied = rules.resolve(photo("ann:beagle cy:husky") + labels("bob-", of: "beagle"))
    #expect(denied.map(\.state) == [.disputed, .rejected])
    // Where another stands who denies it agrees.
    let confirmed = rules.resolve(photo("ann:beagle cy:husky") + labels("bob-", of: "husky"))
    #expect(confirmed.map(\.state) == [.confirmed, .rejected])
  }

  @Test("a voice more for what stands never makes it fall", arguments: UInt64(0)..<64)
  func monotone(seed: UInt64) {
    var random = SeededGenerator(seed)
    let names = ["beagle", "poodle", "husky"]
    let people = ["ann", "bob", "cy", "dan", "eve", "new"]
    let isSet = random.chance(50)
    let classes = isSet ? names : ["beagle"]
    let plain = rules(isSet ? names.map { labelClass($0, set: "breed") } : [])
    /// What somebody says: of a set often the class, else that one is absent.
    func says(_ person: String, _ name: String, _ verdict: Verdict) -> Label {
      label("human:\(person)@x", verdict, of: name)
    }
    // Each errs in their own way; some are wrong more often than right.
    let skill = people.map { _ in random.below(100) }
    let photos = (0..<60).map { _ in
      let truth = random.pick(classes)
      let isThere = random.chance(50)
      return zip(people, skill).dropLast().filter { _ in random.chance(70) }.map { person, skill in
        let isRight = random.chance(skill)
        return isSet
          ? says(person, isRight ? truth : random.pick(classes), .present)
          : says(person, truth, isThere == isRight ? .present : .absent)
      }
    }
    let estimated = known(photos, plain)
    for _ in 0..<40 {
      let (speakers, more) = (people.shuffled(using: &random), random.pick(classes))
      let said = speakers.dropLast().prefix(1 + random.below(5)).map {
        says($0, random.pick(classes), random.chance(75) ? .present : .absent)
      }
      let before = estimated.resolve(said).first { $0.classKey.text == more }
      guard let before, before.state != .disputed else { continue }
      let voice = says(speakers[5], more, before.state == .confirmed ? .present : .absent)
      let after = estimated.resolve(said + [voice]).first { $0.classKey.text == more }
      #expect(after?.state == before.state, "\(said.map(\.name)) and \(voice.name)")
    }
  }

  @Test("an estimate depends on the photos' order and on nothing else", arguments: UInt64(0)..<16)
  func deterministic(seed: UInt64) {
    var random = SeededGenerator(seed)
    let photos = (0..<40).map { _ in
      labels(
        ["ann", "bob", "cy", "dan"].map { $0 + random.pick(["+", "-"]) }.joined(separator: " "))
    }
    let once = known(photos)
    #expect(known(photos.map { $0.shuffled(using: &random) }).consensus == once.consensus)
    // Photos that one person rated alone change nothing.
    let alone = (0..<40).map { _ in labels("ann" + random.pick(["+", "-"])) }
    #expect(known(alone + photos).consensus == once.consensus)
  }
}
