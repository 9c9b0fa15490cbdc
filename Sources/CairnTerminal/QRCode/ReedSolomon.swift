/// The error correction of QR codes: polynomials over the field of 256 elements.
///
/// Source: ISO/IEC 18004, with the field polynomial x⁸ + x⁴ + x³ + x² + 1.
enum ReedSolomon {
  /// Returns the remainder of the data divided by the generator polynomial of a degree.
  static func remainder(of data: [UInt8], count: Int) -> [UInt8] {
    let generator = generator(count)
    var remainder = [UInt8](repeating: 0, count: count)
    for byte in data {
      let factor = byte ^ remainder.removeFirst()
      remainder.append(0)
      for index in 0..<count { remainder[index] ^= product(generator[index], factor) }
    }
    return remainder
  }

  /// Returns the coefficients of (x − 2⁰)(x − 2¹)…, highest first, without the leading 1.
  private static func generator(_ degree: Int) -> [UInt8] {
    var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in 0..<degree {
        coefficients[index] = product(coefficients[index], root)
        if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
      }
      root = product(root, 2)
    }
    return coefficients
  }

  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var product: UInt8 = 0
    for bit in (0..<8).reversed() {
      product = product << 1 ^ (product >> 7) * 0x1D
      if b >> bit & 1 == 1 { product ^= a }
    }
    return product
  }
}
