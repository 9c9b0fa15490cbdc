internal import CairnBase
internal import CairnDocument
internal import CairnMetrics

extension ModelMetrics {
  /// - Parameters:
  ///   - index: The model's index, which makes the ids of drawings unique.
  ///   - images: JPEGs of photos.
  func section(_ index: Int, _ images: [PhotoID: [UInt8]]) -> Markup {
    let rows = classes.map { one in
      [
        Markup.name(one.name), Markup("\(one.matrix.count)"), Markup("\(one.positives)"),
        Markup(ratio(one.precision.value)), Markup(ratio(one.recall.value)),
        Markup(ratio(one.f1)), Markup(ratio(one.ranking.averagePrecision)),
        Markup(ratio(one.calibration.error)), Markup(one.undefinedText),
      ]
    }
    return Markup([
      Markup("h3", [], Markup.name(model.identity)),
      ReportData.numbers(headline),
      Markup(
        learnedNotes.map {
          Markup("p", [], Markup($0.filter { $0 != "`" } + "."))
        }),
      silentIsKnown
        ? Markup([])
        : Markup(
          "p", [],
          Markup("Figures may be too high: \(ModelMetrics.unknownSilence).")),
      rows.isEmpty
        ? Markup(
          "p", [], learnedFromAll ? Markup([]) : "No person has labeled what it predicts.")
        : Markup.table(
          "By class, lowest F1 first",
          [
            "Class", "Photos", "With it", "Precision", "Recall", "F1", "Average precision",
            "Calibration error", "Undefined",
          ], rows, texts: [0, 8]),
      boxes.map(\.table) ?? Markup([]),
      mistakeTable, pictures(images),
      Markup(
        "div", [("class", "side")],
        children: (calibration.count > 0 ? [reliability(index)] : [])
          + sets.enumerated().map { $1.figure("model-\(index)-set-\($0)") }),
    ])
  }

  // MARK: Headline

  /// The figures of sets, classes and boxes, each with what it is.
  private var headline: [(String, String)] {
    var numbers = [("\(photos)", "photos")]
    if silent > 0 { numbers.append(("\(silent)", "missed: photos without a label of the model")) }
    for set in sets {
      numbers.append((set.topOne.text, "top-1 accuracy in “\(set.set)”"))
      if let five = set.topFive {
        numbers.append((five.text, "top-5 accuracy in “\(set.set)”"))
      }
      numbers.append((ratio(set.macro?.f1), "macro F1 in “\(set.set)”"))
    }
    if let independent {
      numbers.append((ratio(independent.macro.f1), "macro F1 of other classes"))
      numbers.append((ratio(independent.micro.f1), "micro F1 of other classes"))
      numbers.append((ratio(independent.meanAveragePrecision), "mean average precision"))
    }
    if let boxes {
      numbers.append((ratio(boxes.meanAveragePrecisionAtHalf), "boxes: mAP@50"))
      numbers.append((ratio(boxes.meanAveragePrecision), "boxes: mAP@[.5:.95]"))
    }
    return numbers + [
      (ratio(calibration.error), "calibration error"), ("\(disputed)", "left out: disputed"),
      ("\(withoutGroundTruth)", "left out: not labeled by people"),
    ]
  }

  // MARK: Mistakes

  private var mistakeTable: Markup {
    if mistakes.isEmpty { return Markup([]) }
    let rows = mistakes.map { mistake in
      [
        Markup(mistake.photo.short), Markup.name(mistake.prediction), Markup(mistake.people),
        Markup(percent(mistake.confidence)),
      ]
    }
    return Markup.table(
      "Most confident mistakes", ["Photo", "Predicted", "People", "Confidence"], rows,
      texts: [0, 1, 2])
  }

  private func pictures(_ images: [PhotoID: [UInt8]]) -> Markup {
    let items = mistakes.compactMap { mistake -> Markup? in
      guard var image = images[mistake.photo] else { return nil }
      // What follows the end of a JPEG is ignored; whole groups need no padding.
      while image.count % 3 != 0 { image.append(0) }
      return Markup(
        "li", [],
        Markup(
          "img",
          [
            ("src", "data:image/jpeg;base64,\(Base64.text(image))"),
            ("alt", "Photo \(mistake.photo.short)"),
          ]),
        Markup(
          "span", [], Markup.name(mistake.prediction),
          Markup(" \(percent(mistake.confidence)); people: \(mistake.people)")))
    }
    return items.isEmpty ? Markup([]) : Markup("ul", [("class", "pictures")], children: items)
  }

  // MARK: Reliability

  private func reliability(_ index: Int) -> Markup {
    let rows = calibration.bins.enumerated().filter { $0.element.count > 0 }.map { number, bin in
      [
        Markup(Calibration.span(number)), Markup("\(bin.count)"), Markup(percent(bin.confidence)),
        Markup(percent(bin.accuracy)),
      ]
    }
    return Markup(
      "figure", [],
      Markup("figcaption", [], "Reliability: accuracy by confidence"),
      calibration.diagram("model-\(index)-reliability", model.identity),
      Markup(
        "p", [("class", "soft")],
        "Pale blue: accuracy above confidence. Red: accuracy below confidence."),
      Markup(
        "details", [], Markup("summary", [], "Numbers"),
        Markup.table(
          "By confidence", ["Confidence", "Labels", "Mean confidence", "Accuracy"], rows)))
  }
}

extension ModelMetrics.Mistake {
  /// What people say.
  fileprivate var people: String { truth ?? "not \(prediction)" }
}

extension ModelMetrics.Boxes {
  fileprivate var table: Markup {
    let rows = classes.map { one in
      [
        Markup.name(one.name), Markup("\(one.matches.boxes)"),
        Markup(percent(one.matches.recall(at: 0).value)),
        Markup(ratio(one.matches.averagePrecision(at: 0))),
        Markup(ratio(one.matches.averagePrecision)),
      ]
    }
    return Markup.table(
      "Boxes by class, lowest average precision first",
      ["Class", "Boxes", "Found", "AP@50", "AP@[.5:.95]"], rows)
  }
}

extension Calibration {
  fileprivate static func span(_ bin: Int) -> String {
    "\(decimals(edge(bin), 1)) to \(decimals(edge(bin + 1), 1))"
  }

  /// Draws a bar for each bin up to the lesser of its accuracy and its confidence, a pale bar for
  /// the difference, and below it a bar for the number of predictions.
  fileprivate func diagram(_ id: String, _ model: String) -> Markup {
    let (left, top, side, foot) = (48.0, 12.0, 260.0, 44.0)
    func x(_ value: Double) -> Double { left + value * side }
    func y(_ value: Double) -> Double { top + (1 - value) * side }
    var shapes: [Markup] = []
    for step in 0...5 {
      let value = Double(step) / 5
      shapes.append(.line(left, y(value), left + side, y(value), "grid"))
      shapes.append(
        .label(left - 8, y(value) + 4, decimals(value, 1), anchor: "end", style: "soft"))
      shapes.append(
        .label(
          x(value), top + side + foot + 18, decimals(value, 1), anchor: "middle", style: "soft"))
    }
    let most = Double(bins.map(\.count).max() ?? 1)
    for (index, bin) in bins.enumerated() {
      guard let accuracy = bin.accuracy, let confidence = bin.confidence else { continue }
      let (start, width) = (x(Calibration.edge(index)) + 1.5, side / Double(bins.count) - 3)
      let (high, low) = (max(accuracy, confidence), min(accuracy, confidence))
      shapes.append(.box(start, y(low), width, low * side, "bar", opacity: 0.8))
      shapes.append(
        .box(
          start, y(high), width, (high - low) * side, accuracy < confidence ? "gap" : "bar",
          opacity: 0.35))
      let height = max(Double(bin.count) / most * (foot - 10), 1)
      shapes.append(.box(start, top + side + foot - height, width, height, "rejected"))
    }
    shapes += [
      .line(left, y(0), x(1), y(1), "even"), .line(left, y(0), x(1), y(0), "axis"),
      .line(left, y(0), left, y(1), "axis"),
      .label(left + side / 2, top + side + foot + 38, "confidence", anchor: "middle"),
      .label(12, top + side / 2, "accuracy", anchor: "middle", turned: true),
    ]
    let accuracies = bins.enumerated().filter { $0.element.count > 0 }.map { index, bin in
      "\(Calibration.span(index)): \(percent(bin.accuracy)) of \(bin.count) correct"
    }
    return Markup.drawing(
      id, width: Int(left + side) + 16, height: Int(top + side + foot) + 44,
      title: "Reliability of \(model)", description: accuracies.joined(separator: "; "), shapes)
  }
}

// MARK: Confusion

extension ModelMetrics.PerSet {
  /// The maximum number of classes in a drawing: those with the most photos.
  private static let drawnLimit = 30

  fileprivate func figure(_ id: String) -> Markup {
    let drawn = classes.indices.sorted {
      let (a, b) = (matrix.actual($0), matrix.actual($1))
      return a == b ? $0 < $1 : a > b
    }.prefix(ModelMetrics.PerSet.drawnLimit).sorted()
    let rows = classes.indices.map { truth in
      [Markup.name(names[truth])] + classes.indices.map { Markup("\(matrix[truth, $0])") }
        + [Markup("\(matrix[truth, nil])")]
    }
    let left = classes.count - drawn.count
    return Markup(
      "figure", [],
      Markup(
        "figcaption", [], "Set “", Markup.name(set.text),
        Markup("”: \(percent(matrix.accuracy)) of \(matrix.count) correct at the threshold")),
      diagram(id, drawn),
      left > 0
        ? Markup("p", [("class", "soft")], Markup("\(left) more classes are only in the table."))
        : Markup([]),
      Markup(
        "details", [], Markup("summary", [], "Numbers"),
        Markup.table(
          "Rows: labeled by people. Columns: predicted by the model.", [""] + names + ["none"],
          rows)))
  }

  /// Draws a cell for each pair of true and predicted class, shaded by its share of the row.
  private func diagram(_ id: String, _ drawn: [Int]) -> Markup {
    let (cell, left, top) = (40.0, 150.0, 156.0)
    let columns: [Int?] = drawn.map { $0 } + [nil]
    var shapes: [Markup] = []
    for (column, prediction) in columns.enumerated() {
      let x = left + (Double(column) + 0.5) * cell
      let name = short(prediction.map { names[$0] } ?? "none")
      shapes.append(.label(x + 4, top - 8, name, turned: true))
    }
    for (row, truth) in drawn.enumerated() {
      let y = top + Double(row) * cell
      shapes.append(.label(left - 8, y + cell / 2 + 4, short(names[truth]), anchor: "end"))
      for (column, prediction) in columns.enumerated() {
        let (x, count) = (left + Double(column) * cell, matrix[truth, prediction])
        let share = Double(count) / Double(max(matrix.actual(truth), 1))
        shapes.append(
          .box(x, y, cell, cell, truth == prediction ? "right" : "wrong", opacity: share * 0.6))
        shapes.append(.box(x, y, cell, cell, "cell"))
        if count > 0 {
          shapes.append(
            .label(x + cell / 2, y + cell / 2 + 4, "\(count)", anchor: "middle", style: "count"))
        }
      }
    }
    shapes.append(.label(left, 12, "columns: predicted by the model", style: "soft"))
    shapes.append(.label(0, top - 8, "rows: labeled by people", style: "soft"))
    let most = drawn.flatMap { truth in columns.map { (truth, $0) } }
      .filter { $0.0 != $0.1 && matrix[$0.0, $0.1] > 0 }
      .max { (matrix[$0.0, $0.1], $1.0) < (matrix[$1.0, $1.1], $0.0) }
    let description = most.map { truth, prediction in
      let name = prediction.map { "“\(names[$0])”" } ?? "nothing"
      let count = matrix[truth, prediction]
      return "Most frequent error: “\(names[truth])” predicted as \(name), \(count) times."
    }
    return Markup.drawing(
      id, width: Int(left + Double(columns.count) * cell) + 8,
      height: Int(top + Double(drawn.count) * cell) + 8, title: "Confusion of “\(set.text)”",
      description: description ?? "No errors.", shapes)
  }

  private func short(_ name: String) -> String {
    name.count > 18 ? name.prefix(17) + "…" : name
  }
}
