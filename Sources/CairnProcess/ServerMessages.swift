internal import CairnFiles

/// Messages for people from a server, its hooks or a program: bounded, and without characters that
/// move a terminal's cursor.
package struct ServerMessages: Sendable, Equatable {
  /// Maximum number of bytes to keep; beyond it, only the fact of truncation is recorded.
  package static let limit = 16 << 10

  private var bytes: [UInt8] = []
  private var isCut = false

  package init() {}

  package init(_ bytes: some Sequence<UInt8>) { append(bytes) }

  package mutating func append(_ more: some Sequence<UInt8>) {
    for byte in more {
      if bytes.count == ServerMessages.limit {
        isCut = true
        return
      }
      bytes.append(byte)
    }
  }

  /// The lines, without empty ones. Only the last version of an overwritten line, such as progress,
  /// is included.
  package var lines: [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).compactMap { line in
      let last = line.split(separator: "\r").last ?? ""
      let shown = ServerMessages.printable(String(last))
      return shown.contains { $0 != " " } ? shown : nil
    }
    return isCut ? lines + ["…"] : lines
  }

  /// The lines joined into one.
  package var sentence: String { lines.joined(separator: " / ") }

  /// Returns text with terminal styles and controls removed, and with characters that change the
  /// text direction shown as escapes.
  package static func printable(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        // An escape sequence ends with a letter: “ESC [ 31 m”.
        if scalar.properties.isAlphabetic { isEscaped = false }
        continue
      }
      switch scalar.properties.generalCategory {
      case .control where scalar == "\t": shown.append(" ")
      case .control where scalar == "\u{1B}": isEscaped = true
      case .control: continue
      default: shown.append(scalar)
      }
    }
    let cleaned = String(shown).printable
    return String(cleaned.reversed().drop { $0 == " " }.reversed())
  }
}
