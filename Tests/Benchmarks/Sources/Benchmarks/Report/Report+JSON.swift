import Foundation

extension Report {
  /// Returns the report as JSON, with every sample and the medians.
  func json() throws -> Data {
    struct Measured: Encodable {
      var work: String
      var documents: Int
      var contender: String
      var way: String
      var failure: String?
      var median: Sample?
      var samples: [Sample]
    }
    struct Whole: Encodable {
      var machine: Machine
      var versions: [String: String]
      var figures: [Measured]
      var latencies: [Latency]
      var disk: [DiskFigure]
      var notes: [String]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let figures = figures.map { figure in
      let median =
        figure.samples.isEmpty
        ? nil : Sample(wall: figure.wall, cpu: figure.cpu, peak: Int(figure.peak))
      return Measured(
        work: figure.work, documents: figure.documents, contender: figure.contender,
        way: figure.way, failure: figure.failure, median: median, samples: figure.samples)
    }
    return try encoder.encode(
      Whole(
        machine: machine, versions: versions, figures: figures, latencies: latencies, disk: disk,
        notes: notes))
  }
}
