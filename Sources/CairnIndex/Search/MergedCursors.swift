/// A merge of several selections of photos, each sorted by row key, that holds only one row of
/// each.
struct MergedCursors {
  private var heads: [(key: Int64, rows: PreparedStatement)] = []
  private let isReversed: Bool

  init(_ selections: [PreparedStatement], isReversed: Bool) throws {
    self.isReversed = isReversed
    for rows in selections where try rows.step() { heads.append((rows.int(0), rows)) }
  }

  /// Returns the row key of the next photo, without duplicates; nil at the end.
  mutating func next() throws -> Int64? {
    let keys = heads.lazy.map(\.key)
    guard let key = isReversed ? keys.max() : keys.min() else { return nil }
    heads = try heads.compactMap { head in
      if head.key != key { return head }
      while try head.rows.step() {
        if head.rows.int(0) != key { return (head.rows.int(0), head.rows) }
      }
      return nil
    }
    return key
  }
}
