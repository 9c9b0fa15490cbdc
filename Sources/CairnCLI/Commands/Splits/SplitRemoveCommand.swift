import ArgumentParser
import Cairn

struct SplitRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a recorded split.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn split remove field"))

  @Argument(help: "The split's name.") var name: String
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset(dryRun).removeSplit(name)
    if dryRun.isOn {
      return Console.printDryRun(
        globals, ["name": .string(name)], ["Would remove the split \(Console.printable(name))."])
    }
    Console.printChange(globals, ["name": .string(name), "removed": true]) {
      Console.print("Removed the split \(Console.printable(name)).")
    }
  }
}
