/// A value with a join: the least value that holds what both hold.
///
/// Joining is associative, commutative and idempotent, defined for every two values, and reads
/// neither clock nor disk; so any number of copies, joined in any order and any number of times,
/// end equal.
public protocol Joinable: Equatable, Sendable {
  func joined(with other: Self) -> Self
}
