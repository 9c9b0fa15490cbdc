/// SplitMix64: the same seed gives the same numbers on every machine.
///
/// Source: Steele, Lea, Flood, “Fast Splittable Pseudorandom Number Generators”.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// Makes a generator for one of many items, independent of those for other indices.
  init(_ seed: UInt64, _ index: Int) {
    self.init(seed &* 0xD129_42AF_0F88_B335 ^ UInt64(index) &* 0xD6E8_FEB8_6659_FD93)
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns a number from 0 to `bound` - 1.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Returns this many hexadecimal digits.
  mutating func hex(_ digits: Int) -> String {
    var text = ""
    while text.utf8.count < digits {
      let word = String(next(), radix: 16)
      text += String(repeating: "0", count: 16 - word.utf8.count) + word
    }
    return String(text.prefix(digits))
  }
}
