import Foundation

/// Names that every file system can store and people can read: `a`–`z`, `0`–`9`, single hyphens.
enum Slug {
  /// Device names that Windows rejects as the stem of a file name.
  private static let reserved: Set<String> = Set(
    ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

  /// Returns whether `text` is a slug of at most `length` bytes that any disk accepts as a file's
  /// stem.
  static func isValid(_ text: String, length: Int) -> Bool {
    let count = text.utf8.count
    // The reserved names have three or four letters.
    guard 1...length ~= count, count > 4 || !reserved.contains(text) else { return false }
    var previous = UInt8(ascii: "-")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case UInt8(ascii: "-") where previous != UInt8(ascii: "-"): break
      default: return false
      }
      previous = byte
    }
    return previous != UInt8(ascii: "-")
  }

  /// Returns a slug of `text`: accents are removed, all other characters become hyphens.
  static func fold(_ text: String, length: Int) -> String {
    var out = ""
    let lower = text.lowercased()
    let decomposed = lower.isASCII ? lower : lower.decomposedStringWithCompatibilityMapping
    for scalar in decomposed.unicodeScalars {
      if out.utf8.count >= length { break }
      switch scalar {
      case "a"..."z", "0"..."9": out.unicodeScalars.append(scalar)
      case _ where scalar.properties.generalCategory == .nonspacingMark: break
      default: if !out.isEmpty, out.last != "-" { out += "-" }
      }
    }
    while out.last == "-" { out.removeLast() }
    return out
  }

  /// Returns the form in which names are compared: NFC, lower case, and each run of spaces, hyphens
  /// and underscores a single hyphen.
  static func normalized(_ text: String) -> String {
    let composed =
      text.isASCII
      ? text.lowercased()
      : text.precomposedStringWithCanonicalMapping.lowercased()
        .precomposedStringWithCanonicalMapping
    var (out, isAfterSeparator) = ("", false)
    for scalar in composed.unicodeScalars {
      if scalar.properties.isWhitespace || scalar == "-" || scalar == "_" {
        isAfterSeparator = true
      } else {
        if isAfterSeparator, !out.isEmpty { out += "-" }
        isAfterSeparator = false
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}

extension String {
  /// Whether all characters are ASCII: such text is the same in all normal forms, and Foundation
  /// is slow to normalize the first text of a process.
  fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
