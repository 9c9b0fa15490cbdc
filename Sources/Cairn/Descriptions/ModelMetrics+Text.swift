internal import CairnBase
internal import CairnDocument
internal import CairnMetrics

extension ModelMetrics: CustomStringConvertible {
  public var description: String { text.description }

  /// The headline figures, then the tables, then the calibration.
  public var text: ReportText {
    var text = ReportText()
    text.title("\(model.identity)  \(counted(photos, "photo"))")
    for note in learnedNotes { text.line("  \(note)") }
    if learnedFromAll { return text }
    appendAsked(to: &text)
    for set in sets { set.appendHeadline(to: &text) }
    appendIndependent(to: &text)
    boxes?.appendHeadline(to: &text)
    appendLeftOut(to: &text)
    if !classes.isEmpty {
      let header = ["class", "photos", "with it", "precision", "recall", "F1", "AP", ""]
      text.line()
      text.table(header, classes.map(\.cells))
    }
    if let boxes, !boxes.classes.isEmpty {
      let header = ["boxes of", "boxes", "found", "AP@50", "AP@[.5:.95]"]
      text.line()
      text.table(header, boxes.classes.map(\.cells))
    }
    for set in sets { set.append(to: &text) }
    let error = calibration.error.map { decimals($0, 3) } ?? "–"
    text.line()
    text.line("  calibration error \(error) over \(counted(calibration.count, "label"))")
    return text
  }

  /// What is left out because the model learned from it, and what may be.
  var learnedNotes: [String] {
    let figures = training.map { "`cairn run show \($0.text.prefix(8))`" } ?? ""
    if !learnedIsKnown {
      return [
        "figures may be too high: the training does not record the photos that it learned from;"
          + " \(figures) shows cross-validated ones"
      ]
    }
    if learnedFromAll {
      return [
        "nothing to measure: it learned from all \(counted(learned, "photo")) that it was run on"
          + " and that people labeled",
        "\(figures) shows the cross-validated figures of its training",
      ]
    }
    if learned == 0 { return [] }
    return ["left out: \(counted(learned, "photo")) that it learned from, with near duplicates"]
  }

  private func appendAsked(to text: inout ReportText) {
    if silent > 0 {
      text.line("  missed: no label on \(counted(silent, "other photo")) that people labeled")
    }
    if !silentIsKnown { text.line("  " + ModelMetrics.unknownSilence) }
  }

  /// Why figures may be too high: misses are unknown.
  static let unknownSilence =
    "photos on which it gave no label are not all known: only runs of `cairn predict` record them"

  private func appendIndependent(to text: inout ReportText) {
    if let independent {
      let macro = independent.macro
      text.line(
        "  \(counted(independent.classes, "class", "classes")):"
          + " macro F1 \(ratio(macro.f1))\(limits(independent.macroF1Interval))"
          + ", precision \(ratio(macro.precision)), recall \(ratio(macro.recall))")
      let micro = independent.micro
      text.line(
        "    micro F1 \(ratio(micro.f1)), precision \(ratio(micro.precision)),"
          + " recall \(ratio(micro.recall));"
          + " mean average precision \(ratio(independent.meanAveragePrecision))")
    } else if let independentUndefined, independentUndefined != .noClasses || sets.isEmpty {
      text.line("  no precision, recall and F1: \(independentUndefined.sentence)")
    }
    if sets.isEmpty, !classes.isEmpty {
      text.line(
        "  no top-1 accuracy: none of its classes is in an exclusive set (`cairn class set`)")
    }
  }

  private func appendLeftOut(to text: inout ReportText) {
    if disputed > 0 {
      text.line("  left out: \(counted(disputed, "label")) on which people disagree")
    }
    if withoutGroundTruth > 0 {
      text.line(
        "  left out: \(counted(withoutGroundTruth, "label")) of classes that no person labeled there"
      )
    }
    if !neverNamed.isEmpty {
      text.line(
        "  left out: \(counted(neverNamed.count, "class", "classes")) that it never labels"
          + " (`--class` measures them)")
    }
  }
}

/// Returns ` (0.430 to 0.472)`; nothing for nil.
private func limits(_ interval: ClosedRange<Double>?) -> String {
  interval.map { " (\(ratio($0.lowerBound)) to \(ratio($0.upperBound)))" } ?? ""
}

extension ModelMetrics.PerClass {
  fileprivate var cells: [String] {
    [
      name, "\(matrix.count)", "\(positives)", ratio(precision.value), ratio(recall.value),
      ratio(f1), ratio(ranking.averagePrecision), undefinedText,
    ]
  }
}

extension ModelMetrics.Boxes {
  fileprivate func appendHeadline(to text: inout ReportText) {
    if classes.isEmpty {
      return text.line("  no mAP: nobody drew boxes on the photos where the model did")
    }
    let boxes = classes.reduce(0) { $0 + $1.matches.boxes }
    text.line(
      "  boxes: mAP@50 \(ratio(meanAveragePrecisionAtHalf)),"
        + " mAP@[.5:.95] \(ratio(meanAveragePrecision)),"
        + " \(counted(classes.count, "class", "classes")),"
        + " \(counted(boxes, "box", "boxes")) on \(counted(photos, "photo"))")
    if unlocated > 0 {
      text.line(
        "    left out: \(counted(unlocated, "class", "classes")) on photos where people labeled them"
          + " present without a box")
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
  fileprivate func appendHeadline(to text: inout ReportText) {
    let five = topFive.map { ", top-5 accuracy \($0.text)" } ?? ""
    text.line(
      "  set “\(set)”: top-1 accuracy \(topOne.text)\(five), \(counted(topOne.count, "photo"))")
    if trueClasses < 2 {
      return text.line("    all photos are of one class: always predicting it would be right")
    }
    guard let macro, let micro else { return }
    text.line(
      "    macro F1 \(ratio(macro.f1))\(limits(macroF1Interval)),"
        + " precision \(ratio(macro.precision)), recall \(ratio(macro.recall));"
        + " micro F1 \(ratio(micro.f1))")
  }

  /// The maximum number of classes in a printed matrix; a wider one does not fit a terminal.
  private static let printedLimit = 12

  fileprivate func append(to text: inout ReportText) {
    text.line()
    let right = "\(percent(matrix.accuracy)) of \(counted(matrix.count, "photo")) right"
    if classes.count > Self.printedLimit { return appendMostConfused(right, to: &text) }
    text.line(
      "  Set “\(set)”, at the threshold: \(right). Rows: people's labels, columns: the model's.")
    let header = [""] + names + ["none"]
    let rows = classes.indices.map { truth in
      [names[truth]] + classes.indices.map { "\(matrix[truth, $0])" } + ["\(matrix[truth, nil])"]
    }
    text.table(header, rows)
  }

  private func appendMostConfused(_ right: String, to text: inout ReportText) {
    text.line(
      "  Set “\(set)”, at the threshold: \(right). Most frequent errors (--json prints the whole"
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
    text.table(header, rows)
  }
}
