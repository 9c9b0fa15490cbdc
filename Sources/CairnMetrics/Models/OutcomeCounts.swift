/// Precision, recall and F1, each 0 to 1.
public struct Scores: Equatable, Sendable {
  /// The share of predictions that are right: TP / (TP + FP).
  public let precision: Double
  /// The share of what is there that was predicted: TP / (TP + FN).
  public let recall: Double
  /// The harmonic mean of both: 2 TP / (2 TP + FP + FN).
  public let f1: Double
}

/// What a model found, missed and named wrongly on each photo, from which the macro and micro means
/// over classes follow.
///
/// Equal photos are counted together. A class that is neither there nor predicted on a photo has no
/// outcome there. In an exclusive set, naming another class is a false negative of the true class
/// and a false positive of the named one.
///
/// Source: C. D. Manning, P. Raghavan and H. Schütze, “Introduction to information retrieval”, 2008,
/// section 13.6. The means equal scikit-learn's `precision_recall_fscore_support` with `labels=`
/// the classes and `zero_division=0`.
package struct OutcomeCounts: Equatable, Sendable {
  /// The outcome of one class on one photo.
  package enum Outcome: Int, Sendable {
    case truePositive, falsePositive, falseNegative
  }

  /// The number of photos, or of groups of photos, by their outcomes, each the class times four plus
  /// the outcome, sorted.
  private var patterns: [[Int]: Int] = [:]

  package init() {}

  /// Adds photos with equal outcomes, by class.
  package mutating func add(_ outcomes: [Int: Outcome], weight: Int = 1) {
    let pattern = outcomes.map { $0.key << 2 | $0.value.rawValue }.sorted()
    patterns[pattern, default: 0] += weight
  }

  /// Adds photos that are not independent of each other, each with its outcomes by class: a bootstrap
  /// resamples them together.
  package mutating func add(group: [[Int: Outcome]]) {
    let pattern = group.flatMap { $0.map { $0.key << 2 | $0.value.rawValue } }.sorted()
    patterns[pattern, default: 0] += 1
  }

  /// The classes with an outcome.
  package var classes: Set<Int> {
    var classes: Set<Int> = []
    for pattern in patterns.keys { for code in pattern { classes.insert(code >> 2) } }
    return classes
  }

  /// Returns the means over `classes` of each class's scores, where a score without a denominator is
  /// 0; nil without classes.
  package func macro(of classes: Set<Int>) -> Scores? { totals(of: classes).macro }

  /// Returns the scores of all decisions on `classes` together; nil without any.
  package func micro(of classes: Set<Int>) -> Scores? { totals(of: classes).micro }

  /// Returns the 95% bootstrap interval of the macro F1 of `classes`; nil without classes.
  package func macroF1Interval(of classes: Set<Int>) -> ClosedRange<Double>? {
    interval(of: classes) { $0.macro?.f1 }
  }

  /// Returns the 95% bootstrap interval of the macro F1 of `classes` minus that of `others`, on the
  /// same photos; nil if one of them is empty.
  package func macroF1DifferenceInterval(
    of classes: Set<Int>, minus others: Set<Int>
  ) -> ClosedRange<Double>? {
    let order = classes.union(others).sorted()
    let (own, other) = (
      order.indices.filter { classes.contains(order[$0]) },
      order.indices.filter { others.contains(order[$0]) }
    )
    return interval(of: Set(order)) { totals in
      guard let first = totals.macro(of: own), let second = totals.macro(of: other) else {
        return nil
      }
      return first.f1 - second.f1
    }
  }

  // MARK: Totals

  /// Counts of true positives, false positives and false negatives, three for each class.
  private struct Totals {
    var counts: [Int]

    init(classes: Int) { counts = [Int](repeating: 0, count: 3 * classes) }

    static func scores(_ hits: Int, _ wrong: Int, _ missed: Int) -> Scores {
      func share(_ part: Int, _ whole: Int) -> Double {
        whole > 0 ? Double(part) / Double(whole) : 0
      }
      return Scores(
        precision: share(hits, hits + wrong), recall: share(hits, hits + missed),
        f1: share(2 * hits, 2 * hits + wrong + missed))
    }

    var macro: Scores? { macro(of: Array(0..<counts.count / 3)) }

    /// - Parameter indices: Of classes.
    func macro(of indices: [Int]) -> Scores? {
      if indices.isEmpty { return nil }
      var (precision, recall, f1) = (0.0, 0.0, 0.0)
      for index in indices {
        let one = Totals.scores(counts[3 * index], counts[3 * index + 1], counts[3 * index + 2])
        precision += one.precision
        recall += one.recall
        f1 += one.f1
      }
      let number = Double(indices.count)
      return Scores(precision: precision / number, recall: recall / number, f1: f1 / number)
    }

    var micro: Scores? {
      var sums = [0, 0, 0]
      for index in counts.indices { sums[index % 3] += counts[index] }
      if sums == [0, 0, 0] { return nil }
      return Totals.scores(sums[0], sums[1], sums[2])
    }
  }

  private func totals(of classes: Set<Int>) -> Totals {
    let (patterns, counts) = indexed(classes)
    return OutcomeCounts.totals(patterns, counts, classes: classes.count)
  }

  private static func totals(_ patterns: [[Int]], _ counts: [Int], classes: Int) -> Totals {
    var totals = Totals(classes: classes)
    for (pattern, count) in zip(patterns, counts) where count > 0 {
      for index in pattern { totals.counts[index] += count }
    }
    return totals
  }

  /// Returns the patterns as indices into the counts of ``Totals``, with their numbers of photos, in
  /// a fixed order.
  private func indexed(_ classes: Set<Int>) -> (patterns: [[Int]], counts: [Int]) {
    var position: [Int: Int] = [:]
    for (index, one) in classes.sorted().enumerated() { position[one] = index }
    let sorted = patterns.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let indexed = sorted.map { pattern in
      pattern.key.compactMap { code in position[code >> 2].map { 3 * $0 + (code & 3) } }
    }
    return (indexed, sorted.map(\.value))
  }

  /// The most additions that a bootstrap makes; with more data, it draws fewer resamples.
  private static let workLimit = 200_000_000

  private func interval(
    of classes: Set<Int>, _ statistic: (Totals) -> Double?
  ) -> ClosedRange<Double>? {
    if classes.isEmpty { return nil }
    let (patterns, counts) = indexed(classes)
    let work = patterns.reduce(3 * classes.count) { $0 + $1.count + 12 }
    let resamples = min(1000, max(100, OutcomeCounts.workLimit / work))
    return PoissonBootstrap.interval(of: counts, resamples: resamples) { counts in
      statistic(OutcomeCounts.totals(patterns, counts, classes: classes.count))
    }
  }
}
