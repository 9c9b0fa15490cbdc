internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

/// Compares models' labels with people's while a dataset is read, photo by photo.
struct MetricsAccumulator {
  private let rules: ResolutionRules
  private let models: Set<Annotator>
  private let records: RunRecords
  /// The models that were silent on any photo.
  private let silentModels: [Annotator]
  private var counts: [Annotator: ModelCount] = [:]

  init(rules: ResolutionRules, models: [Annotator], records: RunRecords) {
    (self.rules, self.models, self.records) = (rules, Set(models), records)
    silentModels = records.silentModels.filter(Set(models).contains)
  }

  /// Adds a photo with all its labels.
  ///
  /// - Parameter size: Returns the size of the upright photo in pixels; called if it has boxes.
  mutating func add(
    _ labels: [Label], of photo: PhotoID,
    size: () throws -> (width: Int, height: Int)
  ) rethrows {
    let own = Dictionary(
      grouping: labels.filter { models.contains($0.annotator) }, by: \.annotator)
    let asked = silentModels.filter { records.isSilent($0, on: photo) }
    if own.isEmpty, asked.isEmpty { return }
    let people = labels.filter(\.annotator.isHuman)
    // A favorite or a withdrawn label decides nothing.
    let hasGroundTruth = people.contains { $0.classKey != .favorite && $0.verdict != .withdrawn }
    // Nothing can be missed on a photo that nobody labeled.
    if own.isEmpty, !hasGroundTruth { return }
    let truth = GroundTruth(rules.resolve(people), rules.classes)
    let hasBoxes = labels.contains { $0.region != nil }
    let size = hasBoxes ? try size() : (width: 1, height: 1)
    for model in Set(own.keys).union(hasGroundTruth ? asked : []) {
      let labels = own[model] ?? []
      let active = labels.filter(rules.isActivePrediction)
      var count = counts[model] ?? ModelCount()
      counts[model] = nil
      count.addNames(of: labels, rules)
      let isMeasured = !active.isEmpty || hasGroundTruth && asked.contains(model)
      if isMeasured, records.hasLearned(model, from: photo) {
        count.learned += 1
      } else if !active.isEmpty {
        if !active.allSatisfy(records.isRecorded) { count.silentIsKnown = false }
        count.photos += 1
        if hasGroundTruth { count.hasGroundTruth = true }
        count.add(
          Predictions(active, of: model, rules), truth, rules.classes, on: photo, in: size)
      } else if isMeasured {
        count.silent += 1
        count.hasGroundTruth = true
        count.add(Predictions([], of: model, rules), truth, rules.classes, on: photo, in: size)
      }
      counts[model] = count
    }
  }

  /// Returns the metrics of the models that labeled photos or were silent on them, by all classes
  /// or by some.
  func metrics(of wanted: Set<ClassKey>?) -> [ModelMetrics] {
    counts.filter { $0.value.photos + $0.value.silent + $0.value.learned > 0 }
      .sorted { $0.key < $1.key }
      .map { model, count in count.metrics(of: model, wanted, rules, records) }
  }
}

/// What one model got right and wrong so far.
struct ModelCount {
  var photos = 0
  var silent = 0
  var silentIsKnown = true
  /// The photos left out because the model learned from them.
  var learned = 0
  /// Whether people labeled any other photo.
  var hasGroundTruth = false
  /// The classes that it ever labeled other than as absent, also with labels that were withdrawn
  /// since. It may label classes as absent that it does not know, since another version found them.
  private(set) var named: Set<ClassKey> = []
  private(set) var classes: [ClassKey: ClassCount] = [:]
  /// For each set, the number of photos where a person chose one of its classes: on them, absent
  /// is right for classes that neither people nor the model name.
  private(set) var chosen: [ClassKey: Int] = [:]
  private(set) var sets: [ClassKey: SetCount] = [:]
  /// The outcomes of classes in no set, by number, and the number of each.
  private(set) var outcomes = OutcomeCounts()
  private(set) var numbers: [ClassKey: Int] = [:]
  private(set) var boxes = BoxCount()
  /// The most confident mistakes, first.
  private(set) var mistakes: [Mistake] = []

  /// A class that the model counts as present, and that people reject.
  struct Mistake {
    let photo: PhotoID
    let prediction: ClassKey
    /// The class of the same exclusive set that people confirm; nil if there is none.
    let truth: ClassKey?
    let confidence: Double
  }

  /// The number of mistakes that are kept.
  private static let mistakeLimit = 12

  /// The results of one class.
  struct ClassCount {
    var matrix = ConfusionMatrix()
    var ranking = ScoredRanking()
    var calibration = Calibration()
    var disputed = 0
    var withoutGroundTruth = 0
  }

  /// The results of one exclusive set.
  struct SetCount {
    /// The choices that reach the threshold.
    var choices: [Choice: Int] = [:]
    /// The choices with the highest confidence.
    var best: [Choice: Int] = [:]
    /// The number of photos whose true class is among the first five.
    var topFive = 0
  }

  struct Choice: Hashable {
    let truth: ClassKey
    let prediction: ClassKey?
  }

  mutating func addNames(of labels: [Label], _ rules: ResolutionRules) {
    for label in labels
    where label.verdict != .absent && !(label.run.map(rules.withdrawnRuns.contains) ?? false) {
      named.insert(rules.classes.canonicalKey(of: label.classKey))
    }
  }

  mutating func add(
    _ predictions: Predictions, _ truth: GroundTruth, _ table: ClassTable,
    on photo: PhotoID, in size: (width: Int, height: Int)
  ) {
    for (key, prediction) in predictions.byClass {
      classes[key, default: ClassCount()]
        .add(prediction, truth.verdict(on: key, in: table.set(of: key)))
    }
    for set in truth.chosen { chosen[set, default: 0] += 1 }
    var independent: [Int: OutcomeCounts.Outcome] = [:]
    // In a fixed order: the bootstrap depends on the numbers of the classes.
    for key in Set(truth.byClass.keys).union(predictions.byClass.keys).sorted() {
      let set = table.set(of: key)
      let verdict = truth.verdict(on: key, in: set)
      let isPredicted = predictions.predicted.contains(key)
      classes[key, default: ClassCount()].decide(
        verdict, isPredicted, score: predictions.score(of: key),
        isChosen: set.map(truth.chosen.contains) ?? false)
      if set == nil, let outcome = ModelCount.outcome(verdict, isPredicted) {
        independent[number(of: key)] = outcome
      }
      if isPredicted, verdict == .absent {
        add(
          Mistake(
            photo: photo, prediction: key, truth: set.flatMap { truth.bySet[$0] },
            confidence: predictions.score(of: key)))
      }
    }
    outcomes.add(independent)
    for (set, key) in truth.bySet {
      sets[set, default: SetCount()].add(
        key, choice: predictions.choices[set], ranked: predictions.ranked[set] ?? [])
    }
    boxes.add(predictions, truth, table, in: size)
  }

  private mutating func add(_ mistake: Mistake) {
    let place = mistakes.firstIndex { mistake.precedes($0) } ?? mistakes.count
    if place == ModelCount.mistakeLimit { return }
    mistakes.insert(mistake, at: place)
    if mistakes.count > ModelCount.mistakeLimit { mistakes.removeLast() }
  }

  private static func outcome(
    _ verdict: GroundTruth.Verdict, _ isPredicted: Bool
  ) -> OutcomeCounts.Outcome? {
    switch (verdict, isPredicted) {
    case (.present, true): .truePositive
    case (.present, false): .falseNegative
    case (.absent, true): .falsePositive
    case (.absent, false), (.disputed, _), (.unknown, _): nil
    }
  }

  private mutating func number(of key: ClassKey) -> Int {
    if let known = numbers[key] { return known }
    numbers[key] = numbers.count
    return numbers.count - 1
  }
}

extension ModelCount.Mistake {
  fileprivate func precedes(_ other: Self) -> Bool {
    (-confidence, photo, prediction) < (-other.confidence, other.photo, other.prediction)
  }
}

extension ModelCount.ClassCount {
  /// Counts one label of the model.
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

  /// Counts the decision on one photo.
  ///
  /// - Parameter isChosen: Whether the photo is among those that count as absent and not predicted
  ///   for every class of the set; it is taken from them.
  fileprivate mutating func decide(
    _ truth: GroundTruth.Verdict, _ isPredicted: Bool, score: Double, isChosen: Bool
  ) {
    if isChosen { addAbsent(-1) }
    let isPresent = truth == .present
    guard isPresent || truth == .absent else { return }
    matrix.add(truth: isPresent ? 1 : 0, prediction: isPredicted ? 1 : 0)
    ranking.add(score: score, isPositive: isPresent)
  }

  /// Adds photos that lack the class and where the model does not name it.
  mutating func addAbsent(_ photos: Int) {
    matrix.add(truth: 0, prediction: 0, weight: photos)
    ranking.add(score: 0, isPositive: false, weight: photos)
  }
}

extension ModelCount.SetCount {
  fileprivate mutating func add(_ truth: ClassKey, choice: ClassKey?, ranked: [ClassKey]) {
    choices[ModelCount.Choice(truth: truth, prediction: choice), default: 0] += 1
    best[ModelCount.Choice(truth: truth, prediction: ranked.first), default: 0] += 1
    if ranked.prefix(5).contains(truth) { topFive += 1 }
  }
}
