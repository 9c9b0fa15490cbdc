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
  /// The stamps of what was written to put back what was there before.
  public private(set) var reopened: Set<Stamp> = []

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
    case .undid(let labels, let stamps):
      reopened.formUnion(labels.map(\.stamp) + stamps)
      guard let step = steps.popLast() else { return }
      (skipped[step.key], kept[step.key]) = (nil, nil)
      for earlier in steps where earlier.key == step.key { pass(earlier.outcome, earlier.key) }
      for label in labels { restamp(label) }
    case .reopened(let stamps): reopened.formUnion(stamps)
    }
  }

  /// The step that had written what was put back is to find it with its new stamp.
  private mutating func restamp(_ label: Label) {
    for (place, step) in steps.enumerated().reversed() {
      guard case .said(var changes) = step.outcome,
        let change = changes.lastIndex(where: { $0.after.restamped(label.stamp) == label })
      else { continue }
      changes[change] = LabelChange(before: changes[change].before, after: label)
      steps[place] = ReviewStep(step.key, .said(changes))
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
    if !reopened.isEmpty {
      events.append(.reopened(reopened.sorted().suffix(ReviewMemory.passedLimit)))
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
  /// The last step was taken back: what labels were written for it, and the stamps of what else was.
  case undid([Label], [Stamp])
  case reopened([Stamp])
}

/// What was done about one question.
public struct ReviewStep: Equatable, Sendable {
  public let key: ReviewKey
  public let outcome: Outcome

  public enum Outcome: Equatable, Sendable {
    case skipped(raised: Stamp)
    /// Everything was left as it is.
    case kept(raised: Stamp)
    /// Labels were written.
    case said([LabelChange])
    /// The removed photo was brought back.
    case restored(Stamp)
  }

  public init(_ key: ReviewKey, _ outcome: Outcome) { (self.key, self.outcome) = (key, outcome) }
}

/// A label that was written, and what was there before.
public struct LabelChange: Equatable, Sendable {
  /// Nil where there was nothing.
  public let before: Label?
  public let after: Label

  public init(before: Label?, after: Label) { (self.before, self.after) = (before, after) }
}

extension Label {
  fileprivate func restamped(_ stamp: Stamp) -> Label {
    var label = self
    label.stamp = stamp
    return label
  }
}

extension ReviewKey: Comparable {
  public static func < (a: ReviewKey, b: ReviewKey) -> Bool {
    (a.photo, a.classKey?.text ?? "") < (b.photo, b.classKey?.text ?? "")
  }
}
