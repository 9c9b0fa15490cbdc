import ArgumentParser
import Cairn
import SystemPackage

/// What one format's command is called and says.
protocol ImportFormatHelp {
  static var format: ImportFormat { get }
  static var abstract: String { get }
  /// Which files it reads, and what it cannot take in.
  static var discussion: String { get }
  static var example: String { get }
}

/// Reads labels from the files of another program.
struct ImportAs<Words: ImportFormatHelp>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Words.format.rawValue, abstract: Words.abstract,
      discussion: HelpText.paragraphs(
        """
        \(Words.discussion)

        Photos are matched by their bytes, or by files named after their ids; new images are added. Invalid
        entries are listed with their location, and nothing is imported unless `--skip-invalid` skips them.
        An import is one commit, and importing twice is safe.

        EXAMPLES
          cairn import \(Words.format.rawValue) ../labeled --dry-run
          \(Words.example)
        """))
  }

  @Argument(help: "A file or directory, depending on the format.") var path: String
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Label as this model.", valueName: "model@version"))
  var model: String?
  @Option(
    help: ArgumentHelp("Label as another person, given by email address.", valueName: "address"))
  var annotator: String?
  @Option(
    help: ArgumentHelp(
      "The directory with the images (default: next to the files).", valueName: "dir"))
  var images: String?
  @Option(
    help: ArgumentHelp(
      "What the top directories of an image folder are: classes or parts (default: by their names).",
      valueName: "what"),
    transform: folderLayout)
  var top: FolderLayout?
  @OptionGroup var manner: ImportArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let bar = ProgressBar()
    var options = FormatImportOptions()
    options.annotator = try speaker()
    options.folders = top
    guard top == nil || Words.format == .imagefolder else {
      throw CairnError(
        .invalidInput, "--top is for imagefolder, whose directories can be classes or parts.",
        hint: "Leave it out.")
    }
    options.images = images.map { currentDirectory().pushing(FilePath($0)) }
    (options.skipsInvalid, options.isDryRun) = (manner.skipInvalid, manner.dryRun)
    options.message = manner.message
    options.progress = { bar.update($0, $1, $2) }
    let report = try dataset.import(
      Words.format, from: currentDirectory().pushing(FilePath(path)), options: options)
    bar.finish()
    Console.print(globals, report.rendered(isDryRun: manner.dryRun)) {
      report.print(isDryRun: manner.dryRun)
    }
    if report.isRefused {
      if !globals.json { tellProblems(report) }
      throw ExitCode(CairnError.Kind.invalidInput.exitCode)
    }
  }

  private func speaker() throws -> Annotator? {
    if model != nil, annotator != nil {
      throw CairnError(
        .invalidInput, "Either a model says so or a person.",
        hint: "Give --as or --annotator, not both.")
    }
    if let model { return try CairnCLI.annotator(model: model) }
    guard let address = annotator else { return nil }
    guard address.contains("@"), let person = Annotator(email: address) else {
      throw CairnError(
        .invalidInput, "“\(address)” is not a person's address.",
        hint: "Such as `--annotator alice@example.org`.")
    }
    return person
  }

  private func tellProblems(_ report: FormatImportReport) {
    for line in report.problemLines { Console.note(line) }
    Console.note(
      "\(count(report.problemCount, "thing")) cannot be taken in; nothing was imported.")
    Console.hint("Add `--skip-invalid` to leave them out.")
  }
}

private func folderLayout(_ text: String) throws -> FolderLayout {
  guard let layout = FolderLayout(rawValue: text) else {
    throw ValidationError("“\(text)” is neither classes nor parts.")
  }
  return layout
}

extension FormatImportReport {
  fileprivate var problemLines: [String] {
    var lines = problems.map { Console.printable("\($0.place): \($0.message)") }
    if problemCount > problems.count { lines.append("… and \(problemCount - problems.count) more") }
    return lines
  }

  fileprivate func print(isDryRun: Bool) {
    for note in notes { Console.print(note) }
    if isRefused { return }
    for line in problemLines { Console.print("\(Style.yellow("left out")) \(line)") }
    var found = "Found \(count(labels, "label")) of \(count(known + new, "photo"))"
    if new > 0 { found += ", \(new) of them new" }
    if pins > 0 { found += ", and \(count(pins, "pin"))" }
    Console.print(found + ".")
    documents?.print(isDryRun: isDryRun, isRefused: false)
  }

  fileprivate func rendered(isDryRun: Bool) -> JSON {
    var object =
      documents?.rendered(isRefused: isRefused, isDryRun: isDryRun).object ?? [:]
    object["commit"] = object["commit"] ?? .null
    object["labels"] = JSON(labels)
    object["photos"] = ["known": JSON(known), "new": JSON(new)]
    object["pins"] = JSON(pins)
    object["notes"] = .array(notes.map { .string($0) })
    object["problemCount"] = JSON(problemCount)
    object["problems"] = .array(
      problems.map { problem in
        [
          "file": .string(problem.place.file), "line": problem.place.line.map { JSON($0) } ?? .null,
          "message": .string(problem.message),
        ]
      })
    object["refused"] = .bool(isRefused)
    return .object(object)
  }
}
