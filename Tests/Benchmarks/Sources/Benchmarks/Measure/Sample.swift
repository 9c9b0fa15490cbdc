/// What one run of some commands cost.
struct Sample: Codable {
  /// Seconds by the clock on the wall, from the start of the first process to the end of the last.
  var wall: Double = 0
  /// Seconds of user and system time, of all processes.
  var cpu: Double = 0
  /// The most memory, in bytes, that one of the processes held at once.
  var peak: Int = 0
  /// Seconds of `cpu` that a part measured by itself took: the remote's side of a push.
  var partCPU: Double?

  static func + (a: Sample, b: Sample) -> Sample {
    var parts: [Double] { [a.partCPU, b.partCPU].compactMap { $0 } }
    return Sample(
      wall: a.wall + b.wall, cpu: a.cpu + b.cpu, peak: max(a.peak, b.peak),
      partCPU: parts.isEmpty ? nil : parts.reduce(0, +))
  }
}

extension Collection where Element == Double {
  /// The middle value, or the mean of the two in the middle; not a number when there is none.
  var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return .nan }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
