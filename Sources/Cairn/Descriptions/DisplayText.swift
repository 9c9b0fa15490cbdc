internal import CairnDocument

// Values in descriptions.

extension JSON {
  /// This value for display, on one line: a plain word without quotation marks, other text with
  /// them.
  var displayText: String {
    switch self {
    case .null: "none"
    case .bool(let value): value ? "yes" : "no"
    case .number(let number): number.text
    case .string(let text): text.isPlainWord ? text : text.quoted
    case .array, .object:
      canonicalText.split(separator: "\n").map { String($0.drop { $0 == " " }) }
        .joined(separator: " ").shortened
    }
  }
}

extension String {
  /// This text in quotation marks, on one line and shortened if long.
  var quoted: String {
    let lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return "“\(lines.joined(separator: "↵").shortened)”"
  }

  /// Whether this text is unmistakably a single word: an id, a slug, an address.
  var isPlainWord: Bool {
    guard let first = unicodeScalars.first, !["none", "yes", "no"].contains(self),
      Double(self) == nil || utf8.count >= 20
    else { return false }
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: "@:._/+-".unicodeScalars.contains(scalar)
      }
    }
    return isPlain(first) && unicodeScalars.allSatisfy(isPlain)
  }

  fileprivate var shortened: String {
    let limit = 240
    return unicodeScalars.count <= limit
      ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(limit - 1))) + "…"
  }
}
