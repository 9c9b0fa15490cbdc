internal import LibC

/// What an image looks like, in 64 bits: two that look alike differ in few of them.
///
/// Each bit tells whether one of the 64 lowest frequencies of the upright image, in grey at 32 × 32
/// pixels, is above their median. Of photos at other sizes, in other compression, brighter or a little
/// cropped, 0 to 10 bits differ; of photos of different things mostly 20 to 44. Bits that compare
/// neighbouring pixels, or pixels with their mean, were measured to tell them apart less well.
/// Source: “Rihamark: perceptual image hash benchmarking”, C. Zauner et al., 2011, “DCT based hash”.
public struct PerceptualHash: Hashable, Sendable {
  public let bits: UInt64

  public init(bits: UInt64) { self.bits = bits }

  /// The number of bits that differ, 0 to 64.
  public func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

  /// Makes the hash of an image; nil where nothing is on it to tell it by: every photo of a clear sky
  /// would be like every other.
  public init?(of pixels: PixelBuffer) {
    let frequencies = lowFrequencies(of: pixels.resized(width: side, height: side))
    guard frequencies.dropFirst().contains(where: { abs($0) >= leastDetail }) else { return nil }
    // What rounding leaves of nothing must not be a bit.
    let values = frequencies.map { abs($0) < leastDetail / 4 ? 0 : $0 }
    let sorted = values.sorted()
    let median = (sorted[31] + sorted[32]) / 2
    bits = values.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
  }
}

private let side = 32
private let frequencyCount = 8
/// Half a step of grey over the whole image.
private let leastDetail: Float = 16

/// Row by row of a frequency, its value at each of the pixels of a line.
private let cosines: [Float] = (0..<frequencyCount).flatMap { (frequency: Int) -> [Float] in
  let factor: Double = ((frequency == 0 ? 1.0 : 2.0) / Double(side)).squareRoot()
  return (0..<side).map { (pixel: Int) -> Float in
    let angle = Double((2 * pixel + 1) * frequency) * Double.pi / Double(2 * side)
    return Float(factor * cos(angle))
  }
}

/// Returns the discrete cosine transform (type II, orthonormal) of the grey image, its 8 × 8 lowest
/// frequencies, row by row.
private func lowFrequencies(of pixels: PixelBuffer) -> [Float] {
  // Rec. 601 luma.
  let grey = (0..<side * side).map { (index: Int) -> Float in
    let (red, green) = (Float(pixels.bytes[3 * index]), Float(pixels.bytes[3 * index + 1]))
    return 0.299 * red + 0.587 * green + 0.114 * Float(pixels.bytes[3 * index + 2])
  }
  var rows = [Float](repeating: 0, count: side * frequencyCount)
  for y in 0..<side {
    for u in 0..<frequencyCount {
      var sum: Float = 0
      for x in 0..<side { sum += grey[y * side + x] * cosines[u * side + x] }
      rows[y * frequencyCount + u] = sum
    }
  }
  var frequencies: [Float] = []
  for v in 0..<frequencyCount {
    for u in 0..<frequencyCount {
      var sum: Float = 0
      for y in 0..<side { sum += rows[y * frequencyCount + u] * cosines[v * side + y] }
      frequencies.append(sum)
    }
  }
  return frequencies
}
