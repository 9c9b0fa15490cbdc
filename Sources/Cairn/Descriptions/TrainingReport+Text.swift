internal import CairnBase
internal import CairnDocument
internal import CairnMetrics

extension TrainingReport: CustomStringConvertible {
  public var description: String { text.description }

  /// The figures for people.
  public var text: ReportText {
    var text = ReportText()
    let kinds = augmentations.map(\.rawValue).joined(separator: ", ")
    let copies = kinds.isEmpty ? "" : " and changed copies of them (\(kinds))"
    text.title("\(model.identity)  learned from \(counted(photos, "photo"))\(copies)")
    text.line(crossValidation.line(isExclusive, "cross-validated"))
    if let test { text.line(test.line(isExclusive, "test")) }
    let rows = zip(counts, crossValidation.perClass).map { count, one in
      [
        one.classKey.text, "\(count)", share(one.precision), share(one.recall), percent(one.f1),
      ]
    }
    text.line()
    text.table(["class", "photos", "precision", "recall", "F1"], rows)
    appendConfusion(to: &text)
    text.line()
    let points = learningCurve.map { "\(Int($0.labelsPerClass.rounded())): \(percent($0.macroF1))" }
    text.line("  macro F1 by labels per class: \(points.joined(separator: ", "))")
    if isLearningCurveFlat {
      text.line("  More labels of the same kind would add little.")
    } else if let gain = gainOf100Labels.map({ Int(($0 * 100).rounded()) }) {
      text.line("  100 more labels per class would add about \(counted(gain, "point")).")
    } else {
      text.line("  There are too few labels to estimate what more would add.")
    }
    if !warnings.isEmpty { text.line() }
    for warning in warnings { text.line("  \(warning)") }
    return text
  }

  /// What was left out.
  private var warnings: [String] {
    var lines: [String] = []
    if !missingImages.isEmpty {
      lines.append(
        "\(counted(missingImages.count, "image")) not on this disk: `cairn images fetch` fetches"
          + " them")
    }
    if !erasedImages.isEmpty {
      lines.append("left out: \(counted(erasedImages.count, "photo")) whose image was erased")
    }
    if !unusableImages.isEmpty {
      lines.append("\(counted(unusableImages.count, "image")) cannot be used:")
      lines += unusableImages.prefix(5).map { "  \($0.photo.short): \($0.reason)" }
      if unusableImages.count > 5 { lines.append("  …") }
    }
    if !uncomparedImages.isEmpty {
      lines.append(
        "\(counted(uncomparedImages.count, "photo")) not compared with others, so near duplicates"
          + " may flatter the figures: the image is not on this disk or cannot be decoded")
    }
    if !uncopiedImages.isEmpty {
      lines.append(
        "\(counted(uncopiedImages.count, "photo")) learned from without changed copies: the image is"
          + " not on this disk or cannot be decoded")
    }
    if !testDuplicates.isEmpty {
      lines.append(
        "\(counted(testDuplicates.count, "test photo")) left out: near-duplicates of photos that it"
          + " learned from")
    }
    let empty = test?.classesWithoutPhotos ?? []
    if !empty.isEmpty {
      lines.append("no test photos of \(empty.map(\.text).joined(separator: ", "))")
    }
    return lines
  }

  /// Appends the classes that are most often mistaken for another.
  private func appendConfusion(to text: inout ReportText) {
    guard let matrix = crossValidation.confusion else { return }
    var mistakes: [(count: Int, truth: Int, prediction: Int)] = []
    for truth in classes.indices {
      for prediction in classes.indices where truth != prediction {
        let count = matrix[truth, prediction]
        if count > 0 { mistakes.append((count, truth, prediction)) }
      }
    }
    if mistakes.isEmpty { return }
    text.line()
    mistakes.sort { (-$0.count, $0.truth, $0.prediction) < (-$1.count, $1.truth, $1.prediction) }
    for mistake in mistakes.prefix(5) {
      let names = (classes[mistake.truth].text, classes[mistake.prediction].text)
      text.line("  \(counted(mistake.count, "photo")) of \(names.0) mistaken for \(names.1)")
    }
  }
}

extension TrainingReport.Evaluation {
  fileprivate func line(_ isExclusive: Bool, _ name: String) -> String {
    var parts = ["\(isExclusive ? "top-1" : "right decisions") \(share(accuracy))"]
    if let topThree { parts.append("top-3 \(share(topThree))") }
    let interval = macroF1Interval.map {
      " (\(percent($0.lowerBound))–\(percent($0.upperBound)))"
    }
    parts.append("macro F1 \(percent(macroF1))\(interval ?? "")")
    parts.append("calibration error \(calibration.error.map { decimals($0, 3) } ?? "–")")
    let grouped = groups < photos ? ", in \(counted(groups, "group"))" : ""
    return "  \(name), \(counted(photos, "photo"))\(grouped): \(parts.joined(separator: ", "))"
  }
}

private func share(_ proportion: Proportion) -> String {
  guard let interval = proportion.interval else { return "–" }
  return "\(percent(proportion.value)) (\(percent(interval.lowerBound))–"
    + "\(percent(interval.upperBound)))"
}
