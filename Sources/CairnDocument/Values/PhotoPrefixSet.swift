internal import CairnBase

/// A set of photos, each by the first six bytes of its id.
///
/// Among a million photos, the chance that any photo outside the set is mistaken for a member is
/// below 0.1%.
public struct PhotoPrefixSet: Equatable, Sendable {
  /// The number of bytes that identify a photo.
  static let length = 6

  private var prefixes: Set<UInt64> = []

  /// Creates an empty set.
  package init() {}

  /// The number of photos.
  public var count: Int { prefixes.count }

  /// Returns whether a photo is in the set.
  public func contains(_ photo: PhotoID) -> Bool { prefixes.contains(photo.prefix) }

  /// Adds the photos of another set.
  package mutating func formUnion(_ other: PhotoPrefixSet) { prefixes.formUnion(other.prefixes) }

  // MARK: Text

  /// Returns photos as text: the prefixes in ascending order, one after the other, in Base64 (eight
  /// characters each).
  static func text(of photos: some Sequence<PhotoID>) -> String {
    let prefixes = Set(photos.map(\.prefix)).sorted()
    return Base64.text(
      prefixes.flatMap { prefix in
        (0..<length).map { UInt8(truncatingIfNeeded: prefix >> (40 - 8 * UInt64($0))) }
      })
  }

  /// Adds the photos of a text; returns false, and adds none, if it is not one.
  mutating func add(text: String) -> Bool {
    guard let bytes = Base64.bytes(text), bytes.count.isMultiple(of: PhotoPrefixSet.length) else {
      return false
    }
    for start in stride(from: 0, to: bytes.count, by: PhotoPrefixSet.length) {
      let slice = bytes[start..<start + PhotoPrefixSet.length]
      prefixes.insert(slice.reduce(0) { $0 << 8 | UInt64($1) })
    }
    return true
  }
}
