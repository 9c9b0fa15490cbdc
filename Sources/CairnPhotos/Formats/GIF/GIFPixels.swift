internal import CairnDocument

/// Decodes the first frame of a GIF onto its screen.
func gifPixels(_ image: ImageBytes, alpha: AlphaHandling) throws(ImageError) -> PixelBuffer {
  let structure = try GIFStructure(image)
  let (size, frame) = (structure.size, structure.frame)
  return try withMemory(for: size, .gif) { () throws(ImageError) in
    var decoder = LZWDecoder(image, at: frame.data)
    guard let indexes = decoder.indexes(count: frame.width * frame.height) else {
      throw .undecodable(.gif, "its image data is broken")
    }
    // What no frame covers has the transparent color, otherwise the first.
    let colors = gifColors(frame, alpha)
    let outside = Int(frame.transparency ?? 0)
    var bytes = [UInt8](repeating: 0, count: 3 * size.width * size.height)
    bytes.withUnsafeMutableBufferPointer { bytes in
      for pixel in 0..<size.width * size.height {
        for channel in 0..<3 { bytes[3 * pixel + channel] = colors[3 * outside + channel] }
      }
      let rows = gifRows(of: frame)
      for (index, row) in rows.enumerated() {
        var target = 3 * ((frame.top + row) * size.width + frame.left)
        for source in index * frame.width..<(index + 1) * frame.width {
          let color = 3 * Int(indexes[source])
          for channel in 0..<3 { bytes[target + channel] = colors[color + channel] }
          target += 3
        }
      }
    }
    return PixelBuffer(width: size.width, height: size.height, bytes: bytes)
  }
}

/// Returns 256 colors: those of the palette, and without one, grays.
private func gifColors(_ frame: GIFStructure.Frame, _ alpha: AlphaHandling) -> [UInt8] {
  var colors = frame.palette.map { Array($0.buffer) } ?? (0..<768).map { UInt8($0 / 3) }
  colors += [UInt8](repeating: 0, count: 768 - colors.count)
  if alpha == .onWhite, let index = frame.transparency.map(Int.init) {
    colors.replaceSubrange(3 * index..<3 * index + 3, with: [255, 255, 255])
  }
  return colors
}

/// Returns the row of each stored row. Source: GIF 89a, appendix E, “Interlaced Images”.
private func gifRows(of frame: GIFStructure.Frame) -> [Int] {
  guard frame.isInterlaced else { return Array(0..<frame.height) }
  return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { first, step in
    Array(stride(from: first, to: frame.height, by: step))
  }
}

/// Source: GIF 89a, appendix F, “Variable-Length-Code LZW Compression”.
private struct LZWDecoder {
  private let image: ImageBytes
  private let minimumSize: Int
  private var position: Int
  /// The bytes left in the current block.
  private var left = 0
  private var (bits, bitCount) = (0, 0)

  init(_ image: ImageBytes, at start: Int) {
    self.image = image
    minimumSize = Int(image[start] ?? 0)
    position = start + 1
  }

  private mutating func code(_ size: Int) -> Int? {
    while bitCount < size {
      if left == 0 {
        guard let length = image[position], length > 0 else { return nil }
        (left, position) = (Int(length), position + 1)
      }
      guard let byte = image[position] else { return nil }
      bits |= Int(byte) << bitCount
      (bitCount, position, left) = (bitCount + 8, position + 1, left - 1)
    }
    defer { (bits, bitCount) = (bits >> size, bitCount - size) }
    return bits & ((1 << size) - 1)
  }

  /// Returns color indexes; nil when the data is invalid or ends before them.
  mutating func indexes(count: Int) -> [UInt8]? {
    guard 1...8 ~= minimumSize else { return nil }
    let (clear, end) = (1 << minimumSize, (1 << minimumSize) + 1)
    // Each code from `end` on is a shorter code followed by one index.
    var prefixes = [UInt16](repeating: 0, count: 4096)
    var last = [UInt8](repeating: 0, count: 4096)
    var stack = [UInt8](repeating: 0, count: 4097)
    for index in 0..<clear { last[index] = UInt8(index) }
    var (size, next, previous, first) = (minimumSize + 1, end + 1, -1, UInt8(0))
    var out: [UInt8] = []
    out.reserveCapacity(count)
    while out.count < count {
      guard let code = code(size), code != end else { return nil }
      if code == clear {
        (size, next, previous) = (minimumSize + 1, end + 1, -1)
        continue
      }
      var (current, depth) = (code, 0)
      if previous < 0 {
        guard code < clear else { return nil }
      } else if code >= next {
        guard code == next else { return nil }
        stack[0] = first
        (current, depth) = (previous, 1)
      }
      while current > end, depth < 4096 {
        stack[depth] = last[current]
        (current, depth) = (Int(prefixes[current]), depth + 1)
      }
      guard current < clear else { return nil }
      first = last[current]
      stack[depth] = first
      for index in (0...depth).reversed() where out.count < count { out.append(stack[index]) }
      if previous >= 0, next < 4096 {
        (prefixes[next], last[next]) = (UInt16(previous), first)
        next += 1
        if next == 1 << size, size < 12 { size += 1 }
      }
      previous = code
    }
    return out
  }
}
