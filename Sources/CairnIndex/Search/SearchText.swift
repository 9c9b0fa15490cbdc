internal import Foundation

/// Normalization of text for search: lower case and without accents, since keyboards differ in what
/// they produce; characters of scripts without spaces between words are separated.
enum SearchText {
  static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 > 0 }) { return text.lowercased() }
    // Compatibility forms decompose to the letters that they stand for, including capitals.
    let scalars = text.replacing("\0", with: " ").decomposedStringWithCompatibilityMapping
      .unicodeScalars.filter { !(0x0300...0x036F ~= $0.value) }
    let letters = String(String.UnicodeScalarView(scalars)).lowercased()
      .precomposedStringWithCanonicalMapping
    if !letters.unicodeScalars.contains(where: isUnspaced) { return letters }
    return letters.map { letter in
      letter.unicodeScalars.contains(where: isUnspaced) ? " \(letter) " : String(letter)
    }.joined()
  }

  /// Returns a hash of a file name, equal for names that differ only in letter case or accents: 48
  /// bits of FNV-1a, the same in each process.
  ///
  /// Source: draft-eastlake-fnv, section 2.
  static func hash(ofFileName name: String) -> Int64 {
    let hash = folded(name.lowercased()).utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return Int64(hash >> 16)
  }

  /// A separator between the texts of a column: a word that no query contains, so that no query
  /// matches across two texts.
  private static let boundary: Unicode.Scalar = "\u{E000}"

  /// Returns the content of one column for several texts.
  static func folded(_ texts: [String]) -> String {
    texts.filter { !$0.isEmpty }.map(folded).joined(separator: " \(boundary) ")
  }

  /// Returns the full-text query for a text: its words in order, the last one complete or as a
  /// prefix; nil if there are no words.
  ///
  /// Source: sqlite.org, “SQLite FTS5 Extension”, section 3.
  static func match(_ text: String, isBeginning: Bool, in column: String) -> String? {
    // Scalars, as SQLite compares them: in Swift, a quote with a joiner is another character.
    let scalars = folded(text).unicodeScalars.map { $0 == boundary || $0 == "\"" ? " " : $0 }
    guard scalars.contains(where: isOfWord) else { return nil }
    let phrase = String(String.UnicodeScalarView(scalars))
    return "\(column) : \"\(phrase)\"\(isBeginning ? " *" : "")"
  }

  /// Returns whether a scalar is part of a word, consistent with the tokenizer of the text tables.
  private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .otherSymbol, .privateUse:
      true
    default: false
    }
  }

  /// Source: Unicode Standard Annex #14, class SA, ID and CJ, as far as they are letters.
  private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Thai and Lao; Myanmar; Khmer.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
    // Kana; Han.
    case 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF: true
    case 0x20000...0x3FFFF: true
    default: false
    }
  }
}
