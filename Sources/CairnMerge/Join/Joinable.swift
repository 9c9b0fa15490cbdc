/// A value with a join: the least value that contains both.
///
/// Joining is associative, commutative and idempotent, defined for every two values, and reads
/// neither clock nor disk. Any number of copies, joined in any order and any number of times, end
/// up equal.
package protocol Joinable: Equatable, Sendable {
  func joined(with other: Self) -> Self
}
