import ArgumentParser
import Cairn
import SystemPackage

/// The name and the help text of the command for one format.
protocol ImportFormatHelp {
  static var format: ImportFormat { get }
  static var abstract: String { get }
  /// Which files it reads, and what it does not support.
  static var discussion: String { get }
  static var example: String { get }
  /// An example that writes nothing.
  static var dryRunExample: String { get }
}

extension ImportFormatHelp {
  static var dryRunExample: String {
    "cairn import \(format.rawValue) ../labeled --annotator alice@example.org -n"
  }
}

/// Imports labels from files of another program.
struct ImportAs<Help: ImportFormatHelp>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Help.format.rawValue, abstract: Help.abstract,
      discussion: HelpText.paragraphs(
        """
        \(Help.discussion)

        Photos are matched by content, or by id if a file is named after the photo's id; new images
        are added. Without the images, --match-names takes the photos of the dataset whose files had
        the same names. Labels keep the annotators that the files name: people by an email address,
        or by a name that --annotators maps to one. If the files name nobody, name the person with
        --annotator, or the model with --as. If the person has since labeled the class again, the
        newer label is kept. Invalid entries are listed with their location, and nothing is imported
        unless `--skip-invalid` skips them. An import is one commit, and importing twice is safe.

        EXAMPLES
          \(Help.dryRunExample)
          \(Help.example)
        """))
  }

  @Argument(help: "A file or directory, depending on the format.") var path: String
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The model that made the labels, in a run that can be withdrawn.",
      valueName: "model@version"))
  var model: String?
  @Option(
    help: ArgumentHelp(
      "The person who made the labels, if the files name nobody.", valueName: "address"))
  var annotator: String?
  @Option(
    help: ArgumentHelp(
      "A table with the email address of each name or id in the files.", valueName: "map.csv"))
  var annotators: String?
  @Option(
    help: ArgumentHelp(
      "The columns of a table, such as image=photo_file,label=species.",
      valueName: "what=column,…", visibility: Help.format == .csv ? .default : .hidden))
  var map: [String] = []
  @Option(
    help: ArgumentHelp(
      "The directory with the images (default: next to the files).", valueName: "dir"))
  var imageDir: String?
  @Flag(
    name: .customLong("match-names"),
    help: "Match photos of the dataset by the names that their files had when they were added.")
  var matchesNames = false
  @Option(
    help: ArgumentHelp(
      "What the top-level directories are: classes or subsets (default: detected by name).",
      valueName: "what", visibility: Help.format == .imagefolder ? .default : .hidden),
    transform: folderLayout)
  var folders: FolderLayout?
  @OptionGroup var arguments: ImportArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let isDryRun = arguments.dryRun.isOn
    let dataset = try globals.dataset()
    var options = FormatImportOptions()
    options.annotator = try labelAnnotator()
    if let annotators {
      try options.readAnnotators(at: currentDirectory().pushing(FilePath(annotators)))
    }
    options.columns = try columns()
    options.folders = folders
    guard folders == nil || Help.format == .imagefolder else {
      throw CairnError(
        .usage, "--folders is only for imagefolder, whose directories can be classes or subsets.",
        hint: "Omit it.")
    }
    options.images = imageDir.map { currentDirectory().pushing(FilePath($0)) }
    options.matchesFileNames = matchesNames
    (options.skipsInvalid, options.isDryRun) = (arguments.skipInvalid, isDryRun)
    options.message = arguments.message.text
    let report = try dataset.import(
      Help.format, from: currentDirectory().pushing(FilePath(path)), options: options)
    Console.print(globals, report.rendered(isDryRun: isDryRun)) {
      report.print(isDryRun: isDryRun, globals)
    }
    if report.isRefused {
      if !globals.json { printProblems(report) }
      throw ExitCode(CairnError.Kind.invalidInput.exitCode)
    }
  }

  /// Returns the columns that --map names, by what they contain.
  private func columns() throws -> [String: String] {
    guard map.isEmpty || Help.format == .csv else {
      throw CairnError(
        .usage, "--map is only for csv, whose columns can have any names.", hint: "Omit it.")
    }
    var columns: [String: String] = [:]
    for pair in map.flatMap(columnPairs) {
      guard let (what, column) = pair, columns.updateValue(column, forKey: what) == nil else {
        throw CairnError(
          .usage, "--map takes pairs WHAT=COLUMN, separated by commas; no WHAT may be repeated.",
          hint: "For example: `--map image=photo_file,label=species`.")
      }
    }
    return columns
  }

  /// Returns the annotator of labels for which the files name nobody; nil if there is none.
  private func labelAnnotator() throws -> Annotator? {
    if model != nil, annotator != nil {
      throw CairnError(
        .usage, "Labels are either a model's or a person's.",
        hint: "Give --as or --annotator, not both.")
    }
    if let model { return try CairnCLI.annotator(model: model) }
    guard let address = annotator else { return nil }
    guard address.contains("@"), let person = Annotator(email: address) else {
      throw CairnError(
        .invalidInput, "“\(address)” is not an email address.",
        hint: "For example: `--annotator alice@example.org`.")
    }
    return person
  }

  /// Prints the problems on stderr.
  private func printProblems(_ report: FormatImportReport) {
    for line in report.problemLines { Console.note(line) }
    Console.note("\(count(report.problemCount, "problem")); nothing was imported.")
    if report.missing > 0, !matchesNames {
      Console.hint(
        "`--image-dir DIR` names the directory of the images; `--match-names` takes the photos of "
          + "the dataset whose files had these names. To skip these entries, add `--skip-invalid`.")
    } else {
      Console.hint("To skip these entries, add `--skip-invalid`.")
    }
  }
}

/// Splits “image=a,label=b”; a part without “=” belongs to the column before it, whose name has a
/// comma. A pair without a column is nil.
private func columnPairs(_ text: String) -> [(what: String, column: String)?] {
  var parts: [String] = []
  for part in text.split(separator: ",", omittingEmptySubsequences: false) {
    if part.contains("=") || parts.isEmpty {
      parts.append(String(part))
    } else {
      parts[parts.count - 1] += "," + part
    }
  }
  return parts.map { part in
    let pair = part.split(separator: "=", maxSplits: 1)
    return pair.count == 2 ? (String(pair[0]).trimmingSpaces(), String(pair[1])) : nil
  }
}

private func folderLayout(_ text: String) throws -> FolderLayout {
  guard let layout = FolderLayout(rawValue: text == "splits" ? "subsets" : text) else {
    throw ValidationError("--folders is either classes or subsets, not “\(text)”.")
  }
  return layout
}

extension FormatImportReport {
  fileprivate var problemLines: [String] {
    var lines = problems.map { Console.printable("\($0.location): \($0.message)") }
    if problemCount > problems.count { lines.append("… and \(problemCount - problems.count) more") }
    return lines
  }

  fileprivate func print(isDryRun: Bool, _ globals: GlobalOptions) {
    for note in notes { Console.print(note) }
    if isRefused { return }
    for line in problemLines { Console.print("\(Style.yellow("skipped")) \(line)") }
    var found = "Found \(count(labels, "label")) on \(count(known + new, "photo"))"
    if new > 0 { found += ", \(new) of them new" }
    if pins > 0 { found += ", and \(count(pins, "pin"))" }
    if isDryRun || !globals.quiet { Console.print(found + ".") }
    documents?.print(isDryRun: isDryRun, isRefused: false, globals)
  }

  fileprivate func rendered(isDryRun: Bool) -> JSON {
    var object =
      documents?.rendered(isRefused: isRefused, isDryRun: isDryRun).object ?? [:]
    object["commit"] = object["commit"] ?? .null
    object["labels"] = JSON(labels)
    object["photos"] = ["known": JSON(known), "missing": JSON(missing), "new": JSON(new)]
    object["pins"] = JSON(pins)
    object["notes"] = .array(notes.map { .string($0) })
    object["problemCount"] = JSON(problemCount)
    object["problems"] = .array(
      problems.map { problem in
        [
          "file": .string(problem.location.file),
          "line": problem.location.line.map { JSON($0) } ?? .null,
          "message": .string(problem.message),
        ]
      })
    object["refused"] = .bool(isRefused)
    return .object(object)
  }
}
