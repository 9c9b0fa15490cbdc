import ArgumentParser
import Cairn
import SystemPackage

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a page about the dataset: labels, agreement of people, figures of models.",
    discussion: """
      One HTML file that needs no network, no other file and no script: photos by class and state; the
      tables of `cairn agreement`; the figures of `cairn evaluate`, with reliability and confusion
      drawn. The same documents and commit give the same bytes. Without FILE it is printed.

      EXAMPLES
        cairn report ../report.html
        cairn report > /tmp/report.html
      """)

  @Argument(help: ArgumentHelp("Where to write it.", valueName: "file")) var file: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    guard let file else {
      let page = try dataset.report()
      if globals.json { Console.print(json: ["html": .string(page)]) } else { Console.write(page) }
      return
    }
    try dataset.writeReport(to: currentDirectory().pushing(FilePath(file)))
    Console.print(globals, ["file": .string(file)]) {
      Console.print("Wrote \(Console.printable(file)).")
    }
  }
}
