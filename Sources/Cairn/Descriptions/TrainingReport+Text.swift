internal import CairnBase
internal import CairnDocument
internal import CairnMetrics

extension TrainingReport: CustomStringConvertible {
  public var description: String { text.description }

  /// The figures for people.
  public var text: ReportText {
    var text = ReportText()
    text.title("\(model.identity)  learned from \(counted(photos, "photo"))")
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
    if missingImages > 0 {
      text.line()
      text.line(
        "  \(counted(missingImages, "photo")) left out: the image is not on this disk, or cannot be"
          + " decoded")
    }
    return text
  }

  /// Appends the classes that are most often mistaken for another.
  private func appendConfusion(to text: inout ReportText) {
    var mistakes: [(count: Int, truth: Int, prediction: Int)] = []
    for (truth, line) in crossValidation.confusion.enumerated() {
      for (prediction, count) in line.enumerated() where truth != prediction && count > 0 {
        mistakes.append((count, truth, prediction))
      }
    }
    if mistakes.isEmpty { return }
    text.line()
    mistakes.sort { (-$0.count, $0.truth, $0.prediction) < (-$1.count, $1.truth, $1.prediction) }
    for mistake in mistakes.prefix(5) {
      let names = (classes[mistake.truth].text, classes[mistake.prediction].text)
      text.line("  \(counted(mistake.count, "photo")) of \(names.0) taken for \(names.1)")
    }
  }
}

extension TrainingReport.Evaluation {
  fileprivate func line(_ isExclusive: Bool, _ name: String) -> String {
    var parts = ["\(isExclusive ? "top-1" : "right decisions") \(share(accuracy))"]
    if let topThree { parts.append("top-3 \(share(topThree))") }
    parts.append("macro F1 \(percent(macroF1))")
    parts.append("calibration error \(calibration.error.map { decimals($0, 3) } ?? "–")")
    return "  \(name), \(counted(photos, "photo")): \(parts.joined(separator: ", "))"
  }
}

private func share(_ proportion: Proportion) -> String {
  guard let interval = proportion.interval else { return "–" }
  return "\(percent(proportion.value)) (\(percent(interval.lowerBound))–"
    + "\(percent(interval.upperBound)))"
}
