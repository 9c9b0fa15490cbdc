internal import CairnStore
package import CairnTransport
internal import Synchronization
package import SystemPackage

/// An image store in any storage that the rclone program knows, laid out like a repository's `lfs`.
///
/// rclone itself serves the storage over WebDAV on the loopback interface: it streams what it sends
/// and receives, and compares checksums with those of the storage where that has any.
package struct RcloneImages: ImageRemote {
  /// The server, started by the first connection, and once more if it ends too early.
  private final class Helper: Sendable {
    private struct State {
      var server: Result<RcloneServer, TransferError>?
      var hasRestarted = false
    }

    private let state = Mutex(State())

    func server(_ start: () throws(TransferError) -> RcloneServer) throws -> RcloneServer {
      try state.withLock { state in
        if let server = try state.server?.get() {
          guard let reason = server.endReason else { return server }
          if state.hasRestarted {
            throw TransferError(
              TransportError(
                .serverError, server.session.address, "rclone exited twice: \(reason)"),
              scope: .remote)
          }
          state.hasRestarted = true
        }
        let started = Result(catching: start)
        state.server = started
        return try started.get()
      }
    }
  }

  private let location: RcloneAddress
  private let program: FilePath?
  private let context: TransportContext
  private let helper = Helper()

  /// - Parameter program: The rclone program; nil if it is not installed.
  package init(_ address: RcloneAddress, program: FilePath?, _ context: TransportContext) {
    (location, self.program, self.context) = (address, program, context)
  }

  package var address: String { "\(location)" }
  package var batchSize: Int { 1 }
  package var connections: Int { 4 }

  package func connect() throws -> any ImageConnection {
    let server = try helper.server { () throws(TransferError) in
      guard let program else {
        throw TransferError(
          TransportError(.noProgram, address, "rclone is not installed"), scope: .remote)
      }
      return try RcloneServer(location, program, context)
    }
    return WebDAVConnection(server.session)
  }
}
