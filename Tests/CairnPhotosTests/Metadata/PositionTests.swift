import CairnDocument
import TestSupport
import Testing

@testable import CairnPhotos

@Suite("Removing the GPS position from EXIF")
struct PositionTests {
  private static let gps = 0x8825

  /// Returns an entry of a TIFF directory (TIFF 6.0 section 2), in little-endian order.
  private func entry(_ tag: Int, type: Int = 4, count: Int = 1, _ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: tag, count: 2)
    bytes.append(littleEndian: type, count: 2)
    bytes.append(littleEndian: count, count: 4)
    bytes.append(littleEndian: value, count: 4)
    return bytes
  }

  private func directory(_ entries: [[UInt8]], next: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: entries.count, count: 2)
    bytes += entries.joined()
    bytes.append(littleEndian: next, count: 4)
    return bytes
  }

  /// The byte order mark and the offset of the first directory, 8.
  private let header: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0]

  @Test("removes the GPS entry, its directory and values, and moves later entries up")
  func removed() {
    // The first directory is at 8, the GPS directory at 50, its value at 68.
    let first = directory(
      [entry(0x0110, 7), entry(Self.gps, 50), entry(0x0112, type: 3, 6)], next: 0)
    let position = directory([entry(2, type: 5, count: 3, 68)])
    let value = [UInt8](repeating: 9, count: 24)
    var tiff = (header + first + position + value + [1, 2, 3])[...]
    #expect(removePosition(fromTIFF: &tiff))
    let rest =
      directory([entry(0x0110, 7), entry(0x0112, type: 3, 6)]) + [UInt8](repeating: 0, count: 12)
    #expect(Array(tiff) == header + rest + [UInt8](repeating: 0, count: 18 + 24) + [1, 2, 3])
    #expect(orientation(inTIFF: tiff) == 6)
    let before = tiff
    #expect(!removePosition(fromTIFF: &tiff) && tiff == before)
  }

  @Test("removes the maximum number of entries in linear time")
  func manyEntries() {
    let count = 0xFFFF
    let place = header.count + 2 + 12 * count + 4
    let whole = place + 2 + 12 * 3000 + 4
    let first = directory(Array(repeating: entry(Self.gps, place), count: count))
    // Each value covers the whole file.
    let position = directory(Array(repeating: entry(2, type: 1, count: whole, 8), count: 3000))
    var editor = TIFFEditor(bytes: header + first + position)
    let isRemoved = editor.removePosition()
    #expect(isRemoved && editor.steps < 4 * whole)
    #expect(editor.bytes.dropFirst(8).allSatisfy { $0 == 0 })
  }

  @Test("removes all of EXIF when too many directories overlap")
  func overlapping() {
    // A directory that claims thousands of entries begins every twelve bytes.
    let count = 4000
    let start = header.count + 2 + 12 * (count + 1) + 4
    let places = (0..<count).map { entry(Self.gps, start + 12 * $0) }
    let first = directory(places + [entry(0x0112, type: 3, 6)])
    let claims = [UInt8](repeating: 0x10, count: 12 * count)
    let bytes = header + first + claims
    var editor = TIFFEditor(bytes: bytes)
    let isRemoved = editor.removePosition()
    #expect(isRemoved && editor.steps < 4 * bytes.count)
    #expect(editor.bytes.prefix(8) == header[...] && editor.bytes.count == bytes.count)
    #expect(editor.bytes.dropFirst(8).allSatisfy { $0 == 0 })
  }

  @Test(
    "keeps the number of bytes and leaves no position after any damage", arguments: UInt64(0)..<16)
  func damage(seed: UInt64) {
    var random = SeededGenerator(seed)
    let first = directory(
      [entry(Self.gps, 50), entry(0x0112, type: 3, 6), entry(Self.gps, 68)], next: 8)
    let sound =
      header + first + directory([entry(2, type: 5, count: 3, 68)])
      + [UInt8](repeating: 9, count: 30)
    for _ in 0..<200 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0..<20, using: &random))
      var tiff = bytes[...]
      _ = removePosition(fromTIFF: &tiff)
      #expect(tiff.count == bytes.count)
    }
  }
}
