internal import LibC

/// A fingerprint of the names in a directory, in any order, and of which of them are directories.
///
/// It tells whether a directory has the names that it should have, not who may have written them:
/// the hash is not cryptographic.
package struct DirectoryFingerprint: Equatable, Sendable {
  private(set) var value: UInt64

  package init() { value = 0 }

  init(value: UInt64) { self.value = value }

  /// Adds a name, which must not be added twice.
  package mutating func add(_ name: UnsafeRawBufferPointer, isDirectory: Bool) {
    let seed: UInt64 = isDirectory ? 0x9E37_79B9_7F4A_7C15 : 0xC2B2_AE3D_27D4_EB4F
    // A sum does not depend on the order, in which each file system lists names differently.
    value &+= DirectoryFingerprint.hash(name, seed: seed)
  }

  /// Returns a hash of bytes. Source: the finalizer is that of SplitMix64.
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let multiplier: UInt64 = 0xBF58_476D_1CE4_E5B9
    var hash = seed ^ UInt64(bytes.count)
    var position = 0
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      hash = (hash ^ word) &* multiplier
      hash ^= hash >> 29
      position += 8
    }
    var rest: UInt64 = 0
    while position < bytes.count {
      rest = rest << 8 | UInt64(bytes[position])
      position += 1
    }
    hash = (hash ^ rest) &* multiplier
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return hash ^ hash >> 31
  }
}
