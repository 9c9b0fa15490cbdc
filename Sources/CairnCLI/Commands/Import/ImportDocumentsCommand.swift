import ArgumentParser
import Cairn
import SystemPackage

struct ImportDocuments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Import documents from JSON lines, as one commit.",
    discussion: HelpText.paragraphs(
      """
      You may omit a label's annotator (default: you), confidence (1), verdict (present) and stamp,
      a photo's empty fields, and a pin's id. A field may be given as a bare value, without a stamp.
      Missing classes are created. Existing documents are merged with imported ones, so that nothing
      is lost and importing twice is safe. Uncommitted changes are committed first. If a line is
      invalid, nothing is imported, unless `--skip-invalid` is given.

      EXAMPLES
        cairn import documents predictions.jsonl --dry-run
        zcat labels.jsonl.gz | cairn import documents - -m "Labels of the first survey"
      """))

  @Argument(help: "The file to import; - for stdin.") var file: String
  @OptionGroup var arguments: ImportArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let isDryRun = arguments.dryRun.isOn
    let dataset = try globals.dataset()
    var options = ImportOptions()
    (options.skipsInvalid, options.isDryRun) = (arguments.skipInvalid, isDryRun)
    options.message = arguments.message.text
    let report = try withInput { try dataset.importDocuments($0, options: options) }
    let isRefused = report.problemCount > 0 && !arguments.skipInvalid
    Console.print(globals, report.rendered(isRefused: isRefused, isDryRun: isDryRun)) {
      report.print(isDryRun: isDryRun, isRefused: isRefused, globals)
    }
    if isRefused {
      if !globals.json { printProblems(report) }
      throw ExitCode(CairnError.Kind.invalidInput.exitCode)
    }
  }

  private func withInput(_ body: (FileDescriptor) throws -> ImportReport) throws -> ImportReport {
    if file == "-" { return try body(.standardInput) }
    let path = currentDirectory().pushing(FilePath(file))
    guard let input = try? FileDescriptor.open(path, .readOnly) else {
      throw CairnError(.notFound, "The file “\(file)” cannot be read.")
    }
    return try input.closeAfter { try body(input) }
  }

  /// Prints the invalid lines on stderr.
  private func printProblems(_ report: ImportReport) {
    for line in report.problemLines { Console.note(line) }
    Console.note("\(count(report.problemCount, "invalid line")); nothing was imported.")
    Console.hint("Fix them, or skip them: `\(ownCommandLine(adding: "--skip-invalid"))`.")
  }
}
