import CairnBase
import TestSupport
import Testing

@Suite("Packet lines")
struct PacketLineTests {
  private func packets(
    _ bytes: [UInt8], pieces: (inout SeededGenerator) -> Int, _ random: inout SeededGenerator
  ) throws -> [String] {
    var decoder = PacketDecoder()
    var found: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces(&random)))
      rest = rest.dropFirst(piece.count)
      _ = try piece.withUnsafeBytes { piece in
        try decoder.feed(piece) { packet in
          found.append(packet.line ?? "(flush)")
          return true
        }
      }
    }
    return found
  }

  @Test("decodes packets from pieces of any size", arguments: UInt64(0)..<40)
  func pieces(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var bytes: [UInt8] = []
    var lines: [String] = []
    for _ in 0..<(seed == 0 ? 3 : 20) {
      if Bool.random(using: &random) {
        let line = String(
          repeating: "x", count: Int.random(in: 0...(seed == 0 ? 65515 : 300), using: &random))
        lines.append(line)
        bytes += PacketEncoder.packet(line + "\n")
      } else {
        lines.append("(flush)")
        bytes += PacketEncoder.flush
      }
    }
    #expect(try packets(bytes, pieces: { _ in .max }, &random) == lines)
    #expect(try packets(bytes, pieces: { .random(in: 1...9, using: &$0) }, &random) == lines)
  }

  @Test(
    "rejects an invalid length",
    arguments: ["0001", "0002", "0003", "fff1", "ffff", "zzzz", "-001", "+00a", "00 5", "\0\0\0\0"])
  func lengths(text: String) {
    var random = SeededGenerator(0)
    #expect(throws: PacketDecoder.Malformed.self) {
      try packets(
        Array(text.utf8) + [UInt8](repeating: 65, count: 70000), pieces: { _ in 4096 }, &random)
    }
  }

  @Test("ignores bytes after the last wanted packet")
  func rest() throws {
    var decoder = PacketDecoder()
    let bytes = PacketEncoder.flush + Array("zzzz".utf8)
    let wantsMore = try bytes.withUnsafeBytes { try decoder.feed($0) { _ in false } }
    #expect(!wantsMore)
    #expect(decoder.isInPacket)
  }

  @Test("encodes a packet of the maximum size, and an empty one")
  func sizes() {
    let content = [UInt8](repeating: 7, count: PacketEncoder.contentLimit)
    #expect(PacketEncoder.packet(content) == Array("fff0".utf8) + content)
    #expect(PacketEncoder.packet("") == Array("0004".utf8))
  }
}
