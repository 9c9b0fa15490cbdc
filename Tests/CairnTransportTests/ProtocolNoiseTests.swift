import CairnBase
import CairnGit
import CairnProcess
import TestSupport
import Testing

@testable import CairnTransport

@Suite("Protocol noise")
struct ProtocolNoiseTests {
  @Test("never crashes on noise in any decoder", arguments: UInt64(0)..<300)
  func noise(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var bytes: [UInt8] = []
    let samples = [
      "ok refs/heads/main", "ng refs/heads/main no", "unpack ok", "unpack", "ACK ", "NAK", "ERR x",
      "version 1", "version 2", "shallow 1", "\u{1}PACK", "\u{2}hello\u{1B}[31m", "\u{3}bad",
      "\u{9}",
      "\(ObjectID.zero) capabilities^{}\0 report-status", "\(ObjectID.zero) HEAD\0symref=HEAD:x",
      "",
      "\(String(repeating: "ab", count: 20)) refs/heads/../x\0object-format=sha256", "0000",
    ]
    for _ in 0..<Int.random(in: 1...30, using: &random) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes += PacketEncoder.flush
      case 1:
        bytes += PacketEncoder.packet(
          String(
            decoding: (0..<Int.random(in: 0...80, using: &random)).map { _ in
              UInt8.random(in: 0...127, using: &random)
            }, as: UTF8.self))
      default: bytes += PacketEncoder.packet(samples.randomElement(using: &random)!)
      }
    }
    if Bool.random(using: &random) {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
    }
    var advertisement = ReferenceAdvertisement()
    var fetch = FetchResponse()
    var pushes = [PushResponse(usesSideband: true), PushResponse(usesSideband: false)]
    var size = 0
    for reader in 0..<4 {
      var decoder = PacketDecoder()
      _ = try? bytes.withUnsafeBytes { bytes in
        try decoder.feed(bytes) { packet in
          switch reader {
          case 0: try advertisement.take(packet)
          case 1: try fetch.take(packet) { size += $0.count }
          default: try pushes[reader - 2].take(packet)
          }
        }
      }
    }
    #expect(size <= bytes.count)
    #expect(advertisement.references.tips.keys.allSatisfy(Repository.isReferenceName))
    for push in pushes {
      #expect(!push.messages.lines.joined().unicodeScalars.contains("\u{1B}"))
    }
  }

  @Test("rejects a report of a push that does not end")
  func endlessReport() throws {
    let line = PacketEncoder.packet("ok " + String(repeating: "x", count: 60_000))
    var (push, decoder) = (PushResponse(usesSideband: false), PacketDecoder())
    #expect(throws: PushResponse.Malformed.self) {
      for _ in 0..<100 {
        _ = try line.withUnsafeBytes { bytes in try decoder.feed(bytes) { try push.take($0) } }
      }
    }
  }
}
