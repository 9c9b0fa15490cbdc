import CairnDocument
import CairnStore
import Foundation
import SystemPackage
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
}
