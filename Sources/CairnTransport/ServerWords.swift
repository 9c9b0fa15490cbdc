/// What a server or its hooks say to people, as far as it can be shown: bounded, and without
/// characters that move a terminal's cursor.
public struct ServerWords: Sendable, Equatable {
  /// Beyond that, only that there was more is remembered.
  public static let limit = 16 << 10

  private var bytes: [UInt8] = []
  private var isCut = false

  public init() {}

  public init(_ bytes: some Sequence<UInt8>) { append(bytes) }

  public mutating func append(_ more: some Sequence<UInt8>) {
    for byte in more {
      if bytes.count == ServerWords.limit {
        isCut = true
        return
      }
      bytes.append(byte)
    }
  }

  /// The lines, without empty ones. Of a line that was written over, as progress is, the last stands.
  public var lines: [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).compactMap { line in
      let last = line.split(separator: "\r").last ?? ""
      let shown = ServerWords.printable(String(last))
      return shown.contains { $0 != " " } ? shown : nil
    }
    return isCut ? lines + ["…"] : lines
  }

  /// The lines as one.
  public var sentence: String { lines.joined(separator: " / ") }

  /// Returns text without what a terminal would obey.
  public static func printable(_ text: String) -> String {
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
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse: continue
      default: shown.append(scalar)
      }
    }
    let words = String(shown)
    return String(words.reversed().drop { $0 == " " }.reversed())
  }
}
