import CairnDocument
import CairnPhotos
import Testing

extension Array where Element == UInt8 {
  mutating func append16(bigEndian value: Int) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  mutating func append32(bigEndian value: Int) {
    append16(bigEndian: value >> 16)
    append16(bigEndian: value)
  }

  /// Appends the lowest `count` bytes of `value` in little-endian order.
  mutating func append(littleEndian value: Int, count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  /// Returns a copy with `replacement` at `offset`.
  func replacing(_ offset: Int, with replacement: UInt8...) -> [UInt8] {
    var copy = self
    copy.replaceSubrange(offset..<offset + replacement.count, with: replacement)
    return copy
  }
}

/// Returns the facts about the image in `bytes`.
func inspect(_ bytes: some Collection<UInt8>) throws(ImageError) -> ImageFacts {
  // The copy has exactly the size of the bytes, so that a sanitizer sees a read past their end.
  let copy = Array(bytes)
  let result = copy.withUnsafeBytes { buffer in
    Result { () throws(ImageError) in try ImageFacts(inspecting: buffer) }
  }
  return try result.get()
}

/// Returns the error for `bytes`, or nil if they are accepted.
func refusal(of bytes: some Collection<UInt8>) -> ImageError? {
  do throws(ImageError) {
    _ = try inspect(bytes)
    return nil
  } catch {
    return error
  }
}

/// Bytes with a broken structure, and the expected error text.
struct Damage: Sendable, CustomTestStringConvertible {
  let what: String
  let bytes: [UInt8]

  var testDescription: String { what }

  init(_ what: String, _ parts: [UInt8]...) {
    self.what = what
    bytes = Array(parts.joined())
  }
}

/// A valid image of 21 × 10 pixels for each variant of a format.
struct Sample: Sendable, CustomTestStringConvertible {
  static let width = 21
  static let height = 10

  let name: String
  let format: ImageFormat
  let bytes: [UInt8]

  var testDescription: String { name }

  static let all: [Sample] = [
    Sample(name: "JPEG", format: .jpeg, bytes: jpeg(width, height)),
    Sample(
      name: "JPEG with restarts and fill", format: .jpeg,
      bytes: jpeg(width, height, data: [0x12, 0xFF, 0x00, 0xFF, 0xD0, 0x34, 0xFF, 0xFF, 0xD1, 0])),
    Sample(name: "JPEG with three scans", format: .jpeg, bytes: jpeg(width, height, scans: 3)),
    Sample(name: "JPEG with a thumbnail", format: .jpeg, bytes: jpegWithThumbnail(width, height)),
    Sample(name: "PNG", format: .png, bytes: png(width, height)),
    Sample(name: "WebP lossy", format: .webp, bytes: webp([lossy(width, height)])),
    Sample(name: "WebP lossless", format: .webp, bytes: webp([lossless(width, height)])),
    Sample(
      name: "WebP extended", format: .webp,
      bytes: webp([
        extended(width, height), riffChunk("ICCP", [1, 2, 3]), lossless(width, height),
        riffChunk("EXIF", [4, 5]),
      ])),
    Sample(
      name: "WebP animated", format: .webp,
      bytes: webp([
        extended(width, height, flags: 2), riffChunk("ANIM", [0, 0, 0, 0, 0, 0]),
        frame(x: 0, y: 0, width, height, lossless(width, height)),
        frame(x: 4, y: 2, 17, 8, riffChunk("ALPH", [0, 9, 9]) + lossy(17, 8)),
      ])),
  ]
}
