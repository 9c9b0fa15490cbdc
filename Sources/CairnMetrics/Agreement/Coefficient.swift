/// A coefficient of agreement: 1 if all agree, 0 if they agree as often as by chance, less if less
/// often.
public enum Coefficient: Equatable, Sendable {
  case value(Double)
  case undefined(Reason)

  /// The reason that there is no value.
  public enum Reason: String, Sendable, CaseIterable {
    /// No unit was rated by two raters.
    case noOverlap = "no-overlap"
    /// All ratings are of one category, so that chance alone would also agree.
    case noVariation = "no-variation"
  }

  /// The number; nil if it is undefined.
  public var value: Double? { if case .value(let value) = self { value } else { nil } }

  /// Why it is undefined; nil if it is not.
  package var reason: Reason? { if case .undefined(let reason) = self { reason } else { nil } }

  /// Creates a coefficient: how far `observed` exceeds `expected`, as a share of how far 1 does.
  fileprivate init(observed: Double, expected: Double) {
    self = .value((observed - expected) / (1 - expected))
  }
}

extension RatingTally {
  /// Returns Cohen's kappa of two raters: their agreement beyond that of two raters who choose
  /// independently with the same frequencies.
  ///
  /// Source: J. Cohen, “A coefficient of agreement for nominal scales”, 1960.
  package func cohensKappa(_ pair: Pair) -> Coefficient {
    let total = units(of: pair)
    guard total > 0 else { return .undefined(.noOverlap) }
    let chance = chance(of: pair)
    guard chance < total * total else { return .undefined(.noVariation) }
    return Coefficient(
      observed: Double(concordantUnits(of: pair)) / Double(total),
      expected: Double(chance) / (Double(total) * Double(total)))
  }

  /// Returns the pooled kappa of two raters: their agreement on several items together, each item a
  /// tally of its own. An item without variation adds nothing; the others count by their units.
  ///
  /// Source: H. De Vries et al., “Using pooled kappa to summarize interrater agreement across many
  /// items”, 2008.
  package static func pooledKappa(_ pair: Pair, of items: [RatingTally]) -> Coefficient {
    var (isShared, observed, possible) = (false, 0.0, 0.0)
    for item in items {
      let (units, chance) = (item.units(of: pair), item.chance(of: pair))
      if units > 0 { isShared = true }
      guard chance < units * units else { continue }
      let expected = Double(chance) / Double(units)
      observed += Double(item.concordantUnits(of: pair)) - expected
      possible += Double(units) - expected
    }
    guard isShared else { return .undefined(.noOverlap) }
    return possible > 0 ? .value(observed / possible) : .undefined(.noVariation)
  }

  /// Returns the number of agreements by chance of two raters, times the units that both rated.
  private func chance(of pair: Pair) -> Int {
    var (first, second): ([Int: Int], [Int: Int]) = ([:], [:])
    for (cell, count) in byPair[pair] ?? [:] {
      first[cell.first, default: 0] += count
      second[cell.second, default: 0] += count
    }
    // Integers, so that the order of the sum never matters.
    return first.reduce(0) { $0 + $1.value * (second[$1.key] ?? 0) }
  }

  /// Returns the mean of Cohen's kappa over the pairs of raters for which it is defined.
  ///
  /// Source: R. J. Light, “Measures of response agreement for qualitative data”, 1971.
  package func lightsKappa() -> Coefficient {
    let kappas = pairs.map(cohensKappa)
    let values = kappas.compactMap(\.value)
    if values.isEmpty { return .undefined(kappas.isEmpty ? .noOverlap : .noVariation) }
    return .value(values.reduce(0, +) / Double(values.count))
  }

  /// The units for Fleiss' kappa, which requires an equal number of ratings for each unit: the
  /// number of ratings, two or more, that most units have (the greatest if several are equal), and
  /// the number of those units.
  package var fleissUnits: (ratings: Int, count: Int)? {
    byRatings.filter { $0.key > 1 && $0.value.count > 0 }
      .max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
      .map { ($0.key, $0.value.count) }
  }

  /// Returns Fleiss' kappa of the units with the most frequent number of ratings.
  ///
  /// Source: J. L. Fleiss, “Measuring nominal scale agreement among many raters”, 1971.
  package func fleissKappa() -> Coefficient {
    guard let (ratings, count) = fleissUnits, let units = byRatings[ratings] else {
      return .undefined(.noOverlap)
    }
    let total = ratings * count
    let chance = units.ratings.values.reduce(0) { $0 + $1 * $1 }
    guard chance < total * total else { return .undefined(.noVariation) }
    return Coefficient(
      observed: Double(units.concordant) / Double(total * (ratings - 1)),
      expected: Double(chance) / (Double(total) * Double(total)))
  }

  /// Returns Krippendorff's alpha for nominal data, of all units with two ratings or more.
  ///
  /// Source: K. Krippendorff, “Computing Krippendorff's alpha-reliability”, 2011, section C.
  package func krippendorffsAlpha() -> Coefficient {
    var concordant = 0.0
    var total = 0
    var values: [Int: Int] = [:]
    for (ratings, units) in byRatings.sorted(by: { $0.key < $1.key })
    where ratings > 1 && units.count > 0 {
      concordant += Double(units.concordant) / Double(ratings - 1)
      total += ratings * units.count
      values.merge(units.ratings, uniquingKeysWith: +)
    }
    guard total > 0 else { return .undefined(.noOverlap) }
    let chance = values.values.reduce(0) { $0 + $1 * $1 }
    guard chance < total * total else { return .undefined(.noVariation) }
    let observed = (Double(total) - concordant) / Double(total)
    let expected =
      (Double(total) * Double(total) - Double(chance)) / (Double(total) * Double(total - 1))
    return .value(1 - observed / expected)
  }
}
