import ArgumentParser
import Cairn

struct ClassMerge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge one class into another.",
    discussion: HelpText.paragraphs(
      """
      No label is rewritten, so `cairn class split` can undo it.

      EXAMPLE
        cairn class merge hemlok hemlock
        cairn class merge hemlok hemlock --dry-run
      """))

  @OptionGroup var target: ClassArgument
  @Argument(help: "The class to merge it into.") var into: String
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let key = try dataset.classKey(target.className, followingAliases: false)
    let into = try dataset.classKey(into)
    let photos = try dataset.photoCount(of: key)
    let edit = try dataset.mergeClass(key, into: into)
    let text = "\(key) (\(count(photos, "photo"))) into \(into)"
    if dryRun.isOn { return edit.printDryRun(globals, photos: photos, "Would merge \(text).") }
    edit.print(globals, "Merged \(text); `cairn class split \(key)` undoes it.")
  }
}
