public import CairnDocument
public import CairnMetrics

/// The quality of one version of a model, measured against people's labels.
///
/// The ground truth of a class on a photo is the resolution of people's labels: confirmed or
/// rejected. Where they disagree there is none. A model is measured on the photos that it was asked
/// about, as far as that is recorded; a photo for which it gave no label counts as missed. It is
/// measured on the classes that it has ever labeled and on the sets that they are in. Photos that it
/// learned from in `cairn train` are left out, because its figures on them would be too good.
public struct ModelMetrics: Sendable {
  /// Why figures have no meaning.
  package enum Undefined: String, Sendable, CaseIterable {
    /// The model labels no class outside of exclusive sets that people labeled too.
    case noClasses = "no-classes"
    /// No photo has the class: there is nothing to find.
    case noPositives = "no-positives"
    /// Every photo has the class: always predicting it would be right.
    case noNegatives = "no-negatives"
  }

  /// The model's decisions on one class: present or absent, photo by photo.
  public struct PerClass: Sendable {
    /// The class, under its canonical key.
    public let classKey: ClassKey
    /// The display name of the class.
    public let name: String
    /// Categories: 0 for absent, 1 for present.
    package let matrix: ConfusionMatrix
    /// The photos by the model's confidence that the class is present: of a label “absent”, one
    /// minus its confidence; 0 without a label.
    package let ranking: ScoredRanking
    /// The calibration of its predictions of the class.
    package let calibration: Calibration
  }

  /// The model's choices in an exclusive set, on the photos whose class people confirmed.
  public struct PerSet: Sendable {
    /// The exclusive set.
    public let set: ClassKey
    /// Its choices with at least the threshold. Categories: indices into `classes`; no prediction
    /// where it chose none.
    package let matrix: ConfusionMatrix
    /// Sorted by key.
    package let classes: [ClassKey]
    /// The display names of ``classes``, in the same order.
    package let names: [String]
    /// The photos where the class with the highest confidence, even below the threshold, is right.
    public let topOne: Proportion
    /// The photos where the true class is among the five with the highest confidence; nil if there
    /// are no more than five classes.
    public let topFive: Proportion?
    /// The outcomes of the classes with the highest confidence, by index into ``classes``.
    package let outcomes: OutcomeCounts
    /// The number of classes that are true of any photo.
    package let trueClasses: Int
  }

  /// The model's decisions on all classes that are in no exclusive set.
  public struct Independent: Sendable {
    /// The number of classes: those that some photos have and some lack.
    public let classes: Int
    /// The means of the classes' scores.
    public let macro: Scores
    /// The 95% interval of the macro F1.
    package let macroF1Interval: ClosedRange<Double>?
    /// The scores of all decisions together.
    public let micro: Scores
    /// The mean of the classes' average precision.
    public let meanAveragePrecision: Double
  }

  /// The model's boxes, compared with people's.
  public struct Boxes: Sendable {
    /// The boxes of one class.
    public struct PerClass: Sendable {
      /// The class, under its canonical key.
      public let classKey: ClassKey
      /// The display name of the class.
      public let name: String
      /// The boxes, matched by overlap.
      package let matches: DetectionMatches
    }

    /// The number of photos.
    public let photos: Int
    /// The number of photos and classes left out because people say that the class is there, but
    /// not where.
    package let unlocated: Int
    /// The classes that people drew, sorted by average precision, lowest first; then by key.
    public let classes: [PerClass]

    /// The mean over classes of the average precision at an overlap of 0.5; nil without boxes.
    public var meanAveragePrecisionAtHalf: Double? {
      Boxes.mean(classes.compactMap { $0.matches.averagePrecision(at: 0) })
    }

    /// The mean over classes, and over the overlaps 0.5 to 0.95, of the average precision; nil
    /// without boxes.
    public var meanAveragePrecision: Double? {
      Boxes.mean(classes.compactMap(\.matches.averagePrecision))
    }

    private static func mean(_ values: [Double]) -> Double? {
      values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
  }

  /// A class that the model counts as present, and that people reject.
  package struct Mistake: Equatable, Sendable {
    package let photo: PhotoID
    /// The display name of the class.
    package let prediction: String
    /// The display name of the class that people confirm instead; nil if the class excludes no
    /// other, or people disagree.
    package let truth: String?
    package let confidence: Double
  }

  /// The model, with its version.
  public let model: Annotator
  /// The number of photos that it labeled, except those that it learned from.
  public let photos: Int
  /// The number of photos that people labeled and for which it gave no label.
  public let silent: Int
  /// Whether all its runs record on which photos it was silent.
  package let silentIsKnown: Bool
  /// The number of photos that were left out, because it learned from them or near duplicates.
  package let learned: Int
  /// Whether people labeled none of its other photos, so that there is nothing to measure.
  package let learnedFromAll: Bool
  /// Whether it is recorded which photos it learned from, if cairn trained it.
  package let learnedIsKnown: Bool
  /// Its training, which has cross-validated figures; nil if cairn did not train it.
  package let training: RunID?
  /// Sorted by F1, lowest first, those without one last; then by key.
  public let classes: [PerClass]
  /// Sorted by key.
  public let sets: [PerSet]
  /// Nil if no class can be measured.
  public let independent: Independent?
  /// Why there are no figures of independent classes; nil if there are.
  package let independentUndefined: Undefined?
  /// Nil if it drew no box.
  public let boxes: Boxes?
  /// A few of its mistakes, the most confident first.
  package let mistakes: [Mistake]
  /// The classes that people confirm on its photos and that it never labels, sorted; they are left
  /// out, unless they were asked for.
  package let neverNamed: [ClassKey]
  /// The calibration of its predictions, including those below the threshold.
  package let calibration: Calibration
  /// The number of its predictions left out because people disagree about them.
  package let disputed: Int
  /// The number of its predictions for classes that no person has labeled there.
  package let withoutGroundTruth: Int
}

extension ModelMetrics.PerClass {
  /// The number of photos that have the class.
  public var positives: Int { matrix.actual(1) }

  /// The mean precision over all recalls, in the order of the model's confidence; nil if no photo
  /// has the class or every photo has it.
  public var averagePrecision: Double? { ranking.averagePrecision }

  /// Why precision, F1 and average precision, or recall and average precision, have no meaning; nil
  /// if they have one.
  package var undefined: ModelMetrics.Undefined? {
    if matrix.actual(1) == 0 { return .noPositives }
    return matrix.actual(0) == 0 ? .noNegatives : nil
  }

  /// The share of its predictions that are right; without a value if every photo has the class.
  public var precision: Proportion {
    let isMeaningless = undefined == .noNegatives
    return isMeaningless
      ? Proportion(0, of: 0) : Proportion(matrix[1, 1], of: matrix.predictions(1))
  }

  /// The share of photos with the class on which it is predicted.
  public var recall: Proportion { Proportion(matrix[1, 1], of: matrix.actual(1)) }

  /// The harmonic mean of precision and recall; nil if every photo has the class, or if no photo has
  /// it and none is predicted to.
  public var f1: Double? { undefined == .noNegatives ? nil : matrix.f1(1) }
}

extension ModelMetrics.PerSet {
  /// The means of the classes' scores; nil without photos.
  public var macro: Scores? { outcomes.macro(of: outcomes.classes) }

  /// The scores of all choices together; nil without photos.
  public var micro: Scores? { outcomes.micro(of: outcomes.classes) }

  /// The 95% interval of the macro F1; nil without photos.
  package var macroF1Interval: ClosedRange<Double>? {
    outcomes.macroF1Interval(of: outcomes.classes)
  }
}
