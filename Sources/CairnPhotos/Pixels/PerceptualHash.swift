internal import LibC

/// A 64-bit hash of an image's appearance: similar images differ in few bits.
///
/// Each bit records whether one of the 64 lowest frequencies of the upright image, in gray at 32 ×
/// 32 pixels, is above their median. Measured on 27 photos: copies that differ in size, compression,
/// brightness or contrast differ in 0 to 6 bits, copies cropped by 2% on each side in at most 8, by
/// 5% in at most 20; different photos in 22 or more. Hashes that compare neighboring pixels, or
/// pixels with their mean, separated them less well. The page Photos explains the limits in use.
/// Source: “Rihamark: perceptual image hash benchmarking”, C. Zauner et al., 2011, “DCT based
/// hash”.
package struct PerceptualHash: Hashable, Sendable {
  package let bits: UInt64

  package init(bits: UInt64) { self.bits = bits }

  /// The number of bits that differ, 0 to 64.
  package func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

  /// Creates the hash of an image; nil when the image has too little detail: all photos of a clear
  /// sky would match one another.
  package init?(of pixels: PixelBuffer) {
    let frequencies = lowFrequencies(of: pixels.resized(width: side, height: side))
    guard frequencies.dropFirst().contains(where: { abs($0) >= leastDetail }) else { return nil }
    // Rounding noise must not set a bit.
    let values = frequencies.map { abs($0) < leastDetail / 4 ? 0 : $0 }
    let sorted = values.sorted()
    let median = (sorted[31] + sorted[32]) / 2
    bits = values.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
  }
}

private let side = 32
private let frequencyCount = 8
/// Half a gray level over the whole image.
private let leastDetail: Float = 16

/// The cosine values of each frequency at each pixel of a line, one frequency after another.
private let cosines: [Float] = (0..<frequencyCount).flatMap { (frequency: Int) -> [Float] in
  let factor: Double = ((frequency == 0 ? 1.0 : 2.0) / Double(side)).squareRoot()
  return (0..<side).map { (pixel: Int) -> Float in
    let angle = Double((2 * pixel + 1) * frequency) * Double.pi / Double(2 * side)
    return Float(factor * cos(angle))
  }
}

/// Returns the 8 × 8 lowest frequencies of the gray image, row by row: the discrete cosine
/// transform (type II, orthonormal).
private func lowFrequencies(of pixels: PixelBuffer) -> [Float] {
  // Rec. 601 luma.
  let gray = (0..<side * side).map { (index: Int) -> Float in
    let (red, green) = (Float(pixels.bytes[3 * index]), Float(pixels.bytes[3 * index + 1]))
    return 0.299 * red + 0.587 * green + 0.114 * Float(pixels.bytes[3 * index + 2])
  }
  var rows = [Float](repeating: 0, count: side * frequencyCount)
  for y in 0..<side {
    for u in 0..<frequencyCount {
      var sum: Float = 0
      for x in 0..<side { sum += gray[y * side + x] * cosines[u * side + x] }
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
