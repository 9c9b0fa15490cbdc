import ArgumentParser
import Cairn

struct LabelerPresets: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets", abstract: "List the preset services, or describe one.",
    discussion: HelpText.paragraphs(
      """
      Save a description to a file, edit it, and pass the file to `cairn labeler add --describe`.

      EXAMPLES
        cairn labeler presets
        cairn labeler presets google-vision
      """))

  @Argument(help: "Describe this service.") var name: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    if let name {
      guard let preset = LabelerPreset(name) else {
        throw CairnError(
          .notFound, "There is no preset “\(name)”.",
          hint: "`cairn labeler presets` lists the presets.")
      }
      return Console.print(json: preset.json)
    }
    let presets = LabelerPreset.all
    Console.print(globals, .object(JSONObject(presets.map { ($0.name, $0.json) }))) {
      let rows = presets.map { preset in
        let open = preset.requiredSettings + preset.secretVariables.map { "$" + $0 }
        return [preset.name, preset.title, open.joined(separator: ", ")]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}
