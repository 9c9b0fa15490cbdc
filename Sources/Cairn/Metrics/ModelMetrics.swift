public import CairnDocument
public import CairnMetrics

/// The quality of one version of a model, measured against people's labels.
///
/// The ground truth of a class on a photo is the resolution of people's labels: confirmed or
/// rejected. Where they disagree there is none. A model is measured on the photos that it labeled,
/// and by the classes that it ever labels: not predicting such a class counts as “absent”.
public struct ModelMetrics: Sendable {
  /// The model's decisions on one class: present or absent, photo by photo.
  public struct PerClass: Sendable {
    /// The class, under its canonical key.
    public let classKey: ClassKey
    /// The display name of the class.
    public let name: String
    /// Categories: 0 for absent, 1 for present.
    public let matrix: ConfusionMatrix
    /// The calibration of its predictions of the class.
    public let calibration: Calibration
  }

  /// The model's choices in an exclusive set: the class with the highest confidence.
  public struct PerSet: Sendable {
    /// The exclusive set.
    public let set: ClassKey
    /// Categories: indices into `classes`; no prediction where it chose none.
    public let matrix: ConfusionMatrix
    /// Sorted by key.
    public let classes: [ClassKey]
    /// The display names of ``classes``, in the same order.
    public let names: [String]
  }

  /// The model, with its version.
  public let model: Annotator
  /// The number of photos that it labeled.
  public let photos: Int
  /// Sorted by F1, lowest first, those without one last; then by key.
  public let classes: [PerClass]
  /// Sorted by key.
  public let sets: [PerSet]
  /// The calibration of its predictions, including those below the threshold.
  public let calibration: Calibration
  /// The number of its predictions left out because people disagree about them.
  public let disputed: Int
  /// The number of its predictions for classes that no person has labeled there.
  public let withoutGroundTruth: Int

  /// The share of right decisions over all photos and classes; nil if there are none.
  public var accuracy: Double? {
    var (right, all) = (0, 0)
    for one in classes {
      right += one.matrix[0, 0] + one.matrix[1, 1]
      all += one.matrix.count
    }
    return all > 0 ? Double(right) / Double(all) : nil
  }

  /// The mean F1 of the classes that have one; nil if none has.
  public var f1: Double? {
    let values = classes.compactMap { $0.matrix.f1(1) }
    return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

/// Compares models' labels with people's while a dataset is read, photo by photo.
struct MetricsAccumulator {
  private let rules: ResolutionRules
  private let models: Set<Annotator>
  private var counts: [Annotator: Count] = [:]

  fileprivate struct Count {
    var photos = 0
    var named: Set<ClassKey> = []
    var matrices: [ClassKey: ConfusionMatrix] = [:]
    /// For each set, the number of photos where a person chose one of its classes: on them, absent
    /// is right for classes that neither people nor the model name.
    var chosen: [ClassKey: Int] = [:]
    var choices: [ClassKey: [Choice: Int]] = [:]
    var observations: [ClassKey: Observation] = [:]
  }

  /// The results of comparing the predictions of one class.
  fileprivate struct Observation {
    var calibration = Calibration()
    var disputed = 0
    var withoutGroundTruth = 0
  }

  fileprivate struct Choice: Hashable {
    let truth: ClassKey
    let prediction: ClassKey?
  }

  init(rules: ResolutionRules, models: [Annotator]) {
    (self.rules, self.models) = (rules, Set(models))
  }

  mutating func add(_ labels: [Label]) {
    let predictions = labels.filter { label in
      models.contains(label.annotator) && label.verdict != .withdrawn
        && !(label.run.map(rules.withdrawnRuns.contains) ?? false)
    }
    if predictions.isEmpty { return }
    let truth = GroundTruth(rules.resolve(labels.filter(\.annotator.isHuman)), rules.classes)
    for (model, labels) in Dictionary(grouping: predictions, by: \.annotator) {
      var count = counts[model] ?? Count()
      counts[model] = nil
      count.add(Predictions(labels, rules), truth, rules.classes)
      counts[model] = count
    }
  }

  func metrics(of wanted: Set<ClassKey>?) -> [ModelMetrics] {
    counts.sorted { $0.key < $1.key }.map { model, count in
      let classes = count.named.filter { wanted?.contains($0) ?? true }.sorted()
        .map { key in
          ModelMetrics.PerClass(
            classKey: key, name: rules.classes.name(of: key), matrix: count.matrix(key, rules),
            calibration: count.observations[key]?.calibration ?? Calibration())
        }.filter { $0.matrix.count > 0 }
      let observations = count.observations.filter { wanted?.contains($0.key) ?? true }.values
      let order = classes.indices.sorted { a, b in
        let (x, y) = (
          classes[a].matrix.f1(1) ?? .infinity, classes[b].matrix.f1(1) ?? .infinity
        )
        return x == y ? a < b : x < y
      }
      let sets = wanted.map { Set($0.compactMap { rules.classes.set(of: $0) }) }
      return ModelMetrics(
        model: model, photos: count.photos, classes: order.map { classes[$0] },
        sets: count.choices.keys.filter { sets?.contains($0) ?? true }.sorted()
          .compactMap { count.choices(of: $0, rules) },
        calibration: observations.reduce(into: Calibration()) { $0.add($1.calibration) },
        disputed: observations.reduce(0) { $0 + $1.disputed },
        withoutGroundTruth: observations.reduce(0) { $0 + $1.withoutGroundTruth })
    }
  }
}

/// People's verdicts on a photo, where they agree.
private struct GroundTruth {
  enum Verdict { case present, absent, disputed, unknown }

  private(set) var byClass: [ClassKey: Verdict] = [:]
  /// The confirmed class of each exclusive set.
  private(set) var bySet: [ClassKey: ClassKey] = [:]
  /// The exclusive sets in which a person chose a class.
  private(set) var chosen: Set<ClassKey> = []

  init(_ resolutions: [Resolution], _ classes: ClassTable) {
    for one in resolutions {
      let set = classes.set(of: one.classKey)
      switch one.state {
      case .confirmed:
        byClass[one.classKey] = .present
        if let set { bySet[set] = one.classKey }
      case .rejected: byClass[one.classKey] = .absent
      case .disputed: byClass[one.classKey] = .disputed
      case .predicted, .open: break
      }
      if let set, one.evidence.contains(where: \.isChoice) { chosen.insert(set) }
    }
  }

  func verdict(on key: ClassKey, in set: ClassKey?) -> Verdict {
    if let known = byClass[key] { return known }
    // No person named it, but naming another class of its set rates it absent.
    return set.map(chosen.contains) ?? false ? .absent : .unknown
  }
}

extension Evidence {
  /// Whether it is an active label for presence, even if it does not decide.
  fileprivate var isChoice: Bool {
    guard label.verdict == .present else { return false }
    if case .notLatest = status { return true }
    return status.counts
  }
}

/// The predictions of one version of a model for a photo.
private struct Predictions {
  /// The verdict and confidence for each class.
  private(set) var byClass: [ClassKey: (isPresent: Bool, confidence: Double)] = [:]
  /// The classes that count as present.
  private(set) var predicted: Set<ClassKey> = []
  /// The class with the highest confidence in each set.
  private(set) var choices: [ClassKey: ClassKey] = [:]

  init(_ labels: [Label], _ rules: ResolutionRules) {
    for label in labels {
      let key = rules.classes.canonicalKey(of: label.classKey)
      let prediction = (
        isPresent: label.verdict == .present, confidence: label.confidence
      )
      // The box with the highest confidence decides; another box does not make the class less
      // certain.
      if let known = byClass[key],
        (known.isPresent ? 1 : 0, known.confidence)
          >= (prediction.isPresent ? 1 : 0, prediction.confidence)
      {
        continue
      }
      byClass[key] = prediction
    }
    let threshold = labels.first?.annotator.model.map { rules.threshold(of: $0.name) } ?? 0
    var best: [ClassKey: (confidence: Double, key: ClassKey)] = [:]
    for (key, prediction) in byClass
    where prediction.isPresent && prediction.confidence >= threshold {
      guard let set = rules.classes.set(of: key) else {
        predicted.insert(key)
        continue
      }
      // Consistent with the label resolver: of equal confidences, the last by key.
      if let other = best[set], (other.confidence, other.key) > (prediction.confidence, key) {
        continue
      }
      best[set] = (prediction.confidence, key)
    }
    choices = best.mapValues(\.key)
    predicted.formUnion(choices.values)
  }
}

extension MetricsAccumulator.Count {
  fileprivate mutating func add(
    _ predictions: Predictions, _ truth: GroundTruth, _ classes: ClassTable
  ) {
    photos += 1
    named.formUnion(predictions.byClass.keys)
    for (key, prediction) in predictions.byClass {
      observations[key, default: MetricsAccumulator.Observation()]
        .add(prediction, truth.verdict(on: key, in: classes.set(of: key)))
    }
    for set in truth.chosen { chosen[set, default: 0] += 1 }
    for key in Set(truth.byClass.keys).union(predictions.predicted) {
      var matrix = matrices[key] ?? ConfusionMatrix()
      let set = classes.set(of: key)
      if let set, truth.chosen.contains(set) { matrix.add(truth: 0, prediction: 0, weight: -1) }
      let prediction = predictions.predicted.contains(key) ? 1 : 0
      switch truth.verdict(on: key, in: set) {
      case .present: matrix.add(truth: 1, prediction: prediction)
      case .absent: matrix.add(truth: 0, prediction: prediction)
      case .disputed, .unknown: break
      }
      matrices[key] = matrix
    }
    for (set, key) in truth.bySet {
      let choice = MetricsAccumulator.Choice(truth: key, prediction: predictions.choices[set])
      choices[set, default: [:]][choice, default: 0] += 1
    }
  }

  fileprivate func matrix(_ key: ClassKey, _ rules: ResolutionRules) -> ConfusionMatrix {
    var matrix = matrices[key] ?? ConfusionMatrix()
    if let set = rules.classes.set(of: key), let chosen = chosen[set] {
      matrix.add(truth: 0, prediction: 0, weight: chosen)
    }
    return matrix
  }

  fileprivate func choices(of set: ClassKey, _ rules: ResolutionRules) -> ModelMetrics.PerSet? {
    // A model is not measured on a set none of whose classes it names.
    guard let counted = choices[set], named.contains(where: { rules.classes.set(of: $0) == set })
    else { return nil }
    let keys = Set(counted.keys.flatMap { [$0.truth, $0.prediction].compactMap { $0 } }).sorted()
    let indices = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    var matrix = ConfusionMatrix()
    for (choice, count) in counted {
      guard let truth = indices[choice.truth] else { continue }
      matrix.add(truth: truth, prediction: choice.prediction.flatMap { indices[$0] }, weight: count)
    }
    return ModelMetrics.PerSet(
      set: set, matrix: matrix, classes: keys, names: keys.map { rules.classes.name(of: $0) })
  }
}

extension MetricsAccumulator.Observation {
  fileprivate mutating func add(
    _ prediction: (isPresent: Bool, confidence: Double), _ truth: GroundTruth.Verdict
  ) {
    switch truth {
    case .present: calibration.add(confidence: prediction.confidence, isTrue: prediction.isPresent)
    case .absent: calibration.add(confidence: prediction.confidence, isTrue: !prediction.isPresent)
    case .disputed: disputed += 1
    case .unknown: withoutGroundTruth += 1
    }
  }
}

/// A cell of a model's confusion matrix.
package enum MetricsCell: Equatable, Sendable {
  case ofClass(ClassKey, isPresent: Bool, isPredicted: Bool)
  /// In an exclusive set; nil where the model chose no class.
  case ofSet(ClassKey, truth: ClassKey, prediction: ClassKey?)

  /// Returns whether a photo with these labels is in the cell.
  func contains(_ labels: [Label], of model: Annotator, _ rules: ResolutionRules) -> Bool {
    let own = labels.filter { label in
      label.annotator == model && label.verdict != .withdrawn
        && !(label.run.map(rules.withdrawnRuns.contains) ?? false)
    }
    if own.isEmpty { return false }
    let truth = GroundTruth(rules.resolve(labels.filter(\.annotator.isHuman)), rules.classes)
    let predictions = Predictions(own, rules)
    switch self {
    case .ofClass(let key, let isPresent, let isPredicted):
      guard predictions.predicted.contains(key) == isPredicted else { return false }
      return truth.verdict(on: key, in: rules.classes.set(of: key))
        == (isPresent ? .present : .absent)
    case .ofSet(let set, let wanted, let prediction):
      return truth.bySet[set] == wanted && predictions.choices[set] == prediction
    }
  }
}
