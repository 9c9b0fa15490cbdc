import CairnDocument
import CairnMerge
import Testing

@Suite("Rules for models")
struct ModelRulesTests {
  private let first = RunID("00000000000000000001")!
  private let second = RunID("00000000000000000002")!

  @Test("excludes labels of a withdrawn run and counts the previous version again")
  func withdrawnRun() {
    let labels = [
      label("model:m@1", of: "oak", run: first, confidence: 0.9, at(1)),
      label("model:m@2", of: "oak", run: second, confidence: 0.6, at(2)),
    ]
    let all = ResolutionRules().explain(shuffling: labels)["oak"]
    #expect(all?.confidence == 0.6)
    #expect(all?.statuses == ["m@1: older-version", "m@2: counted"])
    let found = ResolutionRules(withdrawnRuns: [second]).explain(shuffling: labels)["oak"]
    #expect(found?.state == .predicted)
    #expect(found?.confidence == 0.9)
    #expect(found?.statuses == ["m@1: counted", "m@2: run-withdrawn"])
    let none = ResolutionRules(withdrawnRuns: [first, second])
    #expect(none.resolve(labels).isEmpty)
    #expect(none.explain(shuffling: labels)["oak"]?.state == .open)
  }

  @Test("keeps a person's verdict when any runs are withdrawn, even one it names")
  func peopleSurviveRuns() {
    var verdict = label("human:a@x", .absent, of: "oak", at(1))
    verdict.run = second
    let labels = [
      verdict, label("model:m@1", of: "oak", run: first, at(2)),
      label("model:m@2", of: "oak", run: second, at(3)),
    ]
    for withdrawn: Set<RunID> in [[], [first], [second], [first, second]] {
      let found = ResolutionRules(withdrawnRuns: withdrawn).explain(shuffling: labels)["oak"]
      #expect(found?.state == .rejected)
      #expect(
        found?.reason == .agreement(VoteSides(present: [], absent: people("a")), set: nil))
      #expect(found?.evidence.first?.status == .counted)
    }
  }

  @Test("counts only the newest version of each model for the whole photo")
  func newestVersionOfThePhoto() {
    let labels = [
      label("model:m@1", of: "oak", confidence: 0.9, at(1)),
      label("model:m@2", of: "elm", confidence: 0.7, at(2)),
      label("model:n@1", of: "oak", confidence: 0.6, at(0)),
    ]
    let found = ResolutionRules().explain(shuffling: labels)
    #expect(found["elm"]?.state == .predicted)
    // The older version's label does not count when the newer version no longer gives it.
    #expect(found["oak"]?.confidence == 0.6)
    #expect(found["oak"]?.statuses == ["n@1: counted", "m@1: older-version"])
    #expect(
      ResolutionRules().explain(shuffling: Array(labels[..<2]))["oak"]?.state == .open)
  }

  @Test("applies a model's own threshold, or the dataset's")
  func thresholds() {
    let rules = ResolutionRules(threshold: 0.5, thresholds: ["strict": 0.8, "lax": 0.1])
    func explain(_ model: String, _ confidence: Double) -> Resolution? {
      rules.explain(shuffling: [label("model:\(model)@1", of: "oak", confidence: confidence)])[
        "oak"]
    }
    #expect(explain("strict", 0.8)?.state == .predicted)
    #expect(explain("strict", 0.79)?.state == .open)
    #expect(explain("strict", 0.79)?.evidence.map(\.status) == [.belowThreshold(0.8)])
    #expect(explain("lax", 0.1)?.state == .predicted)
    #expect(explain("plain", 0.49)?.evidence.map(\.status) == [.belowThreshold(0.5)])
    #expect(explain("plain", 0.5)?.state == .predicted)
  }

  @Test("never rejects a class by a model's “absent” and says so")
  func absence() {
    let found = ResolutionRules().explain(shuffling: [label("model:m@1", .absent, of: "oak")])[
      "oak"]
    #expect(found?.state == .open)
    #expect(found?.reason == .noneCounts)
    #expect(found?.evidence.map(\.status) == [.absence])
  }

  @Test("accepts any number as a threshold", arguments: [Double.nan, .infinity, -1])
  func oddThreshold(threshold: Double) {
    let rules = ResolutionRules(threshold: threshold)
    let found = rules.explain(shuffling: [label("model:m@1", of: "oak", confidence: 0.5)])["oak"]
    #expect((found?.state == .open) == (threshold == .infinity))
  }
}
