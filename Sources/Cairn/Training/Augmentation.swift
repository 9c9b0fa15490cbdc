internal import CairnDocument
internal import CairnLabelers
internal import CairnPhotos
internal import CairnTraining

/// A kind of change to copies of the photos that a model learns from, as in Create ML.
public enum Augmentation: String, CaseIterable, Sendable {
  /// A part with four fifths of the width and height.
  case crop
  /// Turned by 4 to 15 degrees, to either side.
  case rotate
  /// Blurred, by one to four passes of a small filter.
  case blur
  /// Darker or lighter by up to one stop.
  case expose
  /// With noise in each color of each pixel.
  case noise
  /// Mirrored left to right.
  case flip

  /// The version of the changes, in the names of files with cached features.
  static let version = 1

  /// Returns a changed copy of a photo's image.
  ///
  /// All arithmetic is on integers, and chance depends only on the photo and the kind, so that the
  /// copy is the same on every machine.
  func copy(of image: PixelBuffer, _ photo: PhotoID) -> PixelBuffer {
    // Source: Fowler, Noll and Vo, FNV-1a, 64 bits.
    let seed = (photo.digest + Array(rawValue.utf8)).reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0100_0000_01B3
    }
    var random = SplitMix64(seed: seed)
    switch self {
    case .crop:
      let (width, height) = (max(1, image.width * 4 / 5), max(1, image.height * 4 / 5))
      let x = random.next(in: 0...image.width - width)
      let y = random.next(in: 0...image.height - height)
      return image.cropped(x: x, y: y, width: width, height: height)
    case .rotate:
      let tangent = random.next(in: 5...17)
      return image.rotated(random.next(in: 0...1) == 0 ? tangent : -tangent)
    case .blur:
      return (0..<random.next(in: 1...4)).reduce(image) { blurred, _ in blurred.blurred() }
    case .expose:
      let isDarker = random.next(in: 0...1) == 0
      return image.multiplied(by: random.next(in: isDarker ? 128...216 : 304...512))
    case .noise: return image.withNoise(&random)
    // The orientation of mirrored images in EXIF.
    case .flip: return image.upright(from: 2)
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func next(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }
}

extension PixelBuffer {
  /// Returns an image of the same size whose bytes `write` computes from the bytes of this one.
  private func changed(
    _ write: (_ old: UnsafeBufferPointer<UInt8>, _ new: UnsafeMutableBufferPointer<UInt8>) -> Void
  ) -> PixelBuffer {
    let changed = [UInt8](unsafeUninitializedCapacity: bytes.count) { new, count in
      bytes.withUnsafeBufferPointer { write($0, new) }
      count = bytes.count
    }
    return PixelBuffer(width: width, height: height, bytes: changed)
  }

  /// Returns the image turned about its center; its edges are repeated outside.
  ///
  /// - Parameter tangent: The tangent of half the angle, in 128ths.
  fileprivate func rotated(_ tangent: Int) -> PixelBuffer {
    // A rational point of the circle, in 65,536ths.
    let square = tangent * tangent
    let cosine = (16_384 - square) * 65_536 / (16_384 + square)
    let sine = 256 * tangent * 65_536 / (16_384 + square)
    let (lastColumn, lastRow) = (width - 1, height - 1)
    return changed { old, new in
      var target = 0
      for y in 0...lastRow {
        for x in 0...lastColumn {
          // From the center, in halves of a pixel; then from the corner, in 131,072ths of one.
          let (right, down) = (2 * x - lastColumn, 2 * y - lastRow)
          let column = cosine * right + sine * down + lastColumn * 65_536
          let row = cosine * down - sine * right + lastRow * 65_536
          let left = min(max(column >> 17, 0), lastColumn)
          let next = min(max((column >> 17) + 1, 0), lastColumn)
          let upper = min(max(row >> 17, 0), lastRow) * width
          let lower = min(max((row >> 17) + 1, 0), lastRow) * width
          // Bilinear, in 256ths.
          let (across, along) = (column >> 9 & 255, row >> 9 & 255)
          for channel in 0..<3 {
            func line(_ start: Int) -> Int {
              Int(old[3 * (start + left) + channel]) * (256 - across)
                + Int(old[3 * (start + next) + channel]) * across
            }
            let value = line(upper) * (256 - along) + line(lower) * along
            new[target] = UInt8((value + 32_768) >> 16)
            target += 1
          }
        }
      }
    }
  }

  /// Returns the image smoothed by a binomial filter of 5 × 5 pixels; its edges are repeated outside.
  fileprivate func blurred() -> PixelBuffer {
    let weights = [1, 4, 6, 4, 1]
    var sums = [Int](repeating: 0, count: bytes.count)
    return changed { old, new in
      for y in 0..<height {
        for x in 0..<width {
          for (offset, weight) in weights.enumerated() {
            let source = y * width + min(max(x + offset - 2, 0), width - 1)
            for channel in 0..<3 {
              sums[3 * (y * width + x) + channel] += weight * Int(old[3 * source + channel])
            }
          }
        }
      }
      for y in 0..<height {
        for index in 0..<3 * width {
          var sum = 128
          for (offset, weight) in weights.enumerated() {
            sum += weight * sums[3 * width * min(max(y + offset - 2, 0), height - 1) + index]
          }
          new[3 * width * y + index] = UInt8(sum >> 8)
        }
      }
    }
  }

  /// - Parameter gain: In 256ths.
  fileprivate func multiplied(by gain: Int) -> PixelBuffer {
    changed { old, new in
      for index in old.indices { new[index] = UInt8(min(255, (Int(old[index]) * gain + 128) >> 8)) }
    }
  }

  /// Returns the image with a change of at most 31 in each color of each pixel, mostly of less.
  fileprivate func withNoise(_ random: inout SplitMix64) -> PixelBuffer {
    changed { old, new in
      for pixel in 0..<width * height {
        let bits = random.next()
        for channel in 0..<3 {
          let pair = bits >> (16 * channel)
          let change = (Int(pair & 255) - Int(pair >> 8 & 255)) / 8
          new[3 * pixel + channel] = UInt8(clamping: Int(old[3 * pixel + channel]) + change)
        }
      }
    }
  }
}
