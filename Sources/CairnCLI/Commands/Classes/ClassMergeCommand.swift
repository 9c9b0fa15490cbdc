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
      """))

  @OptionGroup var target: ClassArgument
  @Argument(help: "The class to merge it into.") var into: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = try dataset.classKey(target.className, followingAliases: false)
    let into = try dataset.classKey(into)
    let edit = try dataset.mergeClass(key, into: into)
    edit.print(globals, "Merged \(key) into \(into); `cairn class split \(key)` undoes it.")
  }
}
