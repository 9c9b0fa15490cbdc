import Foundation
import TestSupport

/// Pictures of stripes, dots and checks in colors that vary.
enum Textures {
  static let kinds = ["stripes", "dots", "checks"]

  /// Writes `count` pictures of each kind, named `stripes-00.bmp` and so on.
  static func write(_ numbers: Range<Int>, to folder: String, in box: Sandbox) throws {
    for kind in kinds.indices {
      for number in numbers {
        let name = "\(kinds[kind])-\(number < 10 ? "0" : "")\(number).bmp"
        try box.write(picture(kind, seed: UInt64(kind * 1000 + number)), to: "\(folder)/\(name)")
      }
    }
  }

  private static let side = 96

  /// Source: Microsoft, BITMAPINFOHEADER; 24 bits a pixel, rows without padding.
  private static func picture(_ kind: Int, seed: UInt64) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var header: [UInt8] = [0x42, 0x4D]
    header += bytes(54 + 3 * side * side, 4) + bytes(0, 4) + bytes(54, 4) + bytes(40, 4)
    header += bytes(side, 4) + bytes(side, 4) + bytes(1, 2) + bytes(24, 2) + bytes(0, 24)
    var random = SeededGenerator(seed)
    let period = Int.random(in: 8...14, using: &random)
    let shift = Int.random(in: 0..<period, using: &random)
    let colors = [20...100, 150...230].map { range in
      (0..<3).map { _ in Int.random(in: range, using: &random) }
    }
    // Shadows, by which no picture looks like a copy of another.
    let waves = (0..<3).map { _ in
      (
        Double.random(in: -3...3, using: &random), Double.random(in: -3...3, using: &random),
        Double.random(in: 0...6, using: &random)
      )
    }
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let (u, v) = (2 * ((x + shift) % period) - period, 2 * ((y + shift) % period) - period)
        let isLight =
          switch kind {
          case 0: u < 0
          case 1: u * u + v * v < period * period / 2
          default: (u < 0) == (v < 0)
          }
        let shade = waves.reduce(0) { sum, wave in
          sum + 20 * sin((Double(x) * wave.0 + Double(y) * wave.1) / 16 + wave.2)
        }
        for color in colors[isLight ? 1 : 0] {
          let noise = Int.random(in: -10...10, using: &random)
          pixels.append(UInt8(clamping: color + Int(shade) + noise))
        }
      }
    }
    return header + pixels
  }
}
