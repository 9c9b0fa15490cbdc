import ArgumentParser
import Cairn
import SystemPackage

struct Init: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a dataset.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn init field-trip --name \"Field trip 2026\""))

  @Argument(help: "The dataset's directory, created if missing.") var directory: String = "."
  @Option(help: "The dataset's name (default: the directory's name).") var name: String?
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    let path = currentDirectory().pushing(FilePath(directory)).lexicallyNormalized()
    let dataset = try Dataset.create(
      at: path, name: name, command: ownExecutable(), onMessage: GlobalOptions.report)
    let name = try dataset.name()
    Console.print(
      globals, quiet, ["name": .string(name), "path": .string(dataset.root.string)]
    ) {
      Console.print("Created the dataset “\(name)” in \(dataset.root).")
      Console.print("Next: `cairn photo add DIR`, then `cairn label PHOTO CLASS --create`.")
    }
  }
}
