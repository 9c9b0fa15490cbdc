internal import CTraining

/// A matrix in memory of its own, stored by rows.
///
/// The number of columns in memory is rounded up to a multiple of 8, as the products need it; what is
/// added is zero.
final class Matrix {
  let rows: Int
  let columns: Int
  /// The distance of two rows.
  let stride: Int
  let values: UnsafeMutablePointer<Float>

  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    stride = Matrix.padded(columns)
    values = .allocate(capacity: max(1, rows * stride))
    values.initialize(repeating: 0, count: max(1, rows * stride))
  }

  /// - Precondition: `values` has rows × columns numbers.
  convenience init(rows: Int, columns: Int, _ values: [Float]) {
    precondition(values.count == rows * columns)
    self.init(rows: rows, columns: columns)
    for row in 0..<rows {
      for column in 0..<columns { self[row, column] = values[row * columns + column] }
    }
  }

  deinit { values.deallocate() }

  static func padded(_ count: Int) -> Int { (count + 7) / 8 * 8 }

  subscript(row: Int, column: Int) -> Float {
    get { values[row * stride + column] }
    set { values[row * stride + column] = newValue }
  }

  /// The numbers without the added columns.
  var array: [Float] {
    (0..<rows).flatMap { row in (0..<columns).map { self[row, $0] } }
  }

  func fill(_ value: Float) { values.update(repeating: value, count: rows * stride) }

  /// Sets the first rows to the numbers of `row`.
  func setRows(_ count: Int, to row: Matrix) {
    for index in 0..<count {
      (values + index * stride).update(from: row.values, count: stride)
    }
  }
}

/// Computes `result` = `left` · `right` for the first rows of `left`.
///
/// - Parameter adding: Whether the product is added to `result`.
func multiply(
  _ left: Matrix, rows: Int, _ right: Matrix, into result: Matrix, adding: Bool = false
) {
  ctraining_multiply(
    left.values, left.stride, 1, right.values, right.stride, result.values, result.stride, rows,
    right.rows, right.stride, adding ? 1 : 0)
}

/// Computes `result` = the transposed `left` · `right`, over `count` rows of both.
func multiplyTransposed(
  _ left: UnsafePointer<Float>, stride: Int, count: Int, _ right: UnsafePointer<Float>,
  stride rightStride: Int, into result: Matrix, adding: Bool
) {
  ctraining_multiply(
    left, 1, stride, right, rightStride, result.values, result.stride, result.rows, count,
    result.stride, adding ? 1 : 0)
}
