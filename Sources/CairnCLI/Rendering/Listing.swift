import Cairn

/// Rows of a table that are printed while they are made, so many at a time laid out together.
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
    Console.table(rows).forEach { Console.print($0) }
    rows = []
  }
}

/// A JSON array that is written while its elements are made.
final class JSONArrayWriter {
  private let start: String
  private let end: String
  private var isEmpty = true

  /// - Parameters:
  ///   - start: What comes before the elements: the opening bracket, and what stands around it.
  ///   - end: What comes after them.
  init(start: String = "[", end: String = "]") { (self.start, self.end) = (start, end) }

  func add(_ element: JSON) {
    // Without the new line at its end.
    let text = element.canonicalText.dropLast()
    Console.write(json: (isEmpty ? start + "\n" : ",\n") + text, goesOn: true)
    isEmpty = false
  }

  func finish() { Console.write(json: (isEmpty ? start : "\n") + end + "\n") }
}
