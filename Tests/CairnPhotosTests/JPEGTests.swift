import CairnDocument
import CairnPhotos
import Testing

@Suite("JPEG")
struct JPEGTests {
  @Test("every kind of frame tells its size", arguments: Array(UInt8(0xC0)...0xCF))
  func frameKinds(code: UInt8) throws {
    // DHT, JPG and DAC lie among the codes of frames.
    guard ![0xC4, 0xC8, 0xCC].contains(code) else { return }
    let bytes = jpeg(300, 200, code: code)
    let expected = ImageFacts(format: .jpeg, width: 300, height: 200, bytes: bytes.count)
    #expect(try inspect(bytes) == expected)
  }

  @Test(
    "sizes from one pixel to the largest frame", arguments: [(1, 1), (1, 65535), (16000, 16000)])
  func sizes(width: Int, height: Int) throws {
    let facts = try inspect(jpeg(width, height, data: [0]))
    #expect((facts.width, facts.height) == (width, height))
  }

  @Test("a thumbnail inside does not give the size, nor its end the end")
  func thumbnail() throws {
    let bytes = jpegWithThumbnail(640, 480)
    #expect(try inspect(bytes).width == 640)
    #expect(refusal(of: bytes.dropLast(2)) == .truncated(.jpeg))
  }

  @Test("what follows the end is allowed: a video, a second image, zeros")
  func appended() throws {
    for more in [Array("\0\0\0\u{18}ftypmp42".utf8), jpeg(9, 9), [UInt8](repeating: 0, count: 99)] {
      let facts = try inspect(jpeg(21, 10, appended: more))
      #expect(facts.width == 21)
      #expect(facts.bytes == jpeg(21, 10).count + more.count)
    }
  }

  @Test("a download whose rest is zeros has no end")
  func zeroFilled() {
    let bytes = jpeg(80, 60)
    let filled = bytes.dropLast(4) + [UInt8](repeating: 0, count: 4096)
    #expect(refusal(of: filled) == .truncated(.jpeg))
  }

  static let broken: [Damage] = [
    Damage("its width is zero", jpeg(0, 10, data: [0])),
    Damage("its height is missing", jpeg(10, 0, data: [0])),
    Damage("it holds no image", [0xFF, 0xD8, 0xFF, 0xD9]),
    Damage("it holds no image", jpeg(8, 8, data: [])),
    Damage("it holds no image", jpeg(8, 8, scans: 0)),
    Damage("it holds more than one frame", [0xFF, 0xD8], frameHeader(8, 8), frameHeader(8, 8)),
    Damage("its image data comes before its size", [0xFF, 0xD8], scanHeader, [0, 0xFF, 0xD9]),
    Damage("its frame header is broken", [0xFF, 0xD8], segment(0xC0, [8, 0, 8, 0, 8])),
    Damage("its frame header is broken", [0xFF, 0xD8], segment(0xC0, [8, 0, 8, 0, 8, 0])),
    Damage("a scan header is broken", [0xFF, 0xD8], frameHeader(8, 8), segment(0xDA, [1, 1, 0])),
    Damage("one of its parts has an impossible length", [0xFF, 0xD8, 0xFF, 0xE0, 0, 1]),
    Damage("it has stray bytes between its parts", [0xFF, 0xD8], jpegTables, [0x17]),
    Damage("it has stray bytes between its parts", [0xFF, 0xD8, 0xFF, 0x00, 0xFF]),
    Damage("a second image starts inside of it", [0xFF, 0xD8, 0xFF, 0xD8, 0xFF]),
    Damage("a second image starts inside of it", Array(jpeg(8, 8).dropLast(2)), jpeg(8, 8)),
    Damage("it has a part that JPEG does not know (marker F7)", [0xFF, 0xD8, 0xFF, 0xF7, 0, 2]),
  ]

  @Test("broken structure is damage", arguments: broken)
  func damage(damage: Damage) {
    #expect(refusal(of: damage.bytes) == .damaged(.jpeg, damage.what))
  }

  @Test("more pixels than the limit are too many")
  func tooLarge() {
    #expect(refusal(of: jpeg(65535, 65535, data: [0])) == .tooLarge(width: 65535, height: 65535))
  }
}
