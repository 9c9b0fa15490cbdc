import CairnPhotos
import TestSupport
import Testing

@Suite("Perceptual hashes")
struct PerceptualHashTests {
  private static let photos = (0..<16).map { blobs(seed: UInt64($0), width: 140, height: 100) }

  @Test("gives similar hashes to resized, recompressed, brighter and cropped copies")
  func near() throws {
    for (number, photo) in Self.photos.enumerated() {
      let hash = try #require(PerceptualHash(of: photo))
      func check(_ other: PixelBuffer, within distance: Int, _ what: String) throws {
        let found = hash.distance(to: try #require(PerceptualHash(of: other)))
        #expect(found <= distance, "\(what) of photo \(number): \(found)")
      }
      try check(photo.resized(width: 70, height: 50), within: 6, "half the size")
      try check(photo.resized(width: 47, height: 33), within: 8, "a third of the size")
      for quality in [75, 30] {
        let bytes = try #require(photo.jpegBytes(quality: quality))
        try check(try decode(bytes), within: 6, "quality \(quality)")
      }
      let brighter = photo.bytes.map { UInt8(min(255, Int($0) * 5 / 4)) }
      try check(
        PixelBuffer(width: 140, height: 100, bytes: brighter), within: 8, "a brighter copy")
      try check(cropped(photo, by: 2), within: 12, "a cropped copy")
    }
  }

  @Test("gives different photos distant hashes")
  func far() throws {
    let hashes = try Self.photos.map { try #require(PerceptualHash(of: $0)) }
    for first in hashes.indices {
      for second in hashes.indices where second > first {
        #expect(hashes[first].distance(to: hashes[second]) > 12, "\(first) and \(second)")
      }
    }
  }

  @Test("gives a uniform image no hash", arguments: [0, 100, 255] as [UInt8])
  func flat(gray: UInt8) {
    let flat = PixelBuffer(
      width: 50, height: 40, bytes: Array(repeating: gray, count: 3 * 50 * 40))
    #expect(PerceptualHash(of: flat) == nil)
  }

  @Test("groups the same hashes as comparing every pair", arguments: UInt64(0)..<8)
  func groups(seed: UInt64) {
    var random = SeededGenerator(seed)
    var hashes: [PerceptualHash] = []
    for _ in 0..<60 {
      // About half of the hashes are near another one.
      var bits = UInt64.random(in: 0 ... .max, using: &random)
      if let other = hashes.randomElement(using: &random), Bool.random(using: &random) {
        bits = other.bits
        for _ in 0..<Int.random(in: 0...16, using: &random) {
          bits ^= 1 << UInt64.random(in: 0..<64, using: &random)
        }
      }
      hashes.append(PerceptualHash(bits: bits))
    }
    for distance in stride(from: 0, through: 24, by: 3) {
      #expect(
        nearDuplicates(hashes, within: distance) == comparedAll(hashes, distance),
        "within \(distance)")
    }
  }

  /// Groups hashes by comparing every pair, transitively.
  private func comparedAll(_ hashes: [PerceptualHash], _ distance: Int) -> [[Int]] {
    var left = Set(hashes.indices)
    var groups: [[Int]] = []
    for start in hashes.indices where left.remove(start) != nil {
      var group = [start]
      var next = 0
      while next < group.count {
        for other in left where hashes[group[next]].distance(to: hashes[other]) <= distance {
          left.remove(other)
          group.append(other)
        }
        next += 1
      }
      if group.count > 1 { groups.append(group.sorted()) }
    }
    return groups
  }

  private func cropped(_ photo: PixelBuffer, by edge: Int) -> PixelBuffer {
    let (width, height) = (photo.width - 2 * edge, photo.height - 2 * edge)
    let bytes = (0..<height).flatMap { y in
      let start = 3 * ((y + edge) * photo.width + edge)
      return photo.bytes[start..<start + 3 * width]
    }
    return PixelBuffer(width: width, height: height, bytes: bytes)
  }
}

/// Returns an image like a photo: random smooth spots of color.
func blobs(seed: UInt64, width: Int, height: Int) -> PixelBuffer {
  var random = SeededGenerator(seed &+ 99)
  let side = 6
  let coarse = PixelBuffer(
    width: side, height: side,
    bytes: (0..<3 * side * side).map { _ in UInt8.random(in: 20...200, using: &random) })
  var bytes: [UInt8] = []
  for y in 0..<height {
    for x in 0..<width {
      let (u, v) = (
        Double(x * (side - 1)) / Double(width), Double(y * (side - 1)) / Double(height)
      )
      let (column, row) = (Int(u), Int(v))
      for channel in 0..<3 {
        func corner(_ x: Int, _ y: Int) -> Double {
          Double(coarse.bytes[3 * (y * side + x) + channel])
        }
        let (a, b) = (u - Double(column), v - Double(row))
        let top = corner(column, row) * (1 - a) + corner(column + 1, row) * a
        let bottom = corner(column, row + 1) * (1 - a) + corner(column + 1, row + 1) * a
        bytes.append(UInt8(top * (1 - b) + bottom * b))
      }
    }
  }
  return PixelBuffer(width: width, height: height, bytes: bytes)
}
