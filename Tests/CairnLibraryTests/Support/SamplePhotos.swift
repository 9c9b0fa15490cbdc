import Cairn
import CairnPhotos
import Foundation
import TestSupport

extension Dataset {
  /// Returns all visible photos.
  func records() throws -> [PhotoRecord] {
    var records: [PhotoRecord] = []
    try forEachPhoto { records.append($0) }
    return records
  }
}

typealias Picture = PixelBuffer

extension PixelBuffer {
  /// Makes an image that resembles a photo: waves of color, different for each seed.
  init(seed: Int, width: Int, height: Int) {
    var bytes: [UInt8] = []
    var random = XorshiftGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
    func below(_ bound: UInt64) -> Int { Int(random.next() % bound) }
    let waves = (0..<9).map { _ in
      (x: below(7), y: below(7), phase: below(6), channel: below(3))
    }
    for y in 0..<height {
      for x in 0..<width {
        var pixel = [110.0, 120, 130]
        for wave in waves {
          let angle = Double(wave.x * x) / Double(width) + Double(wave.y * y) / Double(height)
          pixel[wave.channel] += 14 * sin(3.1 * angle + Double(wave.phase))
        }
        bytes += pixel.map { UInt8(min(max($0, 0), 255)) }
      }
    }
    self.init(width: width, height: height, bytes: bytes)
  }

  init(decoding bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { try PixelBuffer(decoding: $0) }
  }

  func jpeg(quality: Int) -> [UInt8] { jpegBytes(quality: quality) ?? [] }
}
