/// Returns the sum of products of each vector of `left` with each of `right`, all of equal length.
package func products(_ left: [[Float]], _ right: [[Float]]) -> [[Float]] {
  guard let length = left.first?.count, !right.isEmpty else { return [] }
  let rows = Matrix(rows: left.count, columns: length)
  for (row, vector) in left.enumerated() {
    precondition(vector.count == length)
    for (index, value) in vector.enumerated() { rows.values[row * rows.stride + index] = value }
  }
  let columns = Matrix(rows: length, columns: right.count)
  for (column, vector) in right.enumerated() {
    precondition(vector.count == length)
    for (index, value) in vector.enumerated() {
      columns.values[index * columns.stride + column] = value
    }
  }
  let result = Matrix(rows: left.count, columns: right.count)
  multiply(rows, rows: left.count, columns, into: result)
  return (0..<left.count).map { row in (0..<right.count).map { result[row, $0] } }
}
