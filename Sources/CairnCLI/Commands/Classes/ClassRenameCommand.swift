import ArgumentParser
import Cairn

struct ClassRename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Change the display name of a class.",
    discussion: HelpText.paragraphs(
      """
      The old name still refers to the class.

      EXAMPLE
        cairn class rename puma "Cougar (Puma concolor)"
      """))

  @OptionGroup var target: ClassArgument
  @Argument(help: "The new display name.") var name: String
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let key = try dataset.classKey(target.className)
    let edit = try dataset.renameClass(key, to: name)
    let newName = edit.labelClass.name.value
    if dryRun.isOn {
      let photos = try dataset.photoCount(of: key)
      return edit.printDryRun(
        globals, photos: photos,
        "Would rename “\(target.className)” (\(count(photos, "photo"))) to “\(newName)”.")
    }
    edit.print(globals, "Renamed “\(target.className)” to “\(newName)”.")
  }
}
