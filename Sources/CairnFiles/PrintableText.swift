extension Unicode.Scalar {
  /// Whether a terminal interprets the character or shows nothing for it: control characters,
  /// characters that change the direction of text, line separators, and invisible format
  /// characters.
  ///
  /// Joiners (U+200C, U+200D) are excluded: Persian, Hindi and emoji need them.
  ///
  /// Source: Unicode Technical Report #36, section 2, “Visual Security Issues”.
  package var isInterpretedByTerminals: Bool {
    // Most text is ASCII, for which the table of categories would take most of the time.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .format: value != 0x200C && value != 0x200D
    case .control, .surrogate, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension String {
  /// The text with each character that a terminal would interpret replaced by its escape, such as
  /// `\u{202E}` or `\n`, since names may come from untrusted sources. A slash in a name of git, which is no
  /// separator, is shown as one.
  package var printable: String {
    guard unicodeScalars.contains(where: { $0.isInterpretedByTerminals || $0 == GitName.slash })
    else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == GitName.slash {
        text += "/"
      } else if scalar.isInterpretedByTerminals {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}
