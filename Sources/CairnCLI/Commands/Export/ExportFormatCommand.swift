import ArgumentParser
import Cairn
import SystemPackage

/// The name and the help text of the command for one format.
protocol ExportFormatHelp {
  static var format: ExportFormat { get }
  /// What it writes, in one line.
  static var abstract: String { get }
  /// Which files it writes, and what the format cannot represent.
  static var discussion: String { get }
  static var example: String { get }
}

/// Exports photos and labels in a format of other programs.
struct ExportAs<Help: ExportFormatHelp>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Help.format.rawValue, abstract: Help.abstract,
      discussion: HelpText.paragraphs(
        """
        \(Help.discussion)

        Classes are named by their keys, and files by their photos' ids. The directory appears only
        when the export is complete. At the end, cairn reports what the format cannot represent.

        EXAMPLES
          cairn export \(Help.format.rawValue) ../out
          \(Help.example)
        """))
  }

  @Argument(help: ArgumentHelp("An empty or new directory.", valueName: "dir"))
  var target: String
  @OptionGroup var selection: PhotoSelection
  @Option(help: "The states of labels to write: confirmed, predicted, disputed, rejected.")
  var states = "confirmed"
  @Option(
    name: .customLong("min"),
    help: ArgumentHelp("Only labels with at least this confidence.", valueName: "confidence"))
  var minimum: Double = 0
  @Option(
    help: ArgumentHelp(
      "How to write images: copy, link (reflinks or read-only hard links), or none.",
      valueName: "mode"),
    transform: imagePolicy)
  var images = ImagePolicy.copy
  @Option(
    help: ArgumentHelp(
      """
      What to do with photos of several classes if the format holds only one: refuse, first, copy, \
      or skip.
      """,
      valueName: "mode"),
    transform: severalClasses)
  var several = SeveralClasses.refuse
  @Option(
    help: ArgumentHelp(
      "Subsets with their shares (train=80,val=10,test=10), or the name of a recorded split.",
      valueName: "shares"))
  var split: String?
  @Option(
    help: ArgumentHelp(
      """
      What determines a photo's subset; pin keeps the photos of a pin together. A recorded split \
      has its own setting.
      """,
      valueName: "what"))
  var splitBy: SplitBasis?
  @Option(
    help: ArgumentHelp(
      "Record the split in the dataset under this name.", valueName: "name"))
  var recordSplit: String?
  @Flag(
    name: .customLong("strip-gps"),
    help: "Leave out pins and locations, including those in image files.")
  var stripsPositions = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    var options = try self.options()
    options.split = try requestedSplit(dataset)
    let report = try dataset.export(
      Help.format, to: currentDirectory().pushing(FilePath(target)), options: options)
    if let recordSplit, let split = options.split { try dataset.addSplit(recordSplit, split) }
    let leftOut = report.leftOut.sentences(Help.format)
    let isFetchable = try report.leftOut.counts[.image] != nil && !dataset.remotes().isEmpty
    Console.print(globals, report.rendered(Help.format, target)) {
      globals.print(
        "Wrote \(report.sentence) to \(Console.printable(target)).")
      for sentence in leftOut { Console.print("left out: \(sentence)") }
      if isFetchable {
        Console.hint("`cairn images fetch` fetches the images that are not on this disk.")
      }
    }
  }

  private func options() throws -> FormatExportOptions {
    var options = FormatExportOptions()
    options.query = try selection.query() ?? options.query
    options.states = try Set(
      states.split(separator: ",", omittingEmptySubsequences: false).map { name in
        guard let state = AnnotationState(rawValue: String(name)) else {
          let all = AnnotationState.allCases.map(\.rawValue).joined(separator: ", ")
          throw CairnError(
            .usage, "“\(name)” is not a state of a label.", hint: "Use \(all).")
        }
        return state
      })
    guard 0...1 ~= minimum else {
      throw CairnError(
        .invalidInput, "The confidence \(minimum) is not between 0 and 1.",
        hint: "For example: `--min 0.5`.")
    }
    options.minimumConfidence = minimum
    options.images = images
    options.stripsPositions = stripsPositions
    options.several = several
    return options
  }

  /// Returns the requested split, which can be recorded if `--record-split` names it.
  private func requestedSplit(_ dataset: Dataset) throws -> Split? {
    guard let split else {
      if splitBy == nil, recordSplit == nil { return nil }
      throw CairnError(
        .usage, "--split-by and --record-split require --split.",
        hint: "For example: `--split train=80,val=10,test=10`.")
    }
    if !split.contains("="), ClassKey(split) != nil {
      guard splitBy == nil, recordSplit == nil else {
        throw CairnError(
          .usage, "The split “\(split)” is already recorded.",
          hint: "Omit --split-by and --record-split, or give subsets: `--split train=80,val=20`.")
      }
      return try dataset.split(named: split)
    }
    let newSplit = try readSplit(split, by: splitBy ?? .photo)
    if let recordSplit { try dataset.canAddSplit(recordSplit, newSplit) }
    return newSplit
  }
}

private func imagePolicy(_ text: String) throws -> ImagePolicy {
  guard let policy = ImagePolicy(rawValue: text) else {
    let all = ImagePolicy.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("“\(text)” is not valid; use one of \(all).")
  }
  return policy
}

private func severalClasses(_ text: String) throws -> SeveralClasses {
  guard let several = SeveralClasses(rawValue: text) else {
    let all = SeveralClasses.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("“\(text)” is not valid; use one of \(all).")
  }
  return several
}

extension FormatReport {
  fileprivate var sentence: String {
    var text = "\(count(photos, "photo")) with \(count(labels, "label"))"
    if regions > 0 { text += " and \(count(regions, "region"))" }
    let parts = splits.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return parts.isEmpty ? text : text + " (\(parts.joined(separator: ", ")))"
  }

  fileprivate func rendered(_ format: ExportFormat, _ target: String) -> JSON {
    [
      "classes": .array(classKeys.map { .string($0.text) }), "directory": .string(target),
      "format": .string(format.rawValue), "images": JSON(images), "labels": JSON(labels),
      "leftOut": .object(
        JSONObject(leftOut.counts.map { ($0.key.rawValue, JSON($0.value)) })),
      "leftOutSentences": .array(leftOut.sentences(format).map { .string($0) }),
      "photos": JSON(photos), "regions": JSON(regions),
      "splits": .object(JSONObject(splits.map { ($0.key, JSON($0.value)) })),
    ]
  }
}
