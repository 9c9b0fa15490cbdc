internal import CairnGit

/// What a server answers to a ``FetchRequest``: what it has in common, and then the pack.
struct FetchResponse {
  struct Failure: Error {
    let kind: TransportError.Kind
    let reason: String
  }

  /// More words than that before the pack are not listened to.
  private static let lineLimit = 10_000

  private var isInPack = false
  private var lines = 0

  /// Takes a packet; false after the last.
  ///
  /// - Parameter sink: Takes the pack, piece by piece.
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
    case .words: return true
    case .failure(let bytes):
      throw Failure(kind: .lost, reason: ServerWords(bytes).sentence)
    case nil: break
    }
    let line = packet.line ?? ""
    lines += 1
    if line.hasPrefix("ERR ") {
      throw Failure(
        kind: .lost, reason: ServerWords.printable(String(line.dropFirst(4))))
    }
    let isExpected = line == "NAK" || line.hasPrefix("ACK ")
    guard isExpected, !isInPack, lines < FetchResponse.lineLimit else {
      throw Failure(kind: .protocolViolation, reason: "it does not keep to git's protocol")
    }
    return true
  }
}
