public import CairnDocument
public import CairnMetrics

/// A trained model and its figures.
public struct TrainingReport: Sendable {
  /// How good a model is on photos that it did not learn from.
  public struct Evaluation: Sendable {
    /// A class's figures: of photos labeled with it, those predicted (recall); of photos predicted,
    /// those labeled with it (precision).
    public struct PerClass: Sendable {
      /// The class.
      public let classKey: ClassKey
      /// The share of predictions that are right.
      public let precision: Proportion
      /// The share of photos with the class that were predicted.
      public let recall: Proportion
      /// The harmonic mean of both; nil without photos and predictions.
      public let f1: Double?
    }

    /// The number of photos.
    public let photos: Int
    /// The share of right decisions: of photos for an exclusive set; of verdicts otherwise.
    public let accuracy: Proportion
    /// The share of photos whose class is among the first three; nil if there are at most three
    /// classes, or they do not exclude each other.
    package let topThree: Proportion?
    /// By class, in the order of the report's classes.
    public let perClass: [PerClass]
    /// The mean F1 over classes.
    public let macroF1: Double?
    /// How often confidences are right.
    package let calibration: Calibration
    /// The photos of each class by their predicted class; empty for independent classes.
    package let confusion: [[Int]]
  }

  /// The model with its version, which is the beginning of its digest.
  public let model: Annotator
  /// The SHA-256 of the model's file.
  package let digest: String
  /// The path of the model's file.
  public let file: FilePath
  /// The classes in the model's order.
  public let classes: [ClassKey]
  /// Whether exactly one of the classes is there.
  package let isExclusive: Bool
  /// The number of photos that it learned from.
  public let photos: Int
  /// The number of these photos that have each class.
  package let counts: [Int]
  /// The number of photos that were left out, since their images are not on this disk.
  public let missingImages: Int
  /// The figures of the cross-validation.
  public let crossValidation: Evaluation
  /// The figures on the test subset; nil without a split.
  public let test: Evaluation?
  /// The macro F1 of models that learned from a part of the labels, by their mean number per class.
  package let learningCurve: [(labelsPerClass: Double, macroF1: Double)]
  /// The run that records the training.
  package let run: Run
}

extension TrainingReport.Evaluation {
  /// - Parameter probabilities: By photo and class.
  init(
    _ probabilities: [[Double]], verdict: (_ row: Int, _ index: Int) -> Bool?,
    isExclusive: Bool, classes: [ClassKey]
  ) {
    var (right, decisions, first) = (0, 0, 0)
    var calibration = Calibration()
    var hits = [Int](repeating: 0, count: classes.count)
    var (predicted, actual) = (hits, hits)
    var confusion = [[Int]](
      repeating: Array(repeating: 0, count: classes.count), count: isExclusive ? classes.count : 0)
    for (row, line) in probabilities.enumerated() {
      if isExclusive {
        // Of equal scores, the first class counts.
        let order = line.indices.sorted { (-line[$0], $0) < (-line[$1], $1) }
        guard let best = order.first,
          let truth = line.indices.first(where: { verdict(row, $0) == true })
        else { continue }
        decisions += 1
        if best == truth { right += 1 }
        if order.prefix(3).contains(truth) { first += 1 }
        calibration.add(confidence: line[best], isTrue: best == truth)
        confusion[truth][best] += 1
        predicted[best] += 1
        actual[truth] += 1
        if best == truth { hits[best] += 1 }
      } else {
        for (index, score) in line.enumerated() {
          guard let truth = verdict(row, index) else { continue }
          let isPredicted = score >= 0.5
          decisions += 1
          if isPredicted == truth { right += 1 }
          calibration.add(confidence: score, isTrue: truth)
          if isPredicted { predicted[index] += 1 }
          if truth { actual[index] += 1 }
          if isPredicted, truth { hits[index] += 1 }
        }
      }
    }
    photos = probabilities.count
    accuracy = Proportion(right, of: decisions)
    topThree = isExclusive && classes.count > 3 ? Proportion(first, of: decisions) : nil
    perClass = classes.enumerated().map { index, key in
      let whole = predicted[index] + actual[index]
      return PerClass(
        classKey: key, precision: Proportion(hits[index], of: predicted[index]),
        recall: Proportion(hits[index], of: actual[index]),
        f1: whole > 0 ? Double(2 * hits[index]) / Double(whole) : nil)
    }
    macroF1 =
      classes.isEmpty
      ? nil : perClass.reduce(0) { $0 + ($1.f1 ?? 0) } / Double(classes.count)
    (self.calibration, self.confusion) = (calibration, confusion)
  }
}

// MARK: JSON

extension TrainingReport.Evaluation {
  /// The figures as JSON.
  var json: JSON {
    [
      "accuracy": accuracy.json, "calibrationError": optional(calibration.error),
      "classes": .array(
        perClass.map {
          [
            "class": .string($0.classKey.text), "f1": optional($0.f1),
            "precision": $0.precision.json,
            "recall": $0.recall.json,
          ]
        }),
      "confusion": .array(confusion.map { .array($0.map { JSON($0) }) }),
      "macroF1": optional(macroF1), "photos": JSON(photos), "topThree": topThree?.json ?? .null,
    ]
  }
}

extension Proportion {
  fileprivate var json: JSON {
    [
      "count": JSON(count), "high": optional(interval?.upperBound), "hits": JSON(hits),
      "low": optional(interval?.lowerBound), "value": optional(value),
    ]
  }
}

extension TrainingReport {
  /// The report as JSON.
  public var json: JSON {
    [
      "classes": .array(
        zip(classes, counts).map { ["class": .string($0.text), "photos": JSON($1)] }),
      "crossValidation": crossValidation.json, "digest": .string(digest),
      "exclusive": .bool(isExclusive), "file": .string(file.string),
      "learningCurve": .array(
        learningCurve.map {
          ["labelsPerClass": JSON($0.labelsPerClass), "macroF1": JSON($0.macroF1)]
        }),
      "missingImages": JSON(missingImages), "model": .string(model.identity),
      "photos": JSON(photos), "run": .string(run.id.text), "test": test?.json ?? .null,
    ]
  }
}

private func optional(_ value: Double?) -> JSON { value.map { JSON($0) } ?? .null }
