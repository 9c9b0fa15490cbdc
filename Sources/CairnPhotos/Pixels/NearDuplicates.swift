internal import CairnBase

/// Returns the groups of near-duplicates among `hashes`, as sorted indexes.
///
/// Hashes are in one group if they are connected by steps of at most `distance`. Hashes without a
/// near-duplicate are in no group.
/// If two hashes differ in `distance` bits, one of their four quarters differs in at most a quarter
/// of those bits: hashes with similar quarters are looked up, and only those are compared.
/// Source: M. Norouzi, A. Punjani, D. J. Fleet, “Fast search in Hamming space with multi-index
/// hashing”, 2012, section 3.
package func nearDuplicates(_ hashes: [PerceptualHash], within distance: Int) -> [[Int]] {
  // Equal hashes are compared only once.
  let positions = Dictionary(grouping: hashes.indices) { hashes[$0].bits }
  let distinct = positions.keys.sorted()
  var sets = DisjointSets(count: distinct.count)
  if distance > 0 { unite(distinct, within: distance, into: &sets) }
  var groups: [Int: [Int]] = [:]
  for (number, bits) in distinct.enumerated() {
    groups[sets.root(of: number), default: []] += positions[bits] ?? []
  }
  return groups.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
}

private let quarters = 4
private let quarterBits = 16

private func unite(_ hashes: [UInt64], within distance: Int, into sets: inout DisjointSets) {
  for quarter in 0..<quarters {
    // With `distance` = 4 a + b, either one of the first b + 1 quarters differs in at most a bits,
    // or one of the others in at most a - 1.
    let radius = distance / quarters - (quarter > distance % quarters ? 1 : 0)
    guard radius >= 0 else { continue }
    let index = QuarterIndex(hashes, quarter)
    if radius > 4 {  // There are too many such quarters: all are compared.
      return compareAll(hashes, within: distance, into: &sets)
    }
    let masks = bitMasks(upTo: radius)
    for (number, bits) in hashes.enumerated() {
      let own = index.quarter(of: bits)
      for mask in masks {
        // Each pair is found from its smaller number.
        for other in index.numbers(with: own ^ mask).reversed() {
          if other <= number { break }
          if (bits ^ hashes[Int(other)]).nonzeroBitCount <= distance {
            sets.unite(number, Int(other))
          }
        }
      }
    }
  }
}

private func compareAll(_ hashes: [UInt64], within distance: Int, into sets: inout DisjointSets) {
  for first in hashes.indices {
    for second in (first + 1)..<hashes.count
    where (hashes[first] ^ hashes[second]).nonzeroBitCount <= distance {
      sets.unite(first, second)
    }
  }
}

/// Returns all 16-bit numbers with at most `count` bits set.
private func bitMasks(upTo count: Int) -> [UInt16] {
  (0...UInt16.max).filter { $0.nonzeroBitCount <= count }
}

/// An index of hashes by the value of one quarter.
private struct QuarterIndex {
  private let shift: Int
  /// The start of each value's numbers, followed by the end of the last.
  private var starts = [Int32](repeating: 0, count: 1 << quarterBits + 1)
  private var numbers: [Int32]

  init(_ hashes: [UInt64], _ quarter: Int) {
    shift = quarter * quarterBits
    numbers = Array(repeating: 0, count: hashes.count)
    for bits in hashes { starts[Int(self.quarter(of: bits)) + 1] += 1 }
    for value in 1..<starts.count { starts[value] += starts[value - 1] }
    var next = starts
    for (number, bits) in hashes.enumerated() {
      let value = Int(self.quarter(of: bits))
      numbers[Int(next[value])] = Int32(number)
      next[value] += 1
    }
  }

  func quarter(of bits: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: bits >> shift) }

  /// Returns the numbers of the hashes whose quarter is `value`, sorted.
  func numbers(with value: UInt16) -> ArraySlice<Int32> {
    numbers[Int(starts[Int(value)])..<Int(starts[Int(value) + 1])]
  }
}
