import ArgumentParser
import Cairn
import SystemPackage

struct ExportDocuments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Export documents as JSON lines, sorted by path.",
    discussion: HelpText.paragraphs(
      """
      `cairn import documents` imports the output into any dataset. The manifest is left out by
      default, since it belongs to this dataset.

      EXAMPLES
        cairn export documents > documents.jsonl
        cairn export documents labels.jsonl --kind label --at v1
      """))

  @Argument(help: "The output file; - for stdout.") var file: String = "-"
  @Option(
    help: ArgumentHelp("Export this commit (default: the current documents).", valueName: "commit"))
  var at: String?
  @Option(
    help:
      "Only this kind: photo, label, pin, class, run, erasure or redaction. Can be repeated.",
    transform: documentKind)
  var kind: [DocumentKind] = []
  @Flag(help: "Include the manifest.") var all = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    var options = ExportOptions()
    options.commit = try at.map { try dataset.commitID($0) }
    if !kind.isEmpty { options.kinds = Set(kind) }
    if all { options.kinds.insert(.dataset) }
    let isPrinted = file == "-"
    let report =
      try isPrinted
      ? dataset.exportDocuments(to: .standardOutput, options: options)
      : dataset.exportDocuments(
        to: currentDirectory().pushing(FilePath(file)), options: options)
    for line in report.problems.lines(all: "cairn verify") { Console.note(line) }
    if !isPrinted {
      Console.printChange(
        globals,
        [
          "documents": report.documents.rendered, "file": .string(file),
          "problems": .array(report.problems.map(\.rendered)),
        ]
      ) { Console.print("Wrote \(report.documents.text) to \(Console.printable(file)).") }
    }
    if !report.problems.isEmpty { throw ExitCode(1) }
  }
}

/// Parses the name of a kind of document.
private func documentKind(_ text: String) throws -> DocumentKind {
  guard let kind = DocumentKind(rawValue: text) else {
    throw ValidationError("“\(text)” is not a kind of document.")
  }
  return kind
}
