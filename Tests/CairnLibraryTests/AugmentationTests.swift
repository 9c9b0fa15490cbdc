import CairnDocument
import CairnPhotos
import Foundation
import TestSupport
import Testing

@testable import Cairn

@Suite("Changed copies of images")
struct AugmentationTests {
  private static let photos = [UInt8(0), 100].map { first in
    PhotoID(digest: (0..<32).map { first + $0 })
  }

  private static let image = makeImage(width: 37, height: 23)

  private static func makeImage(width: Int, height: Int) -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<3 {
          bytes.append(UInt8((5 * x + 3 * y + 40 * channel + x * y / 7) % 256))
        }
      }
    }
    return PixelBuffer(width: width, height: height, bytes: bytes)
  }

  private func checksum(_ image: PixelBuffer) -> UInt32 {
    image.bytes.withUnsafeBytes { crc32($0) }
  }

  /// The sums are those that augmentation.py prints. Cached features depend on them: a change needs
  /// another version.
  @Test(
    "gives the same pixels on every machine",
    arguments: [
      (Augmentation.crop, [0x566D_ED45, 0x1850_38A1]),
      (.rotate, [0x913C_A309, 0xBBAA_D10A]), (.blur, [0x3FA5_754B, 0x730A_1471]),
      (.expose, [0xC7D7_C2B5, 0xD3B8_0076]), (.noise, [0xBA24_0F2A, 0xC8FD_98DF]),
      (.flip, [0x5D3A_6218, 0x5D3A_6218]),
    ] as [(Augmentation, [UInt32])])
  func checksums(augmentation: Augmentation, sums: [UInt32]) {
    #expect(Augmentation.version == 1)
    for (photo, sum) in zip(Self.photos, sums) {
      #expect(checksum(augmentation.copy(of: Self.image, photo)) == sum)
    }
  }

  @Test("keeps the size, except for crops", arguments: Augmentation.allCases)
  func sizes(augmentation: Augmentation) {
    for (width, height) in [(37, 23), (320, 200), (1, 1), (1, 9), (9, 1)] {
      let image = Self.makeImage(width: width, height: height)
      let copy = augmentation.copy(of: image, Self.photos[0])
      let isCrop = augmentation == .crop
      #expect(copy.width == (isCrop ? max(1, width * 4 / 5) : width))
      #expect(copy.height == (isCrop ? max(1, height * 4 / 5) : height))
      if width > 1, height > 1 { #expect(copy != image) }
    }
  }

  @Test("restores the image when it is mirrored twice")
  func mirrored() {
    let copy = Augmentation.flip.copy(of: Self.image, Self.photos[0])
    #expect(copy.bytes.prefix(3) == Self.image.bytes[108..<111])
    #expect(Augmentation.flip.copy(of: copy, Self.photos[1]) == Self.image)
  }

  private static let python = Python.program(having: "numpy")

  @Test(
    "agrees with NumPy",
    .enabled(if: python != nil, "there is no NumPy: `make setup` installs it"))
  func numPy() throws {
    let script = packageDirectory.appending(path: "Tests/CairnLibraryTests/augmentation.py").path
    let output = try Command(try #require(Self.python), [script], in: packageDirectory.path).run()
    try #require(output.status == 0, "\(output.stderr)")
    let lines = Self.photos.flatMap { photo in
      Augmentation.allCases.map { augmentation in
        let copy = augmentation.copy(of: Self.image, photo)
        return "\(augmentation) \(copy.width) \(copy.height) \(checksum(copy))\n"
      }
    }
    #expect(output.stdout == lines.joined())
  }
}
