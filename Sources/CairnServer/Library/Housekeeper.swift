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
  /// Bytes by which the memory may grow before free pages are returned.
  private static let growth = 32 << 20

  func run() async {
    var memory = Memory()
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .seconds(1))
        try await server.library.inspect(as: nil) { _, state in state.endIdleReviews() }
        if try await server.library.notice() {
          server.events.send("dataset", ["reason": "external"])
        }
        if !server.options.isReadOnly { try await tidy() }
        try await returnMemory(&memory)
      } catch {
        // Another process may hold the lock; the next round tries again.
        continue
      }
    }
  }

  private func tidy() async throws {
    let isQuiet = ContinuousClock.now - server.lastEdit >= Housekeeper.quiet
    let count = try await server.library.inspect(as: nil) { dataset, _ in
      try dataset.uncommittedCount()
    }
    guard count >= Housekeeper.urgentCount || isQuiet && count >= Housekeeper.commitCount else {
      return
    }
    let committed = try await server.library.write(as: nil) { dataset, _ in
      try dataset.commit().commit != nil
    }
    if committed { server.events.send("dataset", ["reason": "commit"]) }
  }

  /// Returns the memory of large work, such as a job or a map of all photos, to the system once its use
  /// has stopped growing.
  private func returnMemory(_ memory: inout Memory) async throws {
    guard let now = anonymousMemory() else { return }
    let isGrowing = now > memory.last + Housekeeper.growth / 8
    (memory.least, memory.last) = (min(memory.least, now), now)
    guard !isGrowing, now >= memory.least + Housekeeper.growth else { return }
    try await server.library.work { _ in returnFreePages() }
    memory.last = anonymousMemory() ?? now
    memory.least = memory.last
  }

  /// The memory of this process, in bytes.
  private struct Memory {
    /// The least since free pages were returned.
    var least = 0
    /// A second ago.
    var last = 0
  }
}
