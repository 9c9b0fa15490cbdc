import ArgumentParser
import Cairn

struct ConfigSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change a setting for this copy or, with --global, for all of your datasets.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn config set user.email ann@example.org --global
        cairn config set branch.main.remote server
      """))

  @Argument(help: ArgumentHelp("A setting of `cairn config list --all`.", valueName: "key"))
  var key: String
  @Argument(help: "The new value.") var value: String
  @OptionGroup var scope: ConfigScope

  func run() throws {
    try scope.configuration(isChanging: true).set(key, to: value)
    let shown = Setting.named(key)?.displayed(value) ?? value
    Console.printChange(
      scope.globals, ["key": .string(key), "value": .string(shown)]
    ) {
      Console.print("Set \(key) to \(Console.printable(shown)).")
    }
  }
}
