import Cairn
import CairnFiles
import Synchronization

/// What people and programs see: results on stdout, all else on stderr.
enum Console {
  static let hasColor =
    isTerminal(1) && variable("NO_COLOR") == nil && (variable("TERM") ?? "dumb") != "dumb"

  /// Prints a line. Whatever it quotes, only our own styles reach the terminal.
  static func print(_ text: String = "") {
    let parts = text.split(separator: Style.mark, omittingEmptySubsequences: false)
    let line = parts.enumerated().map { index, part in
      index % 2 == 1 && Style.codes.contains(part)
        ? "\u{1B}[\(part)m" : printable(String(part))
    }
    output(line.joined() + "\n")
  }

  static func print(json: JSON) { write(json: json.canonicalText) }

  /// Whether a part of a JSON value is written, into which no other may come.
  private static let isWithinJSON = Mutex(false)

  /// Writes canonical JSON.
  ///
  /// - Parameter goesOn: Whether it is a part, and more of the value follows.
  static func write(json text: String, goesOn: Bool = false) {
    isWithinJSON.withLock { $0 = goesOn }
    output(isTerminal(1) ? escaped(text) : text)
  }

  /// Writes text that is for programs, as it is.
  static func write(_ text: String) { output(text) }

  /// What cannot be told is not done: a script must not take half an answer for a whole one.
  private static func output(_ text: String) {
    if writeAll(text, to: 1) { return }
    writeAll("cairn: The output cannot be written.\n", to: 2)
    endProcess(CairnError.Kind.fileSystem.exitCode)
  }

  /// Prints a result: `json` for programs, or else what `text` prints for people.
  static func print(_ options: GlobalOptions, _ json: @autoclosure () -> JSON, _ text: () -> Void) {
    if options.json { print(json: json()) } else { text() }
  }

  static func note(_ text: String) { writeAll("cairn: \(printable(text))\n", to: 2) }

  static func hint(_ text: String) { writeAll("hint: \(printable(text))\n", to: 2) }

  /// Tells why it ends, and ends.
  static func fail(_ error: CairnError, json: Bool) -> Never {
    if json, !isWithinJSON.withLock({ $0 }) {
      print(
        json: [
          "error": [
            "exitCode": JSON(Int(error.kind.exitCode)), "hint": JSON(error.hint),
            "kind": .string(error.kind.rawValue), "message": .string(error.message),
          ]
        ])
    }
    writeAll("cairn: \(printable(error.message))\n", to: 2)
    if let excerpt = error.excerpt {
      let before = printable(String(excerpt.line.prefix(excerpt.column)))
      writeAll(
        "  \(printable(excerpt.line))\n  \(String(repeating: " ", count: columns(before)))^\n",
        to: 2)
    }
    if let hint = error.hint { self.hint(hint) }
    endProcess(error.kind.exitCode)
  }

  /// Returns text with the escapes of characters that a terminal would obey.
  static func printable(_ text: String) -> String { text.printable }

  /// Returns JSON that says the same without characters that a terminal would obey. Canonical JSON has
  /// those of ASCII between its values alone.
  private static func escaped(_ json: String) -> String {
    if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
    return json.unicodeScalars.map { scalar in
      guard scalar.value >= 0x7F, scalar.isObeyedByTerminals else { return String(scalar) }
      return UTF16.encode(scalar)!.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }.joined()
  }

  /// How many columns of a terminal a text takes: signs of the Far East and pictures take two.
  ///
  /// Source: Unicode Standard Annex #11, classes W and F, by their blocks.
  static func columns(_ text: String) -> Int {
    text.reduce(0) { total, letter in
      guard let first = letter.unicodeScalars.first?.value else { return total }
      let isWide =
        switch first {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
          0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
          0x1F900...0x1F9FF, 0x20000...0x3FFFD:
          true
        default: false
        }
      return total + (isWide ? 2 : 1)
    }
  }

  /// Returns rows with their columns aligned, two spaces apart.
  static func table(_ rows: [[String]]) -> [String] {
    let rows = rows.map { $0.map(printable) }
    let widths = (rows.first ?? []).indices.map { column in rows.map { columns($0[column]) }.max()!
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 {
          line += String(repeating: " ", count: widths[column] - columns(cell) + 2)
        }
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}

/// Colors of a terminal.
enum Style: String, CaseIterable {
  /// Stands around a style's code until it is printed. It is a control character, which no text from
  /// elsewhere keeps.
  static let mark: Character = "\u{1}"
  static let codes = Set(allCases.map { Substring($0.rawValue) } + ["0"])

  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  func callAsFunction(_ text: String) -> String {
    Console.hasColor
      ? "\(Style.mark)\(rawValue)\(Style.mark)\(text.filter { $0 != Style.mark })"
        + "\(Style.mark)0\(Style.mark)"
      : text
  }
}
