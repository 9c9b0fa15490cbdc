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
  ///   try dataset.waitForLabels(request, since: last, photos: 20)
  ///   last = try dataset.train(request)
  /// } while last?.isLearningCurveFlat == false
  /// ```
  ///
  /// - Parameters:
  ///   - report: The last training; nil to wait until there are enough labels for the first.
  ///   - photos: The number of photos whose labels differ from those that it learned from.
  public func waitForLabels(
    _ request: TrainingRequest, since report: TrainingReport?, photos: Int
  ) throws(CairnError) {
    try translating {
      while true {
        try environment.checkCancellation()
        let set = try trainingSet(request)
        if let report {
          let changed = set.differenceCount(from: report.labels)
          if changed >= photos { return }
          self.report("waiting for labels", changed, of: photos)
        } else {
          let subsets = try trainingSubsets(request, set.photos, try pins(for: request, set.photos))
          let learned = subsets.map { set.filter($0.training.contains) } ?? set
          guard let missing = missingLabels(learned) else { return }
          self.report("waiting for labels (\(missing))", 0, of: 0)
        }
        usleep(Dataset.watchInterval)
      }
    }
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
