import ArgumentParser
import Cairn

struct ClassRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a class from lists; its labels stay.",
    discussion: HelpText.paragraphs(
      """
      A removed class is not listed or suggested, and only its key or original name refers to it.
      Its labels still count: to withdraw yours, use `cairn unlabel`. `cairn class restore` undoes
      the removal.

      EXAMPLE
        cairn class remove hemlok
      """))

  @OptionGroup var target: ClassArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let key = try dataset.classKey(target.className, followingAliases: false)
    let edit = try dataset.setClassRemoved(key, true)
    let photos = try dataset.photoCount(of: key)
    let kept =
      photos == 1 ? "1 photo keeps its labels" : "\(count(photos, "photo")) keep their labels"
    let labels = photos == 0 ? "No photo has it." : "\(kept), which still count."
    if dryRun.isOn {
      return edit.printDryRun(globals, photos: photos, "Would remove \(key). \(labels)")
    }
    edit.print(globals, "Removed \(key). \(labels)")
  }
}
