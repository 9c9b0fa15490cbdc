/// The cost of one run of some commands.
struct Sample: Codable {
  /// Wall clock seconds, summed over the commands.
  var wall: Double = 0
  /// User and system time of all processes in seconds.
  var cpu: Double = 0
  /// The peak memory of the largest process in bytes.
  var peak: Int = 0
  /// The seconds of `cpu` in a part that was measured separately: the remote's side of a push.
  var partCPU: Double?

  static func + (a: Sample, b: Sample) -> Sample {
    var parts: [Double] { [a.partCPU, b.partCPU].compactMap { $0 } }
    return Sample(
      wall: a.wall + b.wall, cpu: a.cpu + b.cpu, peak: max(a.peak, b.peak),
      partCPU: parts.isEmpty ? nil : parts.reduce(0, +))
  }
}

extension Collection where Element == Double {
  /// The middle value, or the mean of the two middle values; NaN if the collection is empty.
  var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return .nan }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
