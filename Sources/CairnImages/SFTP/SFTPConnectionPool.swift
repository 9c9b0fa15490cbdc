internal import CairnDocument
internal import CairnProcess
internal import CairnTransport
internal import LibC
internal import Synchronization

/// A pool of connections to one sftp server, shared by the threads of a transfer.
///
/// The first connection may ask for a password; later ones do not, and if the server rejects them,
/// the threads take turns on the open ones.
final class SFTPConnectionPool: Sendable {
  private struct State {
    var idle: [SFTPSession] = []
    /// Number of connections, including those in use.
    var open = 0
    /// Whether further connections need a password.
    var isClosed = false
    /// An error that would occur again on the next attempt.
    var failure: TransferError?
    var hasCleanedUp = false
    /// Temporary files of interrupted uploads, by the image that they begin.
    var leftovers: [PhotoID: String] = [:]
  }

  private let state = Mutex(State())
  /// Open connections one at a time: sshd drops simultaneous unauthenticated connections
  /// (MaxStartups).
  private let opening = Mutex(())

  /// Runs `body` with a connection, which is discarded after an error.
  func withConnection<Result>(
    _ directory: SFTPPath, _ body: (SFTPSession) throws -> Result
  ) throws -> Result {
    let session = try borrow(directory)
    do {
      let result = try body(session)
      state.withLock { $0.idle.append(session) }
      return result
    } catch {
      state.withLock { $0.open -= 1 }
      throw error
    }
  }

  private func borrow(_ directory: SFTPPath) throws -> SFTPSession {
    while true {
      let (idle, mustWait) = state.withLock { ($0.idle.popLast(), $0.isClosed && $0.open > 0) }
      if let idle { return idle }
      if !mustWait, let session = try open(directory) { return session }
      if directory.context.isCancelled() {
        throw TransferError(ChildProcess.Failure.cancelled, directory.address.text)
      }
      usleep(10_000)
    }
  }

  /// Returns a new connection; nil when only existing ones can be used.
  private func open(_ directory: SFTPPath) throws -> SFTPSession? {
    try opening.withLock { _ in
      let (failure, isFirst, isClosed) = state.withLock { ($0.failure, $0.open == 0, $0.isClosed) }
      if let failure { throw failure }
      if isClosed, !isFirst { return nil }
      do {
        let session = try SFTPSession(directory.address, directory.context, mayPrompt: isFirst)
        state.withLock { $0.open += 1 }
        return session
      } catch {
        let error = isFirst ? SFTPConnectionPool.withoutServer(error, directory) : error
        guard let error = error as? TransferError, error.scope == .remote else { throw error }
        if !isFirst, error.cause.kind == .authentication {
          state.withLock { $0.isClosed = true }
          return nil
        }
        // Do not ask again after a wrong password.
        state.withLock { $0.failure = error }
        throw error
      }
    }
  }

  /// Returns the error of a first connection: that there is no image store, if the machine may have
  /// no sftp server and the error is not of the network.
  private static func withoutServer(_ error: any Error, _ directory: SFTPPath) -> any Error {
    guard directory.isGuess, let cause = (error as? TransferError)?.cause,
      [.noProgram, .forbidden, .serverError].contains(cause.kind)
    else { return error }
    return TransferError(
      TransportError(
        .noImageStore, cause.address,
        "it has no git-lfs-authenticate, and no sftp: \(cause.reason)"), scope: .remote)
  }

  /// Records temporary files of interrupted uploads.
  func addLeftovers(_ names: [PhotoID: String]) {
    state.withLock { $0.leftovers.merge(names) { $1 } }
  }

  /// Returns the temporary file of an interrupted upload, once.
  func takeLeftover(of image: PhotoID) -> String? {
    state.withLock { $0.leftovers.removeValue(forKey: image) }
  }

  /// Whether there is a temporary file of an interrupted upload.
  func hasLeftover(of image: PhotoID) -> Bool { state.withLock { $0.leftovers[image] != nil } }

  /// Returns true on the first call only.
  func shouldCleanUp() -> Bool {
    state.withLock { state in
      defer { state.hasCleanedUp = true }
      return !state.hasCleanedUp
    }
  }
}
