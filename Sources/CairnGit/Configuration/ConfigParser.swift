/// A parser for untrusted text in the format of git's configuration, such as `.lfsconfig`. It does
/// not follow `include`.
///
/// Source: git's Documentation/config.txt, “CONFIGURATION FILE”, “Syntax”.
package enum ConfigParser {
  package struct Malformed: Error, Equatable {
    /// The line number, starting at 1.
    package let line: Int
  }

  /// Returns the entries in file order, with keys normalized as git compares them.
  package static func entries(
    of text: String
  ) throws(Malformed) -> [(key: String, value: String)] {
    var entries: [(key: String, value: String)] = []
    var section = ""
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
      .enumerated().makeIterator()
    while let (number, first) = lines.next() {
      var line = String(number == 0 && first.hasPrefix("\u{FEFF}") ? first.dropFirst() : first)
      let isComment = line.first { $0 != " " && $0 != "\t" }.map { $0 == "#" || $0 == ";" } ?? true
      if isComment { continue }
      // An odd number of backslashes at the end of a line continues it on the next line.
      while line.reversed().prefix(while: { $0 == "\\" }).count % 2 == 1 {
        line.removeLast()
        guard let (_, more) = lines.next() else { break }
        line += more
      }
      var rest = line.drop { $0 == " " || $0 == "\t" }
      if rest.first == "[" {
        guard let (name, after) = header(rest) else { throw Malformed(line: number + 1) }
        (section, rest) = (name, after.drop { $0 == " " || $0 == "\t" })
      }
      guard let start = rest.first, start != "#", start != ";" else { continue }
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      rest = rest.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
      guard !section.isEmpty, let letter = name.first, letter.isLetter else {
        throw Malformed(line: number + 1)
      }
      let key = section + "." + name.lowercased()
      if rest.first == "=" {
        guard let value = value(rest.dropFirst()) else { throw Malformed(line: number + 1) }
        entries.append((key, value))
      } else if rest.isEmpty || rest.first == "#" || rest.first == ";" {
        entries.append((key, "true"))
      } else {
        throw Malformed(line: number + 1)
      }
    }
    return entries
  }

  /// Parses `[name]` or `[name "subsection"]`.
  private static func header(_ text: Substring) -> (section: String, rest: Substring)? {
    var rest = text.dropFirst()
    let name = rest.prefix { $0 != "]" && $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
    rest = rest.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
    var subject = ""
    if rest.first == "\"" {
      rest.removeFirst()
      while let character = rest.popFirst(), character != "\"" {
        guard character == "\\" else {
          subject.append(character)
          continue
        }
        guard let next = rest.popFirst() else { return nil }
        subject.append(next)
      }
    }
    guard !name.isEmpty, rest.popFirst() == "]" else { return nil }
    return (subject.isEmpty ? name : "\(name).\(subject)", rest)
  }

  private static let escapes: [Character: Character] = [
    "n": "\n", "t": "\t", "b": "\u{8}", "\"": "\"", "\\": "\\",
  ]

  private static func value(_ text: Substring) -> String? {
    var (value, blanks, isQuoted) = ("", "", false)
    var rest = text
    while let character = rest.popFirst() {
      switch character {
      case "\"": isQuoted.toggle()
      case "#" where !isQuoted, ";" where !isQuoted: return value
      case " " where !isQuoted, "\t" where !isQuoted: blanks += value.isEmpty ? "" : " "
      case "\\":
        guard let next = rest.popFirst(), let unescaped = escapes[next] else { return nil }
        value += blanks + String(unescaped)
        blanks = ""
      default:
        value += blanks + String(character)
        blanks = ""
      }
    }
    return isQuoted ? nil : value
  }
}
