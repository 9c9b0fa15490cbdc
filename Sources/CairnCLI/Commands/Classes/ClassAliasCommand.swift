import ArgumentParser
import Cairn

struct ClassAlias: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alias", abstract: "Add an alias for a class.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn class alias \"Tsuga canadensis\" hemlock"))

  @Argument(help: "The alias, a new name for the class.") var name: String
  @OptionGroup var target: ClassArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let key = try dataset.classKey(target.className)
    let edit = try dataset.aliasClass(name, of: key)
    if dryRun.isOn {
      let photos = try dataset.photoCount(of: key)
      return edit.printDryRun(
        globals, photos: photos,
        "Would make “\(name)” an alias of \(key) (\(count(photos, "photo"))).")
    }
    edit.print(globals, "“\(name)” is now an alias of \(key).")
  }
}
