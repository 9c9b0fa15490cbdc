internal import Foundation

/// The one form that text is looked for in: NFC and lower case, since “é” has two forms and keyboards
/// differ in which they write.
enum SearchText {
  static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return text.precomposedStringWithCanonicalMapping.lowercased()
      .precomposedStringWithCanonicalMapping
  }
}
