import ArgumentParser
import Cairn

enum DiffFormat: String, ExpressibleByArgument, CaseIterable { case text, markdown }

/// The differences between two states of a dataset as Markdown, for a comment on a hosting site.
struct DiffMarkdown {
  private let limit: Int
  private var rows: [String] = []
  private var length = 0
  private var groups = 0
  private var shown = 0

  /// The maximum length of the table in UTF-16 code units. GitHub limits a comment to 65,536; the
  /// rest is for the line above and below the table.
  private static let lengthLimit = 60_000

  /// - Parameter limit: Maximum number of photos and other documents.
  init(limit: Int) { self.limit = limit }

  mutating func add(_ group: DiffGroup) {
    groups += 1
    // Once a row was left out, all that follow are, too.
    guard shown == groups - 1, shown < limit else { return }
    let rows = DiffMarkdown.rows(of: group)
    let more = rows.reduce(0) { $0 + $1.utf16.count + 1 }
    guard length + more <= DiffMarkdown.lengthLimit else { return }
    self.rows += rows
    length += more
    shown += 1
  }

  /// Returns the Markdown.
  ///
  /// - Parameter summary: The counts as a sentence.
  func text(under summary: String, problems: Int) -> String {
    var lines = ["**\(DiffMarkdown.plain(summary))**"]
    if !rows.isEmpty { lines += ["", "| what | changes |", "|---|---|"] + rows }
    if groups > shown, shown > 0 { lines += ["", "… and \(groups - shown) more."] }
    if problems > 0 {
      lines += ["", "\(count(problems, "file")) cannot be read: `cairn status` lists them."]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func rows(of group: DiffGroup) -> [String] {
    guard let photo = group.photo else {
      return group.changes.map { "| \(plain($0.subject)) | \(cell($0.texts)) |" }
    }
    let name = group.name.map { " " + plain($0) } ?? ""
    return ["| `\(photo.short)`\(name) | \(cell(group.changes.flatMap(\.texts))) |"]
  }

  private static func cell(_ texts: [String]) -> String {
    texts.map(plain).joined(separator: "<br>")
  }

  /// Returns text without any meaning in Markdown: names of classes, people and files are anything. It
  /// neither mentions a user of the site nor links to an issue or a page.
  ///
  /// Source: CommonMark 0.31.2, “Backslash escapes”; GitHub Flavored Markdown, “Tables”, “Autolinks”.
  private static func plain(_ text: String) -> String {
    // Scalars, since a sign with an accent is one character, but means the same in Markdown.
    var plain = String.UnicodeScalarView()
    var isInWord = false
    for scalar in Console.printable(text).unicodeScalars {
      switch scalar {
      case "<": plain += "&lt;".unicodeScalars
      case ">": plain += "&gt;".unicodeScalars
      case "&": plain += "&amp;".unicodeScalars
      // A sign at the beginning of a word refers to a person or an issue. The address of a person has
      // it inside.
      case "@" where isInWord: plain.append(scalar)
      case "@", "#", "%", "!", "$": plain += "\(scalar)<!-- -->".unicodeScalars
      case "\\", "`", "*", "_", "[", "]", "|", "~": plain += "\\\(scalar)".unicodeScalars
      default: plain.append(scalar)
      }
      isInWord = Character(scalar).isLetter || Character(scalar).isNumber
    }
    return String(
      plain.replacing("://".unicodeScalars, with: ":<!-- -->//".unicodeScalars)
        .replacing("www.".unicodeScalars, with: "www<!-- -->.".unicodeScalars))
  }
}
