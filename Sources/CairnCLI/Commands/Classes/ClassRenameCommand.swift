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
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = try dataset.classKey(target.className)
    let edit = try dataset.renameClass(key, to: name)
    edit.print(globals, "Renamed “\(target.className)” to “\(edit.labelClass.name.value)”.")
  }
}
