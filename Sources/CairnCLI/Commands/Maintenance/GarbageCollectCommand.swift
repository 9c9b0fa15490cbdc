import ArgumentParser
import Cairn

struct GarbageCollect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Delete documents that were removed long ago, and repack git's objects.",
    discussion: HelpText.paragraphs(
      """
      Documents of removed photos and pins, and of withdrawn labels, stay in the dataset so that
      every device learns of the removal. `cairn gc` deletes those that were removed more than 90
      days ago (--days); the history keeps them. If a device that was offline edits one of them, the
      document is restored, still marked as removed; if a person on that device labeled a removed
      photo, the photo becomes visible again.

      `cairn gc` also combines small packs and loose objects into larger packs, without dropping any
      object. This happens automatically, too, unless disabled with `cairn config set gc.auto 0`.

      EXAMPLES
        cairn gc --dry-run
        cairn gc --days 365
      """))

  @Option(help: "Minimum age of a removal, in days.") var days = 90
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let isDryRun = dryRun.isOn
    let dataset = try globals.dataset()
    let report = try dataset.prune(removedBefore: days, isDryRun: isDryRun)
    let maintenance = try dataset.maintain(isDryRun: isDryRun)
    Console.print(
      globals,
      [
        "commit": JSON(report.commit?.description), "counts": report.counts.rendered,
        "dryRun": .bool(isDryRun), "objects": maintenance?.rendered ?? .null,
        "paths": .array(report.paths.map { .string($0) }),
      ]
    ) {
      if globals.quiet, !isDryRun { return }
      Console.print(
        report.paths.isEmpty
          ? "No committed removals are older than \(count(days, "day"))."
          : "\(isDryRun ? "Would prune" : "Pruned") \(report.counts.text).")
      Console.print(
        maintenance.map { isDryRun ? $0.dryRunSentence : $0.sentence }
          ?? "Another process is repacking the objects at the moment.")
    }
  }
}

extension MaintenanceReport {
  var rendered: JSON {
    [
      "after": objects.after.rendered, "before": objects.before.rendered,
      "git": .bool(objects.isByGit), "packed": JSON(objects.objects),
    ]
  }

  /// What was done, in a sentence.
  var sentence: String {
    if objects.objects == 0 { return "No repacking needed: \(objects.after.text)." }
    let seconds = "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    return "Packed \(count(objects.objects, "object")) of \(repository) in \(seconds): "
      + "before, \(objects.before.text); now, \(objects.after.text)."
  }

  /// What would be done, in a sentence.
  var dryRunSentence: String {
    objects.objects == 0
      ? sentence
      : "Would pack \(count(objects.objects, "object")) of \(objects.before.text)."
  }
}

extension RepackReport.Count {
  fileprivate var rendered: JSON {
    ["bytes": JSON(Int(bytes)), "loose": JSON(loose), "packs": JSON(packs)]
  }

  /// “1 pack and 3 loose objects (12.3 kB)”.
  fileprivate var text: String {
    "\(count(packs, "pack")) and \(count(loose, "loose object")) (\(byteText(Int(bytes))))"
  }
}
