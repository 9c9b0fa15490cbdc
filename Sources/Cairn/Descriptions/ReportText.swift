/// A report for people: lines and tables.
///
/// `print(text)` prints it with its columns aligned. A program with its own user interface shows
/// the ``parts``.
public struct ReportText: Equatable, Sendable, CustomStringConvertible {
  /// A part of a report.
  public enum Part: Equatable, Sendable {
    /// The name of what the report is about.
    case title(String)
    /// A line; an empty one between sections.
    case line(String)
    /// Rows of as many cells as the header has.
    case table(header: [String], rows: [[String]])
  }

  /// The parts, from top to bottom.
  public private(set) var parts: [Part] = []

  /// The report with aligned columns; tables are indented if it has a title.
  public var description: String {
    let indent = if case .title = parts.first { "  " } else { "" }
    return parts.flatMap { part in
      switch part {
      case .title(let text), .line(let text): [text]
      case .table(let header, let rows):
        ReportText.aligned([header] + rows).map { indent + $0 }
      }
    }.joined(separator: "\n")
  }

  mutating func title(_ text: String) { parts.append(.title(text)) }

  mutating func line(_ text: String = "") { parts.append(.line(text)) }

  mutating func table(_ header: [String], _ rows: [[String]]) {
    parts.append(.table(header: header, rows: rows))
  }

  private static func aligned(_ rows: [[String]]) -> [String] {
    let columns = rows[0].indices
    let widths = columns.map { column in rows.reduce(0) { max($0, $1[column].count) } }
    return rows.map { row in
      let cells = columns.map { column in
        row[column] + String(repeating: " ", count: widths[column] - row[column].count)
      }
      return String(cells.joined(separator: "  ").trimmingSuffix { $0 == " " })
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var text = self[...]
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}

/// Returns `1 class`, `2 classes`.
func counted(_ number: Int, _ one: String, _ many: String) -> String {
  "\(number) \(number == 1 ? one : many)"
}

/// Returns `1 photo`, `2 photos`.
func counted(_ number: Int, _ noun: String) -> String { counted(number, noun, noun + "s") }
