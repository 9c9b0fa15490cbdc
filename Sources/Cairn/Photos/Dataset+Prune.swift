internal import CairnStore
public import CairnSync

extension Dataset {
  /// Packs loose objects and repacks small packs where that pays off.
  ///
  /// Other processes can continue to read and write; no object is deleted.
  ///
  /// - Parameter isDryRun: Whether only to report what would be done.
  /// - Returns: Nil when another process is running maintenance.
  @discardableResult
  public func maintain(isDryRun: Bool = false) throws(CairnError) -> MaintenanceReport? {
    try translating { try replica.maintain(isDryRun: isDryRun) }
  }

  /// Deletes the documents of removed photos, removed pins and withdrawn labels from the current
  /// dataset once they are old enough for every device to have seen the removal; the history keeps
  /// them. A device that was offline even longer restores what it still refers to. A withdrawn label
  /// without a time, as models give outside of runs, stays: its age is unknown.
  ///
  /// - Parameter days: Minimum age of the removal in days.
  /// - Parameter isDryRun: Whether only to report what would be deleted.
  @discardableResult
  public func prune(
    removedBefore days: Int, isDryRun: Bool = false
  ) throws(CairnError) -> PruneReport {
    try edit("gc", needsPerson: !isDryRun) { session in
      guard 0...36_500 ~= days else {
        throw CairnError(
          .invalidInput, "\(days) is not a valid number of days.", hint: "Use 90, for example.")
      }
      let cutoff = environment.now() - Int64(days) * 24 * 60 * 60 * 1000
      return try replica.prune(before: cutoff, isDryRun: isDryRun, session: session)
    }
  }
}
