/// Which way to come by photos is the cheapest, decided from how many rows each has.
///
/// A photo is found by starting from the rows of one term and asking the others of each of them. Where
/// only the first matches are wanted, rows that come sorted can be left as soon as there are enough:
/// so of terms that hold for many photos the search stops early, and of those that hold for few it is
/// short anyway.
struct SearchPlan {
  /// How many rows are counted at most: beyond it a term is just frequent.
  static let countLimit = 8_000

  /// One way to start.
  struct Way {
    /// The place of the term that it starts from; nil for all photos, in order.
    var term: Int?
    var rows: Int
    var isSorted: Bool
  }

  /// Returns the place of the cheapest way.
  ///
  /// - Parameter shares: Of each term the share of photos that it holds for, as far as that is known.
  /// - Parameter limit: How many photos are wanted; nil for all.
  static func cheapest(of ways: [Way], shares: [Double], limit: Int?) -> Int {
    func cost(_ way: Way) -> Double {
      let rows = Double(way.rows)
      guard let limit, way.isSorted else { return rows * (way.isSorted ? 1 : 1.5) }
      let rest = shares.indices.filter { $0 != way.term }.reduce(1) { $0 * shares[$1] }
      return min(rows, Double(limit) / max(rest, 1e-9))
    }
    return ways.indices.min { cost(ways[$0]) < cost(ways[$1]) } ?? 0
  }
}
