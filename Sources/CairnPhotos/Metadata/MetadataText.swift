internal import CExiv2

/// Decodes text of an undeclared encoding: as UTF-8 if valid, otherwise as Windows-1252, which most
/// programs wrote before UTF-8.
func decodedText(_ bytes: some Collection<UInt8>) -> String {
  String(validating: bytes, as: UTF8.self) ?? convertedText(bytes, from: "WINDOWS-1252")
    ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

/// Decodes text of an encoding supported by iconv; nil when it is invalid.
func convertedText(_ bytes: some Collection<UInt8>, from encoding: String) -> String? {
  let bytes = Array(bytes)
  // No byte of these encodings expands to more than four.
  let converted = [UInt8](unsafeUninitializedCapacity: 4 * bytes.count + 16) { buffer, count in
    let filled = buffer.withMemoryRebound(to: CChar.self) {
      cairn_text_to_utf8(encoding, bytes, bytes.count, $0.baseAddress, $0.count)
    }
    count = max(filled, 0)
    if filled < 0 {
      buffer[0] = 0xFF  // Valid nowhere in UTF-8.
      count = 1
    }
  }
  return String(validating: converted, as: UTF8.self)
}

/// The encoding of IPTC texts.
///
/// Source: IPTC IIM 4.2, 1:90; ISO 2022 for the escape sequences.
struct IPTCEncoding {
  /// The iconv name; nil when no encoding is declared.
  private let name: String?

  /// - Parameter declaration: The value of 1:90, Coded Character Set.
  init(_ declaration: [UInt8]?) {
    let declared = declaration.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let utf8 = ["\u{1B}%G", "\u{1B}%/G", "\u{1B}%/H", "\u{1B}%/I"]
    if utf8.contains(where: declared.hasPrefix) {
      name = "UTF-8"
    } else if declared.count == 3, declared.first == "\u{1B}", let set = declared.last,
      ["-", ".", "/"].contains(declared.dropFirst().first)
    {
      name = IPTCEncoding.sets[set]
    } else {
      name = nil
    }
  }

  /// The 96-character sets by the last byte of their escape sequence: all of ISO 8859.
  private static let sets: [Character: String] = [
    // Programs that declare ISO 8859-1 write its extension Windows-1252.
    "A": "WINDOWS-1252", "B": "ISO-8859-2", "C": "ISO-8859-3", "D": "ISO-8859-4",
    "L": "ISO-8859-5", "G": "ISO-8859-6", "F": "ISO-8859-7", "H": "ISO-8859-8",
    "M": "ISO-8859-9", "V": "ISO-8859-10", "T": "ISO-8859-11", "Y": "ISO-8859-13",
    "_": "ISO-8859-14", "b": "ISO-8859-15", "f": "ISO-8859-16",
  ]

  func decode(_ bytes: [UInt8]) -> String {
    let text = bytes.prefix { $0 != 0 }
    let converted = name.flatMap { convertedText(text, from: $0) }
    return (converted ?? decodedText(text)).trimmed
  }
}

/// Decodes texts written by Windows: UTF-16, little-endian, up to a NUL.
func windowsText(_ bytes: [UInt8]) -> String { utf16Text(bytes, isBigEndian: false).trimmed }

/// Decodes a comment, which begins with eight bytes that declare its encoding.
///
/// Source: Exif 2.32, section 4.6.5, tag 0x9286.
func commentText(_ bytes: [UInt8]) -> String {
  let content = bytes.dropFirst(8)
  switch String(decoding: bytes.prefix(8), as: UTF8.self) {
  case "UNICODE\0":
    // Writers disagree on the byte order.
    if content.starts(with: [0xFE, 0xFF]) {
      return utf16Text(Array(content.dropFirst(2)), isBigEndian: true).trimmed
    }
    if content.starts(with: [0xFF, 0xFE]) {
      return utf16Text(Array(content.dropFirst(2)), isBigEndian: false).trimmed
    }
    let texts = [true, false].map { utf16Text(Array(content), isBigEndian: $0) }
    return (implausibility(texts[1]) < implausibility(texts[0]) ? texts[1] : texts[0]).trimmed
  case "JIS\0\0\0\0\0":
    return
      (convertedText(content.prefix { $0 != 0 }, from: "ISO-2022-JP")
      ?? decodedText(content.prefix { $0 != 0 })).trimmed
  default:
    return decodedText(content.prefix { $0 != 0 }).trimmed
  }
}

private func utf16Text(_ bytes: [UInt8], isBigEndian: Bool) -> String {
  let units = stride(from: 0, to: bytes.count - 1, by: 2).map { (start: Int) -> UInt16 in
    let (first, second) = (UInt16(bytes[start]), UInt16(bytes[start + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }
  return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
}

/// Returns the number of implausible characters in a text: about half of them if decoded with the
/// wrong byte order.
private func implausibility(_ text: String) -> Int {
  text.isEmpty
    ? .max
    : text.unicodeScalars.count { scalar in
      scalar == "\u{FFFD}" || scalar.value & 0xFF == 0
        || [.unassigned, .privateUse, .control].contains(scalar.properties.generalCategory)
    }
}

extension String {
  /// The text without surrounding white space and NULs.
  var trimmed: String {
    func isBlank(_ character: Character) -> Bool { character.isWhitespace || character == "\0" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }

  var nonEmpty: String? { isEmpty ? nil : self }
}
