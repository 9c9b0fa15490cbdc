import CairnDocument
import TestSupport
import Testing

@testable import CairnPhotos

/// What PixelTests, whose files Pillow writes, leaves open: damage, limits and metadata.
@Suite("GIF, BMP, TIFF")
struct StoredFormatTests {
  private static let size = (width: 4, height: 2)

  /// Two rows of four pixels in two colors, each code on its own. Source: GIF 89a, appendix F.
  private static let gif: [UInt8] =
    Array("GIF89a".utf8) + [4, 0, 2, 0, 0x80, 0, 0, 10, 20, 30, 200, 100, 50]
    + [0x21, 0xF9, 4, 1, 0, 0, 1, 0] + [0x2C, 0, 0, 0, 0, 4, 0, 2, 0, 0]
    + [2, 5, 0x04, 0x02, 0x81, 0x08, 0x05, 0, 0x3B]

  private static let bmp: [UInt8] = {
    var bytes = Array("BM".utf8)
    bytes.append(littleEndian: 54 + 24, count: 4)
    bytes.append(littleEndian: 0, count: 4)
    for value in [54, 40, size.width, size.height] { bytes.append(littleEndian: value, count: 4) }
    bytes += [1, 0, 24, 0]
    bytes += [UInt8](repeating: 0, count: 24) + (0..<24).map { UInt8($0) }
    return bytes
  }()

  private static let tiff: [UInt8] = {
    let fields = [
      RawBuilder.numbers(256, size.width), RawBuilder.numbers(257, size.height),
      RawBuilder.numbers(258, 8, 8, 8, type: 3), RawBuilder.numbers(259, 1, type: 3),
      RawBuilder.numbers(262, 2, type: 3), RawBuilder.numbers(273, 8),
      RawBuilder.numbers(277, 3, type: 3), RawBuilder.numbers(279, 24),
    ]
    var bytes = Array("II*\0".utf8)
    bytes.append(littleEndian: 32, count: 4)
    return bytes + (0..<24).map { UInt8($0) } + RawBuilder.directory(fields, at: 32)
  }()

  private static let samples: [(format: ImageFormat, bytes: [UInt8])] = [
    (.gif, gif), (.bmp, bmp), (.tiff, tiff),
  ]

  @Test("reads the size, and accepts bytes after the end", arguments: samples.map(\.format))
  func sizes(format: ImageFormat) throws {
    let bytes = Self.samples.first { $0.format == format }?.bytes ?? []
    for more in [0, 1, 100] {
      let facts = try inspect(bytes + [UInt8](repeating: 0xFF, count: more))
      #expect(facts.format == format)
      #expect((facts.width, facts.height) == Self.size)
    }
  }

  @Test("decodes rows from the bottom of a BMP, and from the top of a TIFF")
  func rows() throws {
    let expected = (0..<24).map { UInt8($0) }
    #expect(try decode(Self.tiff).bytes == expected)
    let bottomUp = try decode(Self.bmp).bytes
    #expect(Array(bottomUp.prefix(3)) == [14, 13, 12])
    #expect(Array(bottomUp.suffix(3)) == [11, 10, 9])
  }

  @Test("rejects a file truncated at any byte", arguments: samples.map(\.format))
  func prefixes(format: ImageFormat) throws {
    let bytes = Self.samples.first { $0.format == format }?.bytes ?? []
    // A GIF without its trailer is complete, and so are the facts of a TIFF without the last values of
    // its directory, which only decoding needs.
    let needless = [.gif: 1, .tiff: 14][format] ?? 0
    for length in 10..<bytes.count - needless {
      #expect(refusal(of: bytes.prefix(length)) != nil, "\(length)")
    }
  }

  @Test("never crashes when any byte is set to an extreme value", arguments: samples.map(\.format))
  func extremes(format: ImageFormat) throws {
    let bytes = Self.samples.first { $0.format == format }?.bytes ?? []
    for offset in bytes.indices {
      for value in [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
        let changed = bytes.replacing(offset, with: value)
        guard let facts = try? inspect(changed) else { continue }
        #expect(facts.width * facts.height <= ImageLimit.pixels)
        _ = changed.withUnsafeBytes { PhotoMetadata(of: $0, facts) }
        _ = try? changed.withUnsafeBytes { try imageWithoutPosition($0, facts.format) }
        guard facts.width * facts.height < 1 << 22, let pixels = try? decode(changed) else {
          continue
        }
        #expect(pixels.bytes.count == 3 * pixels.width * pixels.height)
      }
    }
  }

  @Test("rejects images and tiles that are too large before decoding them")
  func giants() {
    let wide = Self.gif.replacing(6, with: 0xFF, 0xFF, 0xFF, 0xFF)
    #expect(refusal(of: wide) == .tooLarge(width: 65535, height: 65535))
    let fields = [
      RawBuilder.numbers(256, 10), RawBuilder.numbers(257, 10),
      RawBuilder.numbers(258, 8, type: 3), RawBuilder.numbers(322, 1 << 20),
      RawBuilder.numbers(323, 16), RawBuilder.numbers(324, 8), RawBuilder.numbers(325, 8),
    ]
    let tiled = Array("II*\0".utf8) + [16, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
    let file = tiled + RawBuilder.directory(fields, at: 16)
    #expect(refusal(of: file) == .damaged(.tiff, "its tiles are too large"))
  }

  @Test("ends at directories that refer to one another")
  func cycle() {
    let fields = [RawBuilder.numbers(256, 10), RawBuilder.numbers(330, 8)]
    let file = Array("II*\0".utf8) + [8, 0, 0, 0] + RawBuilder.directory(fields, at: 8, next: 8)
    #expect(refusal(of: file) == .damaged(.tiff, "it does not contain the size of its image"))
  }

  @Test("removes the location of a TIFF and keeps its picture")
  func withoutPosition() throws {
    let location = [
      RawBuilder.text(1, "N"), RawBuilder.numbers(2, 47, 1, 30, 1, 0, 1, type: 5),
      RawBuilder.text(3, "E"), RawBuilder.numbers(4, 8, 1, 30, 1, 0, 1, type: 5),
    ]
    let pixels = (0..<24).map { UInt8($0) }
    let gps = RawBuilder.directory(location, at: 32)
    let start = 32 + gps.count
    let fields = [
      RawBuilder.numbers(256, 4), RawBuilder.numbers(257, 2),
      RawBuilder.numbers(258, 8, 8, 8, type: 3), RawBuilder.numbers(262, 2, type: 3),
      RawBuilder.numbers(273, 8), RawBuilder.numbers(277, 3, type: 3),
      RawBuilder.numbers(279, 24), RawBuilder.numbers(34853, 32),
    ]
    var head = Array("II*\0".utf8)
    head.append(littleEndian: start, count: 4)
    let file = head + pixels + gps + RawBuilder.directory(fields, at: start)
    let found = file.withUnsafeBytes { PhotoMetadata.location(in: $0) }
    #expect(found?.coordinate == Coordinate(latitude: 47.5, longitude: 8.5))
    let cleaned = try #require(try file.withUnsafeBytes { try imageWithoutPosition($0, .tiff) })
    #expect(cleaned.withUnsafeBytes { PhotoMetadata.location(in: $0) } == nil)
    #expect(try decode(cleaned).bytes == pixels)
  }

  @Test("removes IPTC from all directories of a TIFF and keeps its picture")
  func withoutIPTC() throws {
    let place = Array("Bern, Switzerland".utf8)
    let pixels = (0..<24).map { UInt8($0) }
    let child = RawBuilder.directory([RawBuilder.bytes(34377, place)], at: 32)
    let page = 32 + child.count
    let second = RawBuilder.directory([RawBuilder.bytes(33723, place, type: 1)], at: page)
    let start = page + second.count
    let fields = [
      RawBuilder.numbers(256, 4), RawBuilder.numbers(257, 2),
      RawBuilder.numbers(258, 8, 8, 8, type: 3), RawBuilder.numbers(262, 2, type: 3),
      RawBuilder.numbers(273, 8), RawBuilder.numbers(277, 3, type: 3),
      RawBuilder.numbers(279, 24), RawBuilder.numbers(330, 32), RawBuilder.bytes(33723, place),
    ]
    var head = Array("II*\0".utf8)
    head.append(littleEndian: start, count: 4)
    let main = RawBuilder.directory(fields, at: start, next: page)
    let file = head + pixels + child + second + main
    let cleaned = try #require(try file.withUnsafeBytes { try imageWithoutPosition($0, .tiff) })
    #expect(file.firstRange(of: place) != nil && cleaned.firstRange(of: place) == nil)
    #expect(cleaned.count == file.count)
    #expect(try decode(cleaned).bytes == pixels)
  }

  @Test("refuses to strip a BigTIFF with a location")
  func bigTIFF() {
    var file = Array("II+\0".utf8) + [8, 0, 0, 0]
    for value in [16, 1] { file.append(littleEndian: value, count: 8) }
    for (value, count) in [(34853, 2), (4, 2), (1, 8), (16, 8), (0, 8)] {
      file.append(littleEndian: value, count: count)
    }
    #expect(throws: UnremovablePosition.self) {
      try file.withUnsafeBytes { try imageWithoutPosition($0, .tiff) }
    }
  }
}
