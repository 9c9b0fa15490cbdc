internal import CairnBase
public import CairnDocument
internal import CairnSync

/// The outcome of undoing an operation.
public struct UndoReport: Sendable {
  /// The operation that was undone.
  public let operation: OperationRecord
  /// The number of documents of each kind that were returned to their state before the operation.
  public internal(set) var undone: [DocumentKind: Int] = [:]
  /// The documents that were changed again since, or that others use now, sorted by path: they are
  /// left unchanged.
  public internal(set) var kept: [DocumentPath] = []

  /// The number of documents that were returned to their state before the operation.
  public var count: Int { undone.values.reduce(0, +) }
}

extension Dataset {
  /// Undoes an operation of this device.
  ///
  /// Each document that the operation changed gets its values from before, as a new edit, so that a
  /// sync undoes it on all devices. Values that were changed again since are left unchanged.
  /// Documents that the operation added are removed, as by ``setPhotosRemoved(_:_:)``, unless others
  /// use them now. An undo can be undone as well. One that was interrupted, failed, or left documents
  /// unchanged, can be repeated.
  ///
  /// - Parameters:
  ///   - number: Nil for the current user's last operation that is neither undone nor an undo; operations of
  ///     other branches are skipped.
  ///   - dryRun: Whether to report only what would be undone.
  /// - Throws: ``CairnError/Kind/notFound`` when there is no such operation, or its commits no longer
  ///   exist; ``CairnError/Kind/invalidInput`` when it was undone already.
  @discardableResult
  public func undo(_ number: Int? = nil, dryRun: Bool = false) throws(CairnError) -> UndoReport {
    let operation = try operation(number)
    if operation.isUndone, !operation.isUndoneInPart {
      throw CairnError(
        .invalidInput, "Operation \(operation.number) was undone already.",
        hint: "`cairn operations` lists what can be undone.")
    }
    let dryRun = dryRun || isDryRun
    if let report = try undo(operation, dryRun: dryRun) { return report }
    // Its branch may be gone, and it must not hide earlier ones.
    let others = try operations().filter {
      number == nil && $0.number < operation.number && $0.canBeNext
    }
    for other in others { if let report = try undo(other, dryRun: dryRun) { return report } }
    let branch = (operation.branch ?? "").replacing("refs/heads/", with: "", maxReplacements: 1)
    throw CairnError(
      .notFound,
      "Operation \(operation.number) was made "
        + (branch.isEmpty ? "while no branch was checked out" : "on the branch “\(branch)”")
        + ", and nothing of it is here.",
      hint: branch.isEmpty
        ? "`git reflog` shows what was checked out."
        : "Switch to it first: `git switch \(shellQuoted(branch))`.")
  }

  /// Undoes an operation; returns nil if another branch is checked out, which has nothing of it.
  private func undo(
    _ operation: OperationRecord, dryRun: Bool
  ) throws(CairnError) -> UndoReport? {
    try translating {
      let outer = replica.operation
      let record = RecordedOperation("undo \(operation.number)", undoes: operation.number)
      replica.operation = record
      defer { replica.operation = outer }
      let undo = try OperationUndo(self, operation, dryRun: dryRun)
      let report = try undo.run()
      if undo.isOnAnotherBranch { return nil }
      if !dryRun {
        try edit("undo") { _ in try replica.recordEnd(of: record, kept: report.kept.count) }
      }
      return report
    }
  }
}
