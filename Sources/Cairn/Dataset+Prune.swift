internal import CairnStore
public import CairnSync

extension Dataset {
  /// Puts loose objects and small packs together, as far as that pays.
  ///
  /// Other processes may go on reading and writing; no object is dropped.
  ///
  /// - Parameter isRehearsal: Whether only to say what would be done.
  /// - Returns: Nil when another process is at it.
  public func upkeep(
    isRehearsal: Bool = false,
    progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws(CairnError) -> UpkeepReport? {
    try translating { try replica.upkeep(isRehearsal: isRehearsal, progress: progress) }
  }

  /// Takes photos and pins that were removed, and labels that were taken back, out of the dataset as
  /// it is now, once that is so long ago that every device will have heard of it; the history keeps
  /// them. A device that was away all the same brings back what it still speaks of.
  ///
  /// - Parameter days: How long ago, at least.
  /// - Parameter isRehearsal: Whether only to say what would go.
  public func prune(
    removedBefore days: Int, isRehearsal: Bool = false
  ) throws(CairnError) -> PruneReport {
    try edit("gc") { session in
      guard 0...36_500 ~= days else {
        throw CairnError(.invalidInput, "\(days) is not a number of days.", hint: "Try 90.")
      }
      let cutoff = world.now() - Int64(days) * 24 * 60 * 60 * 1000
      return try replica.prune(before: cutoff, isRehearsal: isRehearsal, session: session)
    }
  }
}
