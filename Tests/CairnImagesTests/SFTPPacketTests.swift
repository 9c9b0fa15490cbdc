import TestSupport
import Testing

@testable import CairnImages

@Suite("SFTP packets")
struct SFTPPacketTests {
  private func number(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  private func decode(_ bytes: [UInt8], pieces: () -> Int) throws -> [[UInt8]] {
    var decoder = SFTPDecoder()
    var found: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces()))
      rest = rest.dropFirst(piece.count)
      piece.withUnsafeBytes { decoder.feed($0) }
      while let packet = try decoder.next() { found.append(Array(packet)) }
    }
    return found
  }

  @Test("encodes requests as the protocol specifies")
  func requests() {
    // Source: draft-ietf-secsh-filexfer-02, sections 4, 6.3, 6.4; OpenSSH's PROTOCOL, section 4.3.
    #expect(SFTPRequest.initialize.packet(0) == [0, 0, 0, 5, 1, 0, 0, 0, 3])
    #expect(
      SFTPRequest.create("ab").packet(258)
        == [0, 0, 0, 23, 3, 0, 0, 1, 2, 0, 0, 0, 2, 97, 98, 0, 0, 0, 0x2A]
        + [0, 0, 0, 4, 0, 0, 0x81, 0x24])
    #expect(
      SFTPRequest.read([7], offset: 1 << 33, count: 32768).packet(1)
        == [0, 0, 0, 22, 5, 0, 0, 0, 1, 0, 0, 0, 1, 7, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0x80, 0])
    #expect(
      SFTPRequest.write([7], offset: 3, [1, 2]).packet(1)
        == [0, 0, 0, 24, 6, 0, 0, 0, 1, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2])
    let name = Array("posix-rename@openssh.com".utf8)
    #expect(
      SFTPRequest.replace("a", to: "é").packet(1)
        == number(UInt32(1 + 4 + 4 + name.count + 5 + 6)) + [200] + number(1)
        + number(UInt32(name.count)) + name + [0, 0, 0, 1, 97, 0, 0, 0, 2, 0xC3, 0xA9])
  }

  @Test("splits a stream into the same packets however it is cut", arguments: UInt64(0)..<16)
  func streams(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let packets = (0..<40).map { _ in
      (0..<Int.random(in: 5...40_000, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
    }
    let stream = packets.flatMap { number(UInt32($0.count)) + $0 }
    let found = try decode(stream) { Int.random(in: 1...70_000, using: &random) }
    #expect(found == packets)
  }

  @Test("rejects a length out of bounds before it reads on")
  func lengths() throws {
    for length in [0, 4, UInt32(SFTPResponse.sizeLimit) + 1, .max] {
      #expect(throws: SFTPResponse.Malformed.self) { try decode(number(length)) { 4 } }
    }
    #expect(try decode(number(UInt32(SFTPResponse.sizeLimit))) { 4 } == [])
  }

  @Test("decodes or rejects random bytes without crashing", arguments: UInt64(0)..<64)
  func chance(seed: UInt64) {
    var random = SeededGenerator(seed)
    for _ in 0..<200 {
      var bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : 0
      }
      if let kind = ([2, 101, 102, 103, 104, 105, 201] as [UInt8]).randomElement(using: &random),
        !bytes.isEmpty
      {
        bytes[0] = kind
      }
      _ = try? SFTPResponse.read(bytes[...])
    }
  }

  @Test("computes the free space without overflow")
  func space() throws {
    let long = { (value: UInt64) in withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    let fields: [UInt64] = [512, 4096, 9, 9, 10, 9, 9, 9, 9, 1, 255]
    let packet = [201] + number(1) + fields.flatMap(long)
    guard case .space(let space) = try SFTPResponse.read(packet[...]).1 else {
      Issue.record("the response was decoded as something else")
      return
    }
    #expect(space.free == 40960 && space.isReadOnly)
    let huge = [201] + number(1) + [UInt64](repeating: .max, count: 11).flatMap(long)
    guard case .space(let most) = try SFTPResponse.read(huge[...]).1 else {
      Issue.record("the response was decoded as something else")
      return
    }
    #expect(most.free == .max)
  }

  @Test(
    "reads a whole file in order when its parts arrive in any order and size",
    arguments: UInt64(0)..<100)
  func reading(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let size = Int.random(in: 0...5000, using: &random)
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    let start = Int.random(in: 0...size, using: &random)
    let window = Int.random(in: 1...9, using: &random)
    var reading = SFTPReadWindow(
      start..<size, window: window, blockSize: Int.random(in: 1...700, using: &random))
    var asked: [UInt32: SFTPReadWindow.Block] = [:]
    var request: UInt32 = .max - 5
    var read = Array(bytes[..<start])
    while !reading.isDone {
      while let part = reading.next(request) {
        asked[request] = part
        request &+= 1
      }
      #expect(asked.count <= window)
      // A random request is answered, with a random number of bytes.
      let (number, part) = try #require(
        asked.sorted { $0.key < $1.key }.randomElement(using: &random))
      asked[number] = nil
      let count = Int.random(in: 1...part.count, using: &random)
      try reading.received(number, bytes[part.offset..<part.offset + count])
      while let piece = reading.take() { read += piece }
    }
    #expect(read == bytes && asked.isEmpty)
  }

  @Test("rejects parts that were not requested, are empty or are too long")
  func strangeParts() {
    var reading = SFTPReadWindow(0..<100, window: 2, blockSize: 10)
    #expect(reading.next(1) == SFTPReadWindow.Block(offset: 0, count: 10))
    for (request, count) in [(2, 10), (1, 11), (1, 0)] as [(UInt32, Int)] {
      #expect(throws: SFTPResponse.Malformed.self) {
        try reading.received(request, [UInt8](repeating: 0, count: count)[...])
      }
    }
  }
}
