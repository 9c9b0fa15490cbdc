internal import CairnDocument

/// The rows of a table, one at a time. Source: RFC 4180; with any delimiter, and with any line
/// ending.
struct CSVTable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let delimiter: UInt8
  private let newline: UInt8
  private let quote: UInt8?
  /// The number of bytes read.
  private(set) var position: Int
  private var nextLine: Int
  /// The line on which the last row started.
  private(set) var line = 0

  private static let cellLimit = 1 << 20
  private static let columnLimit = 4096

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ dialect: CSVDialect) {
    self.bytes = bytes
    (delimiter, newline, quote) = (dialect.delimiter, dialect.newline, dialect.quote)
    (position, nextLine) = (dialect.start, dialect.firstLine)
  }

  /// Creates a table in the dialect that its first rows show.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.init(bytes, CSVDialect(bytes)) }

  /// Returns the next non-empty row; nil at the end.
  mutating func next(_ file: String) throws -> [String]? {
    while position < bytes.count {
      line = nextLine
      let row = try row(file)
      if row.count > 1 || row.first?.isEmpty == false { return row }
    }
    return nil
  }

  /// Returns up to `count` rows; fewer at the end, or before a row that cannot be read.
  mutating func sample(_ count: Int) -> [[String]] {
    var rows: [[String]] = []
    while rows.count < count, let row = try? next("") { rows.append(row) }
    return rows
  }

  private mutating func row(_ file: String) throws -> [String] {
    var row: [String] = []
    while true {
      let isQuoted = position < bytes.count && bytes[position] == quote
      row.append(try isQuoted ? quotedCell(file) : plainCell(file))
      if row.count > CSVTable.columnLimit { throw wrong("more than 4096 columns", file) }
      guard position < bytes.count else { return row }
      position += 1
      if bytes[position - 1] == newline {
        nextLine += 1
        return row
      }
      // A delimiter at the end of the file is followed by an empty cell.
      if position == bytes.count { return row + [""] }
    }
  }

  private func wrong(_ message: String, _ file: String) -> FormatError {
    FormatError(ImportedLocation(file, line: line), message)
  }

  private func text(
    _ cell: some BidirectionalCollection<UInt8>, _ file: String
  ) throws -> String {
    guard cell.count <= CSVTable.cellLimit else { throw wrong("a cell is larger than 1 MiB", file) }
    guard let text = String(validating: cell, as: UTF8.self) else {
      throw FormatError(
        ImportedLocation(file, line: line), "a cell is not valid UTF-8",
        hint: "Save the table as UTF-8; spreadsheets call it “CSV UTF-8”.")
    }
    return text
  }

  /// Reads a cell without quotes, up to its delimiter.
  private mutating func plainCell(_ file: String) throws -> String {
    let start = position
    while position < bytes.count, bytes[position] != delimiter, bytes[position] != newline {
      position += 1
    }
    return try text(bytes[start..<endOfCell(after: start)], file)
  }

  /// Returns the end of a cell at the current position, before the carriage return of a line
  /// ending.
  private func endOfCell(after start: Int) -> Int {
    let isEndOfLine = position == bytes.count || bytes[position] == 0x0A
    return isEndOfLine && position > start && bytes[position - 1] == 0x0D ? position - 1 : position
  }

  /// Reads a cell in quotes, up to its delimiter.
  private mutating func quotedCell(_ file: String) throws -> String {
    var cell: [UInt8] = []
    position += 1
    while true {
      let start = position
      while position < bytes.count, bytes[position] != quote {
        if bytes[position] == newline { nextLine += 1 }
        position += 1
      }
      guard position < bytes.count else { throw wrong("a cell without a closing quote", file) }
      guard cell.count + position - start <= CSVTable.cellLimit else {
        throw wrong("a cell is larger than 1 MiB", file)
      }
      cell.append(contentsOf: bytes[start..<position])
      position += 1
      guard position < bytes.count, bytes[position] == quote else { break }
      cell.append(bytes[position])
      position += 1
    }
    let end = position
    while position < bytes.count, bytes[position] != delimiter, bytes[position] != newline {
      position += 1
    }
    guard bytes[end..<endOfCell(after: end)].allSatisfy({ $0 == 0x20 }) else {
      throw wrong("text after the closing quote of a cell", file)
    }
    return try text(cell, file)
  }
}
