/// The text of a help page, wrapped to the width of the terminal.
enum HelpText {
  /// Stands for a space, so that ArgumentParser does not wrap a line again.
  private static let fixedSpace = "\u{A0}"

  /// Whether a page is asked for: other commands start without laying out the texts of all.
  private static let isAskedFor =
    CommandLine.arguments.contains {
      ["help", "-h", "--help"].contains($0) || $0.hasPrefix("--generate-")
        || $0.hasPrefix("--experimental-") || $0.hasPrefix("--help-")
    } || CommandLine.arguments.count { !$0.hasPrefix("-") } < 4

  /// The width that ArgumentParser wraps to as well.
  private static let columns =
    variable("COLUMNS").flatMap { Int($0) } ?? TerminalSize(of: 1).columns

  /// Returns a text with its paragraphs wrapped. Indented lines, such as examples and tables, are never
  /// wrapped, and neither are headings in capitals.
  static func paragraphs(_ text: String) -> String {
    if !isAskedFor { return text }
    var lines: [String] = []
    var isOpen = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard !line.hasPrefix(" "), line.contains(where: \.isLowercase) else {
        lines.append(String(line))
        isOpen = false
        continue
      }
      for word in line.split(separator: " ") {
        if isOpen, lines[lines.count - 1].count + 1 + word.count < columns {
          lines[lines.count - 1] += " " + word
        } else {
          lines.append(String(word))
          isOpen = true
        }
      }
    }
    return lines.joined(separator: "\n").replacing(" ", with: fixedSpace)
  }

  /// Returns a page laid out by ArgumentParser as it is printed.
  static func printed(_ page: String) -> String { page.replacing(fixedSpace, with: " ") }
}
