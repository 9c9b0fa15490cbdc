import CairnMetrics
import Foundation
import TestSupport
import Testing

@Suite("Scores and intervals")
struct ScoreTests {
  @Test(
    "computes the Wilson interval as statsmodels does",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func wilson() throws {
    let shares = [(0, 1), (1, 1), (0, 20), (20, 20), (47, 100), (1, 3), (912, 1000), (3, 100_000)]
    let questions = shares.map { ["kind": "wilson", "hits": $0.0, "count": $0.1] as [String: Any] }
    for (index, answer) in try Oracle.answers(questions).enumerated() {
      let limits = try #require(answer as? [Double])
      let interval = try #require(Proportion(shares[index].0, of: shares[index].1).interval)
      #expect(abs(interval.lowerBound - limits[0]) < 1e-9, "\(shares[index])")
      #expect(abs(interval.upperBound - limits[1]) < 1e-9, "\(shares[index])")
    }
    #expect(Proportion(0, of: 0).interval == nil && Proportion(0, of: 0).value == nil)
  }

  @Test("counts a group of equal items as one in intervals, but not in point estimates")
  func groups() throws {
    let (one, ten) = (Proportion(27, of: 30), Proportion(270, of: 300, groups: 30))
    #expect(ten.value == one.value && ten.interval == one.interval)
    let sample = ExclusiveSample(seed: 5, photos: 60)
    var (grouped, alone) = (OutcomeCounts(), OutcomeCounts())
    for photo in sample.photos {
      grouped.add(group: [[Int: OutcomeCounts.Outcome]](repeating: photo, count: 10))
      alone.add(photo, weight: 10)
    }
    let classes = sample.counts.classes
    #expect(grouped.classes == classes)
    #expect(grouped.macro(of: classes) == alone.macro(of: classes))
    #expect(grouped.micro(of: classes) == sample.counts.micro(of: classes))
    let interval = try #require(grouped.macroF1Interval(of: classes))
    #expect(interval == sample.counts.macroF1Interval(of: classes))
    let narrow = try #require(alone.macroF1Interval(of: classes))
    #expect(
      interval.upperBound - interval.lowerBound > 2 * (narrow.upperBound - narrow.lowerBound))
  }

  @Test("compares the macro F1 of two models on the same photos")
  func difference() throws {
    let samples = [ExclusiveSample(seed: 7, photos: 80), ExclusiveSample(seed: 7, photos: 80)]
    var (same, worse) = (OutcomeCounts(), OutcomeCounts())
    for (first, second) in zip(samples[0].photos, samples[1].photos) {
      let shifted = second.map { ($0.key + 100, $0.value) }
      same.add(group: [first.merging(shifted) { first, _ in first }])
      let missed = first.filter { $0.value != .falsePositive }
        .map { ($0.key + 100, OutcomeCounts.Outcome.falseNegative) }
      worse.add(group: [first.merging(missed) { first, _ in first }])
    }
    let classes = samples[0].counts.classes
    let others = Set(classes.map { $0 + 100 })
    #expect(same.macroF1DifferenceInterval(of: classes, minus: others) == 0...0)
    // The other model finds nothing, so the difference is the whole score.
    let difference = try #require(worse.macroF1DifferenceInterval(of: classes, minus: others))
    #expect(difference.contains(try #require(samples[0].counts.macro(of: classes)?.f1)))
    #expect(difference.lowerBound > 0)
    #expect(same.macroF1DifferenceInterval(of: classes, minus: []) == nil)
  }

  @Test(
    "computes macro and micro means of several classes as scikit-learn does",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func multilabel() throws {
    var questions: [[String: Any]] = []
    var counts: [(OutcomeCounts, Set<Int>)] = []
    for seed in UInt64(0)..<20 {
      var (random, outcomes) = (SeededGenerator(seed), OutcomeCounts())
      let classes = 2 + random.below(5)
      var (truth, predicted): ([[Int]], [[Int]]) = ([], [])
      for _ in 0..<1 + random.below(60) {
        let row = (0..<classes).map { _ in random.below(3) == 0 ? 1 : 0 }
        let guess = row.map { random.below(4) == 0 ? 1 - $0 : $0 }
        (truth, predicted) = (truth + [row], predicted + [guess])
        var photo: [Int: OutcomeCounts.Outcome] = [:]
        for one in 0..<classes {
          switch (row[one], guess[one]) {
          case (1, 1): photo[one] = .truePositive
          case (1, 0): photo[one] = .falseNegative
          case (0, 1): photo[one] = .falsePositive
          default: break
          }
        }
        outcomes.add(photo)
      }
      questions.append([
        "kind": "means", "truth": truth, "predicted": predicted, "labels": Array(0..<classes),
      ])
      counts.append((outcomes, Set(0..<classes)))
    }
    for (index, answer) in try Oracle.answers(questions).enumerated() {
      try check(answer, counts[index].0, counts[index].1)
    }
  }

  @Test(
    "computes macro and micro means of exclusive classes as scikit-learn does",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func exclusive() throws {
    var questions: [[String: Any]] = []
    var counts: [OutcomeCounts] = []
    for seed in UInt64(0)..<20 {
      let sample = ExclusiveSample(seed: seed, photos: 1 + Int(seed) * 7)
      questions.append(sample.question("means"))
      counts.append(sample.counts)
    }
    for (index, answer) in try Oracle.answers(questions).enumerated() {
      try check(answer, counts[index], counts[index].classes)
    }
  }

  private func check(_ answer: Any, _ counts: OutcomeCounts, _ classes: Set<Int>) throws {
    let answer = try #require(answer as? [String: [Double]])
    for (name, scores) in [
      ("macro", counts.macro(of: classes)), ("micro", counts.micro(of: classes)),
    ] {
      let wanted = try #require(answer[name])
      let own = [scores?.precision ?? 0, scores?.recall ?? 0, scores?.f1 ?? 0]
      for (a, b) in zip(own, wanted) { #expect(abs(a - b) < 1e-9, "\(name): \(own), \(wanted)") }
    }
  }

  @Test(
    "gives a bootstrap interval of macro F1 close to that of resampled photos",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func bootstrap() throws {
    let samples = [UInt64(1), 2, 3].map { ExclusiveSample(seed: $0, photos: 400) }
    let answers = try Oracle.answers(samples.map { $0.question("bootstrap") })
    for (sample, answer) in zip(samples, answers) {
      let wanted = try #require(answer as? [Double])
      let classes = sample.counts.classes
      let interval = try #require(sample.counts.macroF1Interval(of: classes))
      let value = try #require(sample.counts.macro(of: classes)?.f1)
      #expect(interval.contains(value))
      // Both are random: the limits differ by less than a third of the interval.
      let tolerance = (wanted[1] - wanted[0]) / 3
      #expect(abs(interval.lowerBound - wanted[0]) < tolerance, "\(interval), \(wanted)")
      #expect(abs(interval.upperBound - wanted[1]) < tolerance, "\(interval), \(wanted)")
      #expect(sample.counts.macroF1Interval(of: classes) == interval)
    }
    #expect(OutcomeCounts().macroF1Interval(of: []) == nil)
  }
}

/// Random true and predicted classes of an exclusive set; some photos have no prediction.
private struct ExclusiveSample {
  private static let none = 99
  private(set) var truth: [Int] = []
  private(set) var predicted: [Int] = []
  private(set) var counts = OutcomeCounts()
  private(set) var photos: [[Int: OutcomeCounts.Outcome]] = []

  init(seed: UInt64, photos: Int) {
    var random = SeededGenerator(seed)
    let classes = 2 + random.below(4)
    for _ in 0..<photos {
      let one = random.below(classes)
      let guess = random.below(10) < 6 ? one : random.below(classes)
      let isSilent = random.below(8) == 0
      truth.append(one)
      predicted.append(isSilent ? Self.none : guess)
      if isSilent {
        self.photos.append([one: .falseNegative])
      } else {
        self.photos.append(
          guess == one ? [one: .truePositive] : [one: .falseNegative, guess: .falsePositive])
      }
      counts.add(self.photos.last!)
    }
  }

  func question(_ kind: String) -> [String: Any] {
    ["kind": kind, "truth": truth, "predicted": predicted, "labels": counts.classes.sorted()]
  }
}

@Suite("Ranking")
struct RankingTests {
  @Test(
    "computes average precision and the curve as scikit-learn does, also with equal scores",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func oracle() throws {
    var questions: [[String: Any]] = []
    var rankings: [ScoredRanking] = []
    for seed in UInt64(0)..<40 {
      var (random, ranking) = (SeededGenerator(seed), ScoredRanking())
      var (truth, scores): ([Int], [Double]) = ([1, 0], [0.5, 0])
      for _ in 0..<random.below(80) {
        let isPositive = random.below(3) == 0
        // Few different scores, and many photos without one.
        let score = Double(random.below(12) * random.below(2)) / 11
        truth.append(isPositive ? 1 : 0)
        scores.append(isPositive ? score : score * score)
      }
      for (isPositive, score) in zip(truth, scores) {
        ranking.add(score: score, isPositive: isPositive == 1)
      }
      questions.append(["kind": "ranking", "truth": truth, "scores": scores])
      rankings.append(ranking)
    }
    for (index, answer) in try Oracle.answers(questions).enumerated() {
      let (ranking, answer) = (rankings[index], try #require(answer as? [String: Any]))
      #expect(isEqual(ranking.averagePrecision, try #require(answer["ap"])))
      let wanted = try #require(answer["curve"] as? [[Double]]).filter { $0[0] > 0 }
      #expect(ranking.curve.count == wanted.count)
      for (point, wanted) in zip(ranking.curve, wanted) {
        #expect(abs(point.threshold - wanted[0]) < 1e-9)
        #expect(abs(point.precision - wanted[1]) < 1e-9)
        #expect(abs(point.recall - wanted[2]) < 1e-9)
      }
    }
  }

  @Test("has no average precision without both kinds of items")
  func undefined() {
    var ranking = ScoredRanking()
    #expect(ranking.averagePrecision == nil && ranking.curve.isEmpty)
    ranking.add(score: 0.9, isPositive: true)
    #expect(ranking.averagePrecision == nil && ranking.curve.isEmpty)
    ranking.add(score: 0.1, isPositive: false)
    #expect(ranking.averagePrecision == 1 && ranking.curve.count == 2)
    ranking.add(score: 0.1, isPositive: false, weight: -1)
    #expect(ranking.averagePrecision == nil && ranking.negatives == 0)
  }

  @Test("keeps a limited number of evenly spaced points of a long curve")
  func long() {
    var ranking = ScoredRanking()
    for index in 1...1000 {
      ranking.add(score: Double(index) / 1000, isPositive: index % 3 == 0)
    }
    let curve = ranking.curve
    #expect(curve.count == ScoredRanking.pointLimit)
    #expect(curve.last?.recall == 1 && curve.last?.threshold == 0.001)
    #expect(zip(curve, curve.dropFirst()).allSatisfy { $0.threshold > $1.threshold })
  }
}
