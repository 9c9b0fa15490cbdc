internal import CairnProcess
internal import CairnTransport
internal import Dispatch
internal import LibC
internal import Synchronization

/// A pool of sessions with a program on another machine, shared by the threads of a transfer.
///
/// The first session may ask for a password. Others start in the background, without asking, while
/// threads wait; a thread takes whichever session is free first. If the machine accepts no others, the
/// threads take turns.
final class SSHSessionPool<Session: AnyObject & Sendable>: Sendable {
  private struct State {
    var idle: [Session] = []
    /// Number of sessions, including those in use.
    var count = 0
    /// Number of sessions that are being started.
    var starting = 0
    /// Number of threads that wait for a session.
    var waiting = 0
    /// Whether one was started without asking. Until then they start one at a time: a server may lock
    /// out who fails to log in too often.
    var hasOthers = false
    /// Whether further sessions need a password.
    var needsPassword = false
    /// Number of other sessions that could not be started since the first one.
    var losses = 0
    /// An error that would occur again on the next attempt.
    var failure: TransferError?

    /// Whether another session may be started for a thread.
    var mayStart: Bool {
      !needsPassword && losses < 3 && starting <= (hasOthers ? waiting : 0)
    }
  }

  private let state = Mutex(State())
  private let address: SSHAddress
  private let isCancelled: @Sendable () -> Bool
  private let newSession: @Sendable (_ mayPrompt: Bool) throws -> Session

  /// - Parameter newSession: Starts a session, which may ask for a password only if the parameter says
  ///   so.
  init(
    _ address: SSHAddress, isCancelled: @escaping @Sendable () -> Bool,
    newSession: @escaping @Sendable (_ mayPrompt: Bool) throws -> Session
  ) {
    (self.address, self.isCancelled, self.newSession) = (address, isCancelled, newSession)
  }

  /// Runs `body` with a session, which is discarded after an error.
  func withSession<Result>(_ body: (Session) throws -> Result) throws -> Result {
    let session = try borrow()
    do {
      let result = try body(session)
      state.withLock { $0.idle.append(session) }
      return result
    } catch {
      state.withLock { $0.count -= 1 }
      throw error
    }
  }

  private enum Step {
    case use(Session)
    case startFirst
    case startAnother
    case wait
  }

  private func borrow() throws -> Session {
    while true {
      switch try next() {
      case .use(let session): return session
      case .startFirst: return try startFirst()
      case .startAnother: startAnother()
      case .wait:
        defer { state.withLock { $0.waiting -= 1 } }
        if isCancelled() { throw TransferError(ChildProcess.Failure.cancelled, address.text) }
        usleep(10_000)
      }
    }
  }

  private func next() throws -> Step {
    try state.withLock { state -> Step in
      if let session = state.idle.popLast() { return .use(session) }
      if state.count == 0, state.starting == 0 {
        if let failure = state.failure { throw failure }
        state.starting = 1
        return .startFirst
      }
      if state.count > 0, state.mayStart {
        state.starting += 1
        return .startAnother
      }
      state.waiting += 1
      return .wait
    }
  }

  private func startFirst() throws -> Session {
    do {
      let session = try newSession(true)
      state.withLock { state in
        state.starting -= 1
        state.count += 1
        state.losses = 0
      }
      return session
    } catch {
      state.withLock { state in
        state.starting -= 1
        // Do not ask again after a wrong password.
        if let error = error as? TransferError, error.scope == .remote { state.failure = error }
      }
      throw error
    }
  }

  /// Starts a session on a thread of its own; the threads do not wait for it if one becomes idle before.
  private func startAnother() {
    DispatchQueue(label: "ssh").async { [newSession, weak self] in
      let result = Result { try newSession(false) }
      self?.started(result)
    }
  }

  private func started(_ result: Result<Session, any Error>) {
    state.withLock { state in
      state.starting -= 1
      switch result {
      case .success(let session):
        state.count += 1
        state.hasOthers = true
        state.idle.append(session)
      case .failure(let error):
        state.losses += 1
        if (error as? TransferError)?.cause.kind == .authentication { state.needsPassword = true }
      }
    }
  }
}
