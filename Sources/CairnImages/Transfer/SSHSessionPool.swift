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

  /// Open sessions one at a time: sshd drops simultaneous unauthenticated connections
  /// (MaxStartups).
  private let opening = Mutex(())
  private let address: SSHAddress
  private let isCancelled: @Sendable () -> Bool
  private let start: @Sendable (_ mayPrompt: Bool) throws -> Session

  /// - Parameter start: Starts a session, which may ask for a password only if the parameter says so.
  init(
    _ address: SSHAddress, isCancelled: @escaping @Sendable () -> Bool,
    start: @escaping @Sendable (_ mayPrompt: Bool) throws -> Session
  ) {
    (self.address, self.isCancelled, self.start) = (address, isCancelled, start)
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

  private func borrow() throws -> Session {
    while true {
      let (session, mustWait) = lock.withLock { _ in (idle.popLast(), isClosed && count > 0) }
      if let session { return session }
      if !mustWait, let session = try open() { return session }
      if isCancelled() { throw TransferError(ChildProcess.Failure.cancelled, address.text) }
      usleep(10_000)
    }
  }

  /// Returns a new session; nil when only existing ones can be used.
  private func open() throws -> Session? {
    try opening.withLock { _ -> Session? in
      let (known, isFirst, isFull) = lock.withLock { _ in (failure, count == 0, isClosed) }
      if let known { throw known }
      if isFull, !isFirst { return nil }
      do {
        let session = try start(isFirst)
        lock.withLock { _ in count += 1 }
        return session
      } catch let error as TransferError where error.scope == .remote {
        if !isFirst, error.cause.kind == .authentication {
          lock.withLock { _ in isClosed = true }
          return nil
        }
        // Do not ask again after a wrong password.
        lock.withLock { _ in failure = error }
        throw error
      }
    }
  }
}
