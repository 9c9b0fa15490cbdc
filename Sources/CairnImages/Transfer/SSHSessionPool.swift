internal import CairnProcess
internal import CairnTransport
internal import LibC
internal import Synchronization

/// A pool of sessions with a program on another machine, shared by the threads of a transfer.
///
/// The first session may ask for a password; later ones do not, and if the machine rejects them, the
/// threads take turns on the open ones.
final class SSHSessionPool<Session: AnyObject & Sendable>: @unchecked Sendable {
  // Protected by the lock.
  private let lock = Mutex(())
  private var idle: [Session] = []
  /// Number of sessions, including those in use.
  private var count = 0
  /// Whether further sessions need a password.
  private var isClosed = false
  /// An error that would occur again on the next attempt.
  private var failure: TransferError?
  /// Number of sessions that threads are starting now.
  private var startingCount = 0

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
      lock.withLock { _ in idle.append(session) }
      return result
    } catch {
      lock.withLock { _ in count -= 1 }
      throw error
    }
  }

  private enum Step {
    case use(Session)
    case start(isFirst: Bool)
    case wait
  }

  private func borrow() throws -> Session {
    while true {
      switch try next() {
      case .use(let session): return session
      case .start(let isFirst): if let session = try start(isFirst: isFirst) { return session }
      case .wait:
        if isCancelled() { throw TransferError(ChildProcess.Failure.cancelled, address.text) }
        usleep(10_000)
      }
    }
  }

  /// Returns how to get a session. The others start when the first one has, and those that wait for it
  /// take one that becomes idle.
  private func next() throws -> Step {
    try lock.withLock { _ -> Step in
      if let session = idle.popLast() { return .use(session) }
      let isFirst = count == 0
      if isFirst ? startingCount > 0 : isClosed { return .wait }
      if let failure { throw failure }
      startingCount += 1
      return .start(isFirst: isFirst)
    }
  }

  /// Returns a new session; nil when only existing ones can be used.
  private func start(isFirst: Bool) throws -> Session? {
    do {
      let session = try newSession(isFirst)
      lock.withLock { _ in
        startingCount -= 1
        count += 1
      }
      return session
    } catch {
      let refusal = (error as? TransferError).flatMap { $0.scope == .remote ? $0 : nil }
      let needsPassword = !isFirst && refusal?.cause.kind == .authentication
      lock.withLock { _ in
        startingCount -= 1
        isClosed = isClosed || needsPassword
        // Do not ask again after a wrong password.
        if !needsPassword, let refusal { failure = refusal }
      }
      if needsPassword { return nil }
      throw error
    }
  }
}
