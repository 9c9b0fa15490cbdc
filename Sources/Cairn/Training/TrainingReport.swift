public import CairnDocument
public import CairnMetrics
public import SystemPackage

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
      /// The harmonic mean of precision and recall; nil without photos and predictions.
      public let f1: Double?
    }

    /// The number of photos.
    public let photos: Int
    /// The number of groups of photos: near duplicates are in one, and so are the photos of a pin
    /// if these are kept together. Intervals treat groups, not photos, as independent.
    public let groups: Int
    /// The share of right decisions: of photos for an exclusive set; of verdicts otherwise.
    public let accuracy: Proportion
    /// The share of photos whose class is among the first three; nil if there are at most three
    /// classes, or they do not exclude each other.
    package let topThree: Proportion?
    /// By class, in the order of the report's classes.
    public let perClass: [PerClass]
    /// How often confidences are right.
    package let calibration: Calibration
    /// The photos by their true and predicted class, as indices of the report's classes; nil for
    /// independent classes.
    package let confusion: ConfusionMatrix?
    private let outcomes: OutcomeCounts
    /// The outcomes of each photo by class, and its group.
    private let rows: [(outcomes: [Int: OutcomeCounts.Outcome], group: Int)]

    /// The mean F1 over the classes that have one; nil if none has.
    public var macroF1: Double? { outcomes.macro(of: outcomes.classes)?.f1 }
    /// The 95% bootstrap interval of the macro F1, over groups.
    public var macroF1Interval: ClosedRange<Double>? {
      outcomes.macroF1Interval(of: outcomes.classes)
    }
    /// The classes that no photo has, for which there are no figures.
    public var classesWithoutPhotos: [ClassKey] {
      perClass.filter { $0.recall.count == 0 }.map(\.classKey)
    }
  }

  /// The figure of models that learned from a share of the labels.
  public struct LearningPoint: Sendable {
    /// The mean number of labels per class.
    public let labelsPerClass: Double
    /// The macro F1; nil if no class has an F1.
    public let macroF1: Double?
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
  /// Photos that were left out, because their images are not on this disk.
  public let missingImages: [PhotoID]
  /// Photos that were left out, because their images were erased.
  public let erasedImages: [PhotoID]
  /// Photos that were left out, because their images cannot be decoded, or have no features for
  /// another reason.
  public var undecodableImages: [PhotoID] { unusableImages.map(\.photo) }
  let unusableImages: [FeatureSet.UnusableImage]
  /// The figures of the cross-validation.
  public let crossValidation: Evaluation
  /// The figures on the test subset; nil without a split.
  public let test: Evaluation?
  /// Photos of the test subset that were left out, because they are near duplicates of photos that
  /// the model learned from.
  public let testDuplicates: [PhotoID]
  /// Photos that were not compared with others, since their images are not on this disk or cannot be
  /// decoded: near duplicates of them may be in other folds, or in the test subset.
  public let uncomparedImages: [PhotoID]
  /// The kinds of changed copies that the model learned from as well.
  let augmentations: [Augmentation]
  /// Photos that it learned from without all these copies, since their images are not on this disk or
  /// cannot be decoded.
  let uncopiedImages: [PhotoID]
  /// Labels of people that the cross-validation contradicts, the least probable first; a few.
  let mistakes: [SuspectLabel]
  let curve: LearningCurve
  /// The run that records the training.
  package let run: Run
  /// All labels when it was trained.
  public let labels: TrainingSet
}

extension TrainingReport {
  /// The figures of models that learned from a share of the labels, and last from all of them.
  package var learningCurve: [LearningPoint] { curve.points }

  /// The number of mistakes of the report, at most.
  static let mistakeLimit = 24

  /// The estimated gain in macro F1 from 100 more labels per class, if it keeps growing at the same
  /// rate with each doubling of the labels; nil if the figures are unknown, or do not grow although
  /// the macro F1 is not near 1.
  public var gainOf100Labels: Double? { curve.gainOf100Labels }

  /// Whether 100 more labels per class would add less than half a point to the macro F1, even if it
  /// grew as fast as the uncertainty of the figures allows.
  public var isLearningCurveFlat: Bool { curve.isFlat }
}

extension TrainingReport.Evaluation {
  /// - Parameters:
  ///   - probabilities: By photo and class.
  ///   - groups: The group of each photo.
  init(
    _ probabilities: [[Double]], groups: [Int], verdict: (_ row: Int, _ index: Int) -> Bool?,
    isExclusive: Bool, classes: [ClassKey]
  ) {
    var (right, decisions, first) = (0, 0, 0)
    var (calibration, confusion) = (Calibration(), ConfusionMatrix())
    var rows: [(outcomes: [Int: OutcomeCounts.Outcome], group: Int)] = []
    // By class, the groups with a decision, with a prediction and with the class.
    let none = [Set<Int>](repeating: [], count: classes.count)
    var (decided, predicted, actual) = (none, none, none)
    // Of independent classes; categories: 0 for absent, 1 for present.
    var matrices = [ConfusionMatrix](repeating: ConfusionMatrix(), count: classes.count)
    for (row, line) in probabilities.enumerated() {
      let group = groups[row]
      var photo: [Int: OutcomeCounts.Outcome] = [:]
      defer { rows.append((photo, group)) }
      if isExclusive {
        // Of equal scores, the first class counts.
        let order = line.indices.sorted { (-line[$0], $0) < (-line[$1], $1) }
        guard let best = order.first,
          let truth = line.indices.first(where: { verdict(row, $0) == true })
        else { continue }
        decisions += 1
        decided[0].insert(group)
        predicted[best].insert(group)
        actual[truth].insert(group)
        if best == truth { right += 1 } else { photo[best] = .falsePositive }
        photo[truth] = best == truth ? .truePositive : .falseNegative
        if order.prefix(3).contains(truth) { first += 1 }
        calibration.add(confidence: line[best], isTrue: best == truth)
        confusion.add(truth: truth, prediction: best)
      } else {
        for (index, score) in line.enumerated() {
          guard let truth = verdict(row, index) else { continue }
          let isPredicted = score >= 0.5
          decisions += 1
          decided[index].insert(group)
          if isPredicted { predicted[index].insert(group) }
          if truth { actual[index].insert(group) }
          if isPredicted == truth { right += 1 }
          if isPredicted { photo[index] = truth ? .truePositive : .falsePositive }
          if truth, !isPredicted { photo[index] = .falseNegative }
          calibration.add(confidence: score, isTrue: truth)
          matrices[index].add(truth: truth ? 1 : 0, prediction: isPredicted ? 1 : 0)
        }
      }
    }
    let trials = decided.reduce(0) { $0 + $1.count }
    (photos, self.groups) = (probabilities.count, Set(groups).count)
    accuracy = Proportion(right, of: decisions, groups: trials)
    topThree =
      isExclusive && classes.count > 3 ? Proportion(first, of: decisions, groups: trials) : nil
    perClass = classes.enumerated().map { index, key in
      let (matrix, category) = isExclusive ? (confusion, index) : (matrices[index], 1)
      let hits = matrix[category, category]
      return PerClass(
        classKey: key,
        precision: Proportion(
          hits, of: matrix.predictions(category), groups: predicted[index].count),
        recall: Proportion(hits, of: matrix.actual(category), groups: actual[index].count),
        f1: matrix.f1(category))
    }
    (self.calibration, self.rows) = (calibration, rows)
    outcomes = TrainingReport.Evaluation.counts(rows)
    self.confusion = isExclusive ? confusion : nil
  }

  private static func counts(
    _ rows: [(outcomes: [Int: OutcomeCounts.Outcome], group: Int)]
  ) -> OutcomeCounts {
    var counts = OutcomeCounts()
    for group in Dictionary(grouping: rows, by: \.group).values {
      counts.add(group: group.map(\.outcomes))
    }
    return counts
  }

  /// Returns the 95% bootstrap interval of the macro F1 minus that of other probabilities for the
  /// same photos; nil if one of them is unknown.
  func macroF1Growth(since other: TrainingReport.Evaluation) -> ClosedRange<Double>? {
    // Classes of the other figures get numbers of their own.
    let offset = perClass.count
    let both = zip(rows, other.rows).map { own, earlier in
      let shifted = earlier.outcomes.map { ($0.key + offset, $0.value) }
      return (outcomes: own.outcomes.merging(shifted) { own, _ in own }, group: own.group)
    }
    return TrainingReport.Evaluation.counts(both).macroF1DifferenceInterval(
      of: outcomes.classes, minus: Set(other.outcomes.classes.map { $0 + offset }))
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
      "confusion": .array(confusionRows), "groups": JSON(groups),
      "macroF1": optional(macroF1), "macroF1High": optional(macroF1Interval?.upperBound),
      "macroF1Low": optional(macroF1Interval?.lowerBound), "photos": JSON(photos),
      "topThree": topThree?.json ?? .null,
    ]
  }
}

extension TrainingReport.Evaluation {
  private var confusionRows: [JSON] {
    guard let confusion else { return [] }
    return perClass.indices.map { truth in
      .array(perClass.indices.map { JSON(confusion[truth, $0]) })
    }
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
      "augmentations": .array(augmentations.map { .string($0.rawValue) }),
      "classes": .array(
        zip(classes, counts).map { ["class": .string($0.text), "photos": JSON($1)] }),
      "crossValidation": crossValidation.json, "digest": .string(digest),
      "erasedImages": ids(erasedImages), "exclusive": .bool(isExclusive),
      "file": .string(file.string),
      "gainOf100Labels": optional(gainOf100Labels),
      "learningCurve": .array(
        learningCurve.map {
          ["labelsPerClass": JSON($0.labelsPerClass), "macroF1": optional($0.macroF1)]
        }),
      "missingImages": ids(missingImages), "mistakes": .array(mistakes.map(\.json)),
      "model": .string(model.identity),
      "photos": JSON(photos), "run": .string(run.id.text), "test": test?.json ?? .null,
      "testDuplicates": ids(testDuplicates), "uncomparedImages": ids(uncomparedImages),
      "uncopiedImages": ids(uncopiedImages), "undecodableImages": ids(undecodableImages),
    ]
  }
}

extension SuspectLabel {
  fileprivate var json: JSON {
    [
      "class": .string(classKey.text), "confidence": JSON(confidence),
      "photo": .string(photo.description), "predicted": .string(predicted.text),
      "present": .bool(isPresent), "probability": JSON(probability),
    ]
  }
}

private func optional(_ value: Double?) -> JSON { value.map { JSON($0) } ?? .null }

private func ids(_ photos: [PhotoID]) -> JSON {
  .array(photos.map { .string($0.description) })
}
