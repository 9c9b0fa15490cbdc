import CairnDocument
import Testing

@testable import CairnPhotos

@Suite("JPEG")
struct JPEGTests {
  @Test("reads the size from every kind of frame", arguments: Array(UInt8(0xC0)...0xCF))
  func frameKinds(code: UInt8) throws {
    // DHT, JPG and DAC are not frames, although their codes are in the range.
    guard ![0xC4, 0xC8, 0xCC].contains(code) else { return }
    let bytes = jpeg(300, 200, code: code)
    let expected = ImageFacts(format: .jpeg, width: 300, height: 200, bytes: bytes.count)
    #expect(try inspect(bytes) == expected)
  }

  @Test(
    "reads sizes from one pixel to the largest frame",
    arguments: [(1, 1), (1, 65535), (16000, 16000)])
  func sizes(width: Int, height: Int) throws {
    let facts = try inspect(jpeg(width, height, data: [0]))
    #expect((facts.width, facts.height) == (width, height))
  }

  @Test("ignores the size and the end of an embedded thumbnail")
  func thumbnail() throws {
    let bytes = jpegWithThumbnail(640, 480)
    #expect(try inspect(bytes).width == 640)
    #expect(refusal(of: bytes.dropLast(2)) == .truncated(.jpeg))
  }

  @Test("accepts bytes after the end, such as a video, a second image or zeros")
  func appended() throws {
    for more in [Array("\0\0\0\u{18}ftypmp42".utf8), jpeg(9, 9), [UInt8](repeating: 0, count: 99)] {
      let facts = try inspect(jpeg(21, 10, appended: more))
      #expect(facts.width == 21)
      #expect(facts.bytes == jpeg(21, 10).count + more.count)
    }
  }

  @Test("reports a file padded with zeros as truncated")
  func zeroFilled() {
    let bytes = jpeg(80, 60)
    let filled = bytes.dropLast(4) + [UInt8](repeating: 0, count: 4096)
    #expect(refusal(of: filled) == .truncated(.jpeg))
  }

  @Test(
    "skips stray bytes before the image data, as other programs do",
    arguments: [[0x17, 0x3E], [0xFF, 0x00, 0x02], [0xFF, 0xFF, 0x00]] as [[UInt8]])
  func strayBytes(stray: [UInt8]) throws {
    let whole = jpeg(40, 30)
    let metadata = segment(0xE1, [1, 2, 3])
    let clean = Array(whole.prefix(2)) + metadata + whole.dropFirst(2)
    let bytes = Array(whole.prefix(2)) + metadata + stray + whole.dropFirst(2)
    let facts = try inspect(bytes)
    #expect((facts.width, facts.height) == (40, 30))
    #expect(refusal(of: bytes.dropLast(2)) == .truncated(.jpeg))
    #expect(try decode(bytes).bytes == decode(whole).bytes)
    // No metadata hides behind them.
    let stripped = try bytes.withUnsafeBytes { try imageWithoutPosition($0, .jpeg) }
    #expect(stripped == clean)
    let excerpt = imageWithoutPixels { Array(bytes.dropFirst($0).prefix($1)) }
    #expect(excerpt == imageWithoutPixels { Array(clean.dropFirst($0).prefix($1)) })
    let xmp = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + [1, 2, 3])
    let later = Array(whole.prefix(2)) + stray + xmp + whole.dropFirst(2)
    let found = later.withUnsafeBytes { embeddedXMP(ImageBytes($0), .jpeg).map { Array($0) } }
    #expect(found == [1, 2, 3])
  }

  static let broken: [Damage] = [
    Damage("its width is zero", jpeg(0, 10, data: [0])),
    Damage("its height is missing", jpeg(10, 0, data: [0])),
    Damage("it contains no image", [0xFF, 0xD8, 0xFF, 0xD9]),
    Damage("it contains no image", jpeg(8, 8, data: [])),
    Damage("it contains no image", jpeg(8, 8, scans: 0)),
    Damage("it contains more than one frame", [0xFF, 0xD8], frameHeader(8, 8), frameHeader(8, 8)),
    Damage("its image data comes before its size", [0xFF, 0xD8], scanHeader, [0, 0xFF, 0xD9]),
    Damage("its frame header is broken", [0xFF, 0xD8], segment(0xC0, [8, 0, 8, 0, 8])),
    Damage("its frame header is broken", [0xFF, 0xD8], segment(0xC0, [8, 0, 8, 0, 8, 0])),
    Damage("a scan header is broken", [0xFF, 0xD8], frameHeader(8, 8), segment(0xDA, [1, 1, 0])),
    Damage("one of its segments has an invalid length", [0xFF, 0xD8, 0xFF, 0xE0, 0, 1]),
    Damage(
      "it has stray bytes between its segments", Array(jpeg(8, 8).dropLast(2)), jpegTables, [0x17]),
    Damage("a second image starts inside it", [0xFF, 0xD8, 0xFF, 0xD8, 0xFF]),
    Damage("a second image starts inside it", Array(jpeg(8, 8).dropLast(2)), jpeg(8, 8)),
    Damage("it has an unknown segment (marker F7)", [0xFF, 0xD8, 0xFF, 0xF7, 0, 2]),
  ]

  @Test("reports broken structure as damage", arguments: broken)
  func damage(damage: Damage) {
    #expect(refusal(of: damage.bytes) == .damaged(.jpeg, damage.what))
  }

  @Test("rejects an image with more pixels than the limit")
  func tooLarge() {
    #expect(refusal(of: jpeg(65535, 65535, data: [0])) == .tooLarge(width: 65535, height: 65535))
  }
}
