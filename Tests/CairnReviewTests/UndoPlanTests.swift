import CairnDocument
import CairnMerge
import CairnReview
import Testing

@Suite("Taking an answer back")
struct UndoPlanTests {
  /// What was said, what ann answers, and what of it was committed.
  private struct Scene {
    var said: [Label]
    var answer: Label
    /// The documents of the last commit; nil for those with the answer.
    var committed: [Label]? = []
    var rules = CairnReviewTests.rules
  }

  /// Takes the answer back; returns what was planned, and the labels after it.
  private func takeBack(_ scene: Scene) throws -> (plan: UndoPlan, after: [Label]) {
    let before = scene.said.first { $0.name == scene.answer.name }
    let now = scene.said.filter { $0.name != scene.answer.name } + [scene.answer]
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

  private func words(_ labels: [Label]) -> Set<String> {
    Set(labels.map { "\($0.annotator.identity) \($0.classKey) \($0.verdict.rawValue) \($0.stamp)" })
  }

  private func states(_ labels: [Label], _ rules: ResolutionRules) -> [String] {
    rules.resolve(labels).map { "\($0.classKey) \($0.state.rawValue)" }
  }

  /// What stands, and what became of each statement.
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

  @Test("what is not committed goes without a trace: the former documents are there again, or none")
  func uncommitted() throws {
    let bob = label("bob", "dog", at(2))
    let first = Scene(said: [bob], answer: label("ann", "dog", absent: true, at(9)))
    #expect(try takeBack(first).after == [bob])
    #expect(try takeBack(first).plan.resaid == [])
    let old = label("ann", "dog", 0.7, at(1))
    for committed in [[], [old]] {
      let again = try takeBack(
        Scene(
          said: [old, bob], answer: label("ann", "dog", absent: true, at(9)), committed: committed))
      #expect(Set(again.after.map(\.canonicalBytes)) == [old.canonicalBytes, bob.canonicalBytes])
      #expect(again.plan.outcome == .asBefore && again.plan.resaid == [])
    }
  }

  @Test("what the same person said on another device, heard of since, is what was there")
  func news() throws {
    let elsewhere = label("ann", "dog", at(5, on: 2))
    for said in [[], [label("ann", "dog", absent: true, at(1))]] {
      let scene = Scene(
        said: said, answer: label("ann", "dog", absent: true, at(9)), committed: [elsewhere])
      #expect(try takeBack(scene).after == [elsewhere])
    }
  }

  @Test("what was changed since is left")
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

  @Test("what is committed is outbid: withdrawn where there was nothing, else said again")
  func committed() throws {
    let bob = label("bob", "dog", absent: true, at(2))
    let first = try takeBack(
      Scene(said: [bob], answer: label("ann", "dog", at(9)), committed: nil))
    #expect(words(first.after) == words([bob, label("ann", "dog", withdrawn: true, at(101))]))
    let old = label("ann", "dog", 0.7, at(1))
    let again = try takeBack(
      Scene(said: [old, bob], answer: label("ann", "dog", absent: true, at(9)), committed: nil))
    #expect(again.after.contains(label("ann", "dog", 0.7, at(101))))
    #expect(again.plan.resaid == [Restatement(at(101), was: at(1))])
  }

  @Test("said again, it does not take the place of what the same person said after it")
  func ownLater() throws {
    // Of an exclusive set the later class stands.
    let breeds = [label("ann", "beagle", at(1)), label("ann", "poodle", at(2))]
    let (plan, after) = try takeBack(
      Scene(said: breeds, answer: label("ann", "beagle", absent: true, at(9)), committed: nil))
    #expect(states(after, rules) == ["beagle rejected", "poodle confirmed"])
    #expect(picture(after, rules) == picture(breeds, rules))
    #expect(plan.resaid.map(\.was) == [at(1), at(2)])
    // A box says otherwise than the whole photo did before it.
    var box = label("ann", "dog", at(2))
    box.region = Region(id: RegionID("0a1b2c3d")!, x: 0.1, y: 0.1, width: 0.5, height: 0.5)
    let boxed = try takeBack(
      Scene(
        said: [label("ann", "dog", absent: true, at(1)), box], answer: label("ann", "dog", at(9)),
        committed: nil))
    #expect(states(boxed.after, rules) == ["dog confirmed"])
    #expect(
      picture(boxed.after, rules)
        == picture([label("ann", "dog", absent: true, at(1)), box], rules))
  }

  @Test("withdrawn under one address, what was said under another stands as before")
  func addresses() throws {
    var mapped = rules
    mapped.mailmap = Mailmap("Ann <ann@x.org> <old@x.org>\n")
    let old = label("old", "dog", at(1))
    let (_, after) = try takeBack(
      Scene(
        said: [old], answer: label("ann", "dog", absent: true, at(9)), committed: nil,
        rules: mapped))
    #expect(states(after, mapped) == ["dog confirmed"])
  }

  @Test("where the last word decides, no former word becomes the last")
  func latest() throws {
    let said = [label("ann", "dog", at(1)), label("bob", "dog", absent: true, at(2))]
    let answer = label("ann", "dog", 0.9, at(9))
    let latest = policy(.latest)
    let (plan, after) = try takeBack(
      Scene(said: said, answer: answer, committed: nil, rules: latest))
    #expect(states(after, latest) == ["dog rejected"])
    #expect(plan.outcome == .withoutFormerWord)
    // Not committed, both words are as they were.
    let (_, exact) = try takeBack(Scene(said: said, answer: answer, rules: latest))
    #expect(words(exact) == words(said))
    // Where the former word was the last, it is so again.
    let last = [label("ann", "dog", at(3)), label("bob", "dog", absent: true, at(2))]
    let kept = try takeBack(
      Scene(
        said: last, answer: label("ann", "dog", absent: true, at(9)), committed: nil, rules: latest)
    )
    #expect(states(kept.after, latest) == ["dog confirmed"] && kept.plan.outcome == .asBefore)
  }

  // MARK: Any history

  @Test("whatever was said and committed, all stands as before", arguments: UInt64(0)..<32)
  func anyHistory(seed: UInt64) throws {
    var random = SplitMix(seed)
    var rules = policy(PeoplePolicy.allCases.randomElement(using: &random)!)
    rules.mailmap = Mailmap("Ann <ann@x.org> <old@x.org>\n")
    func statement(_ annotator: String, _ moment: Int64) -> Label {
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
      var said: [LabelName: Label] = [:]
      for moment in 1...Int64.random(in: 1...8, using: &random) {
        let who = ["ann", "ann", "old", "bob", "cy", "net@1"].randomElement(using: &random)!
        let one = statement(who, moment)
        said[one.name] = one
      }
      var answer = statement("ann", 50)
      answer.region = nil
      let before = Array(said.values)
      let isCommitted = Bool.random(using: &random)
      let (plan, after) = try takeBack(
        Scene(said: before, answer: answer, committed: isCommitted ? nil : before, rules: rules))
      if !isCommitted {
        #expect(words(after) == words(before))
      } else if rules.people == .latest {
        #expect(plan.outcome == .otherwise || states(after, rules) == states(before, rules))
      } else {
        #expect(plan.outcome == .asBefore)
        #expect(picture(after, rules) == picture(before, rules))
      }
      // It wins over what is committed.
      let outbid = after.first { $0.name == answer.name }
      if isCommitted { #expect(outbid.map { $0.stamp > answer.stamp } == true) }
    }
  }
}
