public import CairnDocument

/// The result of updating the work tree from one commit to another.
public struct CheckoutReport: Equatable, Sendable {
  /// The documents that were added, changed or removed, by kind.
  public internal(set) var changed: [DocumentKind: Int] = [:]
  /// Uncommitted documents that were merged with the incoming version.
  public internal(set) var merged: [String] = []
  /// Files with uncommitted changes that were left unchanged.
  public internal(set) var left: [String] = []
  /// Documents with a stamp so far in the future that somebody's clock must be wrong.
  public internal(set) var future: [String] = []
  /// Images that were checked out as pointers, since they are not on this disk.
  public internal(set) var imagesMissing = 0
  /// Photos that others removed permanently, restored because labels here refer to them.
  public internal(set) var restored: [PhotoID] = []
  /// Photos whose documents were removed.
  var removed: [PhotoID] = []
  /// Documents that were removed by others and edited here.
  var edited: [String] = []
  /// Incoming documents that do not parse.
  public internal(set) var problems: [WorkingProblem] = []

  /// Adds a second checkout of the same files: what it changed may have been counted before.
  mutating func add(_ second: CheckoutReport) {
    changed.merge(second.changed) { max($0, $1) }
    imagesMissing = max(imagesMissing, second.imagesMissing)
    problems += second.problems
  }
}
