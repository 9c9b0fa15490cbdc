package import CairnDocument

/// The history of reviews on one device: skipped items, and steps that can be undone.
///
/// It is the result of applying ``ReviewEvent``s in order.
package struct ReviewHistory: Equatable, Sendable {
  /// The maximum number of steps that can be undone; older ones are dropped.
  package static let stepLimit = 500
  /// The maximum number of skipped or kept items to remember; the latest raised are remembered.
  package static let dismissedLimit = 10_000

  /// The steps that can be undone, oldest first.
  package private(set) var steps: [UndoStep] = []
  /// Skipped items, with the stamp that raised them.
  private(set) var skipped: [ReviewKey: Stamp] = [:]
  /// Items whose answer left everything unchanged, with the stamp that raised them.
  private(set) var kept: [ReviewKey: Stamp] = [:]
  /// The original stamps of labels that an undo restated, by their current stamps.
  private(set) var originalStamps: [Stamp: Stamp] = [:]

  package init() {}

  package init(_ events: some Sequence<ReviewEvent>) {
    for event in events { add(event) }
  }

  package mutating func add(_ event: ReviewEvent) {
    switch event {
    case .step(let step):
      dismiss(step.key, step.outcome)
      steps.append(step)
      if steps.count > ReviewHistory.stepLimit { steps.removeFirst() }
    case .dismissed(let outcome, let key): dismiss(key, outcome)
    case .undone(let restated):
      remember(restated)
      guard let step = steps.popLast() else { return }
      (skipped[step.key], kept[step.key]) = (nil, nil)
      for earlier in steps where earlier.key == step.key {
        dismiss(earlier.key, earlier.outcome)
      }
      for restatement in restated { restamp(restatement) }
    case .restated(let restated): remember(restated)
    }
  }

  private mutating func remember(_ restated: [Restatement]) {
    for one in restated { originalStamps[one.stamp] = originalStamp(of: one.was) }
  }

  /// Returns the original stamp of a label, which an undo may have restated with a later one.
  package func originalStamp(of stamp: Stamp) -> Stamp { originalStamps[stamp] ?? stamp }

  /// Returns what identifies an answer: the same before and after other answers are undone.
  package func answer(of step: UndoStep) -> ReviewAnswerID {
    let stamps: [Stamp] =
      switch step.outcome {
      case .skipped(let raised), .kept(let raised): [raised]
      case .restored(let stamp, _): [stamp]
      case .labeled(let changes): changes.map { originalStamp(of: $0.after.stamp) }
      }
    return ReviewAnswerID(key: step.key, stamps: stamps)
  }

  /// Updates the step that wrote a restated label, so that it finds the label by its new stamp.
  private mutating func restamp(_ restatement: Restatement) {
    for (index, step) in steps.enumerated().reversed() {
      var outcome = step.outcome
      switch step.outcome {
      case .labeled(var changes):
        guard let change = changes.firstIndex(where: { $0.after.stamp == restatement.was })
        else { continue }
        var after = changes[change].after
        after.stamp = restatement.stamp
        changes[change] = LabelChange(before: changes[change].before, after: after)
        outcome = .labeled(changes)
      case .skipped, .kept, .restored: continue
      }
      steps[index] = UndoStep(step.item, outcome)
      return
    }
  }

  /// Remembers an item as skipped or kept, if that was its outcome.
  private mutating func dismiss(_ key: ReviewKey, _ outcome: UndoStep.Outcome) {
    switch outcome {
    case .skipped(let raised): skipped[key] = raised
    case .kept(let raised): kept[key] = raised
    case .labeled, .restored: break
    }
  }

  /// Returns whether an item need not be asked on this device: it was skipped or kept, and nothing
  /// has been labeled since.
  package func isDismissed(_ item: ReviewItem, includingSkipped: Bool) -> Bool {
    if let raised = kept[item.key], item.raised <= raised { return true }
    guard !includingSkipped, let raised = skipped[item.key] else { return false }
    return item.raised <= raised
  }

  /// Returns the shortest list of events that gives the same history.
  package var events: [ReviewEvent] {
    func latest(_ dismissed: [ReviewKey: Stamp]) -> [(key: ReviewKey, raised: Stamp)] {
      let all = dismissed.map { (key: $0.key, raised: $0.value) }
      return all.sorted { $0.raised != $1.raised ? $0.raised < $1.raised : $0.key < $1.key }
        .suffix(ReviewHistory.dismissedLimit)
    }
    var events = latest(skipped).map {
      ReviewEvent.dismissed(.skipped(raised: $0.raised), $0.key)
    }
    events += latest(kept).map { .dismissed(.kept(raised: $0.raised), $0.key) }
    if !originalStamps.isEmpty {
      let restated = originalStamps.map { Restatement($0.key, was: $0.value) }.sorted {
        $0.stamp < $1.stamp
      }
      events.append(.restated(restated.suffix(ReviewHistory.dismissedLimit)))
    }
    return events + steps.map { .step($0) }
  }
}

/// One event in a review.
package enum ReviewEvent: Equatable, Sendable {
  /// A step that can be undone.
  case step(UndoStep)
  /// An item that was skipped or kept in a step that can no longer be undone.
  case dismissed(UndoStep.Outcome, ReviewKey)
  /// The last step was undone, which restated these labels.
  case undone([Restatement])
  /// Earlier undos restated these labels.
  case restated([Restatement])
}

/// A label that was written again with a later stamp, so that it takes effect as before.
package struct Restatement: Equatable, Sendable {
  package let stamp: Stamp
  /// The stamp that it had before.
  package let was: Stamp

  package init(_ stamp: Stamp, was: Stamp) { (self.stamp, self.was) = (stamp, was) }
}

/// Identifies an answer on this device: what it was about, and the stamps that it wrote.
package struct ReviewAnswerID: Equatable, Sendable {
  package let key: ReviewKey
  package let stamps: [Stamp]

  package init(key: ReviewKey, stamps: [Stamp]) { (self.key, self.stamps) = (key, stamps) }
}

/// One answered item and its outcome.
package struct UndoStep: Equatable, Sendable {
  /// The item as it was asked, so that it can be asked again.
  package let item: ReviewItem
  package let outcome: Outcome

  package var key: ReviewKey { item.key }

  package enum Outcome: Equatable, Sendable {
    case skipped(raised: Stamp)
    /// Everything was left unchanged.
    case kept(raised: Stamp)
    /// Labels were written.
    case labeled([LabelChange])
    /// The removed photo was restored; it had been removed at `removed`.
    case restored(Stamp, removed: Stamp)
  }

  package init(_ item: ReviewItem, _ outcome: Outcome) {
    (self.item, self.outcome) = (item, outcome)
  }
}

/// A label that was written, and the one that it replaced.
package struct LabelChange: Equatable, Sendable {
  /// Nil if there was none.
  package let before: Label?
  package let after: Label

  package init(before: Label?, after: Label) { (self.before, self.after) = (before, after) }
}

extension ReviewKey: Comparable {
  package static func < (a: ReviewKey, b: ReviewKey) -> Bool {
    (a.photo, a.classKey?.text ?? "") < (b.photo, b.classKey?.text ?? "")
  }
}
