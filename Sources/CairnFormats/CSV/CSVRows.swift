/// Returns the non-empty rows of a table, including its header.
///
/// - Parameter name: The file name in error messages.
package func csvRows(_ bytes: UnsafeRawBufferPointer, named name: String) throws -> [[String]] {
  var rows: [[String]] = []
  try forEachCSVRow(bytes, named: name) { row, _ in rows.append(row) }
  return rows
}

/// Calls `visit` with each non-empty row of a table, including its header, and its line.
///
/// - Parameter name: The file name in error messages.
package func forEachCSVRow(
  _ bytes: UnsafeRawBufferPointer, named name: String,
  _ visit: (_ row: [String], _ line: Int) throws -> Void
) throws {
  try withUTF8(bytes.bindMemory(to: UInt8.self), ImportedLocation(name)) { bytes in
    var table = CSVTable(bytes)
    while let row = try table.next(name) { try visit(row, table.line) }
  }
}

/// Calls `body` with the text of a file as UTF-8: a file in UTF-16, such as Excel's “Unicode text”,
/// is converted in memory.
///
/// - Throws: ``FormatError`` for UTF-16 that is larger than 128 MiB or not valid.
func withUTF8(
  _ bytes: UnsafeBufferPointer<UInt8>, _ location: ImportedLocation,
  _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
) throws {
  let isLittle = bytes.starts(with: [0xFF, 0xFE])
  guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return try body(bytes) }
  guard bytes.count <= 128 << 20 else {
    throw FormatError(
      location, "it is UTF-16 and larger than 128 MiB", hint: "Save it as UTF-8 first.")
  }
  var units: [UInt16] = []
  units.reserveCapacity(bytes.count / 2)
  for offset in stride(from: 2, to: bytes.count - 1, by: 2) {
    let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
    units.append(isLittle ? second << 8 | first : first << 8 | second)
  }
  guard var text = String(validating: units, as: UTF16.self) else {
    throw FormatError(location, "it is not valid UTF-16", hint: "Save it as UTF-8 first.")
  }
  units = []
  try text.withUTF8 { try body($0) }
}
