import Cairn
import CairnBase

extension ModelMetrics {
  /// Prints the headline figures, then the tables, then the calibration.
  func print() {
    Console.print("\(Style.bold(Console.printable(model.identity)))  \(count(photos, "photo"))")
    printAsked()
    for set in sets { set.printHeadline() }
    printIndependent()
    boxes?.printHeadline()
    printLeftOut()
    if !classes.isEmpty {
      let header = ["class", "photos", "with it", "precision", "recall", "F1", "AP", ""]
      printTable(header, classes.map(\.cells))
    }
    if let boxes, !boxes.classes.isEmpty {
      let header = ["boxes of", "boxes", "found", "AP@50", "AP@[.5:.95]"]
      printTable(header, boxes.classes.map(\.cells))
    }
    for set in sets { set.print() }
    let error = calibration.error.map { decimals($0, 3) } ?? "–"
    Console.print()
    Console.print("  calibration error \(error) over \(count(calibration.count, "label"))")
  }

  private func printAsked() {
    if silent > 0 {
      Console.print("  no label on \(count(silent, "more photo")) that people labeled: missed")
    }
    if !silentIsKnown {
      Console.print(
        "  photos on which it gave no label are not known: not all its labels are of a run of"
          + " `cairn predict` that recorded them")
    }
  }

  private func printIndependent() {
    if let independent {
      let macro = independent.macro
      Console.print(
        "  \(count(independent.classes, "class", "classes")):"
          + " macro F1 \(ratio(macro.f1))\(limits(independent.macroF1Interval))"
          + ", precision \(ratio(macro.precision)), recall \(ratio(macro.recall))")
      let micro = independent.micro
      Console.print(
        "    micro F1 \(ratio(micro.f1)), precision \(ratio(micro.precision)),"
          + " recall \(ratio(micro.recall));"
          + " mean average precision \(ratio(independent.meanAveragePrecision))")
    } else if let independentUndefined, independentUndefined != .noClasses || sets.isEmpty {
      Console.print("  no precision, recall and F1: \(independentUndefined.sentence)")
    }
    if sets.isEmpty, !classes.isEmpty {
      Console.print(
        "  no top-1 accuracy: none of its classes is in an exclusive set (`cairn class set`)")
    }
  }

  private func printLeftOut() {
    if disputed > 0 {
      Console.print("  left out: \(count(disputed, "label")) on which people disagree")
    }
    if withoutGroundTruth > 0 {
      Console.print("  left out: \(count(withoutGroundTruth, "label")) without a person's label")
    }
    if !neverNamed.isEmpty {
      Console.print(
        "  left out: \(count(neverNamed.count, "class", "classes")) that it never labels"
          + " (`--class` measures them)")
    }
  }
}

/// Returns `1 class`, `2 classes`.
private func count(_ number: Int, _ one: String, _ many: String) -> String {
  "\(number) \(number == 1 ? one : many)"
}

/// Prints a table after an empty line, indented.
private func printTable(_ header: [String], _ rows: [[String]]) {
  Console.print()
  let table = Console.table([header] + rows)
  Console.print("  " + Style.bold(table[0]))
  table.dropFirst().forEach { Console.print("  " + $0) }
}

/// Returns ` (0.430 to 0.472)`; nothing for nil.
private func limits(_ interval: ClosedRange<Double>?) -> String {
  interval.map { " (\(ratio($0.lowerBound)) to \(ratio($0.upperBound)))" } ?? ""
}

extension ModelMetrics.PerClass {
  fileprivate var cells: [String] {
    [
      name, "\(matrix.count)", "\(positives)", ratio(precision.value), ratio(recall.value),
      ratio(f1), ratio(ranking.averagePrecision), undefined?.sentence ?? "",
    ]
  }
}

extension ModelMetrics.Boxes {
  fileprivate func printHeadline() {
    if classes.isEmpty {
      return Console.print("  no mAP: nobody drew boxes on the photos of its boxes")
    }
    let boxes = classes.reduce(0) { $0 + $1.matches.boxes }
    Console.print(
      "  boxes: mAP@50 \(ratio(meanAveragePrecisionAtHalf)),"
        + " mAP@[.5:.95] \(ratio(meanAveragePrecision)),"
        + " \(count(classes.count, "class", "classes")),"
        + " \(count(boxes, "box", "boxes")) on \(count(photos, "photo"))")
    if unlocated > 0 {
      Console.print(
        "    left out: \(count(unlocated, "class", "classes")) on photos where people say that"
          + " it is there, but not where")
    }
  }
}

extension ModelMetrics.Boxes.PerClass {
  fileprivate var cells: [String] {
    [
      name, "\(matches.boxes)", percent(matches.recall(at: 0).value),
      ratio(matches.averagePrecision(at: 0)), ratio(matches.averagePrecision),
    ]
  }
}

extension ModelMetrics.PerSet {
  fileprivate func printHeadline() {
    let five = topFive.map { ", top-5 accuracy \($0.text)" } ?? ""
    Console.print(
      "  set “\(set)”: top-1 accuracy \(topOne.text)\(five), \(count(topOne.count, "photo"))")
    if trueClasses < 2 {
      return Console.print("    all photos are of one class: always naming it would be right")
    }
    guard let macro, let micro else { return }
    Console.print(
      "    macro F1 \(ratio(macro.f1))\(limits(macroF1Interval)),"
        + " precision \(ratio(macro.precision)), recall \(ratio(macro.recall));"
        + " micro F1 \(ratio(micro.f1))")
  }

  /// The maximum number of classes in a printed matrix; a wider one does not fit a terminal.
  private static let printedLimit = 12

  fileprivate func print() {
    Console.print()
    let right = "\(percent(matrix.accuracy)) of \(count(matrix.count, "photo")) right"
    if classes.count > Self.printedLimit { return printMostConfused(right) }
    Console.print(
      "  Set “\(set)”, from the threshold: \(right). Rows: people's labels, columns: the model's.")
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
      "  Set “\(set)”, from the threshold: \(right). Most frequent errors (--json prints the whole"
        + " matrix):")
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
