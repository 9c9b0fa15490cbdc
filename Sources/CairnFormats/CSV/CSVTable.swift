internal import CairnDocument

/// The rows of a table, one at a time.
struct CSVTable {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The number of bytes read.
  private(set) var position = 0
  private var nextLine = 1
  /// The line on which the last row started.
  private(set) var line = 0

  private static let cellLimit = 1 << 20
  private static let columnLimit = 4096

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns the next non-empty row; nil at the end.
  mutating func next(_ file: String) throws -> [String]? {
    while position < bytes.count {
      line = nextLine
      let row = try row(file)
      if row.count > 1 || row.first?.isEmpty == false { return row }
    }
    return nil
  }

  private mutating func row(_ file: String) throws -> [String] {
    var row: [String] = []
    var cell: [UInt8] = []
    var (isQuoted, isAfterQuotes) = (false, false)
    func wrong(_ message: String) -> FormatError {
      FormatError(ImportedLocation(file, line: line), message)
    }
    func finish() throws {
      guard let text = String(validating: cell, as: UTF8.self) else {
        throw wrong("a cell is not valid UTF-8")
      }
      row.append(text)
      cell.removeAll(keepingCapacity: true)
      isAfterQuotes = false
      if row.count > CSVTable.columnLimit { throw wrong("more than 4096 columns") }
    }
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == 0x0A { nextLine += 1 }
      if isQuoted {
        if byte != UInt8(ascii: "\"") {
          cell.append(byte)
        } else if position < bytes.count, bytes[position] == byte {
          cell.append(byte)
          position += 1
        } else {
          (isQuoted, isAfterQuotes) = (false, true)
        }
        if cell.count > CSVTable.cellLimit { throw wrong("a cell is larger than 1 MiB") }
        continue
      }
      switch byte {
      case UInt8(ascii: ","): try finish()
      case 0x0A:
        try finish()
        return row
      case 0x0D where position == bytes.count || bytes[position] == 0x0A: break
      case UInt8(ascii: "\"") where cell.isEmpty && !isAfterQuotes: isQuoted = true
      case _ where isAfterQuotes: throw wrong("text after the closing quote of a cell")
      default: cell.append(byte)
      }
      if cell.count > CSVTable.cellLimit { throw wrong("a cell is larger than 1 MiB") }
    }
    if isQuoted { throw wrong("a cell without a closing quote") }
    try finish()
    return row
  }
}
