import Foundation

/// All measurements of one execution of the benchmark, saved to disk as they are made.
final class Report {
  let directory: URL
  let machine: Machine
  /// The version of each contender's program, by its name.
  var versions: [String: String] = [:]
  private(set) var figures: [Figure] = []
  private(set) var latencies: [Latency] = []
  var disk: [DiskFigure] = []
  private(set) var notes: [String] = []

  init(directory: URL, machine: Machine) throws {
    (self.directory, self.machine) = (directory, machine)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  func add(_ figure: Figure) {
    figures.append(figure)
    let cost = figure.failure ?? "\(seconds(figure.wall)) in \(figure.samples.count) runs"
    say("  \(figure.work), \(figure.contender): \(cost)")
  }

  func add(_ latency: Latency) {
    latencies.append(latency)
    say("  find \(latency.question): \(seconds(latency.median)), p99 \(seconds(latency.p99))")
  }

  /// Adds a note for readers of the figures.
  func note(_ text: String, _ documents: Int) {
    notes.append(documents > 0 ? "\(grouped(documents)) documents: \(text)" : text)
    say("  \(text)")
  }

  /// Adds cairn's figures for one work minus the median of another.
  func addDifference(
    _ work: String, _ documents: Int, of whole: String, less part: String, way: String
  ) {
    guard let whole = figure(whole, documents, "cairn"), let part = figure(part, documents, "cairn")
    else { return }
    let samples = whole.samples.map {
      Sample(wall: max(0, $0.wall - part.wall), cpu: max(0, $0.cpu - part.cpu), peak: $0.peak)
    }
    add(
      Figure(work: work, documents: documents, contender: "cairn", way: way, samples: samples))
  }

  /// Prints progress to stderr.
  func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  /// Writes the report in all formats.
  func save() throws {
    func write(_ data: Data, _ name: String) throws {
      try data.write(to: directory.appending(path: name), options: .atomic)
    }
    try write(try json(), "report.json")
    try write(Data(markdown.utf8), "report.md")
    try write(Data(summary.utf8), "summary.md")
    try write(Data(Plot(figures: figures).svg.utf8), "cost.svg")
  }

  /// The names of the work that has figures, in the order in which they were measured.
  var works: [String] {
    figures.reduce(into: []) { if !$0.contains($1.work) { $0.append($1.work) } }
  }

  /// Returns the figure of cairn with which a figure is compared.
  func reference(for figure: Figure) -> Figure? {
    self.figure(figure.work, figure.documents, "cairn")
  }

  /// Returns a contender's figure, or nil if it failed.
  func figure(_ work: String, _ documents: Int, _ contender: String) -> Figure? {
    figures.first {
      $0.work == work && $0.documents == documents && $0.contender == contender
        && !$0.samples.isEmpty
    }
  }
}
