/// A QR code of a short text, such as a link: versions 1 to 6, byte mode, error correction level L.
///
/// Source: ISO/IEC 18004.
package struct QRCode: Equatable, Sendable {
  /// The number of modules on a side, without the quiet zone.
  package let side: Int
  private var modules: [Bool]
  /// The modules that do not hold data: finder, timing and alignment patterns, format information.
  private var isReserved: [Bool]

  /// Data codewords, and error correction codewords of a block, for each version from 1 on.
  private static let versions = [(19, 7), (34, 10), (55, 15), (80, 20), (108, 26), (136, 18)]

  /// Returns the number of blocks of a version, which all have the same size.
  private static func blockCount(_ version: Int) -> Int { version == 6 ? 2 : 1 }

  /// Encodes a text; nil if it has more than 134 bytes of UTF-8.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    // The header takes 12 bits: the mode, and the length.
    guard let index = QRCode.versions.firstIndex(where: { bytes.count + 2 <= $0.0 }) else {
      return nil
    }
    let version = index + 1
    let codewords = QRCode.codewords(bytes, version)
    self.init(version: version)
    place(codewords)
    var best: (code: QRCode, penalty: Int)?
    for mask in 0..<8 {
      var code = self
      code.apply(mask)
      let penalty = code.penalty
      if best.map({ penalty < $0.penalty }) ?? true { best = (code, penalty) }
    }
    if let best { self = best.code }
  }

  /// Returns whether the module in a row and column is dark; those outside of the code are light.
  package subscript(row: Int, column: Int) -> Bool {
    guard 0..<side ~= row, 0..<side ~= column else { return false }
    return modules[row * side + column]
  }

  // MARK: Codewords

  /// Returns the data with its error correction, interleaved by block.
  private static func codewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
    let (capacity, correction) = versions[version - 1]
    // Mode 0100 and the length in 8 bits, then the bytes, each shifted by the 4 bits of the mode.
    var data: [UInt8] = []
    var last: UInt8 = 0b0100
    for byte in [UInt8(bytes.count)] + bytes {
      data.append(last << 4 | byte >> 4)
      last = byte & 15
    }
    data.append(last << 4)
    for index in 0..<(capacity - data.count) { data.append(index % 2 == 0 ? 0xEC : 0x11) }
    let size = capacity / blockCount(version)
    let blocks = stride(from: 0, to: capacity, by: size).map { Array(data[$0..<$0 + size]) }
    let corrections = blocks.map { ReedSolomon.remainder(of: $0, count: correction) }
    func interleaved(_ blocks: [[UInt8]], _ count: Int) -> [UInt8] {
      (0..<count).flatMap { index in blocks.map { $0[index] } }
    }
    return interleaved(blocks, size) + interleaved(corrections, correction)
  }

  // MARK: Modules

  /// Creates a code with its fixed patterns, and room for the others.
  private init(version: Int) {
    side = 17 + 4 * version
    modules = [Bool](repeating: false, count: side * side)
    isReserved = modules
    for index in 0..<side {
      reserve(6, index, index % 2 == 0)
      reserve(index, 6, index % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, side - 4), (side - 4, 3)] { addFinder(row, column) }
    if version > 1 { addAlignment(side - 7) }
    setFormat(mask: 0)
  }

  private mutating func reserve(_ row: Int, _ column: Int, _ isDark: Bool) {
    guard 0..<side ~= row, 0..<side ~= column else { return }
    modules[row * side + column] = isDark
    isReserved[row * side + column] = true
  }

  /// Adds a finder pattern with its light border, around a center.
  private mutating func addFinder(_ row: Int, _ column: Int) {
    for y in -4...4 {
      for x in -4...4 {
        let ring = max(abs(x), abs(y))
        reserve(row + y, column + x, ring != 2 && ring != 4)
      }
    }
  }

  private mutating func addAlignment(_ center: Int) {
    for y in -2...2 {
      for x in -2...2 { reserve(center + y, center + x, max(abs(x), abs(y)) != 1) }
    }
  }

  /// Writes both copies of the format information: level L, and the mask.
  private mutating func setFormat(mask: Int) {
    let data = 0b01 << 3 | mask
    var rest = data
    for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
    let bits = (data << 10 | rest) ^ 0x5412
    for index in 0..<15 {
      let isDark = bits >> index & 1 == 1
      // Around the upper left finder pattern, past the timing patterns.
      switch index {
      case 0...5: reserve(index, 8, isDark)
      case 6, 7: reserve(index + 1, 8, isDark)
      case 8: reserve(8, 7, isDark)
      default: reserve(8, 14 - index, isDark)
      }
      // Below the upper right one, and right of the lower left one.
      if index < 8 {
        reserve(8, side - 1 - index, isDark)
      } else {
        reserve(side - 15 + index, 8, isDark)
      }
    }
    reserve(side - 8, 8, true)
  }

  /// Places the bits in columns of two modules, from the lower right, alternately up and down.
  private mutating func place(_ codewords: [UInt8]) {
    var bit = 0
    var isUpward = true
    var right = side - 1
    while right > 0 {
      if right == 6 { right -= 1 }
      for step in 0..<side {
        let row = isUpward ? side - 1 - step : step
        for column in [right, right - 1] where !isReserved[row * side + column] {
          // The last few modules may remain light.
          guard bit < 8 * codewords.count else { continue }
          modules[row * side + column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
          bit += 1
        }
      }
      isUpward.toggle()
      right -= 2
    }
  }

  private mutating func apply(_ mask: Int) {
    for row in 0..<side {
      for column in 0..<side where !isReserved[row * side + column] {
        let product = row * column
        let inverts =
          switch mask {
          case 0: (row + column) % 2 == 0
          case 1: row % 2 == 0
          case 2: column % 3 == 0
          case 3: (row + column) % 3 == 0
          case 4: (row / 2 + column / 3) % 2 == 0
          case 5: product % 2 + product % 3 == 0
          case 6: (product % 2 + product % 3) % 2 == 0
          default: ((row + column) % 2 + product % 3) % 2 == 0
          }
        if inverts { modules[row * side + column].toggle() }
      }
    }
    setFormat(mask: mask)
  }

  // MARK: Penalty

  /// How hard the code is to read: the mask with the lowest one is used.
  private var penalty: Int {
    var total = 0
    let indices = 0..<side
    for line in indices {
      total += QRCode.penalty(of: indices.map { self[line, $0] })
      total += QRCode.penalty(of: indices.map { self[$0, line] })
    }
    for row in 0..<side - 1 {
      for column in 0..<side - 1 {
        let dark = [
          self[row, column], self[row, column + 1], self[row + 1, column],
          self[row + 1, column + 1],
        ].count { $0 }
        if dark == 0 || dark == 4 { total += 3 }
      }
    }
    let share = 100 * modules.count { $0 } / modules.count
    return total + 10 * (abs(share - 50) / 5)
  }

  /// The penalty of a row or column: long runs, and what looks like a finder pattern.
  private static func penalty(of line: [Bool]) -> Int {
    var (total, run) = (0, 0)
    for index in line.indices {
      run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
      if run == 5 { total += 3 } else if run > 5 { total += 1 }
    }
    let finder = [true, false, true, true, true, false, true]
    let light = [false, false, false, false]
    for pattern in [finder + light, light + finder] {
      for start in 0...(line.count - pattern.count)
      where line[start..<start + pattern.count].elementsEqual(pattern) {
        total += 40
      }
    }
    return total
  }
}
