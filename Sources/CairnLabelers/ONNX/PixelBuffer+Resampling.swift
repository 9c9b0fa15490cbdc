internal import CairnPhotos

/// The weighting of pixels when resizing an image.
enum ResamplingFilter: String, Sendable {
  case bilinear, bicubic

  /// The radius of the filter, in pixels of the smaller scale.
  fileprivate var support: Double { self == .bilinear ? 1 : 2 }

  fileprivate func weight(at distance: Double) -> Double {
    let x = abs(distance)
    switch self {
    case .bilinear: return x < 1 ? 1 - x : 0
    case .bicubic:
      let a = -0.5
      if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
      return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0
    }
  }
}

extension PixelBuffer {
  /// Returns the image resized with the same pixels as Pillow's `Image.resize`, which most models
  /// were trained with.
  ///
  /// Source: Pillow, src/libImaging/Resample.c: fixed-point weights with 22 bits, first the rows,
  /// then the columns.
  func resized(width: Int, height: Int, _ filter: ResamplingFilter) -> PixelBuffer {
    var image = self
    if width != self.width {
      let weights = Weights(from: self.width, to: width, filter)
      image = image.resampledRows(weights, width: width)
    }
    if height != self.height {
      let weights = Weights(from: self.height, to: height, filter)
      image = image.resampledColumns(weights, height: height)
    }
    return image
  }

  /// The source pixels and weights of each pixel of the result.
  private struct Weights {
    static let precision = 22
    var spans: [Range<Int>] = []
    var starts: [Int] = []
    var values: [Int32] = []

    init(from old: Int, to new: Int, _ filter: ResamplingFilter) {
      let scale = Double(old) / Double(new)
      let stretch = max(1, scale)
      let support = filter.support * stretch
      for pixel in 0..<new {
        let center = (Double(pixel) + 0.5) * scale
        let first = max(0, Int(center - support + 0.5))
        let end = min(old, Int(center + support + 0.5))
        var weights = (first..<end).map {
          filter.weight(at: (Double($0) - center + 0.5) * (1 / stretch))
        }
        let sum = weights.reduce(0, +)
        if sum != 0 { for index in weights.indices { weights[index] /= sum } }
        starts.append(values.count)
        spans.append(first..<end)
        values += weights.map { weight in
          let value = weight * Double(1 << Weights.precision)
          return Int32(value < 0 ? value - 0.5 : value + 0.5)
        }
      }
    }
  }

  private static func clipped(_ sum: Int) -> UInt8 {
    UInt8(max(0, min(255, sum >> Weights.precision)))
  }

  private func resampledRows(_ weights: Weights, width: Int) -> PixelBuffer {
    var result = [UInt8](repeating: 0, count: width * height * 3)
    result.withUnsafeMutableBufferPointer { result in
      bytes.withUnsafeBufferPointer { bytes in
        for row in 0..<height {
          for column in 0..<width {
            let (span, start) = (weights.spans[column], weights.starts[column])
            for channel in 0..<3 {
              var sum = 1 << (Weights.precision - 1)
              var offset = (row * self.width + span.lowerBound) * 3 + channel
              for index in 0..<span.count {
                sum += Int(bytes[offset]) * Int(weights.values[start + index])
                offset += 3
              }
              result[(row * width + column) * 3 + channel] = PixelBuffer.clipped(sum)
            }
          }
        }
      }
    }
    return PixelBuffer(width: width, height: height, bytes: result)
  }

  private func resampledColumns(_ weights: Weights, height: Int) -> PixelBuffer {
    let line = width * 3
    var result = [UInt8](repeating: 0, count: line * height)
    result.withUnsafeMutableBufferPointer { result in
      bytes.withUnsafeBufferPointer { bytes in
        for row in 0..<height {
          let (span, start) = (weights.spans[row], weights.starts[row])
          for column in 0..<line {
            var sum = 1 << (Weights.precision - 1)
            var offset = span.lowerBound * line + column
            for index in 0..<span.count {
              sum += Int(bytes[offset]) * Int(weights.values[start + index])
              offset += line
            }
            result[row * line + column] = PixelBuffer.clipped(sum)
          }
        }
      }
    }
    return PixelBuffer(width: width, height: height, bytes: result)
  }
}
