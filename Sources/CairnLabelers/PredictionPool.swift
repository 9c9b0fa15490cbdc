internal import Dispatch
internal import Synchronization

/// Asks a labeler about many images, several at a time.
///
/// What it says is handed over on the thread that called, as it comes. Once something fails that would
/// fail for every image, or many images in a row fail in a way that makes this likely, no more are
/// asked; what was asked is still waited for.
public struct PredictionPool: Sendable {
  public typealias Outcome = Result<Prediction, LabelerError>

  /// So many doubtful failures in a row are the labeler's.
  public static let doubtLimit = 16

  private let labeler: any Labeler
  private let atOnce: Int

  public init(_ labeler: any Labeler, atOnce: Int) {
    (self.labeler, self.atOnce) = (labeler, atOnce)
  }

  private struct State {
    var next = 0
    var finished: [(index: Int, outcome: Outcome)] = []
    var working = 0
    var isEnded = false
    /// How many failed doubtfully since something else came.
    var doubts = 0

    mutating func finish(_ index: Int, _ outcome: Outcome) {
      var outcome = outcome
      if case .failure(let error) = outcome, error.scope == .doubtful {
        doubts += 1
        if doubts == PredictionPool.doubtLimit {
          outcome = .failure(
            LabelerError(
              "\(doubts) photos in a row failed, the last of them because \(error.message)",
              scope: .labeler, isTransient: error.isTransient))
        }
      } else {
        doubts = 0
      }
      if case .failure(let error) = outcome, error.scope == .labeler { isEnded = true }
      finished.append((index, outcome))
    }
  }

  /// What the threads share.
  private final class Board: Sendable {
    let state = Mutex(State())
    let news = DispatchSemaphore(value: 0)
  }

  /// - Parameters:
  ///   - image: Returns one of `count` images; called by several threads at once.
  ///   - take: Takes what came since it was called last, in no order. What it throws ends all.
  public func run(
    _ count: Int, image: @escaping @Sendable (Int) throws(LabelerError) -> LabelerImage,
    take: ([(index: Int, outcome: Outcome)]) throws -> Void
  ) throws {
    if count == 0 { return }
    let board = Board()
    let threads = min(atOnce, count)
    board.state.withLock { $0.working = threads }
    let group = DispatchGroup()
    for _ in 0..<threads {
      // A queue of its own has a thread of its own.
      DispatchQueue(label: "labeler").async(group: group) { [labeler] in
        PredictionPool.work(board, count, labeler, image)
      }
    }
    defer {
      board.state.withLock { $0.isEnded = true }
      group.wait()
    }
    while true {
      board.news.wait()
      let (finished, isOver) = board.state.withLock { state in
        defer { state.finished = [] }
        return (state.finished, state.working == 0)
      }
      if !finished.isEmpty { try take(finished) }
      if isOver { return }
    }
  }

  private static func work(
    _ board: Board, _ count: Int, _ labeler: any Labeler,
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
      board.news.signal()
    }
    board.state.withLock { $0.working -= 1 }
    board.news.signal()
  }
}
