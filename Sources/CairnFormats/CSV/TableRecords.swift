internal import CairnDocument

/// A row of a table whose columns have names.
struct TableRecord {
  /// The indexes of the columns, by name.
  let columns: [String: Int]
  let cells: [String]
  let location: ImportedLocation

  /// Returns the first non-empty cell among these columns.
  subscript(names: String...) -> String? {
    for name in names {
      if let index = columns[name], index < cells.count, !cells[index].isEmpty {
        return cells[index]
      }
    }
    return nil
  }

  /// Returns a cell as a finite number.
  func number(_ name: String) -> Double? {
    self[name].flatMap { Double($0.trimmingSpaces()) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Returns four cells as finite numbers; nil unless all are.
  func numbers(_ names: [String]) -> [Double]? {
    let numbers = names.compactMap { number($0) }
    return numbers.count == names.count ? numbers : nil
  }
}

/// The form of a table's text.
struct TableForm {
  /// The separator of cells; nil to find it, and the quotation mark, in the first rows.
  var separator: UInt8?
  /// The quotation mark; nil when cells are never quoted.
  var quote: UInt8? = UInt8(ascii: "\"")
  /// The names of the columns; nil when they are in the first row.
  var columns: [String: Int]?
  /// The number of rows before the first record, when ``columns`` is given.
  var headerCount = 0

  static let csv = TableForm()
}

extension ImportReader {
  /// Calls `visit` with each record of a table. Rows with a wrong number of cells are reported.
  ///
  /// - Parameter required: Lists of alternative names; each list needs a column.
  /// - Throws: ``FormatError`` when there is no header, or a required column is missing.
  func forEachRecord(
    of path: String, _ form: TableForm = .csv, requires required: [[String]] = [],
    _ visit: (TableRecord) throws -> Void
  ) throws {
    try withBytes(of: path) { bytes in
      let dialect = form.separator.map { CSVDialect(bytes, delimiter: $0, quote: form.quote) }
      var table = CSVTable(bytes, dialect ?? CSVDialect(bytes))
      var progress = ReadProgress(bytes)
      var width: Int?
      var columns = form.columns ?? [:]
      if form.columns == nil {
        guard let header = try table.next(path) else {
          throw FormatError(ImportedLocation(path, line: 1), "there is no header")
        }
        width = header.count
        for (index, name) in header.enumerated() where columns[name.trimmingSpaces()] == nil {
          columns[name.trimmingSpaces()] = index
        }
      } else {
        for _ in 0..<form.headerCount { _ = try table.next(path) }
      }
      for names in required where !names.contains(where: { columns[$0] != nil }) {
        let list = names.map { "“\($0)”" }.joined(separator: " or ")
        throw FormatError(ImportedLocation(path, line: 1), "there is no column \(list)")
      }
      while let cells = try table.next(path) {
        progress.advance(to: table.position)
        let location = ImportedLocation(path, line: table.line)
        if let width, cells.count != width {
          try problem(location, "\(cells.count) cells, but the header has \(width)")
          continue
        }
        try visit(TableRecord(columns: columns, cells: cells, location: location))
      }
    }
  }

  /// Counts the non-empty cells of a record that are not imported.
  func ignore(_ record: TableRecord, but known: Set<String>) {
    for (name, index) in record.columns
    where index < record.cells.count && !record.cells[index].isEmpty && !known.contains(name) {
      ignoreCell(of: name)
    }
  }
}
