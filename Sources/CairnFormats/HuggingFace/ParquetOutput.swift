/// A Parquet file written one row group at a time, with plain encoding and no compression.
///
/// Source: Apache Parquet, “File Format” and `parquet.thrift`.
final class ParquetOutput {
  private let file: OutputFile
  private let columns: [ParquetColumn]
  private var groups: [[UInt8]] = []
  private var rowsOfGroup = 0
  private var rows = 0

  /// The bytes of values and the rows at which a group is written.
  private static let byteLimit = 4 << 20
  private static let rowLimit = 10_000
  private static let magic = "PAR1"

  init(_ file: OutputFile, _ columns: [ParquetColumn]) throws {
    (self.file, self.columns) = (file, columns)
    try file.write(ParquetOutput.magic)
  }

  /// Ends a row, after each column has received its value.
  func endRow() throws {
    rowsOfGroup += 1
    let size = columns.reduce(0) { $0 + $1.size }
    if rowsOfGroup >= ParquetOutput.rowLimit || size >= ParquetOutput.byteLimit {
      try endGroup()
    }
  }

  private func endGroup() throws {
    if rowsOfGroup == 0 { return }
    var chunks: [[UInt8]] = []
    let start = file.count
    for column in columns {
      let (count, offset) = (column.count, file.count)
      let page = column.takePage()
      try file.write(page)
      chunks.append(
        Thrift.structure { chunk in
          chunk.i64(2, offset)
          chunk.structure(3) { metadata in
            metadata.i32(1, column.value.rawValue)
            metadata.numbers(2, [0, 3])
            metadata.texts(3, column.path)
            metadata.i32(4, 0)
            metadata.i64(5, count)
            metadata.i64(6, page.count)
            metadata.i64(7, page.count)
            metadata.i64(9, offset)
          }
        })
    }
    groups.append(
      Thrift.structure { group in
        group.structures(1, chunks)
        group.i64(2, file.count - start)
        group.i64(3, rowsOfGroup)
      })
    rows += rowsOfGroup
    rowsOfGroup = 0
  }

  /// Writes the last group and the footer.
  func close() throws {
    try endGroup()
    let footer = Thrift.structure { metadata in
      metadata.i32(1, 1)
      metadata.structures(2, schema)
      metadata.i64(3, rows)
      metadata.structures(4, groups)
      metadata.text(6, "cairn")
    }
    try file.write(footer)
    try file.write(withUnsafeBytes(of: UInt32(footer.count).littleEndian) { Array($0) })
    try file.write(ParquetOutput.magic)
    try file.close()
  }

  private var schema: [[UInt8]] {
    var elements: [[UInt8]] = []
    var (group, count) = (String?.none, 0)
    for column in columns {
      if column.group == nil || column.group != group { count += 1 }
      if let name = column.group, name != group {
        let children = columns.count { $0.group == name }
        elements.append(ParquetColumn.element(name, children: children))
      }
      group = column.group
      elements += column.schema
    }
    return [ParquetColumn.element("schema", repetition: nil, children: count)] + elements
  }
}
