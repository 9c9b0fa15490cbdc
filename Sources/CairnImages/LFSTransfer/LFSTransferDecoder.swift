internal import CairnBase

/// A packet of the protocol of `git-lfs-transfer`.
enum LFSTransferPacket: Equatable {
  case data(ArraySlice<UInt8>)
  /// Separates the arguments of a request or a response from its data.
  case delimiter
  /// Ends a request or a response.
  case flush

  static let delimiterBytes = Array("0001".utf8)
}

/// A decoder that finds the packets in a stream.
///
/// Source: git's Documentation/gitprotocol-common.txt, “pkt-line Format”, and
/// gitprotocol-v2.txt, “Packet-Line Framing”.
struct LFSTransferDecoder {
  private var bytes: [UInt8] = []
  private var start = 0

  mutating func feed(_ piece: UnsafeRawBufferPointer) {
    // Release used bytes from time to time.
    if start > PacketEncoder.limit || start == bytes.count {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// Returns the next packet; nil when it is incomplete.
  mutating func next() throws(PacketDecoder.Malformed) -> LFSTransferPacket? {
    guard bytes.count - start >= 4 else { return nil }
    let digits = bytes[start..<start + 4]
    if digits.elementsEqual(LFSTransferPacket.delimiterBytes) {
      start += 4
      return .delimiter
    }
    let length = try PacketDecoder.length(digits)
    if length == 0 {
      start += 4
      return .flush
    }
    guard bytes.count - start >= length else { return nil }
    defer { start += length }
    return .data(bytes[start + 4..<start + length])
  }
}
