internal import CairnBase
internal import CairnGit
internal import CairnProcess

/// A server's response to a ``FetchRequest``: the common commits, then the pack.
struct FetchResponse {
  struct Failure: Error {
    let kind: TransportError.Kind
    let reason: String
  }

  /// Maximum number of lines before the pack.
  private static let lineLimit = 10_000

  private var isInPack = false
  private var lines = 0

  /// Processes a packet; returns false after the last.
  ///
  /// - Parameter sink: Receives the pack, piece by piece.
  mutating func take(
    _ packet: Packet, _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    guard case .data(let bytes) = packet else {
      if isInPack { return false }
      throw Failure(kind: .protocolViolation, reason: "it sent no objects")
    }
    switch SidebandMessage(bytes) {
    case .content(let bytes):
      isInPack = true
      if !bytes.isEmpty { try sink(bytes) }
      return true
    case .messages: return true
    case .failure(let bytes):
      throw Failure(kind: .serverError, reason: ServerMessages(bytes).sentence)
    case nil: break
    }
    let line = packet.line ?? ""
    lines += 1
    if line.hasPrefix("ERR ") {
      throw Failure(
        kind: .serverError, reason: ServerMessages.printable(String(line.dropFirst(4))))
    }
    let isExpected = line == "NAK" || line.hasPrefix("ACK ")
    guard isExpected, !isInPack, lines < FetchResponse.lineLimit else {
      throw Failure(kind: .protocolViolation, reason: "it violates git's protocol")
    }
    return true
  }
}
