/// Items ranked by a model's score, each with or without the class: the source of the
/// precision-recall curve.
///
/// Equal scores are counted together. A photo for which the model gave no score has the score 0, and
/// so ranks last.
///
/// Source: M. Everingham et al., “The Pascal visual object classes (VOC) challenge”, 2010, section
/// 4.2; the average precision is not interpolated, as in scikit-learn's `average_precision_score`.
package struct ScoredRanking: Equatable, Sendable {
  /// A point of the curve: the items with at least a score count as predicted.
  package struct Point: Equatable, Sendable {
    /// The lowest score that counts.
    package let threshold: Double
    /// The share of predicted items that have the class.
    package let precision: Double
    /// The share of items with the class that are predicted.
    package let recall: Double
  }

  private struct Tie: Equatable {
    var positives = 0
    var negatives = 0
  }

  private var ties: [Double: Tie] = [:]

  package init() {}

  /// Adds items with a score of 0 to 1; a negative weight removes them.
  package mutating func add(score: Double, isPositive: Bool, weight: Int = 1) {
    var tie = ties[score] ?? Tie()
    if isPositive { tie.positives += weight } else { tie.negatives += weight }
    ties[score] = tie
  }

  /// The number of items with the class.
  package var positives: Int { ties.values.reduce(0) { $0 + $1.positives } }

  /// The number of items without the class.
  package var negatives: Int { ties.values.reduce(0) { $0 + $1.negatives } }

  /// The mean of the precision at each step of the recall, weighted by the step; nil without items
  /// with the class, or without items that lack it (any order would give 1).
  package var averagePrecision: Double? {
    let all = positives
    guard all > 0, negatives > 0 else { return nil }
    var (hits, count, sum) = (0, 0, 0.0)
    for (_, tie) in ties.sorted(by: { $0.key > $1.key }) {
      hits += tie.positives
      count += tie.positives + tie.negatives
      if tie.positives > 0 {
        sum += Double(tie.positives) / Double(all) * (Double(hits) / Double(count))
      }
    }
    return sum
  }

  /// The maximum number of points of a curve.
  package static let pointLimit = 100

  /// The precision-recall curve, highest threshold first, without the items whose score is 0; empty
  /// where ``averagePrecision`` is nil.
  ///
  /// Of more than ``pointLimit`` scores, evenly spaced ones are kept, the last among them.
  package var curve: [Point] {
    let all = positives
    guard all > 0, negatives > 0 else { return [] }
    var (hits, count) = (0, 0)
    var points: [Point] = []
    for (score, tie) in ties.sorted(by: { $0.key > $1.key }) where score > 0 {
      hits += tie.positives
      count += tie.positives + tie.negatives
      // Removed items leave empty ties.
      if tie == Tie() || count == 0 { continue }
      points.append(
        Point(
          threshold: score, precision: Double(hits) / Double(count),
          recall: Double(hits) / Double(all)))
    }
    let limit = ScoredRanking.pointLimit
    if points.count <= limit { return points }
    return (1...limit).map { points[$0 * points.count / limit - 1] }
  }
}
