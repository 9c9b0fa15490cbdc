import ArgumentParser
import Cairn

struct ClassRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a removed class.",
    discussion: HelpText.paragraphs(
      """
      `cairn class list --removed` includes removed classes.

      EXAMPLE
        cairn class restore hemlok
      """))

  @OptionGroup var target: ClassArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let key = try dataset.removedClassKey(target.className)
    let edit = try dataset.setClassRemoved(key, false)
    let photos = try dataset.photoCount(of: key)
    let verb = photos == 1 ? "has" : "have"
    let labels = "\(count(photos, "photo")) \(verb) it."
    if dryRun.isOn {
      return edit.printDryRun(globals, photos: photos, "Would restore \(key). \(labels)")
    }
    edit.print(globals, "Restored \(key). \(labels)")
  }
}
