extension PixelBuffer {
  /// Returns the image downscaled to fit a square of `side` pixels; unchanged if it already fits.
  package func fitting(_ side: Int) -> PixelBuffer {
    let size = PixelBuffer.size(of: width, height, fitting: side)
    return resized(width: size.width, height: size.height)
  }

  /// Returns the image at another size, each pixel the mean of those that it covers (a box filter).
  /// - Precondition: The size is at least 1 × 1.
  public func resized(width newWidth: Int, height newHeight: Int) -> PixelBuffer {
    precondition(newWidth > 0 && newHeight > 0)
    if (newWidth, newHeight) == (width, height) { return self }
    let columns = Coverage(of: width, by: newWidth)
    let rows = Coverage(of: height, by: newHeight)
    let resized = [UInt8](unsafeUninitializedCapacity: 3 * newWidth * newHeight) { out, count in
      bytes.withUnsafeBufferPointer { stored in
        var sums = [Float](repeating: 0, count: 3 * newWidth)
        sums.withUnsafeMutableBufferPointer { sums in
          for y in 0..<newHeight {
            sums.update(repeating: 0)
            rows.forEach(of: y) { row, weight in
              let line = UnsafeBufferPointer(
                rebasing: stored[(3 * width * row)..<(3 * width * (row + 1))])
              columns.add(line, times: weight, to: sums)
            }
            let target = 3 * newWidth * y
            for index in 0..<sums.count {
              out[target + index] = UInt8(min(max(sums[index] + 0.5, 0), 255))
            }
          }
        }
      }
      count = 3 * newWidth * newHeight
    }
    return PixelBuffer(width: newWidth, height: newHeight, bytes: resized)
  }
}

/// The weights with which each new pixel of a line covers the old ones.
private struct Coverage {
  /// The first old pixel of each new one, and the range of its weights.
  private var spans: [(first: Int, weights: Range<Int>)] = []
  /// The weights of one new pixel sum to 1.
  private var weights: [Float] = []

  init(of old: Int, by new: Int) {
    let scale = Double(old) / Double(new)
    for index in 0..<new {
      let (start, end) = (Double(index) * scale, Double(index + 1) * scale)
      let first = min(Int(start), old - 1)
      let begin = weights.count
      for pixel in first..<max(first + 1, min(old, Int(end.rounded(.up)))) {
        let covered = min(end, Double(pixel + 1)) - max(start, Double(pixel))
        weights.append(Float(max(covered, 0) / scale))
      }
      spans.append((first, begin..<weights.count))
    }
  }

  /// Calls `body` with each old pixel covered by a new one, and its weight.
  func forEach(of new: Int, _ body: (Int, Float) -> Void) {
    let span = spans[new]
    for index in span.weights { body(span.first + index - span.weights.lowerBound, weights[index]) }
  }

  /// Adds a line of old pixels, multiplied by `factor`, to a line of new ones.
  func add(
    _ line: UnsafeBufferPointer<UInt8>, times factor: Float,
    to sums: UnsafeMutableBufferPointer<Float>
  ) {
    weights.withUnsafeBufferPointer { weights in
      spans.withUnsafeBufferPointer { spans in
        for new in 0..<spans.count {
          let span = spans[new]
          var (red, green, blue): (Float, Float, Float) = (0, 0, 0)
          var source = 3 * span.first
          for index in span.weights {
            let weight = weights[index]
            red += weight * Float(line[source])
            green += weight * Float(line[source + 1])
            blue += weight * Float(line[source + 2])
            source += 3
          }
          sums[3 * new] += factor * red
          sums[3 * new + 1] += factor * green
          sums[3 * new + 2] += factor * blue
        }
      }
    }
  }
}
