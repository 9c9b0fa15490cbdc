import ArgumentParser
import Cairn

struct ClassSplit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split", abstract: "Turn an alias back into a separate class.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn class split hemlok"))

  @OptionGroup var target: ClassArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let key = try dataset.classKey(target.className, followingAliases: false)
    let edit = try dataset.splitClass(key)
    if dryRun.isOn {
      let photos = try dataset.photoCount(of: key)
      return edit.printDryRun(
        globals, photos: photos,
        "Would make \(key) (\(count(photos, "photo"))) a separate class.")
    }
    edit.print(globals, "\(key) is no longer an alias.")
  }
}
