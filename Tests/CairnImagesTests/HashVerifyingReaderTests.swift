import CairnDocument
import CairnFiles
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnImages

@Suite("Reading images to send")
struct HashVerifyingReaderTests {
  private let here = Scratch()

  /// Reads an image into a buffer of `size` bytes, again and again, and passes on what was read.
  private func read(_ image: Pointer, size: Int, _ body: ([UInt8]) -> Void) throws {
    let reader = try HashVerifyingReader(ImageObject(image), at: here.store.path(of: image.id))
    var buffer = [UInt8](repeating: 0, count: size)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      if count == 0 { return }
      body(Array(buffer[..<count]))
    }
  }

  @Test("returns each byte once, whatever the buffer", arguments: [1000, 256 << 10, 1 << 20])
  func whole(size: Int) throws {
    let image = try here.add(1, size: 700_000)
    var pieces: [[UInt8]] = []
    try read(image, size: size) { pieces.append($0) }
    #expect(Array(pieces.joined()) == here.bytes(of: image.id))
    #expect(pieces.count == (image.size + size - 1) / size)
  }

  @Test("does not return the last bytes of an image that is damaged", arguments: [1000, 256 << 10])
  func damaged(size: Int) throws {
    let image = try here.add(1, size: 700_000)
    let path = here.store.path(of: image.id).string
    var wrong = sampleBytes(1, size: image.size)
    wrong[0] ^= 1
    for bytes in [wrong, sampleBytes(1, size: 699_999)] {
      try FileManager.default.removeItem(atPath: path)
      try Data(bytes).write(to: URL(filePath: path))
      var count = 0
      #expect(throws: StoreError.self) { try read(image, size: size) { count += $0.count } }
      #expect(count < image.size)
    }
  }

  /// Opens the file of an image, which is read-only, for changes in place.
  private func change(_ image: Pointer, _ body: (FileDescriptor) throws -> Void) throws {
    let path = here.store.path(of: image.id)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path.string)
    let file = try FileDescriptor.open(path, .readWrite)
    try file.closeAfter { try body(file) }
  }

  private static let attribute = "user.cairn"

  private func checksum(of image: Pointer) throws -> [UInt8] {
    let file = try FileDescriptor.open(here.store.path(of: image.id), .readOnly)
    return try #require(
      try file.closeAfter { file.attribute(HashVerifyingReaderTests.attribute, count: 12) })
  }

  @Test("does not return the last bytes of an image that was damaged in place")
  func damagedInPlace() throws {
    let image = try here.add(1, size: 700_000)
    let bytes = sampleBytes(1, size: image.size)
    for position in [0, 300_000, image.size - 1] {
      try change(image) {
        try $0.writeAll(toAbsoluteOffset: Int64(position), [bytes[position] ^ 1])
      }
      var count = 0
      #expect(throws: StoreError.self) {
        try read(image, size: 256 << 10) { count += $0.count }
      }
      #expect(count < image.size)
      try change(image) { try $0.writeAll(toAbsoluteOffset: Int64(position), [bytes[position]]) }
    }
    var all: [UInt8] = []
    try read(image, size: 256 << 10) { all += $0 }
    #expect(all == bytes)
  }

  @Test(
    "does not hash an image whose file records its CRC-32",
    .enabled(if: TemporaryDirectory.keepsAttributes))
  func recorded() throws {
    let (image, other) = (try here.add(1), try here.add(2))
    let recorded = try checksum(of: image)
    let value = try checksum(of: image).prefix(8) + checksum(of: other).suffix(4)
    try change(image) {
      try $0.writeAll(toAbsoluteOffset: 0, sampleBytes(2, size: other.size))
      $0.setAttribute(HashVerifyingReaderTests.attribute, to: Array(value))
    }
    // Only its hash would tell that these bytes are another image's.
    var bytes: [UInt8] = []
    try read(image, size: 1000) { bytes += $0 }
    #expect(bytes == here.bytes(of: other.id))
    try change(image) { $0.setAttribute(HashVerifyingReaderTests.attribute, to: recorded) }
    #expect(throws: StoreError.self) { try read(image, size: 1000) { _ in } }
  }

  @Test(
    "hashes an image whose file has the record of another image",
    .enabled(if: TemporaryDirectory.keepsAttributes))
  func recordOfAnother() throws {
    let (image, other) = (try here.add(1), try here.add(2))
    let record = try checksum(of: other)
    try change(image) { $0.setAttribute(HashVerifyingReaderTests.attribute, to: record) }
    var bytes: [UInt8] = []
    try read(image, size: 1000) { bytes += $0 }
    #expect(bytes == here.bytes(of: image.id))
    try change(image) { try $0.writeAll(toAbsoluteOffset: 0, sampleBytes(2, size: other.size)) }
    #expect(throws: StoreError.self) { try read(image, size: 1000) { _ in } }
  }
}
