import ArgumentParser
import Cairn
import CairnFiles
import SystemPackage

struct Train: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "train", abstract: "Train a model on people's labels, without a network.",
    discussion: HelpText.paragraphs(
      """
      The model learns from what people confirmed and rejected, never from what models predicted.
      The classes of an exclusive set need at least 10 photos each; other classes also need 10
      photos on which people rejected them, since silence does not mean that a class is absent.

      The features of photos are computed on this machine and kept, so training again takes seconds.
      Near duplicates stay on one side of the cross-validation. With --split, the model learns from
      the subset “train”, and is also tested on “test”. Equal labels and images give an equal
      model on every machine; its version is the beginning of its digest. A run records the training
      with its figures, `cairn predict --labeler NAME` uses the model, and other programs can use the
      ONNX file with its description.

      EXAMPLES
        cairn train trees                           the only exclusive set
        cairn train trees --set species --find 'pin:harbour'
        cairn train lichen --classes lichen,moss    classes that do not exclude each other
        cairn train trees --split train=80,test=20 --output trees.onnx
      """))

  @Argument(help: "The name of the model and of its labeler.") var name: String
  @OptionGroup var find: FindOption
  @Option(help: ArgumentHelp("Learn the classes of this exclusive set.", valueName: "set"))
  var set: String?
  @Option(
    help: ArgumentHelp(
      "Learn these classes, which do not exclude each other.", valueName: "class,class…"))
  var classes: String?
  @Option(
    help: ArgumentHelp(
      "Subsets with their shares (train=80,val=10,test=10), or the name of a recorded split.",
      valueName: "parts"))
  var split: String?
  @Flag(help: "Keep photos of one pin on one side of the cross-validation.") var groupByPin = false
  @Option(
    help: ArgumentHelp(
      "Also write the model to this file, and its description beside it.", valueName: "file.onnx"))
  var output: String?
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if set != nil, classes != nil {
      throw ValidationError("--set and --classes cannot be combined.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset(quiet)
    var request = TrainingRequest(name: name)
    if let query = try find.query() { request.query = query }
    request.queryText = find.queryText
    request.set = set
    request.classNames = (classes ?? "").split(separator: ",").map { String($0) }
    (request.split, request.groupsByPin) = (split, groupByPin)
    let report = try dataset.train(request)
    if let output { try write(report, to: FilePath(output)) }
    Console.print(globals, report.json) { report.print(quiet) }
  }

  private func write(_ report: TrainingReport, to file: FilePath) throws {
    do {
      let files = FileSystem()
      var (source, target) = (report.file, file)
      for suffix in ["onnx", "json"] {
        (source.extension, target.extension) = (suffix, suffix)
        let bytes = try files.read(source) ?? []
        try files.write(bytes, to: target, temporary: FilePath("\(target).new"))
      }
    } catch {
      throw CairnError(error)
    }
  }
}

extension TrainingReport {
  fileprivate func print(_ quiet: QuietOption) {
    if quiet.isOn { return }
    Console.print(
      "\(Style.bold(Console.printable(model.identity)))  learned from \(count(photos, "photo"))")
    crossValidation.print(isExclusive, "cross-validated")
    test?.print(isExclusive, "test")
    let rows = zip(counts, crossValidation.perClass).map { count, one in
      [
        "  " + one.classKey.text, "\(count)", share(one.precision), share(one.recall),
        percent(one.f1),
      ]
    }
    Console.print()
    Console.table([["  class", "photos", "precision", "recall", "F1"]] + rows)
      .forEach { Console.print($0) }
    printConfusion()
    printCurve()
    if missingImages > 0 {
      Console.print()
      Console.print(
        "  \(count(missingImages, "photo")) left out: the image is not on this disk, or cannot be"
          + " decoded")
    }
    Console.print()
    Console.hint("Run it: `cairn predict --labeler \(model.model?.name ?? "")`.")
  }

  /// Prints the classes that are most often mistaken for another.
  private func printConfusion() {
    var mistakes: [(count: Int, truth: Int, prediction: Int)] = []
    for (truth, line) in crossValidation.confusion.enumerated() {
      for (prediction, count) in line.enumerated() where truth != prediction && count > 0 {
        mistakes.append((count, truth, prediction))
      }
    }
    if mistakes.isEmpty { return }
    Console.print()
    mistakes.sort { (-$0.count, $0.truth, $0.prediction) < (-$1.count, $1.truth, $1.prediction) }
    for mistake in mistakes.prefix(5) {
      let names = (classes[mistake.truth].text, classes[mistake.prediction].text)
      Console.print("  \(count(mistake.count, "photo")) of \(names.0) taken for \(names.1)")
    }
  }

  private func printCurve() {
    Console.print()
    let points = learningCurve.map { "\(Int($0.labelsPerClass.rounded())): \(percent($0.macroF1))" }
    Console.print("  macro F1 by labels per class: \(points.joined(separator: ", "))")
  }
}

extension TrainingReport.Evaluation {
  fileprivate func print(_ isExclusive: Bool, _ name: String) {
    var parts = ["\(isExclusive ? "top-1" : "right decisions") \(share(accuracy))"]
    if let topThree { parts.append("top-3 \(share(topThree))") }
    parts.append("macro F1 \(percent(macroF1))")
    parts.append("calibration error \(calibration.error.map { decimals($0, 3) } ?? "–")")
    Console.print("  \(name), \(count(photos, "photo")): \(parts.joined(separator: ", "))")
  }
}

private func share(_ proportion: Proportion) -> String {
  guard let interval = proportion.interval else { return "–" }
  return "\(percent(proportion.value)) (\(percent(interval.lowerBound))–"
    + "\(percent(interval.upperBound)))"
}
