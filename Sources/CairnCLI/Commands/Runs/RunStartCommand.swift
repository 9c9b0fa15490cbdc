import ArgumentParser
import Cairn

struct RunStart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a model run and print its id.",
    discussion: HelpText.paragraphs(
      "EXAMPLE\n  cairn run start resnet50@2026-01 --parameter size=224"))

  @Argument(help: ArgumentHelp("The model and its version.", valueName: "model@version")) var model:
    String
  @Option(
    name: .customLong("parameter"),
    help: ArgumentHelp("A parameter of the run. Can be repeated.", valueName: "name=value"))
  var parameters: [String] = []
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var object = JSONObject()
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw CairnError(
          .invalidInput, "“\(parameter)” is not a parameter.", hint: "For example: `size=224`.")
      }
      object[String(parts[0])] = value(String(parts[1]))
    }
    let run = try globals.dataset(dryRun)
      .startRun(try annotator(model: model), parameters: object)
    if dryRun.isOn {
      return Console.printDryRun(
        globals, ["annotator": .string(run.annotator.description)],
        ["Would start a run of \(Console.printable(run.annotator.identity))."])
    }
    Console.print(globals, run.rendered()) { Console.print(run.id.text) }
  }

  /// Returns a number or a boolean if the text is one in JSON, otherwise the text.
  private func value(_ text: String) -> JSON {
    switch try? JSON(bytes: text.utf8) {
    case .number(let number)?: .number(number)
    case .bool(let flag)?: .bool(flag)
    default: .string(text)
    }
  }
}
