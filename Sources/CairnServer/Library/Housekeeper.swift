internal import Cairn
internal import CairnBase

/// Ends reviews that are not used, notices what other processes change, commits when there are many
/// uncommitted changes, and returns the memory of large work to the system.
struct Housekeeper: Sendable {
  let server: ServerState

  /// Uncommitted documents slow down queries: with this many, commit once it is quiet.
  private static let commitCount = 500
  /// Commit even if it is not quiet.
  private static let urgentCount = 1_500
  private static let quiet = Duration.seconds(20)

  func run() async {
    var returned = ContinuousClock.now
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .seconds(1))
        try await server.library.inspect(as: nil) { _, state in state.endIdleReviews() }
        if try await server.library.notice() {
          server.events.send("dataset", ["reason": "external"])
        }
        let now = ContinuousClock.now
        let committed = server.options.isReadOnly ? false : try await tidy()
        if committed || server.jobs.hasEnded(since: returned) {
          try await server.library.work { _ in returnFreePages() }
          returned = now
        }
      } catch {
        // Another process may hold the lock; the next round tries again.
        continue
      }
    }
  }

  /// - Returns: Whether it has committed.
  private func tidy() async throws -> Bool {
    let isQuiet = ContinuousClock.now - server.lastEdit >= Housekeeper.quiet
    let count = try await server.library.inspect(as: nil) { dataset, _ in
      try dataset.uncommittedCount()
    }
    guard count >= Housekeeper.urgentCount || isQuiet && count >= Housekeeper.commitCount else {
      return false
    }
    let committed = try await server.library.write(as: nil) { dataset, _ in
      try dataset.commit().commit != nil
    }
    if committed { server.events.send("dataset", ["reason": "commit"]) }
    return committed
  }
}
