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
    for labels in photos { count.add(rules.ratings(labels)) }
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
    #expect(resolved.state == .disputed, "\(count): \(resolved.reason)")
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
      resolved.evidence.map { "\($0.annotator.identity) \($0.status.code)" }.sorted() == [
        "ann@x counted", "bob@x counted", "cy@x outvoted", "dan@x counted",
      ])
    #expect(resolved.reason.hasPrefix("by how people err it is 94 % likely ("))
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

  // MARK: One voice more

  /// People who rate a class or a set of three, each right so often; some less often than a guess.
  private struct Cluster {
    static let people = ["ann", "bob", "cy", "dan", "eve"]
    let isSet: Bool
    let classes: [String]
    var random: SeededGenerator
    private let skill: [Int]

    init(_ seed: UInt64) {
      var random = SeededGenerator(seed)
      isSet = random.chance(50)
      classes = isSet ? ["beagle", "poodle", "husky"] : ["beagle"]
      skill = Cluster.people.map { _ in random.below(100) }
      self.random = random
    }

    func says(_ person: String, _ name: String, _ verdict: Verdict) -> Label {
      label("human:\(person)@x", verdict, of: name)
    }

    mutating func photo() -> [Label] {
      let (truth, isThere) = (random.pick(classes), random.chance(50))
      return zip(Cluster.people, skill).compactMap { person, skill in
        guard random.chance(70) else { return nil }
        let isRight = random.chance(skill)
        return isSet
          ? says(person, isRight ? truth : random.pick(classes), .present)
          : says(person, truth, isThere == isRight ? .present : .absent)
      }
    }
  }

  private func rules(of crowd: Cluster) -> ResolutionRules {
    rules(crowd.isSet ? crowd.classes.map { labelClass($0, set: "breed") } : [])
  }

  @Test("a voice more for what stands never makes it fall", arguments: UInt64(0)..<24)
  func monotone(seed: UInt64) {
    var crowd = Cluster(seed)
    let rules = known((0..<60).map { _ in crowd.photo() }, rules(of: crowd))
    for _ in 0..<20 {
      let speakers = (Cluster.people + ["new"]).shuffled(using: &crowd.random)
      let said = speakers.dropLast().prefix(1 + crowd.random.below(5)).map {
        crowd.says(
          $0, crowd.random.pick(crowd.classes), crowd.random.chance(75) ? .present : .absent)
      }
      for before in rules.resolve(said) where before.state != .disputed {
        let voice = crowd.says(
          speakers[5], before.classKey.text, before.state == .confirmed ? .present : .absent)
        let after = rules.resolve(said + [voice]).first { $0.classKey == before.classKey }
        #expect(after?.state == before.state, "\(said.map(\.name)) and \(voice.name)")
      }
    }
  }

  @Test("nor where the estimate has learnt it", arguments: UInt64(0)..<8)
  func monotoneLearnt(seed: UInt64) {
    var crowd = Cluster(seed)
    let photos = (0..<12).map { _ in crowd.photo() }
    let rules = known(photos, rules(of: crowd))
    for (place, said) in photos.enumerated() {
      let silent = Cluster.people.first { person in
        !said.contains { $0.annotator.identity == "\(person)@x" }
      }
      guard let silent else { continue }
      for before in rules.resolve(said) where before.state != .disputed && before.confidence < 1 {
        let voice = crowd.says(
          silent, before.classKey.text, before.state == .confirmed ? .present : .absent)
        var learnt = photos
        learnt[place].append(voice)
        let after = known(learnt, self.rules(of: crowd)).resolve(learnt[place])
          .first { $0.classKey == before.classKey }
        #expect(after?.state == before.state, "\(place): \(said.map(\.name)) and \(voice.name)")
      }
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
