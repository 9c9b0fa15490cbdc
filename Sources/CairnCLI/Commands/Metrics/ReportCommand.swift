import ArgumentParser
import Cairn
import SystemPackage

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an HTML report: labels, agreement, model metrics.",
    discussion: HelpText.paragraphs(
      """
      Writes a single HTML file that needs no scripts and no network. It shows the photos by class
      and state, the tables of `cairn agreement`, and the metrics of `cairn evaluate` with
      reliability diagrams, confusion matrices, and the most confident mistakes of each model. The
      output is reproducible: the same documents and commit give the same bytes. Without FILE, the
      report is written to stdout.

      --thumbnails includes small images of these mistakes, as far as the images are on this disk.

      EXAMPLES
        cairn report ../report.html
        cairn report --thumbnails ../report.html
        cairn report > /tmp/report.html
      """))

  @Argument(help: ArgumentHelp("The output file.", valueName: "file")) var file: String?
  @Flag(help: "Include small images of the models' most confident mistakes.") var thumbnails = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    guard let file else {
      let page = try dataset.report(withImages: thumbnails)
      if globals.json { Console.print(json: ["html": .string(page)]) } else { Console.write(page) }
      return
    }
    try dataset.writeReport(
      to: currentDirectory().pushing(FilePath(file)), withImages: thumbnails)
    Console.printChange(globals, ["file": .string(file)]) {
      Console.print("Wrote \(Console.printable(file)).")
    }
  }
}
