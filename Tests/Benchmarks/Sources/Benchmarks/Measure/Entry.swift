/// One contender's way of doing a piece of work.
struct Entry {
  var contender: String
  /// What it runs, for people.
  var way: String
  /// What comes before each run and is not measured.
  var prepare: (Int) throws -> Void = { _ in }
  /// The processes of one run; what is measured is their sum.
  var commands: (Int) throws -> [Command]
}

/// How often work is repeated: once unmeasured, then until either limit, though not fewer times than
/// `least` unless a run takes long.
struct Pace {
  var most = 15
  var least = 3
  var budgetSeconds = 10.0
  var longSeconds = 60.0

  static let usual = Pace()
  /// For work that needs a fresh copy each time.
  static let few = Pace(most: 5)
  static let once = Pace(most: 1, least: 1)

  /// True when these runs do.
  func isDone(_ samples: [Sample]) -> Bool {
    let spent = samples.reduce(0) { $0 + $1.wall }
    if samples.count >= most || spent > longSeconds { return true }
    return samples.count >= least && spent > budgetSeconds
  }
}
