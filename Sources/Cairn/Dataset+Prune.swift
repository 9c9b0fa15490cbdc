internal import CairnStore
public import CairnSync

extension Dataset {
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
