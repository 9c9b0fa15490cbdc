import CairnMetrics
import Foundation
import TestSupport
import Testing

/// Random ratings of units: some raters rate little or err often, some units have no rating.
struct RandomRatings {
  /// By unit, then by rater; nil where there is none.
  var units: [[Int?]] = []
  let categories: Int
  let raters: Int

  init(seed: UInt64) {
    var random = XorshiftGenerator(seed)
    (categories, raters) = (2 + random.below(4), 2 + random.below(4))
    let present = (0..<raters).map { _ in 20 + random.below(81) }
    let right = (0..<raters).map { _ in random.below(101) }
    for _ in 0..<10 + random.below(60) {
      let truth = random.below(categories)
      units.append(
        (0..<raters).map { rater in
          if random.below(100) >= present[rater] { return nil }
          return random.below(100) < right[rater] ? truth : random.below(categories)
        })
    }
  }

  static func ratings(_ unit: [Int?]) -> [RatingTally.Rating] {
    unit.enumerated().compactMap { rater, category in
      category.map { RatingTally.Rating(rater: rater, category: $0) }
    }
  }

  var tally: RatingTally {
    var tally = RatingTally()
    for unit in units { tally.add(RandomRatings.ratings(unit)) }
    return tally
  }
}

@Suite("Agreement")
struct AgreementTests {
  @Test(
    "computes kappa and alpha as scikit-learn, statsmodels and krippendorff do",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func oracles() throws {
    var questions: [[String: Any]] = []
    var figures: [Coefficient] = []
    for seed in UInt64(0)..<60 {
      let random = RandomRatings(seed: seed)
      let tally = random.tally
      for pair in tally.pairs {
        let both = random.units.filter { $0[pair.first] != nil && $0[pair.second] != nil }
        questions.append([
          "kind": "cohen", "first": both.map { $0[pair.first]! },
          "second": both.map { $0[pair.second]! },
        ])
        figures.append(tally.cohensKappa(pair))
      }
      if let fleiss = tally.fleissUnits {
        let table = random.units.filter { $0.count { $0 != nil } == fleiss.ratings }.map { unit in
          (0..<random.categories).map { category in unit.count { $0 == category } }
        }
        #expect(table.count == fleiss.count)
        questions.append(["kind": "fleiss", "table": table])
        figures.append(tally.fleissKappa())
      }
      if tally.krippendorffsAlpha().value != nil {
        let rows = (0..<random.raters).map { rater in
          random.units.map { $0[rater].map { $0 as Any } ?? NSNull() }
        }
        questions.append(["kind": "alpha", "ratings": rows])
        figures.append(tally.krippendorffsAlpha())
      }
    }
    let answers = try Oracle.answers(questions)
    #expect(figures.count { $0.value != nil } > 300)
    for (index, answer) in answers.enumerated() {
      #expect(
        isEqual(figures[index].value, answer), "\(questions[index]): \(figures[index]), \(answer)")
    }
  }

  /// Source: scikit-learn 1.9.1, statsmodels 0.15.0 and krippendorff 0.9.0, run once.
  @Test("computes the frozen figures of a table of 17 ratings")
  func golden() {
    // Raters 1 to 3 of units t1 to t6.
    let units: [[Int?]] = [
      [0, 0, 1], [1, 1, 1], [2, 2, 0], [2, nil, 2], [1, 0, 1], [0, 0, 0],
    ]
    var tally = RatingTally()
    for unit in units { tally.add(RandomRatings.ratings(unit)) }
    #expect(tally.ratings == 17)
    #expect(tally.fleissUnits?.ratings == 3 && tally.fleissUnits?.count == 5)
    #expect(tally.raters == [0, 1, 2])
    #expect(tally.pairs.map { tally.units(of: $0) } == [5, 6, 5])
    func isNear(_ figure: Coefficient, _ wanted: Double) -> Bool {
      figure.value.map { abs($0 - wanted) < 1e-12 } ?? false
    }
    #expect(isNear(tally.krippendorffsAlpha(), 0.48936170212765955))
    #expect(isNear(tally.fleissKappa(), 0.338235294117647))
    for (pair, kappa) in zip(tally.pairs, [0.6875, 0.5, 0.0625]) {
      #expect(isNear(tally.cohensKappa(pair), kappa))
    }
  }

  @Test("pools the kappas of several classes")
  func pooled() throws {
    func tally(_ units: [[Int?]]) -> RatingTally {
      var tally = RatingTally()
      for unit in units { tally.add(RandomRatings.ratings(unit)) }
      return tally
    }
    // Observed and expected agreement of 4 units each: 3 and 2; 2 and 2.5.
    let items = [
      tally([[0, 0], [0, 1], [1, 1], [1, 1]]), tally([[0, 0], [0, 1], [0, 0], [1, 0]]),
    ]
    let constant = tally([[1, 1], [1, 1]])
    let pair = try #require(items[0].pairs.first)
    #expect(RatingTally.pooledKappa(pair, of: items) == .value(0.5 / 3.5))
    #expect(RatingTally.pooledKappa(pair, of: items + [constant]) == .value(0.5 / 3.5))
    #expect(RatingTally.pooledKappa(pair, of: [constant]) == .undefined(.noVariation))
    #expect(RatingTally.pooledKappa(pair, of: [tally([[0, nil]])]) == .undefined(.noOverlap))
    #expect(RatingTally.pooledKappa(pair, of: [tally([[1, 1], [0, 0]])]) == .value(1))
    for seed in UInt64(0)..<20 {
      let tally = RandomRatings(seed: seed).tally
      for pair in tally.pairs {
        let (pooled, kappa) = (RatingTally.pooledKappa(pair, of: [tally]), tally.cohensKappa(pair))
        #expect(pooled.reason == kappa.reason)
        #expect(isEqual(pooled.value, kappa.value as Any? ?? NSNull()), "\(pooled), \(kappa)")
      }
    }
  }

  @Test("gives the reason when a figure is undefined")
  func undefined() {
    func tally(_ units: [[Int?]]) -> RatingTally {
      var tally = RatingTally()
      for unit in units { tally.add(RandomRatings.ratings(unit)) }
      return tally
    }
    for (units, reason) in [
      ([], Coefficient.Reason.noOverlap), ([[0], [1], [0]], .noOverlap),
      ([[0, nil], [nil, 1]], .noOverlap), ([[1, 1], [1, 1], [nil, 0]], .noVariation),
    ] {
      let tally = tally(units)
      for figure in [tally.lightsKappa(), tally.fleissKappa(), tally.krippendorffsAlpha()] {
        #expect(figure == .undefined(reason), "\(units)")
      }
    }
    let agreed = tally([[1, 1], [0, 0]])
    #expect(agreed.lightsKappa() == .value(1) && agreed.fleissKappa() == .value(1))
    #expect(agreed.krippendorffsAlpha() == .value(1))
    let opposed = tally([[1, 0], [0, 1]])
    #expect(opposed.lightsKappa() == .value(-1) && opposed.fleissKappa() == .value(-1))
  }

  @Test(
    "adds up tallies of parts to the tally of all, and removes ratings again", arguments: 0..<20)
  func additive(seed: UInt64) {
    let random = RandomRatings(seed: seed)
    let ratings = random.units.map(RandomRatings.ratings)
    var (parts, rest) = (RatingTally(), RatingTally())
    for (index, unit) in ratings.enumerated() {
      if index % 3 == 0 { parts.add(unit) } else { rest.add(unit) }
    }
    parts.add(rest)
    let whole = random.tally
    #expect(parts == whole)
    for unit in ratings.dropFirst(5) { parts.add(unit, weight: -1) }
    var few = RatingTally()
    for unit in ratings.prefix(5) { few.add(unit) }
    #expect(parts.krippendorffsAlpha() == few.krippendorffsAlpha())
    #expect(parts.fleissKappa() == few.fleissKappa())
    #expect(parts.pairs == few.pairs && parts.raters == few.raters)
    for pair in few.pairs { #expect(parts.cohensKappa(pair) == few.cohensKappa(pair)) }
    for pair in whole.pairs {
      let both = whole.tally(of: pair)
      #expect(both.units == whole.units(of: pair))
      #expect(both.lightsKappa() == whole.cohensKappa(pair))
    }
  }
}
