import ArgumentParser
import Cairn

struct ConfigUnset: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset",
    abstract: "Remove a setting for this copy or, with --global, for all of your datasets.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn config unset http.proxy --global"))

  @Argument(help: ArgumentHelp("A setting of `cairn config list --all`.", valueName: "key"))
  var key: String
  @OptionGroup var scope: ConfigScope

  func run() throws {
    let configuration = try scope.configuration(isChanging: true)
    try configuration.set(key, to: nil)
    let value = try configuration.value(of: key).flatMap { Setting.named(key)?.displayed($0) }
    Console.printChange(scope.globals, ["key": .string(key), "value": JSON(value)]) {
      Console.print(
        "Removed \(key)." + (value.map { " Now \(Console.printable($0)) applies." } ?? ""))
    }
  }
}
