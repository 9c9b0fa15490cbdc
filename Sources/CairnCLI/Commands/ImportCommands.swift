import ArgumentParser
import Cairn
import SystemPackage

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import labels and documents, also from other programs' formats.",
    discussion: HelpText.paragraphs(
      """
      `cairn help import FORMAT` describes the files that each format reads, and its limits.

      EXAMPLES
        cairn import coco ../annotations/instances_val2017.json --images ../val2017 --dry-run
        cairn import csv ../predictions.csv --as resnet50@2026-01
        cairn import documents everything.jsonl
      """),
    subcommands: [ImportDocuments.self] + formats)

  private static let formats: [any ParsableCommand.Type] = [
    ImportAs<CSVImport>.self, ImportAs<JSONLinesImport>.self, ImportAs<ImageFolderImport>.self,
    ImportAs<COCOImport>.self, ImportAs<YOLOImport>.self, ImportAs<YOLOClassifyImport>.self,
    ImportAs<VOCImport>.self, ImportAs<LabelStudioImport>.self, ImportAs<LabelMeImport>.self,
    ImportAs<GeoJSONImport>.self,
  ]
}

/// What is done about what is wrong, and what is told.
struct ImportArguments: ParsableArguments {
  @Flag(help: "Skip invalid lines and import the rest.") var skipInvalid = false
  @Flag(name: [.customShort("n"), .long], help: "Show what would be done (dry run).") var dryRun =
    false
  @Option(name: .shortAndLong, help: "The commit message (default: a summary).") var message:
    String?
}

struct ImportDocuments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Import documents from JSON lines, as one commit.",
    discussion: HelpText.paragraphs(
      """
      These may be omitted: a label's annotator (default: you), confidence (1), verdict (present) and stamp,
      a photo's empty fields, and a pin's id. A field may be given as its bare value. Missing classes are
      created. Existing documents are merged with imported ones, so that nothing is lost and importing
      twice is safe. Uncommitted changes are committed first. If a line is invalid, nothing is imported.

      EXAMPLES
        cairn import documents predictions.jsonl --dry-run
        zcat labels.jsonl.gz | cairn import documents - -m "Labels of the first survey"
      """))

  @Argument(help: "A file; - for stdin.") var file: String
  @OptionGroup var manner: ImportArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let bar = ProgressBar()
    var options = ImportOptions()
    (options.skipsInvalid, options.isDryRun) = (manner.skipInvalid, manner.dryRun)
    options.message = manner.message
    options.progress = { bar.update($0, $1, $2) }
    let report = try withInput { try dataset.importDocuments($0, options: options) }
    bar.finish()
    let isRefused = report.problemCount > 0 && !manner.skipInvalid
    Console.print(globals, report.rendered(isRefused: isRefused, isDryRun: manner.dryRun)) {
      report.print(isDryRun: manner.dryRun, isRefused: isRefused)
    }
    if isRefused {
      if !globals.json { tellProblems(report) }
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

  /// Tells what is wrong where errors go.
  private func tellProblems(_ report: ImportReport) {
    for line in report.problemLines { Console.note(line) }
    Console.note("\(count(report.problemCount, "line")) wrong; nothing was imported.")
    Console.hint("Mend them, or leave them out: `cairn import documents --skip-invalid \(file)`.")
  }
}

extension ImportReport {
  /// The lines that are wrong, each with its reason.
  fileprivate var problemLines: [String] {
    var lines = problems.map { "line \($0.line): \(Console.printable($0.message))" }
    if problemCount > problems.count { lines.append("… and \(problemCount - problems.count) more") }
    return lines
  }

  func print(isDryRun: Bool, isRefused: Bool) {
    if isRefused { return }
    if let commit = before?.commit {
      Console.print("Committed what was not yet committed: \(commit.short).")
    }
    for line in problemLines { Console.print("\(Style.yellow("left out")) \(line)") }
    if manifests > 0 { Console.print("Passed over \(count(manifests, "manifest")).") }
    for line in future {
      Console.print("line \(line): its stamp lies far in the future; somebody's clock is wrong")
    }
    let would = isDryRun ? "Would " : ""
    var parts: [String] = []
    if !added.isEmpty { parts.append("add \(added.text)") }
    if !changed.isEmpty { parts.append("change \(changed.text)") }
    if !coined.isEmpty {
      parts.append("coin \(coined.count) class\(coined.count == 1 ? "" : "es")")
    }
    if known > 0 { parts.append("leave \(count(known, "document")) as it stands") }
    if parts.isEmpty { return Console.print("Nothing to import.") }
    let text = would + parts.joined(separator: "; ")
    Console.print(text.prefix(1).uppercased() + text.dropFirst() + ".")
    for path in checkout.left {
      Console.print("  changed here and not committed, left as it is: \(Console.printable(path))")
    }
    if let commit { Console.print("Commit \(commit.short).") }
  }

  func rendered(isRefused: Bool, isDryRun: Bool) -> JSON {
    [
      "added": added.rendered, "changed": changed.rendered,
      "coined": .array(coined.map { .string($0.text) }), "commit": JSON(commit?.description),
      "committedBefore": JSON(before?.commit?.description), "dryRun": .bool(isDryRun),
      "future": .array(future.map { JSON($0) }), "images": JSON(images), "known": JSON(known),
      "left": .array(checkout.left.map { .string($0) }), "manifests": JSON(manifests),
      "problemCount": JSON(problemCount),
      "problems": .array(
        problems.map { ["line": JSON($0.line), "message": .string($0.message)] }),
      "refused": .bool(isRefused),
    ]
  }
}
