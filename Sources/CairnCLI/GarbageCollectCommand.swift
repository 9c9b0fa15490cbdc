import ArgumentParser
import Cairn

struct GarbageCollect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Take out what was removed long ago, and keep git's objects in shape.",
    discussion: """
      Photos and pins that were removed and labels that were taken back stay in the dataset, so that
      every device hears of it. After some months they may go; the history keeps them. A device that
      was away and still speaks of one of them brings it back, removed as it was.

      Small packs and single objects are put together into larger packs; nothing is dropped that way.
      That happens by itself, too, when many have piled up, unless git is told not to with
      `git config gc.auto 0`.

      EXAMPLES
        cairn gc --dry-run
        cairn gc --days 365
      """)

  @Option(help: "How many days ago it was removed, at least.") var days = 90
  @Flag(name: [.customShort("n"), .long], help: "Only say what would go.") var dryRun = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let report = try dataset.prune(removedBefore: days, isRehearsal: dryRun)
    let bar = ProgressBar()
    let upkeep = try dataset.upkeep(isRehearsal: dryRun) { bar.update($0, $1, $2) }
    bar.finish()
    Console.print(
      globals,
      [
        "commit": JSON(report.commit?.description), "counts": report.counts.rendered,
        "objects": upkeep?.rendered ?? .null,
        "paths": .array(report.paths.map { .string($0) }),
      ]
    ) {
      Console.print(
        report.paths.isEmpty
          ? "Nothing that is committed was removed more than \(count(days, "day")) ago."
          : "\(dryRun ? "Would prune" : "Pruned") \(report.counts.text).")
      Console.print(
        upkeep.map { dryRun ? $0.prospect : $0.sentence }
          ?? "Another process is putting objects together just now.")
    }
  }
}

extension UpkeepReport {
  var rendered: JSON {
    [
      "after": objects.after.rendered, "before": objects.before.rendered,
      "git": .bool(objects.isByGit), "packed": JSON(objects.objects),
    ]
  }

  /// What was done, in a sentence.
  var sentence: String {
    if objects.objects == 0 { return "The objects are in good shape: \(objects.after.words)." }
    let seconds = "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    return "Packed \(count(objects.objects, "object")) of \(repository) in \(seconds): "
      + "\(objects.before.words) before, \(objects.after.words) now."
  }

  /// What would be done, in a sentence.
  var prospect: String {
    objects.objects == 0
      ? sentence
      : "Would pack \(count(objects.objects, "object")) of \(objects.before.words)."
  }
}

extension RepackReport.Count {
  fileprivate var rendered: JSON {
    ["bytes": JSON(Int(bytes)), "loose": JSON(loose), "packs": JSON(packs)]
  }

  /// “1 pack and 3 loose objects, 12 KiB”.
  fileprivate var words: String {
    "\(count(packs, "pack")) and \(count(loose, "loose object")), \(bytes / 1024) KiB"
  }
}
