/// The choice of the cheapest access path to photos, from the number of rows of each.
///
/// A search starts from the rows of one term and checks the other terms on each. If only the first
/// matches are wanted, sorted rows can stop as soon as there are enough: terms that match many
/// photos stop early, and terms that match few are short anyway.
struct SearchPlan {
  /// The maximum number of rows to count; a term with more is just frequent.
  static let countLimit = 8_000

  /// One way to start.
  struct AccessPath {
    /// The index of the term that it starts from; nil for all photos, in order.
    var term: Int?
    var rows: Int
    var isSorted: Bool
  }

  /// Returns the index of the cheapest access path.
  ///
  /// - Parameter shares: For each term, the share of photos that it matches, as far as known.
  /// - Parameter limit: The number of photos wanted; nil for all.
  static func cheapest(of ways: [AccessPath], shares: [Double], limit: Int?) -> Int {
    func cost(_ way: AccessPath) -> Double {
      let rows = Double(way.rows)
      guard let limit, way.isSorted else { return rows * (way.isSorted ? 1 : 1.5) }
      let rest = shares.indices.filter { $0 != way.term }.reduce(1) { $0 * shares[$1] }
      return min(rows, Double(limit) / max(rest, 1e-9))
    }
    return ways.indices.min { cost(ways[$0]) < cost(ways[$1]) } ?? 0
  }
}
