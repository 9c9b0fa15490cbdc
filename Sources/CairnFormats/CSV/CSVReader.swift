internal import CairnDocument

/// A reader of tables: comma-separated values, or with another delimiter, with a header or in one
/// of the shapes of ``CSVShape``. Source: RFC 4180.
struct CSVReader {
  private let source: ImportReader
  private let map: [String: String]

  /// The number of rows that show what the columns are.
  private static let sampleRows = 1000

  /// - Parameter columns: Columns that the user names, for ``CSVColumns/take(_:_:)``.
  init(_ source: ImportReader, columns: [String: String] = [:]) {
    (self.source, map) = (source, columns)
  }

  func read() throws {
    for path in try source.filesOfSubsets() { try read(path) }
  }

  private func read(_ path: String) throws {
    // Image names are relative to the file.
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    try source.withBytes(of: path) { original in
      try withUTF8(original, ImportedLocation(path)) { bytes in
        let dialect = CSVDialect(bytes)
        var first = CSVTable(bytes, dialect)
        let sample = first.sample(CSVReader.sampleRows)
        var table = CSVTable(bytes, dialect)
        guard let top = try table.next(path) else {
          throw FormatError(ImportedLocation(path), "it has no rows")
        }
        let (columns, hasHeader) = try columns(
          top, sample, ImportedLocation(path, line: table.line))
        if !hasHeader { table = CSVTable(bytes, dialect) }
        let boxes = CSVBoxes(columns, dialect, rows: table)
        var rows = CSVRowReader(source, columns, dialect, boxes, in: directory)
        // Converted text is not a mapping, which could be released.
        var progress =
          bytes.baseAddress == original.baseAddress ? ImportReader.ReadProgress(bytes) : nil
        while let row = try table.next(path) {
          progress?.advance(to: table.position)
          try rows.read(row, ImportedLocation(path, line: table.line))
        }
        rows.reportUnused()
      }
    }
  }

  /// Returns the columns, and whether the first row has their names.
  private func columns(
    _ top: [String], _ sample: [[String]], _ location: ImportedLocation
  ) throws -> (CSVColumns, hasHeader: Bool) {
    if map.isEmpty || map.keys.allSatisfy({ $0 == "units" }),
      var columns = CSVShape.columns(withoutHeader: top)
    {
      try columns.take(map, location)
      return (columns, false)
    }
    let isData = CSVShape.isData(top)
    let areNumbers = map.values.allSatisfy { Int($0) != nil || $0.hasPrefix("=") }
    if isData, areNumbers {
      var columns = CSVColumns(header: [], count: top.count)
      try columns.take(map, location)
      try columns.checkComplete(sample, location)
      return (columns, false)
    }
    var columns = CSVColumns(naming: top)
    try columns.take(map, location)
    let name = location.file.split(separator: "/").last ?? ""
    let isClassTable = name.hasSuffix("_classes.csv")
    columns.findClasses(sample.dropFirst(), isClassTable: isClassTable)
    try columns.checkComplete(sample.dropFirst(), location)
    return (columns, true)
  }
}
