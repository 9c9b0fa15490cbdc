import CairnDocument
import CairnMerge
import CairnReview
import Testing

@Suite("Photo evidence")
struct PhotoEvidenceTests {
  private func reasons(_ labels: [Label], on classKey: String = "beagle") -> [ReviewReasonDetail] {
    PhotoEvidence(of: photo(0), labels, rules).reasons(on: key(classKey))
  }

  private func prediction(
    _ model: String, _ className: String, _ confidence: Double
  ) -> ModelPrediction {
    ModelPrediction(
      Annotator(model: model)!, className, confidence: JSONNumber(confidence))
  }

  @Test("names the people who disagree")
  func disputed() {
    #expect(
      reasons([label("ann", "beagle", at(1)), label("bob", "beagle", absent: true, at(2))])
        == [.disputed(.tie(VoteSides(present: [person("ann")], absent: [person("bob")])))])
    // Naming another class of the set disputes both.
    let rivals = [label("ann", "beagle", at(1)), label("bob", "poodle", at(2))]
    #expect(reasons(rivals).first?.reason == .disputed)
    #expect(reasons(rivals, on: "poodle").first?.reason == .disputed)
  }

  @Test("has no doubt about a person's label that no other person denies, whatever models say")
  func settled() {
    #expect(
      reasons([
        label("ann", "beagle", at(1)), label("net@1", "beagle", 0.51, at(2)),
        label("vit@1", "beagle", absent: true, at(3)),
      ]).isEmpty)
  }

  @Test(
    "calls a model unsure within a tenth of its threshold",
    arguments: [
      (0.5, true), (0.6, true), (0.61, false), (0.4, true), (0.39, false), (0.45, true), (1, false),
    ])
  func threshold(confidence: Double, isUnsure: Bool) {
    let found = reasons([label("net@1", "dog", confidence, at(1))], on: "dog")
    #expect(found.isEmpty == !isUnsure)
    if isUnsure {
      #expect(
        found == [.nearThreshold(prediction("net@1", "dog", confidence), threshold: 0.5)])
    }
  }

  @Test("applies a model's own threshold")
  func ownThreshold() {
    var strict = rules
    strict.thresholds = ["net": 0.8]
    let labels = [label("net@1", "dog", 0.85, at(1))]
    #expect(!PhotoEvidence(of: photo(0), labels, strict).reasons(on: key("dog")).isEmpty)
    #expect(PhotoEvidence(of: photo(0), labels, rules).reasons(on: key("dog")).isEmpty)
  }

  @Test("calls a model unsure between two close classes of a set, for the first class only")
  func twoClasses() {
    let close = [label("net@1", "beagle", 0.9, at(1)), label("net@1", "poodle", 0.85, at(1))]
    #expect(
      reasons(close)
        == [
          .undecided(
            prediction("net@1", "beagle", 0.9), second: prediction("net@1", "poodle", 0.85))
        ])
    #expect(reasons(close, on: "poodle").isEmpty)
    let clear = [label("net@1", "beagle", 0.9, at(1)), label("net@1", "poodle", 0.7, at(1))]
    #expect(reasons(clear).isEmpty)
    // Just below the threshold, next to a class that is predicted.
    let low = [label("net@1", "beagle", 0.9, at(1)), label("net@1", "poodle", 0.45, at(1))]
    #expect(reasons(low, on: "poodle").isEmpty)
  }

  @Test("reports models that disagree on a class or name different classes of a set")
  func models() {
    #expect(
      reasons(
        [label("net@1", "dog", 0.9, at(1)), label("vit@1", "dog", absent: true, at(2))], on: "dog")
        == [
          .contradicted(
            prediction("net@1", "dog", 0.9), by: [.absent(Annotator(model: "vit@1")!)])
        ])
    #expect(
      reasons([label("net@1", "beagle", 0.9, at(1)), label("vit@1", "poodle", 0.7, at(2))])
        == [
          .contradicted(
            prediction("net@1", "beagle", 0.9), by: [.other(prediction("vit@1", "poodle", 0.7))])
        ])
    // Only the last version of a model counts.
    #expect(
      reasons(
        [label("net@1", "dog", absent: true, at(1)), label("net@2", "dog", 0.9, at(2))], on: "dog"
      )
      .isEmpty)
    #expect(
      reasons(
        [label("net@1", "dog", 0.55, at(1)), label("vit@1", "dog", absent: true, at(2))], on: "dog"
      ).map(\.reason) == [.unsure, .models])
  }

  // MARK: Rulings

  @Test("keeps a ruling until another person contradicts it later")
  func decided() {
    func isRuled(_ labels: [Label], _ restated: [Restatement] = []) -> Bool {
      PhotoEvidence(of: photo(0), labels, rules)
        .decisionStamp(
          on: key("beagle"), by: person("ann"), ReviewHistory([.restated(restated)])) != nil
    }
    let bob = label("bob", "beagle", absent: true, at(5))
    #expect(!isRuled([bob]))
    #expect(!isRuled([label("ann", "beagle", at(4)), bob]))
    #expect(isRuled([label("ann", "beagle", at(6)), bob]))
    // A label that an undo wrote again keeps its original time.
    #expect(!isRuled([label("ann", "beagle", at(6)), bob], [Restatement(at(6), was: at(4))]))
    #expect(!isRuled([label("ann", "beagle", withdrawn: true, at(6)), bob]))
    // A person who agrees later, or a model that does not, does not reopen it.
    let ruling = [label("ann", "beagle", at(6)), bob]
    #expect(isRuled(ruling + [label("cy", "beagle", at(7))]))
    #expect(isRuled(ruling + [label("net@1", "beagle", absent: true, at(7))]))
    #expect(!isRuled(ruling + [label("cy", "beagle", absent: true, at(7))]))
    // Naming another class of the set contradicts this one.
    #expect(!isRuled(ruling + [label("cy", "poodle", at(7))]))
    #expect(isRuled(ruling + [label("cy", "poodle", absent: true, at(7))]))
    #expect(isRuled([label("ann", "poodle", at(6)), label("bob", "beagle", at(5))]))
  }

  @Test("treats two addresses of one person as one person")
  func addresses() {
    var mapped = rules
    mapped.mailmap = Mailmap("Ann <ann@x.org> <old@x.org>\n")
    let labels = [
      label("old", "beagle", at(6)), label("bob", "beagle", absent: true, at(5)),
    ]
    #expect(
      PhotoEvidence(of: photo(0), labels, mapped)
        .decisionStamp(on: key("beagle"), by: person("ann")) == at(6)
    )
    #expect(
      PhotoEvidence(of: photo(0), labels, rules)
        .decisionStamp(on: key("beagle"), by: person("ann")) == nil
    )
  }

  // MARK: Photos

  @Test("finds people who labeled a photo on another device than the one that removed it")
  func removed() {
    let labels = [
      label("ann", "dog", at(1, on: 1)), label("bob", "dog", at(2, on: 2)),
      label("cy", "dog", withdrawn: true, at(2, on: 2)), label("dan", "favorite", at(2, on: 2)),
      label("net@1", "dog", at(2, on: 2)),
    ]
    let evidence = PhotoEvidence(of: photo(0), labels, rules)
    #expect(evidence.concurrentLabelers(of: Register(true, at(9, on: 1))) == [person("bob")])
    #expect(evidence.concurrentLabelers(of: Register(false, at(9, on: 1))).isEmpty)
  }

  @Test("reports similar photos when only one of them has a class")
  func duplicates() {
    func contradictions(_ labels: [Label]...) -> [String] {
      let cases = labels.enumerated().map { PhotoEvidence(of: photo($0), $1, rules) }
      return PhotoEvidence.contradictions(cases).map { item in
        let number = (0..<9).first { photo($0) == item.key.photo } ?? -1
        return "\(number) \(item.key.classKey?.text ?? "")"
      }.sorted()
    }
    let dog = [label("ann", "dog", of: 0, at(1))]
    #expect(contradictions(dog, []).isEmpty)
    #expect(contradictions(dog, [label("bob", "dog", of: 1, at(1))]).isEmpty)
    #expect(contradictions(dog, [label("bob", "cat", of: 1, at(1))]) == ["0 cat", "1 dog"])
    #expect(contradictions(dog, [label("bob", "dog", absent: true, of: 1, at(1))]) == ["1 dog"])
    #expect(contradictions(dog, [label("net@1", "cat", of: 1, at(1))]).isEmpty)
    #expect(contradictions(dog, [label("bob", "favorite", of: 1, at(1))]).isEmpty)
  }

  @Test("dates a contradiction by the people's labels that decided the other photo")
  func duplicatesRaised() {
    let other = PhotoEvidence(
      of: photo(0),
      [
        label("ann", "beagle", of: 0, at(3)), label("net@1", "beagle", of: 0, at(7)),
        // A denial of another class of the set does not count.
        label("cy", "poodle", absent: true, of: 0, at(9)),
      ], rules)
    let one = PhotoEvidence(of: photo(1), [label("bob", "poodle", of: 1, at(1))], rules)
    let item = PhotoEvidence.contradictions([one, other]).first { $0.key.photo == photo(1) }
    #expect(item?.key.classKey == key("beagle") && item?.raised == at(3))
  }

  // MARK: Shards

  @Test("assigns every photo to exactly one shard", arguments: 1...7)
  func shares(count: Int) throws {
    let shares = try (1...count).map { try #require(ReviewShard($0, of: count)) }
    var sizes = [Int](repeating: 0, count: count)
    for number in 0..<2000 {
      let owners = shares.indices.filter { shares[$0].contains(photo(number)) }
      #expect(owners.count == 1)
      for owner in owners { sizes[owner] += 1 }
    }
    for size in sizes { #expect(abs(size - 2000 / count) < 150, "\(sizes)") }
  }

  @Test("assigns a photo to the same shard in every version")
  func stableShares() {
    let owners = (0..<12).map { number in
      (1...3).first { ReviewShard($0, of: 3)!.contains(photo(number)) } ?? 0
    }
    #expect(owners == [2, 2, 3, 2, 3, 3, 1, 1, 3, 2, 2, 1])
  }

  @Test(
    "rejects an invalid shard",
    arguments: ["0/3", "4/3", "1", "/", "1/", "a/b", "1/2/3", "-1/3", "1/9999", "٢/٣"])
  func noShare(text: String) { #expect(ReviewShard(text) == nil) }

  @Test("prints a shard as it was written")
  func shareText() { #expect(ReviewShard("2/3")?.description == "2/3") }

  // MARK: Completion

  @Test("completes a class by the start of its name, key, alias or a word")
  func completion() {
    func labelClass(_ text: String, _ name: String, aliasOf alias: String? = nil) -> LabelClass {
      var labelClass = LabelClass(key: key(text), name: name)
      if let alias { labelClass.aliasOf = Register(key(alias), at(1)) }
      return labelClass
    }
    let classes = ClassCompletion(
      ClassTable(
        [
          labelClass("scots-pine", "Scots pine"), labelClass("pine", "pine"),
          labelClass("oak", "Oak"), labelClass("oak-2", "oak"),
          labelClass("pinus-sylvestris", "Pinus sylvestris", aliasOf: "scots-pine"),
          labelClass("fohre", "Föhre", aliasOf: "scots-pine"),
          labelClass("elm", "Quercus"), labelClass("yew", "Elm"),
        ], indexingNames: true))
    #expect(
      classes.candidates("") == ["yew", "oak", "oak-2", "pine", "Quercus", "Scots pine"])
    #expect(classes.candidates("pin") == ["pine", "Scots pine"])
    #expect(classes.candidates("SCOTS P") == ["Scots pine"])
    #expect(classes.candidates("scots-") == ["Scots pine"])
    #expect(classes.candidates("fö") == ["Scots pine"])
    #expect(classes.candidates("sylv").isEmpty)
    // Classes with the same name are shown by their keys.
    #expect(classes.candidates("Oa") == ["oak", "oak-2"])
    // So is a class whose name is the key of another one.
    #expect(classes.candidates("el") == ["yew", "Quercus"])
  }
}
