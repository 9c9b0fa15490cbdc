/// A generator that returns the same numbers for the same seed on every machine.
///
/// Source: Steele, Lea, Flood, “Fast Splittable Pseudorandom Number Generators” (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A generator for samples whose expected values were tuned to its numbers, such as the random
/// labels that are compared with other programs. New tests use ``SeededGenerator``.
///
/// Source: Marsaglia, “Xorshift RNGs”, with the shifts 13, 7 and 17.
package struct XorshiftGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(_ seed: UInt64) { self.init(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1) }

  /// - Parameter state: Any number except 0.
  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

extension RandomNumberGenerator {
  /// Returns a number from 0 to `bound` - 1.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns true in `percent` of 100 cases.
  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
