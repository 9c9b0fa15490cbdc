import Cairn
import CairnDocument
import CairnMerge
import Testing

@Suite("Descriptions of resolutions")
struct ResolutionReasonTests {
  private func people(_ names: String...) -> [Annotator] {
    names.map { Annotator(email: $0 + "@x")! }
  }

  private func alternative(_ key: String, _ people: [Annotator]) -> VoteSides.Alternative {
    VoteSides.Alternative(ClassKey(key)!, name: key, people: people)
  }

  @Test("names the people who agree")
  func agreement() {
    func text(_ sides: VoteSides, _ set: String? = nil) -> String {
      ResolutionReason.agreement(sides, set: set.flatMap { ClassKey($0) }).text
    }
    #expect(
      text(VoteSides(present: people("alice", "bob"), absent: []))
        == "labeled present by alice@x and bob@x")
    #expect(
      text(VoteSides(present: [], absent: people("a", "b", "c")))
        == "labeled absent by a@x, b@x and c@x")
    let terrier = alternative("terrier", people("alice"))
    #expect(
      text(VoteSides(present: [], absent: [], alternatives: [terrier]), "breed")
        == "labeled terrier by alice@x, and classes of “breed” exclude each other")
    #expect(
      text(VoteSides(present: [], absent: people("bob"), alternatives: [terrier]), "breed")
        == "labeled absent by bob@x, labeled terrier instead by alice@x")
  }

  @Test("names the people of each side and how the policy decided between them")
  func disagreement() {
    let sides = VoteSides(present: people("p", "q"), absent: people("r"))
    let all: [ResolutionReason] = [
      .latest(people("r")[0], sides), .majority(sides), .tie(sides), .notUnanimous(sides),
      .likely(0.9412, sides), .unlikely(sides),
    ]
    #expect(
      all.map(\.text) == [
        "r@x labeled it last (p@x and q@x against r@x)",
        "a majority of 2 to 1 (p@x and q@x against r@x)",
        "people disagree 2 to 1 (p@x and q@x against r@x)",
        "people must be unanimous (p@x and q@x against r@x)",
        "94% likely given people's error rates (p@x and q@x against r@x)",
        "no outcome is 90% likely given people's error rates (p@x and q@x against r@x)",
      ])
    let two = VoteSides(present: people("p"), absent: people("r"))
    #expect(ResolutionReason.tie(two).text == "p@x and r@x disagree")
  }

  @Test("names the other classes of an exclusive set that people name instead")
  func alternatives() {
    let sides = VoteSides(
      present: people("b", "d"), absent: [],
      alternatives: [alternative("poodle", people("c")), alternative("terrier", people("a"))])
    let end =
      "(labeled present by b@x and d@x, labeled poodle instead by c@x, "
      + "labeled terrier instead by a@x)"
    let all: [ResolutionReason] = [
      .plurality(sides), .outnumbered(sides), .pluralityTie(sides), .unweighable(sides),
    ]
    #expect(
      all.map(\.text) == [
        "more people name it than any other class \(end)",
        "more people name another class or reject it \(end)", "people disagree \(end)",
        "people who reject it name no other class, so votes cannot be weighed \(end)",
      ])
  }

  @Test("describes a prediction, and a class without a label that counts")
  func models() {
    #expect(
      ResolutionReason.predicted(by: Annotator("model:n@1")!, confidence: JSONNumber(0.7)).text
        == "labeled present by n@1 (0.7), no person has labeled it")
    #expect(ResolutionReason.noneCounts.text == "no label counts")
  }

  // MARK: Single labels

  private static let run = RunID("00000000000000000001")!

  /// Returns why each label of a class counts or not.
  private func reasons(
    _ labels: [Label], on classKey: String = "hemlock", _ rules: ResolutionRules = ResolutionRules()
  ) -> [String] {
    rules.explain(labels).filter { $0.classKey.text == classKey }.flatMap(\.evidence)
      .map { rules.reason($0) }
  }

  @Test("explains which later label of a person replaced one")
  func superseded() {
    let rules = ResolutionRules(
      classes: ClassTable([labelClass("puppy", aliasOf: "dog"), labelClass("dog")]),
      mailmap: Mailmap("Alice <alice@x> <alice@phone>"))
    for (early, late) in [("puppy", "dog"), ("dog", "puppy")] {
      let labels = [
        label("human:bob@x", of: early, at(1)), label("human:bob@x", .absent, of: late, at(2)),
      ]
      #expect(
        reasons(labels, on: "dog", rules)
          == ["superseded: labeled absent as “\(late)” later", "counts"])
    }
    let addresses = [
      label("human:alice@phone", at(1)), label("human:alice@x", .absent, at(2)),
    ]
    #expect(
      reasons(addresses, rules) == ["superseded: labeled absent later as alice@x", "counts"])
    let regions = [
      label("human:bob@x", of: "puppy", region: "00000001", at(1)),
      label("human:bob@x", .absent, of: "dog", at(2)),
      label("human:bob@x", of: "puppy", region: "00000002", at(3)),
    ]
    #expect(
      reasons(regions, on: "dog", rules) == [
        "superseded: labeled absent as “dog” on the whole photo later", "counts", "counts",
      ])
    let withdrawn = [
      label("human:bob@x", of: "dog", at(1)), label("human:bob@x", .withdrawn, of: "puppy", at(2)),
    ]
    #expect(
      reasons(withdrawn, on: "dog", rules)
        == ["superseded: withdrawn as “puppy” later", "withdrawn"])
  }

  @Test("explains which person decided")
  func decidingPerson() {
    let labels = [
      label("human:alice@x", at(1)), label("human:bob@x", at(2)),
      label("human:cy@x", .absent, at(3)), label("model:m@1", at(4)),
    ]
    #expect(
      reasons(labels) == [
        "counts", "counts", "counts, but is outvoted",
        "does not count: people's labels take precedence",
      ])
    let last = "does not decide: cy@x labeled it later, and the latest label decides"
    #expect(
      reasons(labels, ResolutionRules(people: .latest)) == [
        last, last, "counts", "does not count: people's labels take precedence",
      ])
  }

  @Test("explains why a model's label does not count")
  func excludedModels() {
    let versions = [
      label("model:m@1", run: ResolutionReasonTests.run, at(1)), label("model:m@2", at(2)),
    ]
    #expect(reasons(versions) == ["does not count: m@2 labeled it later", "counts"])
    #expect(
      reasons([versions[0]], ResolutionRules(withdrawnRuns: [ResolutionReasonTests.run]))
        == ["does not count: its run 00000000 is withdrawn"])
    #expect(
      reasons([label("model:m@1", confidence: 0.79)], ResolutionRules(threshold: 0.8))
        == ["does not count: below the threshold of 0.8"])
    #expect(
      reasons([label("model:m@1", .absent)])
        == ["does not count: only a person can reject a class"])
  }

  @Test("explains which class of an exclusive set was chosen instead")
  func sets() {
    let rules = ResolutionRules(
      classes: ClassTable(["beagle", "poodle", "terrier"].map { labelClass($0, set: "breed") }))
    let end = ", and classes of “breed” exclude each other"
    let own = [
      label("human:alice@x", of: "beagle", at(1)), label("human:alice@x", of: "terrier", at(2)),
    ]
    #expect(reasons(own, on: "beagle", rules) == ["superseded: labeled terrier later\(end)"])
    let models = [
      label("model:m@1", of: "beagle", confidence: 0.6),
      label("model:m@1", of: "poodle", confidence: 0.7),
      label("model:n@1", of: "terrier", confidence: 0.8),
    ]
    #expect(
      reasons(models, on: "beagle", rules)
        == ["does not count: it is more confident in poodle (0.7)\(end)"])
    #expect(
      reasons(models, on: "poodle", rules)
        == ["does not count: n@1 is more confident in terrier (0.8)\(end)"])
  }
}
