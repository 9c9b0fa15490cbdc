import ArgumentParser
import Cairn

struct ClassSplit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split", abstract: "Turn an alias back into a separate class.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn class split hemlok"))

  @OptionGroup var target: ClassArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = try dataset.classKey(target.className, followingAliases: false)
    try dataset.splitClass(key).print(globals, "\(key) is no longer an alias.")
  }
}
