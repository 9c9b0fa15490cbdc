internal import CairnDocument
internal import Dispatch
internal import Synchronization

extension ProgramLabeler {
  /// What waits for an answer.
  final class Question: Sendable {
    let line: String
    let answer = Mutex<Result<JSON, LabelerError>?>(nil)
    let signal = DispatchSemaphore(value: 0)
    /// How often the program ended over it.
    let deaths = Atomic<Int>(0)

    init(_ line: String = "") { self.line = line }

    func settle(_ value: Result<JSON, LabelerError>) {
      answer.withLock { $0 = $0 ?? value }
      signal.signal()
    }
  }

  /// What is known of the program and of all that it was asked.
  struct State: Sendable {
    var child: Coprocess?
    /// Counts the children, so that what an earlier one says late is not taken for a later one's.
    var generation = 0
    /// The last child that says nothing more.
    var mutedGeneration = 0
    var hello: Hello?
    var greeting = Question()
    var questions: [Int: Question] = [:]
    var lastID = 0
    /// How many questions waited at once at most.
    var mostAtOnce = 1
    /// When it was started, and when it last answered something or was started, by the monotonic
    /// clock, in milliseconds.
    var started: Int64 = 0
    var heard: Int64 = 0
    var deaths = 0
    var babble = 0
    var firstBabble = ""
    /// Why it is given up.
    var end: LabelerError?
  }

  struct Hello: Sendable {
    let model: Annotator
    let digest: String?
  }
}
