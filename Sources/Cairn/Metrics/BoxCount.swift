internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

/// One model's boxes compared with people's, while a dataset is read.
struct BoxCount {
  private var photos = 0
  private var unlocated = 0
  private var byClass: [ClassKey: DetectionMatches] = [:]
  /// Whether the model drew any box.
  private var hasDetections = false

  /// - Parameter size: The size of the upright photo in pixels.
  mutating func add(
    _ predictions: Predictions, _ truth: GroundTruth, _ table: ClassTable,
    in size: (width: Int, height: Int)
  ) {
    if !predictions.boxes.isEmpty { hasDetections = true }
    var isMeasured = false
    for key in Set(predictions.boxes.keys).union(truth.boxes.keys) {
      let set = table.set(of: key)
      guard let boxes = truth.boxes(of: key, in: set) else {
        if truth.verdict(on: key, in: set) == .present { unlocated += 1 }
        continue
      }
      isMeasured = true
      byClass[key, default: DetectionMatches()]
        .add(predictions.boxes[key] ?? [], boxes, in: size)
    }
    if isMeasured { photos += 1 }
  }

  /// Returns the figures of the classes that people drew; nil if the model drew no box.
  func metrics(
    _ isWanted: (ClassKey) -> Bool, _ rules: ResolutionRules
  ) -> ModelMetrics.Boxes? {
    if !hasDetections { return nil }
    let classes = byClass.filter { isWanted($0.key) && $0.value.boxes > 0 }
      .sorted { $0.key < $1.key }
      .map { key, matches in
        (
          precision: matches.averagePrecision ?? 0,
          row: ModelMetrics.Boxes.PerClass(
            classKey: key, name: rules.classes.name(of: key), matches: matches)
        )
      }
    let order = classes.indices.sorted { a, b in
      let (x, y) = (classes[a].precision, classes[b].precision)
      return x == y ? a < b : x < y
    }
    return ModelMetrics.Boxes(
      photos: photos, unlocated: unlocated, classes: order.map { classes[$0].row })
  }
}
