/// Counts of items by their true category and their predicted category.
package struct ConfusionMatrix: Equatable, Sendable {
  /// The number of predictions.
  package private(set) var count = 0
  private var cells: [Int: [Int: Int]] = [:]

  package init() {}

  /// Adds items.
  ///
  /// - Parameter prediction: Nil for no prediction, which is never correct.
  package mutating func add(truth: Int, prediction: Int?, weight: Int = 1) {
    count += weight
    cells[truth, default: [:]][prediction ?? ConfusionMatrix.none, default: 0] += weight
  }

  private static let none = -1

  /// The number of items of category `truth` that were predicted as `prediction`; nil for none.
  package subscript(truth: Int, prediction: Int?) -> Int {
    cells[truth]?[prediction ?? ConfusionMatrix.none] ?? 0
  }

  /// The categories that are true or predicted for any item, in order.
  package var categories: [Int] {
    Set(cells.filter { !$0.value.isEmpty }.keys).union(cells.values.flatMap(\.keys))
      .subtracting([ConfusionMatrix.none]).sorted()
  }

  /// Returns the number of items of a category.
  package func actual(_ category: Int) -> Int { cells[category]?.values.reduce(0, +) ?? 0 }

  /// Returns the number of items with a prediction of a category.
  package func predictions(_ category: Int) -> Int {
    cells.values.reduce(0) { $0 + ($1[category] ?? 0) }
  }

  /// The number of items without a prediction.
  package var abstentions: Int { predictions(ConfusionMatrix.none) }

  /// The share of items that were predicted correctly; nil without items.
  package var accuracy: Double? {
    ratio(cells.reduce(0) { $0 + ($1.value[$1.key] ?? 0) }, count)
  }

  /// Returns the share of the predictions of a category that are correct; nil without any.
  package func precision(_ category: Int) -> Double? {
    ratio(self[category, category], predictions(category))
  }

  /// Returns the share of the items of a category that were predicted correctly; nil without any.
  package func recall(_ category: Int) -> Double? {
    ratio(self[category, category], actual(category))
  }

  /// Returns the harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN); nil if no item is
  /// of the category or predicted to be.
  package func f1(_ category: Int) -> Double? {
    ratio(2 * self[category, category], actual(category) + predictions(category))
  }

  /// Returns the mean of a metric over the categories, with 0 where it is nil; nil without
  /// categories.
  package func macro(_ metric: (Int) -> Double?) -> Double? {
    let categories = categories
    if categories.isEmpty { return nil }
    return categories.reduce(0) { $0 + (metric($1) ?? 0) } / Double(categories.count)
  }

  private func ratio(_ part: Int, _ whole: Int) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }
}
