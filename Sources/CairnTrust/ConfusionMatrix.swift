/// What was predicted of items, against what is true of them.
public struct ConfusionMatrix: Equatable, Sendable {
  public private(set) var count = 0
  private var cells: [Int: [Int: Int]] = [:]

  public init() {}

  /// Counts items.
  ///
  /// - Parameter prediction: nil where none was made, which is never right.
  public mutating func add(truth: Int, prediction: Int?, weight: Int = 1) {
    count += weight
    cells[truth, default: [:]][prediction ?? ConfusionMatrix.none, default: 0] += weight
  }

  private static let none = -1

  public subscript(truth: Int, prediction: Int?) -> Int {
    cells[truth]?[prediction ?? ConfusionMatrix.none] ?? 0
  }

  /// The categories that are true of an item or were predicted, in order.
  public var categories: [Int] {
    Set(cells.filter { !$0.value.isEmpty }.keys).union(cells.values.flatMap(\.keys))
      .subtracting([ConfusionMatrix.none]).sorted()
  }

  /// How many items a category is true of.
  public func truths(_ category: Int) -> Int { cells[category]?.values.reduce(0, +) ?? 0 }

  /// How many items a category was predicted of.
  public func predictions(_ category: Int) -> Int {
    cells.values.reduce(0) { $0 + ($1[category] ?? 0) }
  }

  /// On how many items nothing was predicted.
  public var abstentions: Int { predictions(ConfusionMatrix.none) }

  /// The share of items that were predicted right; nil without any.
  public var accuracy: Double? {
    ratio(cells.reduce(0) { $0 + ($1.value[$1.key] ?? 0) }, count)
  }

  /// Of what was predicted to be of a category the share that is; nil when nothing was.
  public func precision(_ category: Int) -> Double? {
    ratio(self[category, category], predictions(category))
  }

  /// Of what is of a category the share that was predicted to be; nil when nothing is.
  public func recall(_ category: Int) -> Double? {
    ratio(self[category, category], truths(category))
  }

  /// The harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN); nil when neither the truth
  /// nor a prediction is of the category.
  public func f1(_ category: Int) -> Double? {
    ratio(2 * self[category, category], truths(category) + predictions(category))
  }

  /// The mean of a figure over the categories, one that a category lacks counting as 0; nil without
  /// categories.
  public func macro(_ figure: (Int) -> Double?) -> Double? {
    let categories = categories
    if categories.isEmpty { return nil }
    return categories.reduce(0) { $0 + (figure($1) ?? 0) } / Double(categories.count)
  }

  private func ratio(_ part: Int, _ whole: Int) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }
}
