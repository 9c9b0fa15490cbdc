import ArgumentParser
import Cairn

struct Evaluate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Measure models against people's labels: accuracy, precision, recall, calibration.",
    discussion: HelpText.paragraphs(
      """
      The ground truth is what people's labels resolve to: confirmed or rejected. Where people's
      labels are disputed, there is no ground truth; a model's labels there are left out, and their
      number is reported. Each version of a model is measured on the photos that it labeled, and on
      all classes that it ever used: a class that it did not name, or named with a confidence below
      the threshold, counts as absent. In an exclusive set, the class with its highest confidence
      counts.

      Calibration compares a model's confidence, whatever the threshold, with how often it is right.
      The calibration error (ECE) is the mean difference over ten bins.

      EXAMPLES
        cairn evaluate
        cairn evaluate --model resnet50@2026-01 --class dog
        cairn evaluate --find 'pin:harbour' --json
      """))

  @Option(
    name: .customLong("model"),
    help: ArgumentHelp(
      "Only this model, or one version of it. Can be repeated.",
      valueName: "model"))
  var models: [String] = []
  @OptionGroup var options: MetricsOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let scope = try options.scope()
    let metrics = try globals.dataset().modelMetrics(scope, of: models)
    Console.print(globals, .array(metrics.map(\.rendered))) {
      if metrics.isEmpty { return Console.print("No model predicted these photos.") }
      for (index, model) in metrics.enumerated() {
        if index > 0 { Console.print() }
        model.print()
      }
    }
  }
}

extension ModelMetrics {
  fileprivate var rendered: JSON {
    [
      "accuracy": optional(accuracy), "calibration": calibration.rendered,
      "classes": .array(classes.map(\.rendered)), "disputed": JSON(disputed),
      "f1": optional(f1), "model": .string(model.identity), "photos": JSON(photos),
      "sets": .array(sets.map(\.rendered)), "withoutGroundTruth": JSON(withoutGroundTruth),
    ]
  }

  fileprivate func print() {
    Console.print("\(Style.bold(Console.printable(model.identity)))  \(count(photos, "photo"))")
    let error = calibration.error.map { decimals($0, 3) } ?? "–"
    Console.print(
      "  accuracy \(percent(accuracy)), F1 \(ratio(f1)), calibration error \(error)"
        + " over \(count(calibration.count, "label"))")
    if disputed > 0 {
      Console.print("  left out: \(count(disputed, "label")) on which people disagree")
    }
    if withoutGroundTruth > 0 {
      Console.print("  left out: \(count(withoutGroundTruth, "label")) without a person's label")
    }
    if !classes.isEmpty {
      Console.print()
      let header = ["class", "photos", "accuracy", "precision", "recall", "F1"]
      let table = Console.table([header] + classes.map(\.cells))
      Console.print("  " + Style.bold(table[0]))
      table.dropFirst().forEach { Console.print("  " + $0) }
    }
    for set in sets { set.print() }
  }
}

extension ModelMetrics.PerClass {
  fileprivate var rendered: JSON {
    [
      "accuracy": optional(matrix.accuracy), "calibration": calibration.rendered,
      "class": .string(classKey.text), "f1": optional(matrix.f1(1)),
      "falseNegatives": JSON(matrix[1, 0]), "falsePositives": JSON(matrix[0, 1]),
      "name": .string(name), "photos": JSON(matrix.count),
      "precision": optional(matrix.precision(1)), "recall": optional(matrix.recall(1)),
      "trueNegatives": JSON(matrix[0, 0]), "truePositives": JSON(matrix[1, 1]),
    ]
  }

  fileprivate var cells: [String] {
    [
      name, "\(matrix.count)", percent(matrix.accuracy), ratio(matrix.precision(1)),
      ratio(matrix.recall(1)), ratio(matrix.f1(1)),
    ]
  }
}

extension ModelMetrics.PerSet {
  fileprivate var rendered: JSON {
    [
      "accuracy": optional(matrix.accuracy), "classes": .array(classes.map { .string($0.text) }),
      "matrix": .array(
        classes.indices.map { truth in
          .array(classes.indices.map { JSON(matrix[truth, $0]) })
        }), "none": .array(classes.indices.map { JSON(matrix[$0, nil]) }),
      "photos": JSON(matrix.count), "set": .string(set.text),
    ]
  }

  /// The maximum number of classes in a printed matrix; a wider one does not fit a terminal.
  private static let printedLimit = 12

  fileprivate func print() {
    Console.print()
    let right = "\(percent(matrix.accuracy)) of \(count(matrix.count, "photo")) right"
    if classes.count > Self.printedLimit { return printMostConfused(right) }
    Console.print("  Set “\(set)”: \(right). Rows: people's labels, columns: the model's.")
    let header = [""] + names + ["none"]
    let rows = classes.indices.map { truth in
      [names[truth]] + classes.indices.map { "\(matrix[truth, $0])" } + ["\(matrix[truth, nil])"]
    }
    let table = Console.table([header] + rows)
    Console.print("  " + Style.bold(table[0]))
    table.dropFirst().forEach { Console.print("  " + $0) }
  }

  private func printMostConfused(_ right: String) {
    Console.print(
      "  Set “\(set)”: \(right). Most frequent errors (--json prints the whole matrix):")
    let predictions: [Int?] = classes.indices.map { $0 } + [nil]
    let wrong = classes.indices.flatMap { truth in
      predictions.filter { $0 != truth && matrix[truth, $0] > 0 }
        .map { (truth: truth, prediction: $0) }
    }
    let mostFrequent = wrong.enumerated().sorted { a, b in
      let (x, y) = (
        matrix[a.element.truth, a.element.prediction],
        matrix[b.element.truth, b.element.prediction]
      )
      return x == y ? a.offset < b.offset : x > y
    }.prefix(Self.printedLimit).map(\.element)
    let header = ["people", "model", "photos"]
    let rows = mostFrequent.map {
      [
        names[$0.truth], $0.prediction.map { names[$0] } ?? "none",
        "\(matrix[$0.truth, $0.prediction])",
      ]
    }
    for line in Console.table([header] + rows) { Console.print("  " + line) }
  }
}

extension Calibration {
  fileprivate var rendered: JSON {
    [
      "bins": .array(
        bins.enumerated().map { index, bin in
          [
            "accuracy": optional(bin.accuracy), "confidence": optional(bin.confidence),
            "count": JSON(bin.count), "from": JSON(Calibration.edge(index)),
            "to": JSON(Calibration.edge(index + 1)),
          ]
        }), "count": JSON(count), "error": optional(error),
    ]
  }
}

private func optional(_ value: Double?) -> JSON { value.map { JSON($0) } ?? .null }
