/// Returns the rows of a table that are not empty, its header among them. Source: RFC 4180.
///
/// - Parameter name: What errors are to call it.
package func csvRows(_ bytes: UnsafeRawBufferPointer, named name: String) throws -> [[String]] {
  var table = CSVTable(bytes.bindMemory(to: UInt8.self))
  var rows: [[String]] = []
  while let row = try table.next(name) { rows.append(row) }
  return rows
}
