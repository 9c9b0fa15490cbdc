import CairnPhotos
import TestSupport
import Testing

@Suite("Metadata-only copies")
struct ExcerptTests {
  /// Returns the metadata-only copy of a file with these bytes.
  private func excerpt(
    of bytes: [UInt8], _ note: (_ offset: Int, _ count: Int) -> Void = { _, _ in }
  ) -> [UInt8]? {
    imageWithoutPixels { offset, count in
      note(offset, count)
      return Array(bytes.dropFirst(offset).prefix(count))
    }
  }

  @Test(
    "reads a file that is truncated, or shrinks while it is read, as far as possible",
    arguments: Sample.all)
  func cut(sample: Sample) {
    for length in 0...sample.bytes.count {
      let found = excerpt(of: Array(sample.bytes.prefix(length)))
      #expect(length < 12 || found != nil)
    }
    // The file shrinks while it is read.
    var left = sample.bytes.count
    let found = imageWithoutPixels { offset, count in
      left = max(0, left - 9)
      return Array(sample.bytes.prefix(left).dropFirst(offset).prefix(count))
    }
    #expect((found?.count ?? 0) <= sample.bytes.count + 2)
  }

  @Test("finishes on damaged files", arguments: UInt64(0)..<8)
  func damage(seed: UInt64) {
    var random = SeededGenerator(seed)
    for sample in Sample.all {
      for _ in 0..<50 {
        var bytes = sample.bytes
        for _ in 0..<4 {
          bytes[Int.random(in: bytes.indices, using: &random)] = .random(
            in: 0...255, using: &random)
        }
        _ = excerpt(of: bytes)
      }
    }
  }

  @Test("copies formats whole that are not larger than its limit")
  func whole() {
    let tiff = Array("II*\0".utf8) + [UInt8](repeating: 0, count: (32 << 20) - 4)
    #expect(excerpt(of: tiff) == tiff)
    #expect(excerpt(of: tiff + [0]) == nil)
  }

  @Test("does not read pixels, and skips a chunk of absurd length")
  func bounded() {
    var read = 0
    let pixels = [UInt8](repeating: 7, count: 1 << 20)
    let big = jpeg(Sample.width, Sample.height, data: pixels)
    _ = excerpt(of: big) { read += $1 }
    #expect(read < 1 << 12)

    let endless: [UInt8] =
      Array(png(Sample.width, Sample.height).prefix(33)) + [0x7F, 0xFF, 0xFF, 0xF0]
      + Array("tEXt".utf8)
    var most = 0
    let found = excerpt(of: endless) { most = max(most, $1) }
    #expect(found?.count == 33 && most <= 256)
  }
}
