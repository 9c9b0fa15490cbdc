/// How long one kind of question took, asked many times of the library in one process.
struct Latency: Codable {
  var question: String
  var documents: Int
  /// Of each time it was asked, shortest first.
  var seconds: [Double]

  var median: Double { seconds.median }
  /// What all but one in a hundred took at most.
  var p99: Double { seconds[(seconds.count - 1) * 99 / 100] }
}
