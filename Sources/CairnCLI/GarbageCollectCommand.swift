import ArgumentParser
import Cairn

struct GarbageCollect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Take what was removed long ago out of the dataset.",
    discussion: """
      Photos and pins that were removed and labels that were taken back stay in the dataset, so that
      every device hears of it. After some months they may go; the history keeps them. A device that
      was away and still speaks of one of them brings it back, removed as it was.

      EXAMPLES
        cairn gc --dry-run
        cairn gc --days 365
      """)

  @Option(help: "How many days ago it was removed, at least.") var days = 90
  @Flag(name: [.customShort("n"), .long], help: "Only say what would go.") var dryRun = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let report = try globals.dataset().prune(removedBefore: days, isRehearsal: dryRun)
    Console.print(
      globals,
      [
        "commit": JSON(report.commit?.description), "counts": report.counts.rendered,
        "paths": .array(report.paths.map { .string($0) }),
      ]
    ) {
      if report.paths.isEmpty {
        return Console.print(
          "Nothing that is committed was removed more than \(count(days, "day")) ago.")
      }
      Console.print("\(dryRun ? "Would prune" : "Pruned") \(report.counts.text).")
    }
  }
}
