internal import CairnGit

/// What is said to a service of git's: packets, and perhaps a pack after them.
struct ServiceRequest {
  var packets: [UInt8]
  /// Writes the pack; it may be called again from the start.
  var pack: ((_ sink: (UnsafeRawBufferPointer) throws -> Void) throws -> Void)?
}

/// One conversation with `git-upload-pack` or `git-receive-pack`.
protocol Conversation: AnyObject {
  /// Says something, nothing at first, and lends the packets of the answer until `hear` returns false.
  ///
  /// - Throws: ``TransportError`` when the other side cannot be reached or ends before that, and what
  ///   `hear` throws.
  func exchange(_ request: ServiceRequest?, _ hear: (Packet) throws -> Bool) throws

  /// Ends it.
  func close()
}

/// The two programs at the other end.
enum GitService: String {
  case uploadPack = "git-upload-pack"
  case receivePack = "git-receive-pack"

  init(_ direction: GitSettings.Direction) {
    self = direction == .fetching ? .uploadPack : .receivePack
  }
}

/// How long is waited for whom.
public struct TransportPatience: Sendable {
  /// For the first word: somebody may have to type a password, or touch a key. In seconds.
  public var first = 600
  /// Between two words: a server that is at work says so every few seconds.
  public var between = 120

  public init() {}
}
