import ArgumentParser
import Cairn
import SystemPackage

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Take labels and documents out, in the formats of others.",
    discussion: """
      Documents can come back as they went; the formats hold what stands of photos, for training and
      for other programs. `cairn help export FORMAT` says what each holds.

      EXAMPLES
        cairn export coco ../for-training --split train=80,val=10,test=10 --split-by pin
        cairn export imagefolder ../animals --find 'label:dog OR label:cat' --images link
        cairn export documents > everything.jsonl
      """,
    subcommands: [ExportDocuments.self] + formats)

  private static let formats: [any ParsableCommand.Type] = [
    ExportAs<CSVWords>.self, ExportAs<JSONLinesWords>.self, ExportAs<ImageFolderWords>.self,
    ExportAs<CreateMLWords>.self, ExportAs<COCOWords>.self, ExportAs<YOLOWords>.self,
    ExportAs<YOLOClassifyWords>.self, ExportAs<VOCWords>.self, ExportAs<LabelStudioWords>.self,
    ExportAs<HuggingFaceWords>.self, ExportAs<WebDatasetWords>.self, ExportAs<GeoJSONWords>.self,
    ExportAs<CroissantWords>.self, ExportAs<FiftyOneWords>.self,
  ]
}

struct ExportDocuments: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Write documents as lines of JSON, sorted by path.",
    discussion: """
      What is written can be imported again, here or elsewhere: `cairn import documents`. The
      manifest, which is no other dataset's, is left out.

      EXAMPLES
        cairn export documents > everything.jsonl
        cairn export documents labels.jsonl --kind label --at v1
      """)

  @Argument(help: "A file; else, or with -, the lines are printed.") var file: String = "-"
  @Option(
    help: ArgumentHelp("The commit to take them from; else as they are now.", valueName: "commit"))
  var at: String?
  @Option(
    help: "Only documents of this kind: photo, label, pin, class or run; can be repeated.",
    transform: documentKind)
  var kind: [DocumentKind] = []
  @Flag(help: "The manifest, too.") var all = false
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
    for problem in report.problems {
      Console.note("left out \(Console.printable("\(problem.path): \(problem.reason.sentence)"))")
    }
    if !isPrinted {
      Console.print(
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

/// Reads the word for a kind of document.
private func documentKind(_ text: String) throws -> DocumentKind {
  guard let kind = DocumentKind(rawValue: text) else {
    throw ValidationError("“\(text)” is no kind of document.")
  }
  return kind
}
