internal import CairnDocument
internal import CairnProcess
internal import Dispatch
internal import Synchronization

extension ProgramLabeler {
  /// A request waiting for its response.
  final class PendingRequest: Sendable {
    let line: String
    let response = Mutex<Result<JSON, LabelerError>?>(nil)
    let signal = DispatchSemaphore(value: 0)
    /// The number of times the program ended while this was the oldest request.
    let exits = Atomic<Int>(0)

    init(_ line: String = "") { self.line = line }

    func complete(_ value: Result<JSON, LabelerError>) {
      response.withLock { $0 = $0 ?? value }
      signal.signal()
    }
  }

  /// The state of the program and of all requests.
  struct State: Sendable {
    var child: LineProcess?
    /// The number of children started, so that late output of an earlier one is not attributed to a
    /// later one.
    var generation = 0
    /// The last child that closed its output or stopped reading.
    var closedGeneration = 0
    var handshake: Handshake?
    /// The handshake of the first child; later ones must be of the same model.
    var firstHandshake: Handshake?
    var greeting = PendingRequest()
    var requests: [Int: PendingRequest] = [:]
    var lastID = 0
    /// The maximum number of requests that were waiting at once.
    var peakRequests = 1
    /// The times when it was started, and when it last responded or was started, in milliseconds of
    /// the monotonic clock.
    var started: Int64 = 0
    var lastResponse: Int64 = 0
    var exits = 0
    var strayLines = 0
    var firstStrayLine = ""
    /// The error with which the program was given up.
    var end: LabelerError?
  }

  struct Handshake: Sendable, Equatable {
    let model: Annotator
    let digest: String?
  }
}
