public import CairnDocument
internal import CairnMerge

/// How the labels that an answer wrote on a photo are taken back, so that all is as if the answer had
/// never been given.
///
/// What is not committed goes without a trace: the former documents come back byte for byte, and where
/// there was none, there is none. What is committed can only be outbid: the former statement is said
/// again, later, which must neither take the place of what the same person said after it nor become a
/// last word that it was not. Of the ways to do that the first is taken that leaves all as it was.
public struct TakingBack: Equatable, Sendable {
  /// The documents to write.
  public private(set) var written: [Label] = []
  /// Those whose documents are to go.
  public private(set) var removed: [Label] = []
  /// What was said again with a later stamp.
  public private(set) var resaid: [Resaid] = []
  public private(set) var outcome = Outcome.asBefore

  public enum Outcome: Equatable, Sendable {
    case asBefore
    /// What stands is as before, but the former statement, which somebody had spoken over, had to be
    /// withdrawn: said again it would have been the last word.
    case withoutFormerWord
    /// The former statement stands again; of what was said since, something counts otherwise now.
    case otherwise
  }

  /// - Parameters:
  ///   - changes: What the answer wrote, all on one photo.
  ///   - evidence: What is said of the photo now.
  ///   - committed: Its labels in the last commit, as far as the changes are about them.
  ///   - stamp: Returns a stamp later than the one given.
  /// - Returns: Nil when something else stands there by now.
  public init?(
    _ changes: [LabelChange], in evidence: ReviewCase, committed: [LabelName: Label],
    stamp: (Stamp) -> Stamp
  ) {
    var labels = Dictionary(evidence.labels.map { ($0.name, $0) }) { $1 }
    guard changes.allSatisfy({ labels[$0.after.name] == $0.after }) else { return nil }
    var committedChanges: [LabelChange] = []
    for change in changes {
      let name = change.after.name
      let former = Former(
        change.before, decided: change.after.stamp, committed: committed[name], stamp: \.stamp)
      labels[name] = former.value
      if !former.isRestorable {
        committedChanges.append(LabelChange(before: former.value, after: change.after))
      } else if let label = former.value {
        written.append(label)
      } else {
        removed.append(change.after)
      }
    }
    if !committedChanges.isEmpty { outbid(committedChanges, since: labels, evidence, stamp) }
  }

  private mutating func outbid(
    _ changes: [LabelChange], since before: [LabelName: Label], _ evidence: ReviewCase,
    _ stamp: (Stamp) -> Stamp
  ) {
    let wanted = Picture(before, evidence.rules)
    let ways = [(true, false), (true, true), (false, false), (false, true)].map { says, resays in
      Way(changes, says: says, resays: resays, since: before, evidence, stamp)
    }
    let pictures = ways.map { way in
      Picture(before.merging(way.labels.map { ($0.name, $0) }) { $1 }, evidence.rules)
    }
    let place =
      pictures.firstIndex(of: wanted)
      ?? pictures.firstIndex { $0.states == wanted.states }
    let way = ways[place ?? 1]
    outcome = place == nil ? .otherwise : way.hasFormerWord ? .asBefore : .withoutFormerWord
    written += way.labels
    resaid = way.resaid
  }
}

/// What was there before an answer, and whether it can come back with the stamp that it had: nothing
/// later is committed, by which it would be outbid.
public struct Former<Value> {
  public let value: Value?
  public let isRestorable: Bool

  /// - Parameter decided: The stamp of the answer.
  public init(
    _ before: Value?, decided: Stamp, committed: Value?, stamp: (Value) -> Stamp
  ) {
    let (own, last) = (before.map(stamp) ?? .never, committed.map(stamp) ?? .never)
    // Said on another device before the answer, and heard of since.
    let isNews = last.replica != decided.replica && own < last && last < decided
    (value, isRestorable) = (isNews ? committed : before, isNews || last <= own)
  }
}

/// One way to outbid what is committed.
private struct Way {
  private(set) var labels: [Label] = []
  private(set) var resaid: [Resaid] = []
  /// Whether all that was said before the answer is said again.
  let hasFormerWord: Bool

  /// - Parameters:
  ///   - says: Whether what was there is said again, or withdrawn.
  ///   - resays: Whether what the same person said of it later is said again, too, in the same order.
  init(
    _ changes: [LabelChange], says: Bool, resays: Bool, since before: [LabelName: Label],
    _ evidence: ReviewCase, _ stamp: (Stamp) -> Stamp
  ) {
    hasFormerWord = says || changes.allSatisfy { $0.before == nil }
    var again: [LabelName: (label: Label, was: Stamp?)] = [:]
    for change in changes {
      var label = change.before ?? change.after
      if !says || change.before == nil { label.verdict = .withdrawn }
      again[label.name] = (label, label == change.before ? label.stamp : nil)
    }
    let speaker = evidence.rules.mailmap.person
    let own = changes.flatMap { change in
      before.values.filter {
        speaker($0.annotator) == speaker(change.after.annotator)
          && evidence.isStatement($0, on: change.after.classKey)
          && $0.stamp > change.before?.stamp ?? .never
      }
    }
    for label in own where resays && again[label.name] == nil {
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
      if let was { resaid.append(Resaid(label.stamp, was: was)) }
    }
  }
}

/// What people see of a photo's labels.
private struct Picture: Equatable {
  let states: [ClassKey: Resolution.State]
  /// What became of each statement that was not taken back.
  let standings: [LabelName: String]

  init(_ labels: [LabelName: Label], _ rules: ResolutionRules) {
    let resolutions = rules.explain(labels.values)
    states = Dictionary(
      uniqueKeysWithValues: resolutions.filter { $0.state != .open }.map { ($0.classKey, $0.state) }
    )
    let said = resolutions.flatMap(\.evidence).filter { $0.label.verdict != .withdrawn }
    standings = Dictionary(said.map { ($0.label.name, $0.standing.code) }) { $1 }
  }
}
