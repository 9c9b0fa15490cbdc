internal import CTraining

/// The weighted negative log likelihood of a logistic model on rows, divided by their number, plus
/// half of `penalty` times the sum of the squared weights.
///
/// Exclusive classes share a softmax; each independent class has a logistic function of its own.
/// Parameters are the weights of the first class and its intercept, which has no penalty, then those
/// of the next.
final class LogisticObjective {
  private static let blockSize = 256

  private let penalty: Double
  private let rows: FeatureMatrix
  private let targets: Targets
  private let weights: [Double]
  private let checkCancellation: () throws -> Void

  private let coefficients: Matrix
  private let scores: Matrix
  private let product: Matrix
  private var intercepts: [Double]

  init(
    _ rows: FeatureMatrix, _ targets: Targets, penalty: Double,
    checkCancellation: @escaping () throws -> Void = {}
  ) {
    (self.rows, self.targets, self.penalty) = (rows, targets, penalty)
    self.checkCancellation = checkCancellation
    weights = targets.balancedWeights
    coefficients = Matrix(rows: rows.columns, columns: targets.classCount)
    scores = Matrix(rows: LogisticObjective.blockSize, columns: targets.classCount)
    product = Matrix(rows: targets.classCount, columns: rows.columns)
    intercepts = Array(repeating: 0, count: targets.classCount)
  }

  var parameterCount: Int { targets.classCount * (rows.columns + 1) }

  /// Returns the value at `point`, and writes the gradient.
  func callAsFunction(_ point: [Double], _ gradient: inout [Double]) throws -> Double {
    try checkCancellation()
    let (outputs, features) = (targets.classCount, rows.columns)
    load(point)
    for index in gradient.indices { gradient[index] = 0 }
    var loss = 0.0
    for start in stride(from: 0, to: rows.count, by: LogisticObjective.blockSize) {
      let count = min(LogisticObjective.blockSize, rows.count - start)
      let block = rows.values + start * rows.stride
      ctraining_multiply(
        block, rows.stride, 1, coefficients.values, coefficients.stride, scores.values,
        scores.stride, count, features, coefficients.stride, 0)
      for row in 0..<count { loss += replaceByResiduals(row, start + row, &gradient) }
      multiplyTransposed(
        scores.values, stride: scores.stride, count: count, block, stride: rows.stride,
        into: product, adding: false)
      for output in 0..<outputs {
        ctraining_add_floats(
          product.values + output * product.stride, &gradient, output * (features + 1), features)
      }
    }
    let factor = 1 / Double(rows.count)
    var squares = 0.0
    for output in 0..<outputs {
      let first = output * (features + 1)
      for index in first..<first + features {
        gradient[index] = gradient[index] * factor + penalty * point[index]
        squares += point[index] * point[index]
      }
      gradient[first + features] *= factor
    }
    return loss * factor + penalty / 2 * squares
  }

  private func load(_ point: [Double]) {
    let features = rows.columns
    for output in 0..<targets.classCount {
      let first = output * (features + 1)
      for feature in 0..<features {
        coefficients.values[feature * coefficients.stride + output] = Float(point[first + feature])
      }
      intercepts[output] = point[first + features]
    }
  }

  /// Replaces the scores of one row of a block by its residuals, and adds them to the gradient of
  /// the intercepts. Returns the row's loss.
  private func replaceByResiduals(
    _ line: Int, _ row: Int, _ gradient: inout [Double]
  ) -> Double {
    let (outputs, size) = (targets.classCount, rows.columns + 1)
    let scores = scores.values + line * scores.stride
    var loss = 0.0
    switch targets.kind {
    case .exclusive:
      loss = ctraining_softmax_residuals(
        scores, intercepts, outputs, targets.values[row], weights[row])
    case .independent:
      for output in 0..<outputs {
        let index = row * outputs + output
        if weights[index] == 0 {
          scores[output] = 0
        } else {
          loss += ctraining_logistic_residual(
            scores + output, intercepts[output], CInt(targets.values[index]), weights[index])
        }
      }
    }
    for output in 0..<outputs { gradient[output * size + size - 1] += Double(scores[output]) }
    return loss
  }

  /// Returns the scores of rows before softmax or the logistic function, by row and class.
  static func scores(_ point: [Double], _ rows: FeatureMatrix, classCount: Int) -> [[Double]] {
    let coefficients = Matrix(rows: rows.columns, columns: classCount)
    for output in 0..<classCount {
      for feature in 0..<rows.columns {
        coefficients[feature, output] = Float(point[output * (rows.columns + 1) + feature])
      }
    }
    let result = Matrix(rows: rows.count, columns: classCount)
    ctraining_multiply(
      rows.values, rows.stride, 1, coefficients.values, coefficients.stride, result.values,
      result.stride, rows.count, rows.columns, coefficients.stride, 0)
    return (0..<rows.count).map { row in
      (0..<classCount).map {
        Double(result[row, $0]) + point[$0 * (rows.columns + 1) + rows.columns]
      }
    }
  }
}
