/// What is known of each row of a training set.
package struct Targets: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// A row has exactly one of the classes.
    case exclusive
    /// A row may have any of the classes.
    case independent
  }

  package let kind: Kind
  package let classCount: Int
  package let count: Int
  /// Exclusive: the class of each row. Independent: for each row, and then each class, 1 if it has
  /// the class, 0 if it lacks it, and -1 if that is not known.
  package let values: [Int]

  /// Creates targets of exclusive classes.
  package init(exclusive classes: [Int], classCount: Int) {
    (kind, self.classCount, count) = (.exclusive, classCount, classes.count)
    values = classes
  }

  /// Creates targets of independent classes; nil for a verdict that is not known.
  package init(independent verdicts: [[Bool?]], classCount: Int) {
    (kind, self.classCount, count) = (.independent, classCount, verdicts.count)
    values = verdicts.flatMap { row in row.map { $0.map { $0 ? 1 : 0 } ?? -1 } }
  }

  init(_ kind: Kind, _ classCount: Int, _ values: [Int], count: Int) {
    (self.kind, self.classCount, self.values, self.count) = (kind, classCount, values, count)
  }

  /// Returns whether a row has a class; nil if it is not known.
  package func verdict(_ row: Int, _ classIndex: Int) -> Bool? {
    switch kind {
    case .exclusive: return values[row] == classIndex
    case .independent:
      let value = values[row * classCount + classIndex]
      return value < 0 ? nil : value == 1
    }
  }

  func selecting(_ rows: [Int]) -> Targets {
    let width = kind == .exclusive ? 1 : classCount
    return Targets(
      kind, classCount, rows.flatMap { values[$0 * width..<($0 + 1) * width] }, count: rows.count)
  }

  /// A weight for each value, with mean 1: rare outcomes weigh more, by the square root of what
  /// would make all outcomes of equal weight. Full weights would make rare classes overconfident.
  var balancedWeights: [Double] {
    let width = kind == .exclusive ? 1 : classCount
    let outcomes = kind == .exclusive ? classCount : 2
    func bin(_ index: Int) -> Int? {
      if values[index] < 0 { return nil }
      return kind == .exclusive ? values[index] : 2 * (index % width) + values[index]
    }
    var counts = [Double](repeating: 0, count: kind == .exclusive ? classCount : 2 * classCount)
    for index in values.indices { if let bin = bin(index) { counts[bin] += 1 } }
    var factors = [Double](repeating: 0, count: counts.count)
    for first in stride(from: 0, to: counts.count, by: outcomes) {
      let bins = first..<first + outcomes
      let known = bins.reduce(0) { $0 + counts[$1] }
      let roots = bins.reduce(0) { $0 + counts[$1].squareRoot() }
      for bin in bins where counts[bin] > 0 {
        factors[bin] = known / (counts[bin].squareRoot() * roots)
      }
    }
    return values.indices.map { bin($0).map { factors[$0] } ?? 0 }
  }
}
