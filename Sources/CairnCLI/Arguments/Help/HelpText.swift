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
  static func paragraphs(_ text: String) -> String {
    if !isRequested { return text }
    var lines: [String] = []
    var isParagraph = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard !line.hasPrefix(" "), line.contains(where: \.isLowercase) else {
        lines.append(String(line))
        isParagraph = false
        continue
      }
      for word in line.split(separator: " ") {
        if isParagraph, lines[lines.count - 1].count + 1 + word.count < columns {
          lines[lines.count - 1] += " " + word
        } else {
          lines.append(String(word))
          isParagraph = true
        }
      }
    }
    return lines.joined(separator: "\n").replacing(" ", with: nonBreakingSpace)
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
