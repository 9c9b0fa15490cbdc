import CairnDocument
import CairnPhotos
import TestSupport
import Testing

@Suite("Damaged images")
struct DamageTests {
  @Test("accepts a sample unchanged and with bytes after its end", arguments: Sample.all)
  func valid(sample: Sample) throws {
    for more in [0, 1, 7, 1000] {
      let bytes = sample.bytes + [UInt8](repeating: 0xFF, count: more)
      let facts = try inspect(bytes)
      let expected = ImageFacts(
        format: sample.format, width: Sample.width, height: Sample.height, bytes: bytes.count)
      #expect(facts == expected)
    }
  }

  @Test("rejects a file truncated at any byte", arguments: Sample.all)
  func prefixes(sample: Sample) {
    for length in 0..<sample.bytes.count {
      let error = refusal(of: sample.bytes.prefix(length))
      // So few bytes can be the start of another format.
      if length < 4, error == .empty || error == .unknownFormat(nil) { continue }
      #expect(error == .truncated(sample.format), "first \(length) bytes")
    }
  }

  @Test("rejects a file without its first bytes", arguments: Sample.all)
  func suffixes(sample: Sample) {
    let starts = sample.bytes.indices.dropFirst().filter { start in
      // An embedded thumbnail is a complete image.
      !sample.bytes[start...].starts(with: [0xFF, 0xD8, 0xFF])
    }
    for start in starts {
      #expect(refusal(of: sample.bytes[start...]) != nil, "from offset \(start)")
    }
  }

  @Test("never crashes when any byte is set to an extreme value", arguments: Sample.all)
  func extremes(sample: Sample) {
    for offset in sample.bytes.indices {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
        expectVerdict(on: sample.bytes.replacing(offset, with: value))
      }
    }
  }

  @Test("never crashes on random damage", arguments: UInt64(0)..<32)
  func randomDamage(seed: UInt64) {
    var random = SeededGenerator(seed)
    for sample in Sample.all {
      for _ in 0..<40 { expectVerdict(on: damaged(sample.bytes, using: &random)) }
    }
  }

  @Test("never crashes on random bytes after a signature", arguments: UInt64(0)..<32)
  func randomBytes(seed: UInt64) {
    var random = SeededGenerator(seed)
    for sample in Sample.all {
      let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      expectVerdict(on: sample.bytes.prefix(Int.random(in: 3...20, using: &random)) + noise)
    }
  }

  /// Returns `bytes` with one to eight random changes: flipped bits, cuts or repetitions.
  private func damaged(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...8, using: &random) where bytes.count > 1 {
      let offset = Int.random(in: bytes.indices, using: &random)
      let end = min(bytes.count, offset + Int.random(in: 1...16, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes.removeSubrange(offset..<end)
      case 1: bytes.insert(contentsOf: bytes[offset..<end], at: offset)
      case 2: bytes[offset] = UInt8.random(in: 0...255, using: &random)
      case 3: bytes.removeLast(min(bytes.count - 1, end - offset))
      default: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }

  /// Expects no crash, and only facts that are valid in a document.
  private func expectVerdict(on bytes: [UInt8]) {
    guard let facts = try? inspect(bytes) else { return }
    let isPossible =
      facts.width > 0 && facts.height > 0 && facts.width * facts.height <= ImageLimit.pixels
      && facts.bytes == bytes.count
    #expect(isPossible)
  }
}
