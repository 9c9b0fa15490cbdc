public import CairnDocument

/// One person's share of all photos, for several reviewers without a server that assigns photos.
///
/// The shards of the same count are disjoint and together contain all photos, on every device.
public struct ReviewShard: Equatable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  public let number: Int
  /// The number of shares.
  public let count: Int

  private static let limit = 1000

  /// - Returns: Nil unless `1 <= number <= count <= 1000`.
  public init?(_ number: Int, of count: Int) {
    guard 1...ReviewShard.limit ~= count, 1...count ~= number else { return nil }
    (self.number, self.count) = (number, count)
  }

  /// Parses `2/3`, the second of three shares.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard parts.count == 2, numbers.count == 2 else { return nil }
    self.init(numbers[0], of: numbers[1])
  }

  /// Such as `2/3`.
  public var description: String { "\(number)/\(count)" }

  /// Returns whether a photo is in this shard.
  ///
  /// The id is already a hash. Its last bytes are used, since lists are sorted by the first.
  public func contains(_ photo: PhotoID) -> Bool {
    let value = photo.digest.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value.multipliedFullWidth(by: UInt64(count)).high == UInt64(number - 1)
  }
}
