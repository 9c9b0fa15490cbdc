public import CairnDocument
public import CairnMerge

/// The number of photos with a class, by state.
public struct ClassCount: Equatable, Sendable {
  /// The class.
  public let classKey: ClassKey
  /// The display name of the class.
  public let name: String
  /// The number of photos in each state.
  public let counts: [Resolution.State: Int]
  /// A sample photo: the one with the highest confidence, preferably confirmed.
  public let sample: PhotoID

  /// The number of photos that may have the class, in any state except rejected.
  package var photos: Int { counts.filter { $0.key != .rejected }.values.reduce(0, +) }
}

extension IndexReader {
  /// Returns the classes of the photos that match a filter, most frequent first.
  package func classTallies(where filter: PhotoFilter) throws -> [ClassCount] {
    var tallies: [Int64: Tally] = [:]
    let rows = try PreparedStatement(
      db, "SELECT class, state, confidence FROM resolution WHERE photo = ?")
    try forEachKey(where: filter) { key in
      rows.bind(key, at: 1)
      while try rows.step() {
        guard let state = Resolution.State(number: rows.int(1)) else { continue }
        tallies[rows.int(0), default: Tally()].add(key, state, rows.double(2))
      }
    }
    let id = try PreparedStatement(db, "SELECT id FROM photo WHERE key = ?")
    return try tallies.compactMap { number, tally in
      id.bind(tally.sample, at: 1)
      guard let key = try names.classKey(number),
        let sample = try id.first({ PhotoID(digest: $0.blob(0)) }) ?? nil
      else { return nil }
      return ClassCount(
        classKey: key, name: try names.className(number) ?? key.text, counts: tally.counts,
        sample: sample)
    }.sorted { ($1.photos, $0.classKey) < ($0.photos, $1.classKey) }
  }
}

private struct Tally {
  var counts: [Resolution.State: Int] = [:]
  private(set) var sample: Int64 = 0
  private var best = (rank: -1, confidence: 0.0)

  /// From the worst to the best state for a sample.
  private static let ranks: [Resolution.State] = [.rejected, .disputed, .predicted, .confirmed]

  mutating func add(_ photo: Int64, _ state: Resolution.State, _ confidence: Double) {
    counts[state, default: 0] += 1
    let rank = Tally.ranks.firstIndex(of: state) ?? 0
    if (rank, confidence) > best { (best, sample) = ((rank, confidence), photo) }
  }
}
