internal import Dispatch
internal import Synchronization

/// A pool of threads that runs a labeler on many images.
///
/// Predictions are passed to the calling thread as they arrive. After a failure that applies to
/// every image, or many doubtful failures in a row, no further images are started; running ones are
/// still awaited.
package struct PredictionPool: Sendable {
  package typealias Outcome = Result<Prediction, LabelerError>

  /// The number of doubtful failures in a row that counts as a failure of the labeler.
  package static let failuresInDoubtLimit = 16

  private let labeler: any Labeler
  private let atOnce: Int

  package init(_ labeler: any Labeler, atOnce: Int) {
    (self.labeler, self.atOnce) = (labeler, atOnce)
  }

  private struct State {
    var next = 0
    var finished: [(index: Int, outcome: Outcome)] = []
    var working = 0
    var isEnded = false
    /// The number of consecutive doubtful failures.
    var failuresInDoubt = 0

    mutating func finish(_ index: Int, _ outcome: Outcome) {
      var outcome = outcome
      if case .failure(let error) = outcome, error.scope == .doubtful {
        failuresInDoubt += 1
        if failuresInDoubt == PredictionPool.failuresInDoubtLimit {
          outcome = .failure(
            LabelerError(
              "\(failuresInDoubt) photos in a row failed; the last error: \(error.message)",
              scope: .labeler, isTransient: error.isTransient))
        }
      } else {
        failuresInDoubt = 0
      }
      if case .failure(let error) = outcome, error.scope == .labeler { isEnded = true }
      finished.append((index, outcome))
    }
  }

  /// The state shared by the threads.
  private final class Scoreboard: Sendable {
    let state = Mutex(State())
    let progressed = DispatchSemaphore(value: 0)

    /// Lets no further image start, and returns the outcomes that were not taken yet.
    func end() -> [(index: Int, outcome: Outcome)] {
      state.withLock { state in
        defer { (state.finished, state.isEnded) = ([], true) }
        return state.finished
      }
    }
  }

  /// Runs the labeler on `count` images.
  ///
  /// - Parameters:
  ///   - image: Returns the image at an index; called by several threads at once.
  ///   - check: Called every 100 ms, on the calling thread. An error that it throws ends the run, and
  ///     interrupts the labeler.
  ///   - take: Receives the outcomes since its last call, in no particular order. An error that it
  ///     throws does the same; it is called once more with what was finished by then.
  package func run(
    _ count: Int, image: @escaping @Sendable (Int) throws(LabelerError) -> LabelerImage,
    check: () throws -> Void = {},
    take: ([(index: Int, outcome: Outcome)]) throws -> Void
  ) throws {
    if count == 0 { return }
    let board = Scoreboard()
    let threads = min(atOnce, count)
    board.state.withLock { $0.working = threads }
    let group = DispatchGroup()
    for _ in 0..<threads {
      // Each queue has a thread of its own.
      DispatchQueue(label: "labeler").async(group: group) { [labeler] in
        PredictionPool.work(board, count, labeler, image)
      }
    }
    defer { group.wait() }
    do {
      try collect(board, check, take)
    } catch {
      var finished = board.end()
      labeler.interrupt()
      group.wait()
      // Keep answers that came meanwhile; failures may come from the interruption.
      finished += board.end().filter { if case .success = $0.outcome { true } else { false } }
      if !finished.isEmpty { try? take(finished) }
      throw error
    }
  }

  /// Passes outcomes to `take` until all threads have ended.
  private func collect(
    _ board: Scoreboard, _ check: () throws -> Void,
    _ take: ([(index: Int, outcome: Outcome)]) throws -> Void
  ) throws {
    while true {
      try check()
      if board.progressed.wait(timeout: .now() + .milliseconds(100)) == .timedOut { continue }
      let (finished, isOver) = board.state.withLock { state in
        defer { state.finished = [] }
        return (state.finished, state.working == 0)
      }
      if !finished.isEmpty { try take(finished) }
      if isOver { return }
    }
  }

  private static func work(
    _ board: Scoreboard, _ count: Int, _ labeler: any Labeler,
    _ image: (Int) throws(LabelerError) -> LabelerImage
  ) {
    while let index = board.state.withLock({ state -> Int? in
      guard !state.isEnded, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }) {
      let outcome: Outcome
      do throws(LabelerError) {
        outcome = .success(try labeler.predict(try image(index)))
      } catch {
        outcome = .failure(error)
      }
      board.state.withLock { $0.finish(index, outcome) }
      board.progressed.signal()
    }
    board.state.withLock { $0.working -= 1 }
    board.progressed.signal()
  }
}
