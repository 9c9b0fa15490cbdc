internal import CairnDocument
internal import CairnTransport
internal import Synchronization

/// A pool of connections to one sftp server, shared by the threads of a transfer.
final class SFTPConnectionPool: Sendable {
  private struct State {
    var hasCleanedUp = false
    /// Temporary files of interrupted uploads, by the image that they begin.
    var leftovers: [PhotoID: String] = [:]
    var mayHaveChecksums = true
  }

  private let state = Mutex(State())
  private let sessions: SSHSessionPool<SFTPSession>

  init(_ directory: SFTPPath) {
    sessions = SSHSessionPool(
      directory.address, isCancelled: directory.context.isCancelled
    ) { isFirst in
      do {
        return try SFTPSession(directory.address, directory.context, mayPrompt: isFirst)
      } catch {
        throw isFirst ? SFTPConnectionPool.withoutServer(error, directory) : error
      }
    }
  }

  /// Runs `body` with a connection, which is discarded after an error.
  func withConnection<Result>(_ body: (SFTPSession) throws -> Result) throws -> Result {
    try sessions.withSession(body)
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

  /// Whether the machine may have a program that computes checksums.
  var mayHaveChecksums: Bool { state.withLock { $0.mayHaveChecksums } }

  func noteLackOfChecksums() { state.withLock { $0.mayHaveChecksums = false } }

  /// Returns true on the first call only.
  func shouldCleanUp() -> Bool {
    state.withLock { state in
      defer { state.hasCleanedUp = true }
      return !state.hasCleanedUp
    }
  }
}
