/// The delimiter and the line ending of a table, as its first rows show them.
struct CSVDialect {
  private(set) var delimiter = UInt8(ascii: ",")
  /// The quotation mark; nil when cells are never quoted.
  private(set) var quote: UInt8? = UInt8(ascii: "\"")
  /// The byte that ends a line, perhaps after a carriage return.
  private(set) var newline: UInt8 = 0x0A
  /// The offset of the first row, after a byte order mark and a line such as `sep=;`.
  private(set) var start = 0
  /// The line of the first row, counted from 1.
  private(set) var firstLine = 1

  /// In the order of preference when rows have as many cells with each.
  private static let delimiters: [UInt8] = [
    UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|"),
  ]
  private static let sampleRows = 20
  private static let sampleBytes = 1 << 16

  /// Creates the dialect of a table that is described elsewhere.
  init(_ bytes: UnsafeBufferPointer<UInt8>, delimiter: UInt8, quote: UInt8?) {
    (self.delimiter, self.quote) = (delimiter, quote)
    start = withoutByteOrderMark(bytes).startIndex
  }

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    start = withoutByteOrderMark(bytes).startIndex
    let sample = bytes[start...].prefix(CSVDialect.sampleBytes)
    // Macintosh programs end lines with a carriage return alone.
    if !sample.contains(0x0A), sample.contains(0x0D) { newline = 0x0D }
    if let given = CSVDialect.givenDelimiter(sample, newline) {
      delimiter = given.delimiter
      (start, firstLine) = (given.end, 2)
      return
    }
    var best = (agreeing: 0, columns: 1)
    for candidate in CSVDialect.delimiters {
      var dialect = self
      dialect.delimiter = candidate
      var table = CSVTable(bytes, dialect)
      let rows = table.sample(CSVDialect.sampleRows)
      guard let columns = rows.first?.count, columns > 1 else { continue }
      // A comma in the texts of a table with semicolons is not in every row.
      let agreeing = rows.count { $0.count == columns } * 100 / rows.count
      if (agreeing, columns) > best {
        best = (agreeing, columns)
        delimiter = candidate
      }
    }
  }

  /// Returns the delimiter that a first line `sep=;` names, for Excel, and the end of that line.
  private static func givenDelimiter(
    _ text: Slice<UnsafeBufferPointer<UInt8>>, _ newline: UInt8
  ) -> (delimiter: UInt8, end: Int)? {
    let line = text.prefix { $0 != newline && $0 != 0x0D }
    guard line.count == 5, line.starts(with: Array("sep=".utf8)), let last = line.last else {
      return nil
    }
    let rest = text[line.endIndex...].drop { $0 == 0x0D && newline != 0x0D }.dropFirst()
    return (last, rest.startIndex)
  }

  /// Whether decimal fractions may have a comma, as where spreadsheets separate cells by
  /// semicolons.
  var allowsDecimalComma: Bool { delimiter == UInt8(ascii: ";") || delimiter == 0x09 }
}
