/// The cost of a piece of work for one contender on a dataset of one size.
struct Figure: Codable {
  var work: String
  var documents: Int
  var contender: String
  var way: String
  var samples: [Sample] = []
  /// The error, if the contender failed.
  var failure: String?

  func isDone(_ pace: Pace) -> Bool { failure != nil || pace.isDone(samples) }

  var wall: Double { samples.map(\.wall).median }
  var cpu: Double { samples.map(\.cpu).median }
  var peak: Double { samples.map { Double($0.peak) }.median }
  /// The CPU time to compare with others: that of the local side, if it is known.
  var comparedCPU: Double { ownCPU ?? cpu }
  /// The CPU time of the local side, if the remote's side was measured separately.
  var ownCPU: Double? {
    let own = samples.compactMap { sample in sample.partCPU.map { sample.cpu - $0 } }
    return own.isEmpty ? nil : own.median
  }
}

/// The disk usage of a directory or a file.
struct DiskFigure: Codable {
  var what: String
  var documents: Int
  var contender: String
  var bytes: Double
}
