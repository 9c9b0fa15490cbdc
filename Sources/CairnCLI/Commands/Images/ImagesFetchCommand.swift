import ArgumentParser
import Cairn

struct ImagesFetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch missing images.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn images fetch                      fetch all
        cairn images fetch --find state:disputed
        cairn images fetch 3fa9 --remote usb
      """))

  @OptionGroup var selection: ImageSelection
  @Option(help: "The remote (default: the only one, or origin).") var remote: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let bar = ProgressBar(globals)
    let report = try dataset.fetchImages(
      of: selection.ids(in: dataset), from: remote, options: bar.options)
    bar.finish()
    Console.print(globals, .object(JSONObject(report.members))) { report.print() }
    try report.endIfFailed(globals)
    if report.left > 0 { throw ExitCode(CairnError.Kind.missingImage.exitCode) }
  }
}
