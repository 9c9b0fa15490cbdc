// The number of columns that text takes in a terminal.

extension Character {
  /// The width in columns, 0 to 2: that of the widest scalar, since the others combine with it.
  ///
  /// Source: Unicode Standard Annex 11, “East Asian Width”, classes W and F, which include emoji
  /// with a default emoji presentation.
  package var columns: Int {
    if let code = asciiValue { return 0x20..<0x7F ~= code ? 1 : 0 }
    let scalars = unicodeScalars
    // An emoji variation selector makes a character as wide as an emoji.
    if scalars.contains("\u{FE0F}"), scalars.count > 1 { return 2 }
    return scalars.lazy.map(\.columns).max() ?? 0
  }
}

extension String {
  /// The width in columns.
  package var columns: Int {
    utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? utf8.count : reduce(0) { $0 + $1.columns }
  }

  /// Returns the longest beginning that fits into the columns, with “…” if some text is left out.
  package func fitting(columns limit: Int) -> String {
    if columns <= limit { return self }
    var (text, used) = ("", 0)
    for character in self {
      if used + character.columns > limit - 1 { break }
      text.append(character)
      used += character.columns
    }
    return limit > 0 ? text + "…" : ""
  }

  /// Returns lines that fit into the columns, broken at spaces where possible.
  package func wrapped(columns limit: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
      let longer = line.isEmpty ? word : line + " " + word
      if longer.columns <= limit {
        line = longer
        continue
      }
      if !line.isEmpty { lines.append(line) }
      line = word
      while line.columns > max(limit, 2) {
        var head = ""
        while let next = line.first, head.columns + next.columns <= max(limit, 2) {
          head.append(line.removeFirst())
        }
        lines.append(head)
      }
    }
    return lines + [line]
  }
}

extension Unicode.Scalar {
  fileprivate var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // The vowels and finals of Hangul combine with the preceding consonant.
    if 0x1160...0x11FF ~= value { return 0 }
    return value >= 0x1100 && Unicode.Scalar.wide.contains { $0 ~= value } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
    0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
    0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F004...0x1F004,
    0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320,
    0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
    0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E,
    0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E,
    0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4,
    0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2,
    0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC,
    0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
    0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}
