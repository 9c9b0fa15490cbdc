internal import CairnTraining

/// How good models are that learned from a share of the labels, and what more labels would add.
struct LearningCurve: Sendable {
  /// Ascending; the last is of all labels.
  let points: [TrainingReport.LearningPoint]
  /// The greatest growth in macro F1 between the last two points that their uncertainty allows: the
  /// upper end of its 95% interval. Nil if it is unknown.
  let greatestGrowth: Double?

  /// The estimated gain in macro F1 from 100 more labels per class; nil if it cannot be estimated:
  /// few labels often give a falling curve by chance, which says nothing of more labels.
  var gainOf100Labels: Double? {
    guard let (start, end) = ends else { return nil }
    let gain = gain(from: end - start)
    return end > start || 1 - end < LearningCurve.flatGain ? gain : nil
  }

  /// Whether 100 more labels per class would add less than half a point, whatever the growth is
  /// within its uncertainty.
  var isFlat: Bool {
    greatestGrowth.flatMap(gain).map { $0 < LearningCurve.flatGain } ?? false
  }

  private static let flatGain = 0.005

  private var ends: (start: Double, end: Double)? {
    guard points.count > 1, let end = points[points.count - 1].macroF1,
      let start = points[points.count - 2].macroF1
    else { return nil }
    return (start, end)
  }

  /// Returns the gain of 100 more labels per class, if the macro F1 keeps growing with each doubling
  /// of the labels as it does between the last two points.
  private func gain(from growth: Double) -> Double? {
    guard let end = ends?.end else { return nil }
    let (before, last) = (
      points[points.count - 2].labelsPerClass, points[points.count - 1].labelsPerClass
    )
    guard before > 0, last > before else { return nil }
    let gain = growth / deterministicLog(last / before) * deterministicLog((last + 100) / last)
    return min(max(gain, 0), 1 - end)
  }
}
