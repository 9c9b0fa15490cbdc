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
  static func cheapest(of paths: [AccessPath], shares: [Double], limit: Int?) -> Int {
    func cost(_ path: AccessPath) -> Double {
      let rows = Double(path.rows)
      guard let limit, path.isSorted else { return rows * (path.isSorted ? 1 : 1.5) }
      let rest = shares.indices.filter { $0 != path.term }.reduce(1) { $0 * shares[$1] }
      return min(rows, Double(limit) / max(rest, 1e-9))
    }
    return paths.indices.min { cost(paths[$0]) < cost(paths[$1]) } ?? 0
  }
}
