import ArgumentParser
import Cairn
import SystemPackage

/// What one format's command is called and says.
protocol ExportFormatHelp {
  static var format: ExportFormat { get }
  /// What it writes, in a line.
  static var abstract: String { get }
  /// What it cannot hold, and other things to know.
  static var discussion: String { get }
  static var example: String { get }
}

/// Writes photos and labels in a format of other programs.
struct ExportAs<Words: ExportFormatHelp>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Words.format.rawValue, abstract: Words.abstract,
      discussion: HelpText.paragraphs(
        """
        \(Words.discussion)

        Classes are named by their keys and files by their photos' ids. The directory appears only when
        the export is complete. At the end, cairn reports what the format cannot represent.

        EXAMPLES
          cairn export \(Words.format.rawValue) ../out
          \(Words.example)
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
    help: "copy, link (hard links, which share the dataset's files), or none.",
    transform: imagePolicy)
  var images = ImagePolicy.copy
  @Option(
    help: ArgumentHelp(
      "Split photos by a hash of their ids: train=80,val=10,test=10, or the name of a split.",
      valueName: "parts"))
  var split: String?
  @Option(
    help: ArgumentHelp(
      "photo, or pin to keep photos of a pin together. Named splits define it themselves.",
      valueName: "what"))
  var splitBy: SplitBasis?
  @Option(
    help: ArgumentHelp(
      "Record how the photos are parted, for everybody to export by.", valueName: "name"))
  var recordSplit: String?
  @Flag(
    name: .customLong("strip-gps"),
    help: "Leave out locations: pins, and GPS data in image files.")
  var stripsPositions = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var options = try self.options()
    let dataset = try globals.dataset()
    options.split = try wantedSplit(dataset)
    let bar = ProgressBar()
    var running = options
    running.progress = { bar.update("exporting", $0, $1) }
    let report = try dataset.export(
      Words.format, to: currentDirectory().pushing(FilePath(target)), options: running)
    bar.finish()
    let leftOut = report.leftOut.sentences(Words.format)
    Console.print(globals, report.rendered(Words.format, target)) {
      Console.print(
        "Wrote \(report.sentence) to \(Console.printable(target)).")
      for sentence in leftOut { Console.print("left out: \(sentence)") }
    }
  }

  private func options() throws -> FormatExportOptions {
    var options = FormatExportOptions()
    options.query = try selection.query() ?? options.query
    options.states = try Set(
      states.split(separator: ",", omittingEmptySubsequences: false).map { word in
        guard let state = AnnotationState(rawValue: String(word)) else {
          let all = AnnotationState.allCases.map(\.rawValue).joined(separator: ", ")
          throw CairnError(
            .invalidInput, "“\(word)” is no state of a label.", hint: "There are \(all).")
        }
        return state
      })
    guard 0...1 ~= minimum else {
      throw CairnError(
        .invalidInput, "The confidence \(minimum) is not between 0 and 1.",
        hint: "Such as `--min 0.5`.")
    }
    options.minimumConfidence = minimum
    options.images = images
    options.stripsPositions = stripsPositions
    return options
  }

  /// Returns how the photos are to be parted, which it records where that was asked for.
  private func wantedSplit(_ dataset: Dataset) throws -> Split? {
    guard let split else {
      if splitBy == nil, recordSplit == nil { return nil }
      throw CairnError(
        .invalidInput, "--split-by and --record-split require --split.",
        hint: "Such as `--split train=80,val=10,test=10`.")
    }
    if !split.contains("="), ClassKey(split) != nil {
      guard splitBy == nil, recordSplit == nil else {
        throw CairnError(
          .invalidInput, "The split “\(split)” is recorded as it is.",
          hint: "Leave out --split-by and --record-split, or name the parts.")
      }
      return try dataset.split(named: split)
    }
    let wanted = try readSplit(split, by: splitBy ?? .photo)
    if let recordSplit { try dataset.addSplit(recordSplit, wanted) }
    return wanted
  }
}

private func imagePolicy(_ text: String) throws -> ImagePolicy {
  guard let policy = ImagePolicy(rawValue: text) else {
    let all = ImagePolicy.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("“\(text)” is not what can be done with images; there are \(all).")
  }
  return policy
}

extension FormatReport {
  fileprivate var sentence: String {
    var text = "\(count(photos, "photo")) with \(count(labels, "label"))"
    if regions > 0 { text += " and \(regions) box\(regions == 1 ? "" : "es")" }
    let parts = splits.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return parts.isEmpty ? text : text + " (\(parts.joined(separator: ", ")))"
  }

  fileprivate func rendered(_ format: ExportFormat, _ target: String) -> JSON {
    [
      "classes": .array(classes.map { .string($0.key.text) }), "directory": .string(target),
      "format": .string(format.rawValue), "images": JSON(images), "labels": JSON(labels),
      "leftOut": .object(
        JSONObject(leftOut.counts.map { ($0.key.rawValue, JSON($0.value)) })),
      "leftOutSentences": .array(leftOut.sentences(format).map { .string($0) }),
      "photos": JSON(photos), "regions": JSON(regions),
      "splits": .object(JSONObject(splits.map { ($0.key, JSON($0.value)) })),
    ]
  }
}
