/// Returns the non-empty rows of a table, including its header. Source: RFC 4180.
///
/// - Parameter name: The file name in error messages.
package func csvRows(_ bytes: UnsafeRawBufferPointer, named name: String) throws -> [[String]] {
  var table = CSVTable(bytes.bindMemory(to: UInt8.self))
  var rows: [[String]] = []
  while let row = try table.next(name) { rows.append(row) }
  return rows
}
