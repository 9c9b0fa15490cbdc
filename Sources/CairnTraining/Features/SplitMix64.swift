/// Numbers that look random: the same on every machine.
///
/// Source: G. L. Steele, D. Lea and C. H. Flood, “Fast splittable pseudorandom number generators”,
/// 2014.
package struct SplitMix64 {
  private var state: UInt64

  package init(seed: UInt64 = 0x9E37_79B9_7F4A_7C15) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// Returns a number from -1 to 1.
  mutating func nextUnit() -> Float { Float(Int32(truncatingIfNeeded: next())) / 0x1p31 }
}
