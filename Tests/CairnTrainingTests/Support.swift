import CairnTraining
import Foundation
import TestSupport

/// Returns a texture of one of three kinds: stripes, dots or checks, in colors that vary.
func texture(_ kind: Int, seed: UInt64) -> [UInt8] {
  var random = SeededGenerator(seed)
  let side = FeatureExtractor.side
  let period = Int.random(in: 8...20, using: &random)
  let (shiftX, shiftY) = (
    Int.random(in: 0..<period, using: &random), Int.random(in: 0..<period, using: &random)
  )
  let light = (0..<3).map { _ in Int.random(in: 150...230, using: &random) }
  let dark = (0..<3).map { _ in Int.random(in: 20...100, using: &random) }
  var pixels: [UInt8] = []
  pixels.reserveCapacity(3 * side * side)
  for y in 0..<side {
    for x in 0..<side {
      let (u, v) = ((x + shiftX) % period, (y + shiftY) % period)
      let isLight =
        switch kind {
        case 0: u < period / 2
        case 1:
          (2 * u - period) * (2 * u - period) + (2 * v - period) * (2 * v - period)
            < period * period / 3
        default: (u < period / 2) == (v < period / 2)
        }
      for channel in 0..<3 {
        let noise = Int.random(in: -12...12, using: &random)
        pixels.append(UInt8(clamping: (isLight ? light : dark)[channel] + noise))
      }
    }
  }
  return pixels
}

/// Returns points around one center for each class, and their classes.
func clusters(
  _ count: Int, classes: Int, columns: Int, spread: Float = 1, seed: UInt64 = 1
) -> (rows: [[Float]], classes: [Int]) {
  var random = SeededGenerator(seed)
  func noise() -> Float {
    (0..<4).reduce(0) { sum, _ in sum + .random(in: -1...1, using: &random) }
  }
  let centers = (0..<classes).map { _ in (0..<columns).map { _ in noise() } }
  let targets = (0..<count).map { $0 % classes }
  return (targets.map { target in centers[target].map { $0 + spread * noise() } }, targets)
}

/// Returns the share of rows whose most likely class is the target.
func accuracy(_ probabilities: [[Double]], _ targets: [Int]) -> Double {
  let right = zip(probabilities, targets).filter { row, target in
    row.firstIndex(of: row.max() ?? 0) == target
  }
  return Double(right.count) / Double(max(1, targets.count))
}
