import ArgumentParser
import Cairn

struct ConfigGet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print the value of a setting.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn config get user.email"))

  @Argument(help: ArgumentHelp("A setting of `cairn config list --all`.", valueName: "key"))
  var key: String
  @OptionGroup var scope: ConfigScope

  func run() throws {
    let configuration = try scope.configuration(isChanging: false)
    let setting = Setting.named(key)
    guard let value = try configuration.value(of: key) else {
      let text = setting.map(\.defaultText) ?? ""
      throw CairnError(
        .notFound,
        "\(key) is not set" + (text.isEmpty ? "." : "; the default is \(text)."),
        hint: setting == nil
          ? "`cairn config list --all` lists the settings that cairn reads."
          : "To set it: `cairn config set \(key) VALUE`.")
    }
    let json = setting?.rendered(key, value) ?? ["key": .string(key), "value": .string(value)]
    Console.print(scope.globals, json) { Console.print(Console.printable(value)) }
  }
}
