internal import CairnDocument

/// A sanitizer that turns untrusted texts of services into single lines for display.
enum SourceText {
  /// The maximum size of a title or author, in bytes.
  static let length = 1024

  /// Returns a text as one line without control characters and surrounding white space; nil when
  /// nothing is left.
  static func line(_ text: String?) -> String? {
    guard let text else { return nil }
    var (out, isSpace) = ("", false)
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: isSpace = true
      case .format, .surrogate, .privateUse: continue
      default:
        if isSpace, !out.isEmpty { out.unicodeScalars.append(" ") }
        isSpace = false
        out.unicodeScalars.append(scalar)
        if out.utf8.count > length { return out.cut(toBytes: length) }
      }
    }
    return out.isEmpty ? nil : out
  }

  /// Returns the visible text of a piece of HTML, as one line.
  static func plain(_ html: String?) -> String? {
    guard let html else { return nil }
    var (out, rest) = ("", html.unicodeScalars.prefix(16 << 10))
    while let scalar = rest.popFirst() {
      switch scalar {
      case "<":
        var quote: Unicode.Scalar?
        while let inside = rest.popFirst() {
          if quote == nil, inside == ">" { break }
          if inside == quote {
            quote = nil
          } else if quote == nil, inside == "\"" || inside == "'" {
            quote = inside
          }
        }
        out += " "
      case "&":
        let name = rest.prefix(10).prefix { $0 != ";" }
        if name.endIndex < rest.endIndex, rest[name.endIndex] == ";",
          let meant = entity(String(String.UnicodeScalarView(name)))
        {
          out.unicodeScalars.append(meant)
          rest = rest[rest.index(after: name.endIndex)...]
        } else {
          out += "&"
        }
      default: out.unicodeScalars.append(scalar)
      }
    }
    // Replacing tags may have left spaces before punctuation.
    return line(out)?.replacingSpaceBefore([".", ",", ";", ")", ":"])
  }

  /// Source: HTML Living Standard, “Named character references”: those that plain text needs.
  private static func entity(_ name: String) -> Unicode.Scalar? {
    if name.hasPrefix("#") {
      let digits = name.dropFirst()
      let isHex = digits.first == "x" || digits.first == "X"
      return UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
        .flatMap(Unicode.Scalar.init)
    }
    return ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " "][name]
  }
}

extension String {
  fileprivate func replacingSpaceBefore(_ signs: [Character]) -> String {
    var out = ""
    for character in self {
      if signs.contains(character), out.last == " " { out.removeLast() }
      out.append(character)
    }
    return out
  }
}
