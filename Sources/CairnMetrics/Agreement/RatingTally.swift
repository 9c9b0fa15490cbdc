/// Counts of ratings by rater and category, from which every coefficient of agreement follows.
///
/// The caller assigns small numbers to raters and categories. Tallies are additive: the tallies of
/// parts of a dataset, in any order, add up to the tally of the whole.
package struct RatingTally: Equatable, Sendable {
  /// One rater's rating of one unit.
  package struct Rating: Equatable, Sendable {
    package let rater: Int
    package let category: Int

    package init(rater: Int, category: Int) { (self.rater, self.category) = (rater, category) }
  }

  /// Two raters, the smaller number first.
  package struct Pair: Hashable, Comparable, Sendable {
    package let first: Int
    package let second: Int

    package static func < (a: Pair, b: Pair) -> Bool {
      (a.first, a.second) < (b.first, b.second)
    }
  }

  /// Two categories in order.
  struct Cell: Hashable {
    let first: Int
    let second: Int
  }

  /// The units with one number of ratings.
  struct Units: Equatable {
    var count = 0
    /// The number of ratings in each category.
    var ratings: [Int: Int] = [:]
    /// The number of ordered pairs of ratings of one unit with the same category.
    var concordant = 0
  }

  /// By the number of ratings of a unit.
  private(set) var byRatings: [Int: Units] = [:]
  private(set) var byPair: [Pair: [Cell: Int]] = [:]
  private(set) var byRater: [Int: Int] = [:]

  package init() {}

  /// Adds one unit, which each rater rated once; a negative weight removes it.
  package mutating func add(_ ratings: [Rating], weight: Int = 1) {
    if ratings.isEmpty { return }
    var counts: [Int: Int] = [:]
    for rating in ratings {
      counts[rating.category, default: 0] += 1
      byRater[rating.rater, default: 0] += weight
    }
    var units = byRatings[ratings.count] ?? Units()
    units.count += weight
    for (category, count) in counts {
      units.ratings[category, default: 0] += count * weight
      units.concordant += count * (count - 1) * weight
    }
    byRatings[ratings.count] = units
    for (index, a) in ratings.enumerated() {
      for b in ratings[..<index] {
        let isInOrder = b.rater < a.rater
        let (first, second) = isInOrder ? (b, a) : (a, b)
        byPair[Pair(first: first.rater, second: second.rater), default: [:]][
          Cell(first: first.category, second: second.category), default: 0] += weight
      }
    }
  }

  /// Adds the counts of another tally.
  package mutating func add(_ other: RatingTally) {
    byRater.merge(other.byRater, uniquingKeysWith: +)
    for (count, more) in other.byRatings {
      var units = byRatings[count] ?? Units()
      units.count += more.count
      units.concordant += more.concordant
      units.ratings.merge(more.ratings, uniquingKeysWith: +)
      byRatings[count] = units
    }
    for (pair, more) in other.byPair { byPair[pair, default: [:]].merge(more, uniquingKeysWith: +) }
  }

  // MARK: Counts

  /// The number of rated units.
  package var units: Int { byRatings.values.reduce(0) { $0 + $1.count } }

  /// The number of units that two raters or more rated.
  package var sharedUnits: Int { byRatings.reduce(0) { $0 + ($1.key > 1 ? $1.value.count : 0) } }

  package var ratings: Int { byRatings.reduce(0) { $0 + $1.key * $1.value.count } }

  /// The raters with a rating, in order.
  package var raters: [Int] { byRater.filter { $0.value > 0 }.keys.sorted() }

  /// The pairs of raters with a unit in common, in order.
  package var pairs: [Pair] { byPair.keys.filter { units(of: $0) > 0 }.sorted() }

  /// Returns the number of units that both rated.
  package func units(of pair: Pair) -> Int { byPair[pair]?.values.reduce(0, +) ?? 0 }

  /// Returns the number of units that both rated the same.
  package func concordantUnits(of pair: Pair) -> Int {
    (byPair[pair] ?? [:]).reduce(0) { $0 + ($1.key.first == $1.key.second ? $1.value : 0) }
  }

  /// The raters who share a unit with another, in order.
  package var sharingRaters: [Int] {
    Set(pairs.flatMap { [$0.first, $0.second] }).sorted()
  }

  /// The share of pairs of ratings of one unit that agree; nil without any.
  package var agreement: Double? {
    var (concordant, pairs) = (0, 0)
    for (ratings, units) in byRatings where ratings > 1 {
      concordant += units.concordant
      pairs += units.count * ratings * (ratings - 1)
    }
    return pairs > 0 ? Double(concordant) / Double(pairs) : nil
  }

  /// Returns the share of units rated by both on which they agree; nil without any.
  package func agreement(of pair: Pair) -> Double? {
    let total = units(of: pair)
    return total > 0 ? Double(concordantUnits(of: pair)) / Double(total) : nil
  }

  /// Returns only the ratings of two raters on the units that both rated.
  package func tally(of pair: Pair) -> RatingTally {
    var tally = RatingTally()
    for (cell, count) in byPair[pair] ?? [:] {
      tally.add(
        [
          Rating(rater: pair.first, category: cell.first),
          Rating(rater: pair.second, category: cell.second),
        ], weight: count)
    }
    return tally
  }
}
