import CairnDocument
import CairnMerge
import TestSupport
import Testing

@Suite("Resolution")
struct ResolutionTests {
  private let rules = ResolutionRules()

  /// Resolves `labels` of one class, and checks that their order does not matter.
  private func resolve(_ labels: [Label], _ other: ResolutionRules? = nil) -> Resolution? {
    let rules = other ?? rules
    let resolved = rules.resolve(labels)
    #expect(resolved.count <= 1)
    var random = SeededGenerator(UInt64(labels.count))
    for _ in 0..<4 { #expect(rules.resolve(labels.shuffled(using: &random)) == resolved) }
    return resolved.first
  }

  @Test("resolves nothing when there are no labels or only withdrawn ones")
  func nothing() {
    #expect(rules.resolve([]).isEmpty)
    #expect(resolve([label("human:a@x", .withdrawn), label("model:m@1", .withdrawn)]) == nil)
  }

  @Test("resolves each class separately, sorted by key")
  func classes() {
    let resolved = rules.resolve([
      label("human:a@x", of: "oak"), label("human:a@x", .absent, of: "elm"),
      label("model:m@1", of: "ash"),
    ])
    #expect(resolved.map(\.classKey.text) == ["ash", "elm", "oak"])
    #expect(resolved.map(\.state) == [.predicted, .rejected, .confirmed])
  }

  @Test("lets one person decide over any number of models, at any time and confidence")
  func peopleOverModels() {
    let models = (0..<9).map { label("model:m\($0)@1", .present, confidence: 1, at(1000)) }
    for stamp in [at(0), at(1000), at(2000)] {
      let absent = label("human:a@x", .absent, confidence: 0.01, stamp)
      #expect(resolve(models + [absent])?.state == .rejected)
      let present = label("human:a@x", .present, confidence: 0, stamp)
      let denials = (0..<9).map { label("model:m\($0)@1", .absent, confidence: 1, at(1000)) }
      #expect(resolve(denials + [present])?.state == .confirmed)
    }
  }

  @Test("keeps a class rejected when the model or its next version runs again")
  func staysRejected() {
    let history = [
      label("model:m@1", confidence: 0.7, at(1)), label("human:a@x", .absent, at(2)),
      label("model:m@1", confidence: 0.99, at(3)), label("model:m@2", confidence: 1, at(4)),
    ]
    #expect(resolve(history)?.state == .rejected)
    #expect(
      resolve(history)?.reason
        == .agreement(VoteSides(present: [], absent: people("a")), set: nil))
  }

  @Test("leaves the decision to the others when a person withdraws their label")
  func withdrawn() {
    let model = label("model:m@1", confidence: 0.9, at(1))
    #expect(resolve([model, label("human:a@x", .withdrawn, at(2))])?.state == .predicted)
    let others = [label("human:a@x", .withdrawn, at(9)), label("human:b@x", .absent, at(2))]
    #expect(resolve([model] + others)?.state == .rejected)
  }

  @Test("decides by majority and disputes a tie")
  func majority() {
    let present = (0..<3).map { label("human:p\($0)@x", .present, at(Int64($0))) }
    let absent = (0..<3).map { label("human:q\($0)@x", .absent, at(100)) }
    for (yes, no) in [(1, 0), (2, 1), (3, 1), (3, 2)] {
      let share = Double(yes) / Double(yes + no)
      let resolved = resolve(Array(present[..<yes] + absent[..<no]))
      #expect(resolved?.state == .confirmed)
      #expect(resolved?.confidence == share)
      let opposite = resolve(Array(present[..<no] + absent[..<yes]))
      #expect(opposite?.state == .rejected)
      #expect(opposite?.confidence == share)
    }
    for count in 1...3 {
      let tie = resolve(Array(present[..<count] + absent[..<count]))
      #expect(tie?.state == .disputed)
      #expect(tie?.confidence == 0.5)
    }
    #expect(
      resolve([present[0], present[1], absent[0]])?.reason
        == .majority(VoteSides(present: people("p0", "p1"), absent: people("q0"))))
  }

  @Test("follows the person who labeled last under policy latest, ties by annotator")
  func latest() {
    let latest = ResolutionRules(people: .latest)
    let crowd = (0..<3).map { label("human:p\($0)@x", .present, at(Int64($0))) }
    #expect(resolve(crowd + [label("human:q@x", .absent, at(3))], latest)?.state == .rejected)
    #expect(resolve(crowd + [label("human:q@x", .absent, at(1))], latest)?.state == .confirmed)
    #expect(resolve(crowd + [label("model:q@1", .absent, at(9))], latest)?.state == .confirmed)
    let tie = [label("human:a@x", .present, at(1)), label("human:b@x", .absent, at(1))]
    #expect(resolve(tie, latest)?.state == .rejected)
    let withdrew =
      crowd + [
        label("human:q@x", .absent, at(3)), label("human:r@x", .withdrawn, at(4)),
      ]
    #expect(resolve(withdrew, latest)?.state == .rejected)
  }

  @Test("disputes a class with one dissenter under policy unanimous")
  func unanimous() {
    let unanimous = ResolutionRules(people: .unanimous)
    let crowd = (0..<4).map { label("human:p\($0)@x", .present) }
    #expect(resolve(crowd, unanimous)?.state == .confirmed)
    #expect(resolve(crowd + [label("human:q@x", .absent)], unanimous)?.state == .disputed)
    #expect(resolve(crowd + [label("human:q@x", .absent)])?.state == .confirmed)
    #expect(resolve([label("human:q@x", .absent)], unanimous)?.state == .rejected)
  }

  @Test("overrides a person's earlier regions with a label of the whole photo, not later ones")
  func wholePhotoOverRegions() {
    let box = label("human:a@x", .present, region: "00000001", at(1))
    let whole = label("human:a@x", .absent, at(2))
    #expect(resolve([box, whole])?.state == .rejected)
    let later = label("human:a@x", .present, region: "00000002", at(3))
    #expect(resolve([box, whole, later])?.state == .confirmed)
  }

  @Test("counts several regions as one vote, present if any region is")
  func regions() {
    let alice = [
      label("human:a@x", .absent, region: "00000001", at(1)),
      label("human:a@x", .present, region: "00000002", at(2)),
      label("human:a@x", .present, region: "00000003", at(3)),
    ]
    #expect(resolve(alice)?.state == .confirmed)
    // Three boxes are one vote.
    #expect(resolve(alice + [label("human:b@x", .absent)])?.state == .disputed)
    let two = [label("human:b@x", .absent), label("human:c@x", .absent)]
    #expect(resolve(alice + two)?.state == .rejected)
    let gone = alice.map { one in
      var one = one
      if one.verdict == .present { one.verdict = .withdrawn }
      return one
    }
    #expect(resolve(gone)?.state == .rejected)
    let boxes = [("00000001", 0.6), ("00000002", 0.8)].map {
      label("model:m@1", confidence: $0.1, region: $0.0)
    }
    #expect(resolve(boxes)?.confidence == 0.8)
  }

  @Test("counts a model's label at or above the threshold", arguments: [0.0, 0.5, 0.85, 1.0])
  func threshold(threshold: Double) {
    let rules = ResolutionRules(threshold: threshold)
    for confidence in [0, 0.4999, 0.5, 0.8499, 0.85, 0.9999, 1.0] {
      let resolved = resolve([label("model:m@1", confidence: confidence)], rules)
      #expect((resolved?.state == .predicted) == (confidence >= threshold), "\(confidence)")
      #expect(resolved == nil || resolved?.confidence == confidence)
    }
    #expect(resolve([label("model:m@1", .absent, confidence: 1)], rules) == nil)
  }

  @Test("counts each model's last version and picks the most confident model")
  func versions() {
    let old = label("model:m@2", confidence: 0.95, at(1))
    #expect(resolve([old, label("model:m@1", confidence: 0.6, at(2))])?.confidence == 0.6)
    #expect(resolve([old, label("model:m@1", confidence: 0.2, at(2))]) == nil)
    #expect(resolve([old, label("model:m@1", .absent, at(2))]) == nil)
    // A withdrawn label does not count, so the previous version counts again.
    #expect(resolve([old, label("model:m@1", .withdrawn, at(2))])?.confidence == 0.95)
    let other = label("model:n@1", confidence: 0.7, at(0))
    let resolved = resolve([old, label("model:m@1", confidence: 0.6, at(2)), other])
    #expect(resolved?.confidence == 0.7)
    #expect(
      resolved?.reason == .predicted(by: Annotator("model:n@1")!, confidence: JSONNumber(0.7)))
    #expect(resolve([label("model:m@1", .absent, at(9)), other])?.state == .predicted)
  }

  @Test("reads the policy and the thresholds from the manifest")
  func manifest() {
    var manifest = Manifest(id: DatasetID("5e0c92ab71d43f68c0aa")!, name: "a", stamp: at(0))
    #expect(ResolutionRules(manifest) == ResolutionRules(people: .majority, threshold: 0.5))
    manifest.people = Register(.latest, at(1))
    manifest.threshold = Register(Fraction(0.85)!, at(1))
    manifest.setThreshold(of: "resnet50", Register(Fraction(0.6), at(1)))
    manifest.setThreshold(of: "yolo", Register(nil, at(1)))
    let rules = ResolutionRules(manifest)
    #expect(
      rules
        == ResolutionRules(people: .latest, threshold: 0.85, thresholds: ["resnet50": 0.6]))
    #expect(rules.threshold(of: "resnet50") == 0.6)
    #expect(rules.threshold(of: "yolo") == 0.85)
  }

  @Test("resolves the same in any order of labels", arguments: UInt64(0)..<64)
  func order(seed: UInt64) {
    var random = SeededGenerator(seed)
    let labels = (0..<10).map { index in
      label(
        random.pick(["human:a@x", "human:b@x", "human:c@x", "model:m@1", "model:m@2", "model:n@1"]),
        random.pick(Verdict.allCases), of: random.pick(["oak", "elm", "ash"]),
        confidence: random.pick([0.4, 0.6, 0.6, 1]), region: "0000000\(index)", random.stamp())
    }
    for people in PeoplePolicy.allCases {
      let rules = ResolutionRules(people: people, threshold: 0.5)
      let resolved = rules.resolve(labels)
      #expect(rules.resolve(labels.shuffled(using: &random)) == resolved)
      for one in resolved {
        let counted = labels.filter { $0.classKey == one.classKey && $0.verdict != .withdrawn }
        let hasPeople = counted.contains(where: \.annotator.isHuman)
        #expect((one.state == .predicted) == !hasPeople)
        // Labels of models change nothing if a person has labeled the class.
        if hasPeople {
          let people = rules.resolve(counted.filter(\.annotator.isHuman))
          #expect(people.map(\.state) == [one.state])
          #expect(people.map(\.reason) == [one.reason])
        }
      }
    }
  }
}
