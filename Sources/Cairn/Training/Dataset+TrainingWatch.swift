internal import CairnDocument
internal import CairnTraining
internal import LibC

extension Dataset {
  /// The time between two looks at the labels, in microseconds.
  private static let watchInterval: UInt32 = 500_000

  /// Waits until people have labeled enough for a training, or for another one. Locks nothing
  /// meanwhile.
  ///
  /// ```swift
  /// var last: TrainingReport?
  /// repeat {
  ///   try dataset.waitForLabels(request, since: last?.labels, photos: 20)
  ///   last = try dataset.train(request)
  /// } while last?.isLearningCurveFlat == false
  /// ```
  ///
  /// - Parameters:
  ///   - labels: Those of the last training, or of the last attempt; nil to wait until there are
  ///     enough labels for the first.
  ///   - photos: The number of photos whose labels must differ from `labels`.
  /// - Returns: The labels that it found.
  @discardableResult
  public func waitForLabels(
    _ request: TrainingRequest, since labels: TrainingSet?, photos: Int
  ) throws(CairnError) -> TrainingSet {
    var watch = LabelWatch(request, since: labels, photos: photos)
    while true {
      try translating { try environment.checkCancellation() }
      if let set = try watch.enoughLabels(in: self) { return set }
      report(watch.step, watch.changed, of: photos)
      usleep(Dataset.watchInterval)
    }
  }

  /// Returns what the photos to learn from lack for a training; nil if nothing.
  fileprivate func missingLabels(
    _ request: TrainingRequest, _ set: TrainingSet
  ) throws -> String? {
    let split = try requestedSplit(request)
    let subsets = try trainingSubsets(
      request, split, set.photos, try pins(for: request, split, set.photos))
    return missingLabels(subsets.map { set.filter($0.training.contains) } ?? set)
  }
}

/// Tells when people have labeled enough for a training, or for another one.
package struct LabelWatch: Sendable {
  private let request: TrainingRequest
  private let labels: TrainingSet?
  private let photos: Int
  /// The number of photos whose labels differ; 0 as long as there are too few for a training.
  package private(set) var changed = 0
  private var missing: String?
  /// The dataset's mark when the labels were last read.
  private var mark: String?
  /// Whether no edit was going on then.
  private var isComplete = false

  /// - Parameters:
  ///   - labels: Those of the last training, or of the last attempt; nil for the first.
  ///   - photos: The number of photos whose labels must differ from `labels`.
  package init(_ request: TrainingRequest, since labels: TrainingSet?, photos: Int) {
    (self.request, self.labels, self.photos) = (request, labels, photos)
  }

  /// What it waits for, as a step of an operation.
  package var step: String { "waiting for labels" + (missing.map { " (\($0))" } ?? "") }

  /// Returns the labels if there are enough; nil otherwise.
  ///
  /// As long as nothing changes, they are not read again; those of an edit that had begun are there
  /// when it has ended.
  package mutating func enoughLabels(in dataset: Dataset) throws(CairnError) -> TrainingSet? {
    let (now, isEdited) = (try dataset.changeMark(), try dataset.isBeingEdited())
    if now == mark, isComplete || isEdited { return nil }
    (mark, isComplete) = (now, !isEdited)
    let (set, missing) = try translating { () throws -> (TrainingSet, String?) in
      let set = try dataset.trainingSet(request)
      return (set, try dataset.missingLabels(request, set))
    }
    self.missing = missing
    let differing = labels.map(set.differenceCount) ?? photos
    changed = missing == nil ? differing : 0
    return missing == nil && differing >= photos ? set : nil
  }
}

/// Decides when to train again while people label, and when more labels would add little.
public struct RepeatedTraining: Sendable {
  /// The labels of the last training, or of the last attempt; nil before the first.
  public private(set) var labels: TrainingSet?
  /// The number of photos whose labels must differ from ``labels`` before the next training.
  public private(set) var photos: Int
  private let interval: Int
  private var flatCount = 0
  private var obstacle: String?

  /// The number of trainings in a row with a flat learning curve after which no more follow: a single
  /// one may be due to chance.
  private static let flatTrainings = 2
  /// The number of photos to label or correct before the next training, unless another is given.
  public static let defaultInterval = 20

  /// Creates a series of trainings.
  ///
  /// - Parameter interval: The number of photos to label or correct before the next training.
  public init(every interval: Int = defaultInterval) {
    (self.interval, photos) = (interval, interval)
  }

  /// Whether more labels would add little.
  public var isFlat: Bool { flatCount >= RepeatedTraining.flatTrainings }

  /// Adds a training that ended.
  public mutating func add(_ report: TrainingReport) {
    flatCount = report.isLearningCurveFlat ? flatCount + 1 : 0
    (labels, photos, obstacle) = (report.labels, interval, nil)
  }

  /// Adds an attempt that failed.
  ///
  /// - Parameter labels: Those from which it tried to learn.
  /// - Returns: Why it failed; nil if that is the same as for the attempt before.
  /// - Throws: The error, if neither more labels nor another attempt would help.
  public mutating func add(
    _ error: CairnError, with labels: TrainingSet
  ) throws(CairnError) -> String? {
    // If another command writes for longer: try again at once, which waits for it again. Otherwise
    // more labels may help: near-duplicates count once, for example.
    guard error.kind == .invalidInput || error.kind == .locked else { throw error }
    let isKnown = error.message == obstacle
    (self.labels, photos, obstacle) = (labels, error.kind == .locked ? 0 : 1, error.message)
    return isKnown ? nil : error.message
  }
}

extension TrainingSet {
  /// Returns the number of photos whose verdicts differ, or that are in one of the sets only.
  func differenceCount(from other: TrainingSet) -> Int {
    func rows(_ set: TrainingSet) -> [PhotoID: [Bool?]] {
      Dictionary(
        set.photos.enumerated().map { row, photo in
          (photo, set.classes.indices.map { set.verdict(row, $0) })
        }, uniquingKeysWith: { $1 })
    }
    if classes != other.classes { return max(photos.count, other.photos.count) }
    let (own, others) = (rows(self), rows(other))
    return own.count { others[$0.key] != $0.value } + others.count { own[$0.key] == nil }
  }
}
