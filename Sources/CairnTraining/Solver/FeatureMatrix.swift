/// The features of photos, one row for each, centered and scaled.
package final class FeatureMatrix: @unchecked Sendable {
  // It is not changed after it was created.
  package let count: Int
  package let columns: Int
  let stride: Int
  let values: UnsafeMutablePointer<Float>
  private let matrix: Matrix

  private init(_ matrix: Matrix) {
    self.matrix = matrix
    (count, columns, stride, values) = (
      matrix.rows, matrix.columns, matrix.stride, matrix.values
    )
  }

  /// Creates a matrix of rows of equal length.
  package convenience init(_ rows: [[Float]], _ scaling: FeatureScaling) {
    let matrix = Matrix(rows: rows.count, columns: scaling.mean.count)
    for (index, row) in rows.enumerated() {
      precondition(row.count == scaling.mean.count)
      for (column, value) in row.enumerated() {
        matrix[index, column] = (value - scaling.mean[column]) * scaling.factor
      }
    }
    self.init(matrix)
  }

  /// Returns some of the rows, in the given order.
  func selecting(_ rows: [Int]) -> FeatureMatrix {
    let result = Matrix(rows: rows.count, columns: columns)
    for (index, row) in rows.enumerated() {
      (result.values + index * stride).update(from: values + row * stride, count: stride)
    }
    return FeatureMatrix(result)
  }
}

/// The mean of features, and the factor after which their mean squared length is 1.
package struct FeatureScaling: Equatable, Sendable {
  package let mean: [Float]
  package let factor: Float

  init(mean: [Float], factor: Float) { (self.mean, self.factor) = (mean, factor) }

  /// - Precondition: There is at least one row, and rows have equal lengths.
  package init(_ rows: [[Float]]) {
    let columns = rows[0].count
    var sums = [Double](repeating: 0, count: columns)
    for row in rows { for (column, value) in row.enumerated() { sums[column] += Double(value) } }
    let means = sums.map { $0 / Double(rows.count) }
    var squares = 0.0
    for row in rows {
      for (column, value) in row.enumerated() {
        let difference = Double(value) - means[column]
        squares += difference * difference
      }
    }
    mean = means.map { Float($0) }
    factor = squares > 0 ? Float((Double(rows.count) / squares).squareRoot()) : 1
  }
}
