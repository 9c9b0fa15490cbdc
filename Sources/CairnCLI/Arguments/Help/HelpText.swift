/// The text of a help page, wrapped to the width of the terminal.
enum HelpText {
  /// Replaces spaces, so that ArgumentParser does not wrap a line again.
  private static let nonBreakingSpace = "\u{A0}"

  /// Whether this process may print a help page. Otherwise commands start faster without wrapping
  /// the texts of all commands.
  private static let isRequested =
    CommandLine.arguments.dropFirst().first != "complete"
    && (CommandLine.arguments.contains {
      ["help", "-h", "--help"].contains($0) || $0.hasPrefix("--generate-")
        || $0.hasPrefix("--experimental-") || $0.hasPrefix("--help-")
    } || CommandLine.arguments.count { !$0.hasPrefix("-") } < 4)

  /// The width that ArgumentParser uses too.
  private static let columns =
    variable("COLUMNS").flatMap { Int($0) } ?? TerminalSize(of: 1).columns

  /// Returns a text with its paragraphs wrapped. Indented lines, such as examples and tables, and
  /// headings in capitals are never wrapped.
  ///
  /// The start of a command wraps the texts of many others, so this looks at bytes, not at characters.
  static func paragraphs(_ text: String) -> String {
    if !isRequested { return text }
    let (space, newline) = (UInt8(ascii: " "), UInt8(ascii: "\n"))
    var wrapped: [UInt8] = []
    // The width of the last line, in a paragraph.
    var width: Int?
    for line in text.utf8.split(separator: newline, omittingEmptySubsequences: false) {
      guard line.first != space, line.contains(where: { (0x61...0x7A).contains($0) }) else {
        wrapped.append(newline)
        for byte in line {
          if byte == space { wrapped += nonBreakingSpace.utf8 } else { wrapped.append(byte) }
        }
        width = nil
        continue
      }
      for word in line.split(separator: space) {
        // A character has one byte that does not continue it.
        let count = word.count { $0 & 0xC0 != 0x80 }
        if let last = width, last + 1 + count < columns {
          wrapped += nonBreakingSpace.utf8
          width = last + 1 + count
        } else {
          wrapped.append(newline)
          width = count
        }
        wrapped += word
      }
    }
    return String(decoding: wrapped.dropFirst(), as: UTF8.self)
  }

  /// Returns a help page from ArgumentParser in the form in which it is printed.
  static func printed(_ page: String) -> String {
    page.replacing(nonBreakingSpace, with: " ")
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix(usage) ? wrapped(usage: $0) : String($0) }.joined(separator: "\n")
  }

  private static let usage = "USAGE:"

  /// Returns a usage line, which ArgumentParser does not wrap, with its further lines indented. An
  /// option stays on one line with its value.
  private static func wrapped(usage line: Substring) -> String {
    var depth = 0
    let words = line.dropFirst(usage.count).split {
      depth += "[<".contains($0) ? 1 : "]>".contains($0) ? -1 : 0
      return $0 == " " && depth == 0
    }
    var lines = [usage]
    for word in words {
      // The dots of a repeated argument follow it.
      if word == "..." || lines[lines.count - 1].count + 1 + word.count < columns {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(repeating: " ", count: usage.count + 1) + word)
      }
    }
    return lines.joined(separator: "\n")
  }
}
