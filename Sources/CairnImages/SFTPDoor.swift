internal import CairnTransport
internal import LibC
internal import Synchronization

/// The connections to one sftp server, which its lines share.
///
/// The first may ask for a password; the others do not, and where they are not let in without, the lines
/// take turns on those that are there.
final class SFTPDoor: Sendable {
  private struct State {
    var idle: [SFTPSession] = []
    /// How many connections there are, those in use among them.
    var open = 0
    /// Whether no further one is let in without a password.
    var isClosed = false
    /// What will not be otherwise next time.
    var failure: TransferError?
    var hasSwept = false
  }

  private let state = Mutex(State())
  /// They are opened one after the other: those who come in a crowd are turned away.
  private let opening = Mutex(())

  /// Lends a connection. After an error it is given up.
  func lend<Result>(
    _ place: SFTPPlace, _ body: (SFTPSession) throws -> Result
  ) throws -> Result {
    let session = try take(place)
    do {
      let result = try body(session)
      state.withLock { $0.idle.append(session) }
      return result
    } catch {
      state.withLock { $0.open -= 1 }
      throw error
    }
  }

  private func take(_ place: SFTPPlace) throws -> SFTPSession {
    while true {
      let (idle, waits) = state.withLock { ($0.idle.popLast(), $0.isClosed && $0.open > 0) }
      if let idle { return idle }
      if !waits, let session = try open(place) { return session }
      if place.context.isCancelled() {
        throw TransferError(ChildProcess.Failure.cancelled, place.address.text)
      }
      usleep(10_000)
    }
  }

  /// Returns a new connection; nil where only those that are there can be used.
  private func open(_ place: SFTPPlace) throws -> SFTPSession? {
    try opening.withLock { _ in
      let (failure, isFirst, isClosed) = state.withLock { ($0.failure, $0.open == 0, $0.isClosed) }
      if let failure { throw failure }
      if isClosed, !isFirst { return nil }
      do {
        let session = try SFTPSession(place.address, place.context, asks: isFirst)
        state.withLock { $0.open += 1 }
        return session
      } catch {
        guard let error = error as? TransferError, error.scope == .remote else { throw error }
        if !isFirst, error.cause.kind == .authentication {
          state.withLock { $0.isClosed = true }
          return nil
        }
        // Nobody is asked again for a password that was wrong.
        state.withLock { $0.failure = error }
        throw error
      }
    }
  }

  /// Returns true to the first who asks.
  func shallSweep() -> Bool {
    state.withLock { state in
      defer { state.hasSwept = true }
      return !state.hasSwept
    }
  }
}
