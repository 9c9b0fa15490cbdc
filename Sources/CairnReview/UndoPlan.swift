package import CairnDocument
internal import CairnMerge

/// A plan to undo the labels that an answer wrote on a photo, as if it had not been given.
///
/// Uncommitted labels are undone without a trace: the previous documents are restored byte for
/// byte, and new documents are removed. Committed labels can only be overridden: the previous label
/// is restated with a later stamp. That must neither override later labels of the same person nor
/// make the restated label the last one if it was not. Of the strategies, the first one that
/// restores the previous state is used.
package struct UndoPlan: Equatable, Sendable {
  /// The documents to write.
  package private(set) var written: [Label] = []
  /// The labels whose documents are removed.
  package private(set) var removed: [Label] = []
  /// The labels restated with a later stamp.
  package private(set) var restated: [Restatement] = []
  package private(set) var outcome = UndoOutcome.asBefore

  /// - Parameters:
  ///   - changes: The labels that the answer wrote, all on one photo.
  ///   - evidence: The photo's current labels.
  ///   - committed: Its labels in the last commit, as far as the changes affect them.
  ///   - stamp: Returns a stamp later than the one given.
  /// - Returns: Nil if another label has replaced one of them.
  package init?(
    _ changes: [LabelChange], in evidence: PhotoEvidence, committed: [LabelName: Label],
    stamp: (Stamp) -> Stamp
  ) {
    var labels = Dictionary(evidence.labels.map { ($0.name, $0) }) { $1 }
    guard changes.allSatisfy({ labels[$0.after.name] == $0.after }) else { return nil }
    var committedChanges: [LabelChange] = []
    for change in changes {
      let name = change.after.name
      let previous = PreviousValue(
        change.before, decided: change.after.stamp, committed: committed[name], stamp: \.stamp)
      labels[name] = previous.value
      if !previous.isRestorable {
        committedChanges.append(LabelChange(before: previous.value, after: change.after))
      } else if let label = previous.value {
        written.append(label)
      } else {
        removed.append(change.after)
      }
    }
    if !committedChanges.isEmpty { supersede(committedChanges, since: labels, evidence, stamp) }
  }

  /// Overrides committed labels by labels with later stamps.
  private mutating func supersede(
    _ changes: [LabelChange], since before: [LabelName: Label], _ evidence: PhotoEvidence,
    _ stamp: (Stamp) -> Stamp
  ) {
    let wanted = VisibleState(before, evidence.rules)
    let strategies = [(true, false), (true, true), (false, false), (false, true)].map {
      Strategy(
        changes, restatesPrevious: $0, restatesLater: $1, since: before, evidence, stamp)
    }
    let states = strategies.map { strategy in
      VisibleState(
        before.merging(strategy.labels.map { ($0.name, $0) }) { $1 }, evidence.rules)
    }
    let index =
      states.firstIndex(of: wanted) ?? states.firstIndex { $0.states == wanted.states }
    let strategy = strategies[index ?? 1]
    outcome =
      index == nil
      ? .statusChanged : strategy.restoresPrevious ? .asBefore : .previousWithdrawn
    written += strategy.labels
    restated = strategy.restated
  }
}

/// The value before an answer, and whether it can be restored with its original stamp: no later
/// committed value overrides it.
package struct PreviousValue<Value> {
  package let value: Value?
  package let isRestorable: Bool

  /// - Parameter decided: The stamp of the answer.
  package init(
    _ before: Value?, decided: Stamp, committed: Value?, stamp: (Value) -> Stamp
  ) {
    let (own, last) = (before.map(stamp) ?? .never, committed.map(stamp) ?? .never)
    // Written on another device before the answer, and fetched since.
    let isFetched = last.replica != decided.replica && own < last && last < decided
    (value, isRestorable) = (isFetched ? committed : before, isFetched || last <= own)
  }
}

/// One strategy to override committed labels.
private struct Strategy {
  private(set) var labels: [Label] = []
  private(set) var restated: [Restatement] = []
  /// Whether all previous labels are restated.
  let restoresPrevious: Bool

  /// - Parameters:
  ///   - restatesPrevious: Whether the previous labels are restated; otherwise they are withdrawn.
  ///   - restatesLater: Whether later labels of the same person are restated too, in the same
  ///     order.
  init(
    _ changes: [LabelChange], restatesPrevious: Bool, restatesLater: Bool,
    since before: [LabelName: Label], _ evidence: PhotoEvidence, _ stamp: (Stamp) -> Stamp
  ) {
    restoresPrevious = restatesPrevious || changes.allSatisfy { $0.before == nil }
    var again: [LabelName: (label: Label, was: Stamp?)] = [:]
    for change in changes {
      var label = change.before ?? change.after
      if !restatesPrevious || change.before == nil { label.verdict = .withdrawn }
      again[label.name] = (label, label == change.before ? label.stamp : nil)
    }
    let person = evidence.rules.mailmap.person
    let own = changes.flatMap { change in
      before.values.filter {
        person($0.annotator) == person(change.after.annotator)
          && evidence.isRelevant($0, to: change.after.classKey)
          && $0.stamp > change.before?.stamp ?? .never
      }
    }
    for label in own where restatesLater && again[label.name] == nil {
      again[label.name] = (label, label.stamp)
    }
    var last = (own + changes.map(\.after)).map(\.stamp).max() ?? .never
    let sorted = again.values.sorted {
      ($0.was ?? .never, $0.label.name.description) < ($1.was ?? .never, $1.label.name.description)
    }
    for (label, was) in sorted {
      var label = label
      label.stamp = stamp(last)
      last = label.stamp
      labels.append(label)
      if let was { restated.append(Restatement(label.stamp, was: was)) }
    }
  }
}

/// The visible state of a photo's labels.
private struct VisibleState: Equatable {
  let states: [ClassKey: Resolution.State]
  /// The status of each label that is not withdrawn.
  let statuses: [LabelName: String]

  init(_ labels: [LabelName: Label], _ rules: ResolutionRules) {
    let resolutions = rules.explain(labels.values)
    states = Dictionary(
      uniqueKeysWithValues: resolutions.filter { $0.state != .open }.map { ($0.classKey, $0.state) }
    )
    let active = resolutions.flatMap(\.evidence).filter { $0.label.verdict != .withdrawn }
    statuses = Dictionary(active.map { ($0.label.name, $0.status.code) }) { $1 }
  }
}
