import ArgumentParser
import Cairn

struct LabelerPresets: ParsableCommand {
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
      guard let json = ServicePresets.json(name) else {
        throw CairnError(
          .notFound, "There is no preset “\(name)”.",
          hint: "`cairn labeler presets` lists the presets.")
      }
      return Console.print(json: json)
    }
    let presets = ServicePresets.names.compactMap { name in
      ServicePresets.json(name).map { (name, $0) }
    }
    Console.print(globals, .object(JSONObject(presets.map { ($0.0, $0.1) }))) {
      let rows = presets.map { name, json in
        let config = try? ServiceConfig(json: json)
        let settings = config?.openSettings ?? []
        let secrets = (config?.secrets ?? []).map { "$" + $0.variable }
        return [
          name, json["title"]?.string ?? "",
          (settings + secrets).joined(separator: ", "),
        ]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}
