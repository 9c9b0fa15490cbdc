internal import CTraining

/// The principal subspace of a set of vectors, found by repeated multiplication from a fixed start.
///
/// Only the subspace matters: a penalty on squared weights does not see how its axes are turned.
/// Source: N. Halko, P. G. Martinsson and J. A. Tropp, “Finding structure with randomness”, 2011,
/// algorithm 4.4.
package final class Projection: @unchecked Sendable {
  // It is not changed after it was created.

  /// The number of vectors it is learned from, at most: more would hardly turn it.
  package static let sampleLimit = 768
  private static let rounds = 4

  package let inputCount: Int
  package let outputCount: Int
  let mean: [Float]
  /// By input, then by output: orthonormal columns.
  let axes: Matrix

  private init(mean: [Float], axes: Matrix) {
    (self.mean, self.axes) = (mean, axes)
    (inputCount, outputCount) = (axes.rows, axes.columns)
  }

  /// Learns a projection.
  ///
  /// - Parameters:
  ///   - sample: At most ``sampleLimit`` vectors of equal length, at least two.
  ///   - outputCount: The number of axes; there are fewer than vectors.
  package convenience init(
    of sample: [[Float]], outputCount: Int, checkCancellation: () throws -> Void = {}
  ) throws {
    let (count, inputs) = (sample.count, sample[0].count)
    let outputs = min(outputCount, count - 1, inputs)
    var mean = [Float](repeating: 0, count: inputs)
    for input in 0..<inputs {
      var sum = 0.0
      for row in sample { sum += Double(row[input]) }
      mean[input] = Float(sum / Double(count))
    }
    let centered = Matrix(rows: count, columns: inputs)
    let transposed = Matrix(rows: inputs, columns: count)
    for (row, values) in sample.enumerated() {
      for input in 0..<inputs {
        let value = values[input] - mean[input]
        centered.values[row * centered.stride + input] = value
        transposed.values[input * transposed.stride + row] = value
      }
    }
    let products = Matrix(rows: count, columns: count)
    multiply(centered, rows: count, transposed, into: products)
    try checkCancellation()
    var basis = Projection.start(count, outputs)
    for _ in 0..<Projection.rounds {
      let next = Matrix(rows: count, columns: outputs)
      multiply(products, rows: count, basis, into: next)
      basis = Projection.orthonormal(next)
      try checkCancellation()
    }
    let axes = Matrix(rows: inputs, columns: outputs)
    multiply(transposed, rows: inputs, basis, into: axes)
    self.init(mean: mean, axes: Projection.orthonormal(axes))
  }

  /// Returns numbers that look random: the same on every machine.
  private static func start(_ rows: Int, _ columns: Int) -> Matrix {
    let matrix = Matrix(rows: rows, columns: columns)
    var random = SplitMix64()
    for row in 0..<rows {
      for column in 0..<columns { matrix[row, column] = random.nextUnit() }
    }
    return matrix
  }

  /// Returns orthonormal columns that span the same space; zero for one that depends on others.
  ///
  /// By the Cholesky factor of the columns' products, twice, because once loses half of the digits.
  private static func orthonormal(_ matrix: Matrix) -> Matrix {
    normalizedOnce(normalizedOnce(matrix))
  }

  private static func normalizedOnce(_ matrix: Matrix) -> Matrix {
    let size = matrix.columns
    let products = Matrix(rows: size, columns: size)
    multiplyTransposed(
      matrix.values, stride: matrix.stride, count: matrix.rows, matrix.values,
      stride: matrix.stride, into: products, adding: false)
    // The factor R of the products RᵀR, and its inverse, by rows.
    var factor = [Double](repeating: 0, count: size * size)
    var dependent = [Bool](repeating: false, count: size)
    var row = [Double](repeating: 0, count: size)
    for i in 0..<size {
      for j in i..<size { row[j] = Double(products[i, j]) }
      for k in 0..<i {
        let value = factor[k * size + i]
        if value != 0 { ctraining_add_from(-value, &factor, k * size, &row, i, size) }
      }
      dependent[i] = row[i] <= 1e-6 * max(Double(products[i, i]), 1e-30)
      if dependent[i] { continue }
      let root = row[i].squareRoot()
      for j in i..<size { factor[i * size + j] = row[j] / root }
    }
    let inverse = Matrix(rows: size, columns: size)
    // Columns of the inverse are solved backwards, as rows of its transpose.
    var solved = [Double](repeating: 0, count: size * size)
    for i in stride(from: size - 1, through: 0, by: -1) where !dependent[i] {
      let pivot = factor[i * size + i]
      for j in i..<size { row[j] = j == i ? 1 : 0 }
      for k in (i + 1)..<max(size, i + 1) where !dependent[k] {
        let value = factor[i * size + k]
        if value != 0 { ctraining_add_from(-value, &solved, k * size, &row, k, size) }
      }
      for j in i..<size {
        solved[i * size + j] = row[j] / pivot
        inverse[i, j] = dependent[j] ? 0 : Float(row[j] / pivot)
      }
    }
    let result = Matrix(rows: matrix.rows, columns: size)
    multiply(matrix, rows: matrix.rows, inverse, into: result)
    return result
  }

  /// Returns the coordinates of vectors.
  package func coordinates(of vectors: [[Float]]) -> [[Float]] {
    var coordinates: [[Float]] = []
    coordinates.reserveCapacity(vectors.count)
    let block = Matrix(rows: Projection.blockSize, columns: inputCount)
    let result = Matrix(rows: Projection.blockSize, columns: outputCount)
    for start in stride(from: 0, to: vectors.count, by: Projection.blockSize) {
      let count = min(Projection.blockSize, vectors.count - start)
      for row in 0..<count {
        precondition(vectors[start + row].count == inputCount)
        vectors[start + row].withUnsafeBufferPointer { vector in
          mean.withUnsafeBufferPointer { mean in
            let target = block.values + row * block.stride
            for input in 0..<inputCount { target[input] = vector[input] - mean[input] }
          }
        }
      }
      multiply(block, rows: count, axes, into: result)
      for row in 0..<count {
        coordinates.append(
          Array(UnsafeBufferPointer(start: result.values + row * result.stride, count: outputCount))
        )
      }
    }
    return coordinates
  }

  /// Returns the coordinates of a vector.
  package func coordinates(of vector: [Float]) -> [Float] { coordinates(of: [vector])[0] }

  private static let blockSize = 128
}
