/// How one contender does a piece of work.
struct Entry {
  var contender: String
  /// The commands, as shown in the report.
  var way: String
  /// Prepares a run; not measured.
  var prepare: (Int) throws -> Void = { _ in }
  /// Returns the commands of a run; their sum is measured.
  var commands: (Int) throws -> [Command]
}

/// How often work is repeated: once unmeasured, then until `most` runs or `budgetSeconds` are
/// reached, but at least `least` times unless the runs exceed `longSeconds`.
struct Pace {
  var most = 15
  var least = 3
  var budgetSeconds = 5.0
  var longSeconds = 30.0
  var isRepeatable = true

  static let usual = Pace()
  /// For work that needs a fresh copy each time.
  static let few = Pace(most: 5)
  /// For work of minutes; without an unmeasured run.
  static let long = Pace(most: 1, least: 1)
  /// For work that cannot be repeated.
  static let once = Pace(most: 1, least: 1, isRepeatable: false)

  /// Returns the pace with exactly this number of runs, if the work can be repeated.
  func repeated(_ runs: Int?) -> Pace {
    guard let runs, isRepeatable else { return self }
    return Pace(most: runs, least: runs, longSeconds: .infinity)
  }

  /// Returns whether these runs are enough.
  func isDone(_ samples: [Sample]) -> Bool {
    let spent = samples.reduce(0) { $0 + $1.wall }
    if samples.count >= most || spent > longSeconds { return true }
    return samples.count >= least && spent > budgetSeconds
  }
}
