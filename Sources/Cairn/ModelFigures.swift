public import CairnDocument
public import CairnTrust

/// How good one version of a model is, measured against what people say.
///
/// The truth of a class on a photo is what people's statements make stand: confirmed or rejected. Where
/// they are divided there is none. A model is measured on the photos of which it said something, and
/// by the classes that it ever names: what it did not say of such a class counts as “absent”.
public struct ModelFigures: Sendable {
  public struct OfClass: Sendable {
    public let classKey: ClassKey
    /// What people call the class.
    public let name: String
    /// Categories: 0 for absent, 1 for present.
    public let matrix: ConfusionMatrix
    /// Of what it says of the class.
    public let calibration: Calibration
  }

  /// The class that a model chose of an exclusive set: the one that it is surest of.
  public struct OfSet: Sendable {
    public let set: ClassKey
    /// Categories: the places of `classes`; no prediction where it chose none.
    public let matrix: ConfusionMatrix
    /// Sorted by key.
    public let classes: [ClassKey]
    public let names: [String]
  }

  public let model: Annotator
  /// Of how many photos it said something.
  public let photos: Int
  /// By F1, the worst first, those without one last; then by key.
  public let classes: [OfClass]
  public let sets: [OfSet]
  /// How often what it says is right, by the confidence with which it says it, also below the threshold.
  public let calibration: Calibration
  /// How many of its statements were left out since people are divided about them.
  public let disputed: Int
  /// How many of its statements no person has spoken of.
  public let unjudged: Int

  /// The share of all decisions, of each photo and class, that are right; nil without any.
  public var accuracy: Double? {
    var (right, all) = (0, 0)
    for one in classes {
      right += one.matrix[0, 0] + one.matrix[1, 1]
      all += one.matrix.count
    }
    return all > 0 ? Double(right) / Double(all) : nil
  }

  /// The mean of the classes' F1, those without one left out; nil when none has one.
  public var f1: Double? {
    let values = classes.compactMap { $0.matrix.f1(1) }
    return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

/// Counts what models say against what people say while a dataset is read, photo by photo.
struct ModelCount {
  private let rules: ResolutionRules
  private let models: Set<Annotator>
  private var counts: [Annotator: Count] = [:]

  fileprivate struct Count {
    var photos = 0
    var named: Set<ClassKey> = []
    var matrices: [ClassKey: ConfusionMatrix] = [:]
    /// Of each set on how many photos somebody chose a class of it: those that neither people nor the
    /// model name there are rightly absent.
    var chosen: [ClassKey: Int] = [:]
    var choices: [ClassKey: [Choice: Int]] = [:]
    var heard: [ClassKey: Heard] = [:]
  }

  /// What became of the statements on one class.
  fileprivate struct Heard {
    var calibration = Calibration()
    var disputed = 0
    var unjudged = 0
  }

  fileprivate struct Choice: Hashable {
    let truth: ClassKey
    let prediction: ClassKey?
  }

  init(rules: ResolutionRules, models: [Annotator]) {
    (self.rules, self.models) = (rules, Set(models))
  }

  mutating func add(_ labels: [Label]) {
    let said = labels.filter { label in
      models.contains(label.annotator) && label.verdict != .withdrawn
        && !(label.run.map(rules.withdrawnRuns.contains) ?? false)
    }
    if said.isEmpty { return }
    let truth = Truth(rules.resolve(labels.filter(\.annotator.isHuman)), rules.classes)
    for (model, labels) in Dictionary(grouping: said, by: \.annotator) {
      var count = counts[model] ?? Count()
      counts[model] = nil
      count.add(Statements(labels, rules), truth, rules.classes)
      counts[model] = count
    }
  }

  func figures(of wanted: Set<ClassKey>?) -> [ModelFigures] {
    counts.sorted { $0.key < $1.key }.map { model, count in
      let classes = count.named.filter { wanted?.contains($0) ?? true }.sorted()
        .map { key in
          ModelFigures.OfClass(
            classKey: key, name: rules.classes.name(of: key), matrix: count.matrix(key, rules),
            calibration: count.heard[key]?.calibration ?? Calibration())
        }.filter { $0.matrix.count > 0 }
      let heard = count.heard.filter { wanted?.contains($0.key) ?? true }.values
      let order = classes.indices.sorted { a, b in
        let (x, y) = (
          classes[a].matrix.f1(1) ?? .infinity, classes[b].matrix.f1(1) ?? .infinity
        )
        return x == y ? a < b : x < y
      }
      let sets = wanted.map { Set($0.compactMap { rules.classes.set(of: $0) }) }
      return ModelFigures(
        model: model, photos: count.photos, classes: order.map { classes[$0] },
        sets: count.choices.keys.filter { sets?.contains($0) ?? true }.sorted()
          .compactMap { count.choices(of: $0, rules) },
        calibration: heard.reduce(into: Calibration()) { $0.add($1.calibration) },
        disputed: heard.reduce(0) { $0 + $1.disputed },
        unjudged: heard.reduce(0) { $0 + $1.unjudged })
    }
  }
}

/// What people say of a photo, as far as it is settled.
private struct Truth {
  enum Verdict { case present, absent, disputed, unknown }

  private(set) var byClass: [ClassKey: Verdict] = [:]
  /// The class that stands, of each exclusive set.
  private(set) var bySet: [ClassKey: ClassKey] = [:]
  /// The exclusive sets that somebody chose a class of.
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
    // Nobody named it, and whoever named another of its set said that it is absent.
    return set.map(chosen.contains) ?? false ? .absent : .unknown
  }
}

extension Evidence {
  /// Whether somebody says so still that the class is there, whoever decides.
  fileprivate var isChoice: Bool {
    guard label.verdict == .present else { return false }
    if case .spokenOver = standing { return true }
    return standing.counts
  }
}

/// What one version of a model says of a photo.
private struct Statements {
  /// Of each class whether it is said to be there, and how surely.
  private(set) var byClass: [ClassKey: (isPresent: Bool, confidence: Double)] = [:]
  /// The classes that count as there.
  private(set) var predicted: Set<ClassKey> = []
  /// Of each set the class that it is surest of.
  private(set) var choices: [ClassKey: ClassKey] = [:]

  init(_ labels: [Label], _ rules: ResolutionRules) {
    for label in labels {
      let key = rules.classes.canonicalKey(of: label.classKey)
      let said = (isPresent: label.verdict == .present, confidence: label.confidence.double)
      // Of several boxes the surest speaks; a box more is no reason to doubt the class.
      if let known = byClass[key],
        (known.isPresent ? 1 : 0, known.confidence) >= (said.isPresent ? 1 : 0, said.confidence)
      {
        continue
      }
      byClass[key] = said
    }
    let threshold = labels.first?.annotator.model.map { rules.threshold(of: $0.name) } ?? 0
    var surest: [ClassKey: (confidence: Double, key: ClassKey)] = [:]
    for (key, said) in byClass where said.isPresent && said.confidence >= threshold {
      guard let set = rules.classes.set(of: key) else {
        predicted.insert(key)
        continue
      }
      // As a resolution has it: of equally sure ones the last by key.
      if let best = surest[set], (best.confidence, best.key) > (said.confidence, key) { continue }
      surest[set] = (said.confidence, key)
    }
    choices = surest.mapValues(\.key)
    predicted.formUnion(choices.values)
  }
}

extension ModelCount.Count {
  fileprivate mutating func add(_ said: Statements, _ truth: Truth, _ classes: ClassTable) {
    photos += 1
    named.formUnion(said.byClass.keys)
    for (key, statement) in said.byClass {
      heard[key, default: ModelCount.Heard()]
        .add(statement, truth.verdict(on: key, in: classes.set(of: key)))
    }
    for set in truth.chosen { chosen[set, default: 0] += 1 }
    for key in Set(truth.byClass.keys).union(said.predicted) {
      var matrix = matrices[key] ?? ConfusionMatrix()
      let set = classes.set(of: key)
      if let set, truth.chosen.contains(set) { matrix.add(truth: 0, prediction: 0, weight: -1) }
      let prediction = said.predicted.contains(key) ? 1 : 0
      switch truth.verdict(on: key, in: set) {
      case .present: matrix.add(truth: 1, prediction: prediction)
      case .absent: matrix.add(truth: 0, prediction: prediction)
      case .disputed, .unknown: break
      }
      matrices[key] = matrix
    }
    for (set, key) in truth.bySet {
      let choice = ModelCount.Choice(truth: key, prediction: said.choices[set])
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

  fileprivate func choices(of set: ClassKey, _ rules: ResolutionRules) -> ModelFigures.OfSet? {
    // Of a set that it knows nothing of it is not asked.
    guard let counted = choices[set], named.contains(where: { rules.classes.set(of: $0) == set })
    else { return nil }
    let keys = Set(counted.keys.flatMap { [$0.truth, $0.prediction].compactMap { $0 } }).sorted()
    let places = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    var matrix = ConfusionMatrix()
    for (choice, count) in counted {
      guard let truth = places[choice.truth] else { continue }
      matrix.add(truth: truth, prediction: choice.prediction.flatMap { places[$0] }, weight: count)
    }
    return ModelFigures.OfSet(
      set: set, matrix: matrix, classes: keys, names: keys.map { rules.classes.name(of: $0) })
  }
}

extension ModelCount.Heard {
  fileprivate mutating func add(
    _ said: (isPresent: Bool, confidence: Double), _ truth: Truth.Verdict
  ) {
    switch truth {
    case .present: calibration.add(confidence: said.confidence, isTrue: said.isPresent)
    case .absent: calibration.add(confidence: said.confidence, isTrue: !said.isPresent)
    case .disputed: disputed += 1
    case .unknown: unjudged += 1
    }
  }
}
