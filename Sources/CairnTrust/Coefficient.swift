/// A coefficient of agreement: 1 where all agree, 0 where they agree as often as chance would have it,
/// less where less often.
public enum Coefficient: Equatable, Sendable {
  case value(Double)
  case undefined(Reason)

  /// Why there is no number.
  public enum Reason: String, Sendable, CaseIterable {
    /// Nothing was rated by two.
    case noOverlap = "no-overlap"
    /// All ratings are of one category, so that chance alone would agree, too.
    case noVariation = "no-variation"

    public var sentence: String {
      switch self {
      case .noOverlap: "nobody rated what another rated"
      case .noVariation: "everybody said the same of everything, as chance would have it, too"
      }
    }
  }

  public var value: Double? { if case .value(let value) = self { value } else { nil } }

  public var reason: Reason? { if case .undefined(let reason) = self { reason } else { nil } }

  /// Returns how far `observed` is on the way from `expected` to 1.
  fileprivate init(observed: Double, expected: Double) {
    self = .value((observed - expected) / (1 - expected))
  }
}

extension RatingTally {
  /// Returns Cohen's kappa of two raters: their agreement beyond that of two who give each category as
  /// often as they do, and independently.
  ///
  /// Source: J. Cohen, “A coefficient of agreement for nominal scales”, 1960.
  public func cohensKappa(_ pair: Pair) -> Coefficient {
    let cells = byPair[pair] ?? [:]
    let total = units(of: pair)
    guard total > 0 else { return .undefined(.noOverlap) }
    var (first, second): ([Int: Int], [Int: Int]) = ([:], [:])
    for (cell, count) in cells {
      first[cell.first, default: 0] += count
      second[cell.second, default: 0] += count
    }
    // Whole numbers, so that the order of the sum never matters.
    let chance = first.reduce(0) { $0 + $1.value * (second[$1.key] ?? 0) }
    guard chance < total * total else { return .undefined(.noVariation) }
    return Coefficient(
      observed: Double(concordantUnits(of: pair)) / Double(total),
      expected: Double(chance) / (Double(total) * Double(total)))
  }

  /// Returns the mean of Cohen's kappa over the pairs of raters that have one.
  ///
  /// Source: R. J. Light, “Measures of response agreement for qualitative data”, 1971.
  public func lightsKappa() -> Coefficient {
    let kappas = pairs.map(cohensKappa)
    let values = kappas.compactMap(\.value)
    if values.isEmpty { return .undefined(kappas.isEmpty ? .noOverlap : .noVariation) }
    return .value(values.reduce(0, +) / Double(values.count))
  }

  /// The number of ratings that Fleiss' kappa is computed for, since it wants equally many of each
  /// unit: of two or more the one that the most units have, of equals the greatest; and how many have
  /// it.
  public var fleissUnits: (ratings: Int, count: Int)? {
    byRatings.filter { $0.key > 1 && $0.value.count > 0 }
      .max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
      .map { ($0.key, $0.value.count) }
  }

  /// Returns Fleiss' kappa of the units that have the number of ratings which most have.
  ///
  /// Source: J. L. Fleiss, “Measuring nominal scale agreement among many raters”, 1971.
  public func fleissKappa() -> Coefficient {
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

  /// Returns Krippendorff's alpha for nominal data: of all units that two or more rated, however many.
  ///
  /// Source: K. Krippendorff, “Computing Krippendorff's alpha-reliability”, 2011, section C.
  public func krippendorffsAlpha() -> Coefficient {
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
    let alike = values.values.reduce(0) { $0 + $1 * $1 }
    guard alike < total * total else { return .undefined(.noVariation) }
    let observed = (Double(total) - concordant) / Double(total)
    let expected =
      (Double(total) * Double(total) - Double(alike)) / (Double(total) * Double(total - 1))
    return .value(1 - observed / expected)
  }
}
