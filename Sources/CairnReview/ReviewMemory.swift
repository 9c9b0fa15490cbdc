public import CairnDocument

/// What one device remembers of its reviews: what was passed over, and what can be taken back.
///
/// It is the sum of ``ReviewEvent``s, in the order they happened.
public struct ReviewMemory: Equatable, Sendable {
  /// How many steps can be taken back, at most; the last.
  public static let stepLimit = 500
  /// How many questions are remembered as passed over, at most; those raised last.
  public static let passedLimit = 10_000

  /// What can be taken back, the last at the end.
  public private(set) var steps: [ReviewStep] = []
  /// Questions that were passed over, with what had raised them.
  private(set) var skipped: [ReviewKey: Stamp] = [:]
  /// Questions that were answered by leaving everything as it is.
  private(set) var kept: [ReviewKey: Stamp] = [:]
  /// When statements were first said that were said again to take back what came after them.
  private(set) var firstSaid: [Stamp: Stamp] = [:]

  public init() {}

  public init(_ events: some Sequence<ReviewEvent>) {
    for event in events { add(event) }
  }

  public mutating func add(_ event: ReviewEvent) {
    switch event {
    case .did(let step):
      pass(step.outcome, step.key)
      steps.append(step)
      if steps.count > ReviewMemory.stepLimit { steps.removeFirst() }
    case .passed(let outcome, let key): pass(outcome, key)
    case .undid(let resaid):
      note(resaid)
      guard let step = steps.popLast() else { return }
      (skipped[step.key], kept[step.key]) = (nil, nil)
      for earlier in steps where earlier.key == step.key { pass(earlier.outcome, earlier.key) }
      for one in resaid { restamp(one) }
    case .resaid(let resaid): note(resaid)
    }
  }

  private mutating func note(_ resaid: [Resaid]) {
    for one in resaid { firstSaid[one.stamp] = moment(of: one.was) }
  }

  /// Returns when a statement was made that has this stamp: an undo may have said it again.
  public func moment(of stamp: Stamp) -> Stamp { firstSaid[stamp] ?? stamp }

  /// The step that had written what was said again is to find it with its new stamp.
  private mutating func restamp(_ resaid: Resaid) {
    for (place, step) in steps.enumerated().reversed() {
      var outcome = step.outcome
      switch step.outcome {
      case .said(var changes):
        guard let change = changes.firstIndex(where: { $0.after.stamp == resaid.was }) else {
          continue
        }
        var after = changes[change].after
        after.stamp = resaid.stamp
        changes[change] = LabelChange(before: changes[change].before, after: after)
        outcome = .said(changes)
      case .skipped, .kept, .restored: continue
      }
      steps[place] = ReviewStep(step.item, outcome)
      return
    }
  }

  private mutating func pass(_ outcome: ReviewStep.Outcome, _ key: ReviewKey) {
    switch outcome {
    case .skipped(let raised): skipped[key] = raised
    case .kept(let raised): kept[key] = raised
    case .said, .restored: break
    }
  }

  /// Whether a question need not be asked here: it was passed over, or left as it is, and nothing has
  /// been said of it since.
  public func isPassed(_ item: ReviewItem, includingSkipped: Bool) -> Bool {
    if let raised = kept[item.key], item.raised <= raised { return true }
    guard !includingSkipped, let raised = skipped[item.key] else { return false }
    return item.raised <= raised
  }

  /// Returns events that come to the same memory, as few as possible.
  public var events: [ReviewEvent] {
    func latest(_ passed: [ReviewKey: Stamp]) -> [(key: ReviewKey, raised: Stamp)] {
      let all = passed.map { (key: $0.key, raised: $0.value) }
      return all.sorted { $0.raised != $1.raised ? $0.raised < $1.raised : $0.key < $1.key }
        .suffix(ReviewMemory.passedLimit)
    }
    var events = latest(skipped).map { ReviewEvent.passed(.skipped(raised: $0.raised), $0.key) }
    events += latest(kept).map { .passed(.kept(raised: $0.raised), $0.key) }
    if !firstSaid.isEmpty {
      let resaid = firstSaid.map { Resaid($0.key, was: $0.value) }.sorted { $0.stamp < $1.stamp }
      events.append(.resaid(resaid.suffix(ReviewMemory.passedLimit)))
    }
    return events + steps.map { .did($0) }
  }
}

/// One thing that happened in a review.
public enum ReviewEvent: Equatable, Sendable {
  /// Something that can be taken back.
  case did(ReviewStep)
  /// Something that was done so long ago that it is only remembered.
  case passed(ReviewStep.Outcome, ReviewKey)
  /// The last step was taken back, and what was said again for it.
  case undid([Resaid])
  case resaid([Resaid])
}

/// What was said again, so that it stands as it did.
public struct Resaid: Equatable, Sendable {
  public let stamp: Stamp
  /// The stamp that it had.
  public let was: Stamp

  public init(_ stamp: Stamp, was: Stamp) { (self.stamp, self.was) = (stamp, was) }
}

/// What was done about one question.
public struct ReviewStep: Equatable, Sendable {
  /// As it was asked: it may be asked again.
  public let item: ReviewItem
  public let outcome: Outcome

  public var key: ReviewKey { item.key }

  public enum Outcome: Equatable, Sendable {
    case skipped(raised: Stamp)
    /// Everything was left as it is.
    case kept(raised: Stamp)
    /// Labels were written.
    case said([LabelChange])
    /// The removed photo was brought back; it had been removed at `removed`.
    case restored(Stamp, removed: Stamp)
  }

  public init(_ item: ReviewItem, _ outcome: Outcome) {
    (self.item, self.outcome) = (item, outcome)
  }
}

/// A label that was written, and what was there before.
public struct LabelChange: Equatable, Sendable {
  /// Nil where there was nothing.
  public let before: Label?
  public let after: Label

  public init(before: Label?, after: Label) { (self.before, self.after) = (before, after) }
}

extension ReviewKey: Comparable {
  public static func < (a: ReviewKey, b: ReviewKey) -> Bool {
    (a.photo, a.classKey?.text ?? "") < (b.photo, b.classKey?.text ?? "")
  }
}
