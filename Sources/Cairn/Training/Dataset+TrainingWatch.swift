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
  ///   - photos: The number of photos whose labels must differ from these.
  /// - Returns: The labels that it found.
  @discardableResult
  public func waitForLabels(
    _ request: TrainingRequest, since labels: TrainingSet?, photos: Int
  ) throws(CairnError) -> TrainingSet {
    try translating {
      var (lastMark, missing, changed) = (String?.none, String?.none, 0)
      var isSettled = false
      while true {
        try environment.checkCancellation()
        // As long as nothing changes, the labels are not read again; but once more after a change,
        // which the mark shows before it is complete.
        let mark = try changeMark()
        if mark != lastMark || !isSettled {
          (isSettled, lastMark) = (mark == lastMark, mark)
          let set = try trainingSet(request)
          missing = try missingLabels(request, set)
          changed = labels.map(set.differenceCount) ?? photos
          if missing == nil, changed >= photos { return set }
        }
        let details = missing.map { " (\($0))" } ?? ""
        report("waiting for labels" + details, missing == nil ? changed : 0, of: photos)
        usleep(Dataset.watchInterval)
      }
    }
  }

  /// Returns what the photos to learn from lack for a training; nil if nothing.
  private func missingLabels(_ request: TrainingRequest, _ set: TrainingSet) throws -> String? {
    let split = try requestedSplit(request)
    let subsets = try trainingSubsets(
      request, split, set.photos, try pins(for: request, split, set.photos))
    return missingLabels(subsets.map { set.filter($0.training.contains) } ?? set)
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
