import CairnDocument
import CairnMerge
import TestSupport
import Testing

@Suite("Policy dawid-skene")
struct ConsensusTests {
  private func rules(_ classes: [LabelClass] = []) -> ResolutionRules {
    ResolutionRules(people: .dawidSkene, classes: ClassTable(classes))
  }

  /// Labels of one photo, `ann+` for present and `bob-` for absent.
  private func labels(_ text: String, of classKey: String = "oak") -> [Label] {
    text.split(separator: " ").map { word in
      label("human:\(word.dropLast())@x", word.last == "+" ? .present : .absent, of: classKey)
    }
  }

  /// Returns rules with the consensus estimated from the labels of some photos.
  private func known(
    _ photos: [[Label]], _ rules: ResolutionRules = ResolutionRules(people: .dawidSkene)
  ) -> ResolutionRules {
    var count = ConsensusCount(rules, nil)
    for labels in photos { count.add(rules.ratings(labels)) }
    var rules = rules
    rules.consensus = count.bySubject.compactMapValues { $0.consensus() }
    return rules
  }

  @Test("follows people who all agree, or one person alone, however often they err")
  func unanimous() {
    let liar =
      Array(repeating: labels("ann+ bob+ liar-"), count: 40)
      + Array(repeating: labels("ann- bob- liar+"), count: 40)
    let rules = known(liar)
    for (text, state) in [
      ("liar+", Resolution.State.confirmed), ("liar-", .rejected), ("liar+ ann+", .confirmed),
      ("ann- bob-", .rejected), ("new+", .confirmed),
    ] {
      let resolved = rules.resolve(labels(text))
      #expect(resolved.map(\.state) == [state], "\(text)")
      #expect(resolved[0].confidence == 1)
    }
    // Against ann, the liar does not count.
    let against = rules.resolve(labels("ann+ liar-"))[0]
    #expect(against.state == .confirmed && against.confidence > 0.95)
    #expect(rules.resolve(labels("new+ liar-"))[0].state == .disputed)
  }

  @Test("disputes a class when two equally reliable people disagree", arguments: 0..<12)
  func equals(agreed: Int) {
    let count = 1 << agreed
    let rules = known(
      Array(repeating: labels("ann+ bob+"), count: count) + [labels("ann+ bob-")])
    let resolved = rules.resolve(labels("ann+ bob-"))[0]
    #expect(resolved.state == .disputed, "\(count): \(resolved.reason)")
    #expect(known([]).resolve(labels("ann+ bob-"))[0].confidence == 0.5)
  }

  @Test("needs three people to outvote one when nothing is known about them")
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
    #expect(
      resolved.reason
        == .likely(
          resolved.confidence,
          VoteSides(present: people("ann", "bob", "dan"), absent: people("cy"))))
    // The same in an exclusive set.
    let set = self.rules(["beagle", "poodle"].map { labelClass($0, set: "breed") })
    let breeds = [label("human:ann@x", of: "beagle"), label("human:bob@x", of: "poodle")]
    #expect(set.resolve(breeds).map(\.state) == [.disputed, .disputed])
    #expect(set.resolve(breeds).map(\.confidence) == [0.5, 0.5])
  }

  @Test("prefers one reliable person to two who guess")
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

  @Test("confirms at most one class of an exclusive set, only one that somebody named")
  func sets() {
    let set = rules(["beagle", "poodle", "husky"].map { labelClass($0, set: "breed") })
    func photo(_ text: String) -> [Label] {
      text.split(separator: " ").map { word in
        let parts = word.split(separator: ":").map(String.init)
        return label("human:\(parts[0])@x", of: parts[1])
      }
    }
    let agreed = ["beagle", "poodle", "husky"].flatMap { name in
      Array(repeating: photo("ann:\(name) bob:\(name) cy:husky"), count: 20)
    }
    let rules = known(agreed, set)
    func states(_ text: String) -> [String: Resolution.State] {
      Dictionary(
        uniqueKeysWithValues: rules.resolve(photo(text)).map { ($0.classKey.text, $0.state) })
    }
    #expect(states("ann:beagle bob:beagle cy:husky") == ["beagle": .confirmed, "husky": .rejected])
    #expect(states("ann:beagle cy:husky") == ["beagle": .confirmed, "husky": .rejected])
    #expect(states("ann:beagle bob:poodle") == ["beagle": .disputed, "poodle": .disputed])
    // A person who denies one class and names no other cannot be weighed.
    let denied = rules.resolve(photo("ann:beagle cy:husky") + labels("bob-", of: "beagle"))
    #expect(denied.map(\.state) == [.disputed, .rejected])
    // A person who denies a class agrees with the one that is confirmed instead.
    let confirmed = rules.resolve(photo("ann:beagle cy:husky") + labels("bob-", of: "husky"))
    #expect(confirmed.map(\.state) == [.confirmed, .rejected])
  }

  // MARK: One more vote

  /// People of random skill who rate one class or a set of three; some are worse than guessing.
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

  private func rules(of cluster: Cluster) -> ResolutionRules {
    rules(cluster.isSet ? cluster.classes.map { labelClass($0, set: "breed") } : [])
  }

  @Test("keeps a decision when one more person agrees with it", arguments: UInt64(0)..<24)
  func monotone(seed: UInt64) {
    var cluster = Cluster(seed)
    let rules = known((0..<60).map { _ in cluster.photo() }, rules(of: cluster))
    for _ in 0..<20 {
      let people = (Cluster.people + ["new"]).shuffled(using: &cluster.random)
      let given = people.dropLast().prefix(1 + cluster.random.below(5)).map {
        cluster.says(
          $0, cluster.random.pick(cluster.classes), cluster.random.chance(75) ? .present : .absent)
      }
      for before in rules.resolve(given) where before.state != .disputed {
        let vote = cluster.says(
          people[5], before.classKey.text, before.state == .confirmed ? .present : .absent)
        let after = rules.resolve(given + [vote]).first { $0.classKey == before.classKey }
        #expect(after?.state == before.state, "\(given.map(\.name)) and \(vote.name)")
      }
    }
  }

  @Test(
    "keeps a decision when one more person agrees and the estimate includes it",
    arguments: UInt64(0)..<8)
  func monotoneEstimate(seed: UInt64) {
    var cluster = Cluster(seed)
    let photos = (0..<12).map { _ in cluster.photo() }
    let rules = known(photos, rules(of: cluster))
    for (index, given) in photos.enumerated() {
      let silent = Cluster.people.first { person in
        !given.contains { $0.annotator.identity == "\(person)@x" }
      }
      guard let silent else { continue }
      for before in rules.resolve(given) where before.state != .disputed && before.confidence < 1 {
        let vote = cluster.says(
          silent, before.classKey.text, before.state == .confirmed ? .present : .absent)
        var learned = photos
        learned[index].append(vote)
        let after = known(learned, self.rules(of: cluster)).resolve(learned[index])
          .first { $0.classKey == before.classKey }
        #expect(after?.state == before.state, "\(index): \(given.map(\.name)) and \(vote.name)")
      }
    }
  }

  @Test(
    "computes an estimate that depends only on the order of the photos", arguments: UInt64(0)..<16)
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
