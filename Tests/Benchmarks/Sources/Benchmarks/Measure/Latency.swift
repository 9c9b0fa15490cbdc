/// The durations of many queries of one kind, made with the library in one process.
struct Latency: Codable {
  var question: String
  var documents: Int
  /// The duration of each query, shortest first.
  var seconds: [Double]

  var median: Double { seconds.median }
  /// The 99th percentile.
  var p99: Double { seconds[(seconds.count - 1) * 99 / 100] }
}
