import ArgumentParser
import Cairn

struct ConfigList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the settings that are set, with their meaning.",
    discussion: HelpText.paragraphs(
      """
      Passwords in URLs are left out.

      EXAMPLES
        cairn config list
        cairn config list --all --json
      """))

  @Flag(help: "Also list the settings that are not set, with the defaults.") var all = false
  @OptionGroup var scope: ConfigScope

  func run() throws {
    let entries = try scope.configuration(isChanging: false).entries()
    let known = entries.map(\.setting)
    let unset = all ? Setting.all.filter { !known.contains($0) } : []
    Console.print(
      scope.globals, .array(entries.map(\.rendered) + unset.map { $0.rendered($0.key, nil) })
    ) {
      let rows =
        entries.map { [$0.key, $0.value, $0.setting.meaning] }
        + unset.map { [$0.key, $0.defaultText.isEmpty ? "" : "(\($0.defaultText))", $0.meaning] }
      if rows.isEmpty {
        return Console.print("No setting is set; `cairn config list --all` lists them all.")
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}

extension GitConfiguration.Entry {
  fileprivate var rendered: JSON { setting.rendered(key, value) }
}

extension Setting {
  func rendered(_ key: String, _ value: String?) -> JSON {
    [
      "default": .string(defaultText), "key": .string(key), "meaning": .string(meaning),
      "value": JSON(value),
    ]
  }
}
