/// A packet of git's protocols.
///
/// Source: git's Documentation/gitprotocol-common.txt, “pkt-line Format”.
package enum Packet {
  /// Valid only during the call.
  case data(UnsafeRawBufferPointer)
  case flush

  /// The text of a line, without its line feed; nil for a flush.
  package var line: String? {
    guard case .data(let bytes) = self else { return nil }
    let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}

/// A decoder that finds packets in pieces of any size.
package struct PacketDecoder {
  /// Received bytes of an incomplete packet: never more than one packet and one piece.
  private var rest: [UInt8] = []

  /// The received bytes are not a packet.
  package struct Malformed: Error, Equatable {}

  package init() {}

  /// Whether a packet is incomplete.
  package var isInPacket: Bool { !rest.isEmpty }

  /// Adds a piece and calls `visit` for each complete packet, until it returns false.
  ///
  /// - Returns: False once `visit` did; the bytes after that are not processed.
  package mutating func feed(
    _ bytes: UnsafeRawBufferPointer, _ visit: (Packet) throws -> Bool
  ) throws -> Bool {
    rest.append(contentsOf: bytes)
    var position = 0
    var wantsMore = true
    try rest.withUnsafeBytes { rest in
      while wantsMore, rest.count - position >= 4 {
        let length = try PacketDecoder.length(rest[position..<position + 4])
        if length == 0 {
          position += 4
          wantsMore = try visit(.flush)
          continue
        }
        guard rest.count - position >= length else { return }
        let data = UnsafeRawBufferPointer(rebasing: rest[position + 4..<position + length])
        position += length
        wantsMore = try visit(.data(data))
      }
    }
    rest.removeFirst(position)
    return wantsMore
  }

  /// Returns the length of a packet with its four digits, which are given; 0 for a flush.
  ///
  /// Lengths of 1 to 3 belong to later versions of the protocol, which are not supported.
  package static func length(_ digits: some Collection<UInt8>) throws(Malformed) -> Int {
    guard digits.count == 4, let number = Hex.number(digits, allowingUpperCase: true) else {
      throw Malformed()
    }
    let length = Int(number)
    guard length == 0 || length >= 4, length <= PacketEncoder.limit else { throw Malformed() }
    return length
  }
}

/// An encoder of packets.
package enum PacketEncoder {
  /// Maximum size of a packet with its length, in bytes.
  package static let limit = 65520

  package static let flush = Array("0000".utf8)

  /// Maximum size of a packet's content, in bytes.
  package static let contentLimit = limit - 4

  /// Returns a line as a packet.
  package static func packet(_ line: String) -> [UInt8] { packet(Array(line.utf8)) }

  /// Returns bytes as a packet.
  ///
  /// - Precondition: There are at most ``contentLimit`` of them.
  package static func packet(_ content: [UInt8]) -> [UInt8] {
    precondition(content.count <= contentLimit)
    return Array(Hex.text(UInt64(content.count + 4), digits: 4).utf8) + content
  }
}
