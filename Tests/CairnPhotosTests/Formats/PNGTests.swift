import CairnDocument
import CairnPhotos
import Testing

@Suite("PNG")
struct PNGTests {
  @Test("reads the size", arguments: [(1, 1), (21, 10), (300, 400)])
  func sizes(width: Int, height: Int) throws {
    let bytes = png(width, height)
    let expected = ImageFacts(format: .png, width: width, height: height, bytes: bytes.count)
    #expect(try inspect(bytes) == expected)
  }

  @Test(
    "accepts only the bit depths that PNG allows for each color type", arguments: [UInt8](0...7))
  func depths(colorType: UInt8) {
    let allowed: [UInt8: [UInt8]] = [
      0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]
    for depth in UInt8(0)...17 {
      let header = pngHeader(9, 9, depth: depth, colorType: colorType, interlace: 1)
      let isTaken = refusal(of: pngSignature + header + pngData(9, 9) + pngEnd) == nil
      #expect(isTaken == allowed[colorType, default: []].contains(depth))
    }
  }

  @Test("accepts bytes after the end")
  func appended() throws {
    #expect(try inspect(png(5, 6) + Array("more".utf8)).height == 6)
  }

  @Test("checks the checksums that decoders check")
  func checksums() {
    let bytes = png(21, 10)
    // Signature 8, IHDR 25, then tEXt (12 + 12), then IDAT.
    for (offset, name) in [(8 + 8 + 3, "IHDR"), (8 + 25 + 24 + 30, "IDAT")] {
      let flipped = bytes.replacing(offset, with: bytes[offset] ^ 1)
      #expect(refusal(of: flipped) == .damaged(.png, "the checksum of a chunk (\(name)) is wrong"))
    }
    let inText = 8 + 25 + 10
    #expect(refusal(of: bytes.replacing(inText, with: bytes[inText] ^ 1)) == nil)
  }

  static let broken: [Damage] = [
    Damage("its width is zero", pngSignature, pngHeader(0, 1)),
    Damage("its height is zero", pngSignature, pngHeader(1, 0)),
    Damage("its header (IHDR) is broken", pngSignature, pngHeader(1 << 31, 1)),
    Damage(
      "its header (IHDR) is broken", pngSignature, pngChunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1])),
    Damage(
      "its header (IHDR) has values that PNG does not allow", pngSignature,
      pngHeader(1, 1, depth: 3)),
    Damage(
      "its header (IHDR) has values that PNG does not allow", pngSignature,
      pngHeader(1, 1, interlace: 2)),
    Damage("it does not start with its header (IHDR)", pngSignature, pngEnd),
    Damage("it has two headers (IHDR)", pngSignature, pngHeader(1, 1), pngHeader(1, 1)),
    Damage("it contains no image data (IDAT)", pngSignature, pngHeader(1, 1), pngEnd),
    Damage(
      "it contains no image data (IDAT)", pngSignature, pngHeader(1, 1), pngChunk("IDAT", []),
      pngEnd),
    Damage(
      "one of its chunks has an invalid name", pngSignature, pngHeader(1, 1),
      [0, 0, 0, 0, 0, 0, 0, 0]),
    Damage(
      "one of its chunks has an invalid length", pngSignature, pngHeader(1, 1), [0x80, 0, 0, 0]),
  ]

  @Test("reports broken structure as damage", arguments: broken)
  func damage(damage: Damage) {
    #expect(refusal(of: damage.bytes) == .damaged(.png, damage.what))
  }

  @Test("reports a chunk of the maximum length as truncated, without overflow")
  func longestChunk() {
    let bytes = pngSignature + pngHeader(1, 1) + [0x7F, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8)
    #expect(refusal(of: bytes) == .truncated(.png))
  }

  @Test("rejects an image with more pixels than the limit")
  func tooLarge() {
    let side = 1 << 15
    #expect(refusal(of: pngSignature + pngHeader(side, side)) == .truncated(.png))
    #expect(
      refusal(of: pngSignature + pngHeader(side, side + 1))
        == .tooLarge(width: side, height: side + 1))
    let most = Int(Int32.max)
    #expect(
      refusal(of: pngSignature + pngHeader(most, most)) == .tooLarge(width: most, height: most))
  }
}
