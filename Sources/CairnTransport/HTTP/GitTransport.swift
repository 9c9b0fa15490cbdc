internal import CairnBase
internal import CairnGit

/// A request to a git service: packets, optionally followed by a pack.
struct ServiceRequest {
  var packets: [UInt8]
  /// Writes the pack; may be called again to start over.
  var pack: ((_ sink: (UnsafeRawBufferPointer) throws -> Void) throws -> Void)?
}

/// A connection to `git-upload-pack` or `git-receive-pack`.
protocol GitTransport: AnyObject {
  /// Sends a request, nil at first, and passes the packets of the response to `handle` until it
  /// returns false.
  ///
  /// - Throws: ``TransportError`` when the other side cannot be reached or ends too early, and any
  ///   error of `handle`.
  func exchange(_ request: ServiceRequest?, _ handle: (Packet) throws -> Bool) throws

  /// Whether the last request was sent as a whole, so that the other side may carry it out although no
  /// response arrived.
  var hasSentRequest: Bool { get }

  /// Closes the connection.
  func close()
}

/// The two git programs at the other end.
enum GitService: String {
  case uploadPack = "git-upload-pack"
  case receivePack = "git-receive-pack"

  init(_ direction: GitSettings.Direction) {
    self = direction == .fetching ? .uploadPack : .receivePack
  }
}

/// The timeouts of an exchange.
package struct TransportTimeouts: Sendable {
  /// Until the first response: a user may have to type a password or touch a key. In seconds.
  package var first = 600
  /// Between two reads, in seconds: a busy server sends something every few seconds.
  package var between = 120
  /// Before each look at a branch whose push was interrupted, in seconds: a hook of the server may
  /// still be running.
  package var beforeLooks = [0, 2, 5, 10, 20, 30]

  package init() {}
}
