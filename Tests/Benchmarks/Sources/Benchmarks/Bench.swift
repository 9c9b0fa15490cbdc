import ArgumentParser
import Foundation

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measures cairn and its peers on the same work.",
    discussion: """
      Writes report.md, report.json, summary.md and cost.svg. Programs that are not installed are \
      reported and left out.
      """)

  @Argument(help: "The dataset sizes, in documents.") var sizes = [12_000, 120_000]
  @Option(help: "The work to measure (default: all).") var only: [Work] = []
  @Option(help: "The `cairn` program.") var cairn = "cairn"
  @Option(help: "The directory for the report; its subdirectory `work` holds the datasets.")
  var output = "results"
  @Option(help: "A directory to search for programs first.") var programs: [String] = []
  @Option(help: "How often to repeat work that can be repeated (default: up to 15 times, or 5 s).")
  var runs: Int?
  @Option(help: "The seed from which the datasets are generated.") var seed: UInt64 = 2026
  @Flag(help: "Keep the datasets.") var keep = false

  func validate() throws {
    if let runs, runs < 1 { throw ValidationError("--runs must be at least 1.") }
    if sizes.contains(where: { $0 < 1 }) {
      throw ValidationError("Sizes are numbers of documents.")
    }
  }

  func run() throws {
    let output = URL(filePath: output).standardizedFileURL
    let place = output.appending(path: "work")
    let stopwatch = try Stopwatch(
      place: place, programs: programs.map { URL(filePath: $0).standardizedFileURL })
    try configureGit(at: place)
    let cairn = Cairn(program: URL(filePath: cairn).standardizedFileURL)
    let report = try Report(
      directory: output, machine: Machine(stopwatch: stopwatch, place: place))
    report.versions["cairn"] = try stopwatch.output(cairn("--version", at: place))
    report.versions["git"] = try stopwatch.output(Git()("--version", at: place))
    func stage(_ documents: Int) throws -> Stage {
      try Stage(
        documents: documents, seed: seed, runs: runs,
        place: place.appending(path: "\(documents)"), stopwatch: stopwatch, cairn: cairn,
        report: report)
    }
    let works = Work.allCases.filter { only.isEmpty || only.contains($0) }
    for size in sizes.sorted() where works.contains(where: \.hasSizes) {
      report.say("\(grouped(size)) documents")
      let stage = try stage(size)
      for work in works where work.hasSizes {
        stage.measure(work)
        try report.save()
      }
    }
    for work in works where !work.hasSizes {
      let stage = try stage(0)
      stage.measure(work)
      try report.save()
    }
    // Not after each size: see `discard`.
    if !keep { try FileManager.default.removeItem(at: place) }
    print(report.summary)
    print("Written to \(output.path): report.md, report.json, summary.md, cost.svg")
  }

  /// Sets an identity for git and for programs that use its configuration, and nothing else.
  private func configureGit(at home: URL) throws {
    let settings = """
      [user]
      \tname = Bench
      \temail = bench@example.org
      [init]
      \tdefaultBranch = main

      """
    try Data(settings.utf8).write(to: home.appending(path: ".gitconfig"))
  }
}
