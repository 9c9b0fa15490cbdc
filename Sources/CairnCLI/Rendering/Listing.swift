import Cairn

/// Prints the rows of a table page by page, with aligned columns in each page.
final class TableWriter {
  private var rows: [[String]] = []
  private(set) var count = 0

  private static let pageSize = 200

  func add(_ row: [String]) {
    rows.append(row)
    count += 1
    if rows.count == TableWriter.pageSize { finish() }
  }

  func finish() {
    Console.print(lines: Console.table(rows))
    rows = []
  }
}

/// Writes a JSON array, one element at a time.
final class JSONArrayWriter {
  private let start: String
  private let end: String
  private var isEmpty = true

  /// - Parameters:
  ///   - start: The text before the elements, with the opening bracket.
  ///   - end: The text after them, with the closing bracket.
  init(start: String = "[", end: String = "]") { (self.start, self.end) = (start, end) }

  func add(_ element: JSON) {
    // Without its final newline.
    let text = element.canonicalText.dropLast()
    Console.write(json: (isEmpty ? start + "\n" : ",\n") + text, isPartial: true)
    isEmpty = false
  }

  func finish() { Console.write(json: (isEmpty ? start : "\n") + end + "\n") }
}
