import CairnDocument
import CairnPhotos
import Testing

@Suite("WebP")
struct WebPTests {
  @Test("reads the size of a lossy image", arguments: [(1, 1), (21, 10), (16383, 16383)])
  func lossySizes(width: Int, height: Int) throws {
    let facts = try inspect(webp([lossy(width, height)]))
    #expect((facts.format, facts.width, facts.height) == (.webp, width, height))
  }

  @Test("reads the size of a lossless image", arguments: [(1, 1), (21, 10), (16384, 16384)])
  func losslessSizes(width: Int, height: Int) throws {
    let facts = try inspect(webp([lossless(width, height)]))
    #expect((facts.format, facts.width, facts.height) == (.webp, width, height))
  }

  @Test("ignores the scaling bits of a lossy image")
  func scaling() throws {
    let facts = try inspect(webp([lossy(21 | 1 << 14, 10 | 3 << 14)]))
    #expect((facts.width, facts.height) == (21, 10))
  }

  @Test("reads the size of an animation from its canvas, not from a frame")
  func canvas() throws {
    let small = frame(x: 100_000 - 4, y: 0, 4, 2, lossless(4, 2))
    let facts = try inspect(webp([extended(100_000, 5000), small]))
    #expect((facts.width, facts.height) == (100_000, 5000))
  }

  @Test("accepts bytes after the end, and a RIFF size without the last padding")
  func appended() throws {
    let odd = webp([extended(4, 4), lossless(4, 4), riffChunk("XMP ", [1])])
    #expect(try inspect(odd + [1, 2, 3]).width == 4)
    let size = odd.count - 8 - 1
    #expect(try inspect(odd.replacing(4, with: UInt8(size)).dropLast()).width == 4)
  }

  static let broken: [Damage] = [
    Damage("its length (RIFF) is invalid", webp([])),
    Damage("its length (RIFF) is invalid", webp([lossy(1, 1)]).replacing(4, with: 0, 0, 0, 0)),
    Damage("its width is zero", webp([lossy(0, 1)])),
    Damage("its height is zero", webp([lossy(1, 0)])),
    Damage("it does not start with an image", webp([riffChunk("EXIF", [1, 2]), lossy(1, 1)])),
    Damage("it contains no image", webp([extended(1, 1), riffChunk("EXIF", [1, 2])])),
    Damage(
      "its header (VP8X) is broken", webp([riffChunk("VP8X", [0, 0, 0, 0, 1]), lossy(1, 1)])),
    Damage("its image and its header differ in size", webp([extended(2, 2), lossless(2, 1)])),
    Damage(
      "one of its chunks is longer than the file", webp([lossy(1, 1)]).replacing(16, with: 99)),
    Damage(
      "one of its chunks is longer than the file",
      webp([lossy(1, 1)]).replacing(16, with: 0xFF, 0xFF, 0xFF, 0xFF)),
    // A delta frame, version 4, a hidden frame, a wrong start code.
    Damage(
      "the header of its image (VP8) is broken", webp([lossy(1, 1)]).replacing(20, with: 0x31)),
    Damage(
      "the header of its image (VP8) is broken", webp([lossy(1, 1)]).replacing(20, with: 0x38)),
    Damage(
      "the header of its image (VP8) is broken", webp([lossy(1, 1)]).replacing(20, with: 0x20)),
    Damage(
      "the header of its image (VP8) is broken", webp([lossy(1, 1)]).replacing(23, with: 0x9E)),
    Damage("its image data (VP8) is truncated", webp([lossy(1, 1)]).replacing(21, with: 0x11)),
    Damage(
      "the header of its image (VP8L) is broken", webp([lossless(1, 1)]).replacing(20, with: 0x2E)),
    Damage(
      "the header of its image (VP8L) is broken", webp([lossless(1, 1)]).replacing(24, with: 0x20)),
    Damage("its image data (VP8L) is truncated", webp([riffChunk("VP8L", [0x2F, 0, 0, 0, 0])])),
    Damage(
      "the header of a frame (ANMF) is broken",
      webp([extended(4, 4), frame(x: 2, y: 0, 4, 4, lossless(4, 4))])),
    Damage(
      "the header of a frame (ANMF) is broken", webp([extended(4, 4), riffChunk("ANMF", [0, 0])])),
    Damage("a frame contains no image", webp([extended(4, 4), frame(x: 0, y: 0, 4, 4, [])])),
    Damage(
      "a frame and its header differ in size",
      webp([extended(4, 4), frame(x: 0, y: 0, 4, 4, lossy(3, 4))])),
  ]

  @Test("reports broken structure as damage", arguments: broken)
  func damage(damage: Damage) {
    #expect(refusal(of: damage.bytes) == .damaged(.webp, damage.what))
  }

  @Test("rejects an image with more pixels than the limit")
  func tooLarge() {
    let side = 1 << 24
    #expect(refusal(of: webp([extended(side, side)])) == .tooLarge(width: side, height: side))
  }
}
