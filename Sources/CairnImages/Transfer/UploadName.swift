internal import CairnDocument
internal import CairnGit
internal import SystemPackage

/// The names of files that are being uploaded, in the directory `tmp` of a store: `<id>.<random>`.
enum UploadName {
  static func make(for image: ImageObject) -> String {
    "\(image.id).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  }

  /// Returns a name by which the copy with a tag finds its upload again.
  static func make(for image: ImageObject, tag: String) -> String {
    // Eight digits.
    let random = String(UInt64.random(in: 0..<2_821_109_907_456), radix: 36)
    return "\(image.id).\(tag)\(String(repeating: "0", count: 8 - random.count))\(random)"
  }

  /// Returns the tag of a copy on this machine: five digits to the base 36.
  ///
  /// - Parameter gitDirectory: That of the copy.
  static func tag(of gitDirectory: FilePath?) -> String {
    let copy = "\(hostName()) \(gitDirectory?.string ?? "")"
    // FNV-1a.
    let hash = copy.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return String(("00000" + String(hash, radix: 36)).suffix(5))
  }

  /// Whether ``make(for:tag:)`` may have returned a name for this tag.
  static func hasTag(_ name: String, _ tag: String) -> Bool {
    let end = name.drop { $0 != "." }.dropFirst()
    return end.utf8.count == 13 && end.hasPrefix(tag)
  }

  /// Whether ``make(for:)`` or ``make(for:tag:)`` return such names.
  static func isValid(_ name: some Collection<UInt8>) -> Bool {
    let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 64, (1...13).contains(parts[1].count) else {
      return false
    }
    return parts.joined().allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
    }
  }
}
