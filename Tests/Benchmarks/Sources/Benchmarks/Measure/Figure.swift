/// What a piece of work cost one contender on a dataset of one size.
struct Figure: Codable {
  var work: String
  var documents: Int
  var contender: String
  var way: String
  var samples: [Sample] = []
  /// What it said when it could not do it.
  var failure: String?

  func isDone(_ pace: Pace) -> Bool { failure != nil || pace.isDone(samples) }

  var wall: Double { samples.map(\.wall).median }
  var cpu: Double { samples.map(\.cpu).median }
  var peak: Double { samples.map { Double($0.peak) }.median }
  /// What is compared with others: the processor time of its own side, if that is known.
  var comparedCPU: Double { ownCPU ?? cpu }
  /// The processor time of its own side, where the other side was measured by itself.
  var ownCPU: Double? {
    let own = samples.compactMap { sample in sample.partCPU.map { sample.cpu - $0 } }
    return own.isEmpty ? nil : own.median
  }
}

/// How many bytes something takes on the disk.
struct DiskFigure: Codable {
  var what: String
  var documents: Int
  var contender: String
  var bytes: Double
}
