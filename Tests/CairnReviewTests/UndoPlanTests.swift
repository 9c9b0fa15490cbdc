import CairnDocument
import CairnMerge
import CairnReview
import TestSupport
import Testing

@Suite("Undo plans")
struct UndoPlanTests {
  /// The labels before the answer, ann's answer, and the labels that are committed.
  private struct Scene {
    var labels: [Label]
    var answer: Label
    /// The labels of the last commit; nil: the current ones, with the answer.
    var committed: [Label]? = []
    var rules = CairnReviewTests.rules
  }

  /// Undoes the answer, and returns the plan and the labels after it.
  private func undo(_ scene: Scene) throws -> (plan: UndoPlan, after: [Label]) {
    let before = scene.labels.first { $0.name == scene.answer.name }
    let now = scene.labels.filter { $0.name != scene.answer.name } + [scene.answer]
    let committed = Dictionary((scene.committed ?? now).map { ($0.name, $0) }) { $1 }
    var moment: Int64 = 100
    let plan = try #require(
      UndoPlan(
        [LabelChange(before: before, after: scene.answer)],
        in: PhotoEvidence(of: photo(0), now, scene.rules), committed: committed
      ) { stamp in
        moment += 1
        #expect(stamp < at(moment))
        return at(moment)
      })
    let written = Dictionary(plan.written.map { ($0.name, $0) }) { $1 }
    let removed = Set(plan.removed.map(\.name))
    var after = now.map { written[$0.name] ?? $0 }.filter { !removed.contains($0.name) }
    after += written.values.filter { label in !after.contains { $0.name == label.name } }
    return (plan, after)
  }

  private func summary(_ labels: [Label]) -> Set<String> {
    Set(labels.map { "\($0.annotator.identity) \($0.classKey) \($0.verdict.rawValue) \($0.stamp)" })
  }

  private func states(_ labels: [Label], _ rules: ResolutionRules) -> [String] {
    rules.resolve(labels).map { "\($0.classKey) \($0.state.rawValue)" }
  }

  /// Returns the resolutions, and the status of each label.
  private func picture(_ labels: [Label], _ rules: ResolutionRules) -> [String] {
    rules.explain(labels).filter { $0.state != .open }.flatMap { resolution in
      ["\(resolution.classKey) \(resolution.state)"]
        + resolution.evidence.filter { $0.label.verdict != .withdrawn }
        .map { "\($0.label.name) \($0.status.code)" }.sorted()
    }
  }

  private func policy(_ people: PeoplePolicy) -> ResolutionRules {
    var rules = rules
    rules.people = people
    return rules
  }

  // MARK: Not committed

  @Test("removes an uncommitted answer and restores the previous document, if any")
  func uncommitted() throws {
    let bob = label("bob", "dog", at(2))
    let first = Scene(labels: [bob], answer: label("ann", "dog", absent: true, at(9)))
    #expect(try undo(first).after == [bob])
    #expect(try undo(first).plan.restated == [])
    let old = label("ann", "dog", 0.7, at(1))
    for committed in [[], [old]] {
      let again = try undo(
        Scene(
          labels: [old, bob], answer: label("ann", "dog", absent: true, at(9)),
          committed: committed))
      #expect(Set(again.after.map(\.canonicalBytes)) == [old.canonicalBytes, bob.canonicalBytes])
      #expect(again.plan.outcome == .asBefore && again.plan.restated == [])
    }
  }

  @Test("restores the same person's label that was fetched from another device")
  func fetchedLabel() throws {
    let elsewhere = label("ann", "dog", at(5, on: 2))
    for labels in [[], [label("ann", "dog", absent: true, at(1))]] {
      let scene = Scene(
        labels: labels, answer: label("ann", "dog", absent: true, at(9)), committed: [elsewhere])
      #expect(try undo(scene).after == [elsewhere])
    }
  }

  @Test("leaves a label that was changed since")
  func changedSince() {
    let answer = label("ann", "dog", at(9))
    let now = label("ann", "dog", absent: true, at(10))
    #expect(
      UndoPlan(
        [LabelChange(before: nil, after: answer)], in: PhotoEvidence(of: photo(0), [now], rules),
        committed: [:]
      ) { $0 } == nil)
  }

  // MARK: Committed

  @Test("overrides a committed answer: withdraws it or writes the previous label again")
  func committed() throws {
    let bob = label("bob", "dog", absent: true, at(2))
    let first = try undo(
      Scene(labels: [bob], answer: label("ann", "dog", at(9)), committed: nil))
    #expect(summary(first.after) == summary([bob, label("ann", "dog", withdrawn: true, at(101))]))
    let old = label("ann", "dog", 0.7, at(1))
    let again = try undo(
      Scene(labels: [old, bob], answer: label("ann", "dog", absent: true, at(9)), committed: nil))
    #expect(again.after.contains(label("ann", "dog", 0.7, at(101))))
    #expect(again.plan.restated == [Restatement(at(101), was: at(1))])
  }

  @Test("keeps the same person's later labels effective when it writes a label again")
  func ownLater() throws {
    // In an exclusive set the later class counts.
    let breeds = [label("ann", "beagle", at(1)), label("ann", "poodle", at(2))]
    let (plan, after) = try undo(
      Scene(labels: breeds, answer: label("ann", "beagle", absent: true, at(9)), committed: nil))
    #expect(states(after, rules) == ["beagle rejected", "poodle confirmed"])
    #expect(picture(after, rules) == picture(breeds, rules))
    #expect(plan.restated.map(\.was) == [at(1), at(2)])
    // A box contradicts an earlier label of the whole photo.
    var box = label("ann", "dog", at(2))
    box.region = Region(id: RegionID("0a1b2c3d")!, x: 0.1, y: 0.1, width: 0.5, height: 0.5)
    let boxed = try undo(
      Scene(
        labels: [label("ann", "dog", absent: true, at(1)), box], answer: label("ann", "dog", at(9)),
        committed: nil))
    #expect(states(boxed.after, rules) == ["dog confirmed"])
    #expect(
      picture(boxed.after, rules)
        == picture([label("ann", "dog", absent: true, at(1)), box], rules))
  }

  @Test("keeps a label under another address effective when it withdraws the answer")
  func addresses() throws {
    var mapped = rules
    mapped.mailmap = Mailmap("Ann <ann@x.org> <old@x.org>\n")
    let old = label("old", "dog", at(1))
    let (_, after) = try undo(
      Scene(
        labels: [old], answer: label("ann", "dog", absent: true, at(9)), committed: nil,
        rules: mapped))
    #expect(states(after, mapped) == ["dog confirmed"])
  }

  @Test("writes no earlier label as the latest one under policy latest")
  func latest() throws {
    let labels = [label("ann", "dog", at(1)), label("bob", "dog", absent: true, at(2))]
    let answer = label("ann", "dog", 0.9, at(9))
    let latest = policy(.latest)
    let (plan, after) = try undo(
      Scene(labels: labels, answer: answer, committed: nil, rules: latest))
    #expect(states(after, latest) == ["dog rejected"])
    #expect(plan.outcome == .previousWithdrawn)
    // If nothing is committed, both labels are restored exactly.
    let (_, exact) = try undo(Scene(labels: labels, answer: answer, rules: latest))
    #expect(summary(exact) == summary(labels))
    // If the previous label was the latest, it becomes the latest again.
    let last = [label("ann", "dog", at(3)), label("bob", "dog", absent: true, at(2))]
    let kept = try undo(
      Scene(
        labels: last, answer: label("ann", "dog", absent: true, at(9)), committed: nil,
        rules: latest))
    #expect(states(kept.after, latest) == ["dog confirmed"] && kept.plan.outcome == .asBefore)
  }

  // MARK: Any history

  @Test("restores every resolution after any labels and commits", arguments: UInt64(0)..<32)
  func anyHistory(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var rules = policy(PeoplePolicy.allCases.randomElement(using: &random)!)
    rules.mailmap = Mailmap("Ann <ann@x.org> <old@x.org>\n")
    func randomLabel(_ annotator: String, _ moment: Int64) -> Label {
      let classKey = ["beagle", "poodle", "dog"].randomElement(using: &random)!
      let verdict = Int.random(in: 0..<5, using: &random)
      var one = label(
        annotator, classKey, absent: verdict == 3, withdrawn: verdict == 4, at(moment))
      if Int.random(in: 0..<4, using: &random) == 0 {
        one.region = Region(id: RegionID("0a1b2c3d")!, x: 0, y: 0, width: 0.5, height: 0.5)
      }
      return one
    }
    for _ in 0..<10 {
      var labels: [LabelName: Label] = [:]
      for moment in 1...Int64.random(in: 1...8, using: &random) {
        let who = ["ann", "ann", "old", "bob", "cy", "net@1"].randomElement(using: &random)!
        let one = randomLabel(who, moment)
        labels[one.name] = one
      }
      var answer = randomLabel("ann", 50)
      answer.region = nil
      let before = Array(labels.values)
      let isCommitted = Bool.random(using: &random)
      let (plan, after) = try undo(
        Scene(labels: before, answer: answer, committed: isCommitted ? nil : before, rules: rules))
      if !isCommitted {
        #expect(summary(after) == summary(before))
      } else if rules.people == .latest {
        #expect(plan.outcome == .statusChanged || states(after, rules) == states(before, rules))
      } else {
        #expect(plan.outcome == .asBefore)
        #expect(picture(after, rules) == picture(before, rules))
      }
      // The new label wins over the committed one.
      let outbid = after.first { $0.name == answer.name }
      if isCommitted { #expect(outbid.map { $0.stamp > answer.stamp } == true) }
    }
  }
}
