internal import CairnDocument

/// The names of files that are being uploaded, in the directory `tmp` of a store: `<id>.<random>`.
enum UploadName {
  static func make(for image: ImageObject) -> String {
    "\(image.id).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
  }

  /// Whether ``make(for:)`` returns such names.
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
