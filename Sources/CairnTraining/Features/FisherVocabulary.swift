internal import CTraining

/// Sums the descriptors of a photo into a Fisher vector.
///
/// Source: F. Perronnin, J. Sánchez and T. Mensink, “Improving the Fisher kernel for large-scale
/// image classification”, 2010: gradients for means and variances, square roots, length 1.
final class FisherVocabulary {
  private static let blockSize = 64

  private let projection: Matrix
  private let offset: Matrix
  /// Of components and their squares, the logarithms of each Gaussian's density.
  private let density: Matrix
  private let constants: Matrix

  private let components: Matrix
  private let squares: Matrix
  private let shares: Matrix
  private let ones: Matrix
  /// By Gaussian: sums of components and of their squares, and the sum of shares.
  private let sums: Matrix
  private let totals: Matrix

  private let vocabulary: Codebook.Vocabulary

  init(_ vocabulary: Codebook.Vocabulary) {
    let (size, k) = (Codebook.componentCount, Codebook.gaussianCount)
    self.vocabulary = vocabulary
    projection = Matrix(rows: Codebook.descriptorSize, columns: size, vocabulary.projection)
    offset = Matrix(rows: 1, columns: size, vocabulary.center.map { -$0 })
    let table = vocabulary.densities
    density = Matrix(rows: 2 * size, columns: k, table.weights)
    constants = Matrix(rows: 1, columns: k, table.constants)
    components = Matrix(rows: FisherVocabulary.blockSize, columns: size)
    squares = Matrix(rows: FisherVocabulary.blockSize, columns: 2 * size)
    shares = Matrix(rows: FisherVocabulary.blockSize, columns: k)
    ones = Matrix(rows: FisherVocabulary.blockSize, columns: 8)
    ones.fill(1)
    sums = Matrix(rows: k, columns: 2 * size)
    totals = Matrix(rows: k, columns: 8)
  }

  func reset() {
    sums.fill(0)
    totals.fill(0)
  }

  /// Adds the first rows of `descriptors`: at most 64.
  func add(_ descriptors: Matrix, rows: Int) {
    components.setRows(rows, to: offset)
    multiply(descriptors, rows: rows, projection, into: components, adding: true)
    ctraining_with_squares(components.values, squares.values, rows, components.stride)
    shares.setRows(rows, to: constants)
    multiply(squares, rows: rows, density, into: shares, adding: true)
    ctraining_softmax(shares.values, rows, shares.stride)
    multiplyTransposed(
      shares.values, stride: shares.stride, count: rows, squares.values, stride: squares.stride,
      into: sums, adding: true)
    multiplyTransposed(
      shares.values, stride: shares.stride, count: rows, ones.values, stride: ones.stride,
      into: totals, adding: true)
  }

  /// Writes the Fisher vector of the descriptors that were added.
  func write(to vector: UnsafeMutablePointer<Float>) {
    let (size, k) = (Codebook.componentCount, Codebook.gaussianCount)
    let table = vocabulary.gradients(count: vocabulary.descriptorCount)
    var total: Float = 0
    for gaussian in 0..<k {
      let share = totals[gaussian, 0]
      for component in 0..<size {
        let index = gaussian * size + component
        let (sum, square) = (sums[gaussian, component], sums[gaussian, size + component])
        let byMean = (sum - vocabulary.means[index] * share) * table.mean[index]
        let byVariance =
          (square + table.first[index] * sum + table.zeroth[index] * share) * table.variance[index]
        let target = vector + gaussian * 2 * size + component
        target[0] = FisherVocabulary.root(byMean)
        target[size] = FisherVocabulary.root(byVariance)
        total += byMean.magnitude + byVariance.magnitude
      }
    }
    let factor = 1 / max(total, 1e-12).squareRoot()
    for index in 0..<2 * size * k { vector[index] *= factor }
  }

  private static func root(_ value: Float) -> Float {
    value < 0 ? -(-value).squareRoot() : value.squareRoot()
  }
}

extension Codebook.Vocabulary {
  /// The logarithm of each Gaussian's density, as a linear function of components and squares: by
  /// component, then by Gaussian.
  var densities: (weights: [Float], constants: [Float]) {
    let (size, k) = (Codebook.componentCount, Codebook.gaussianCount)
    var table = [Float](repeating: 0, count: 2 * size * k)
    var constants: [Float] = []
    for gaussian in 0..<k {
      var constant = ctraining_log(Double(weights[gaussian]))
      for component in 0..<size {
        let mean = Double(means[gaussian * size + component])
        let variance = Double(variances[gaussian * size + component])
        table[component * k + gaussian] = Float(mean / variance)
        table[(size + component) * k + gaussian] = Float(-0.5 / variance)
        constant -= 0.5 * (mean * mean / variance + ctraining_log(variance))
      }
      constants.append(Float(constant))
    }
    return (table, constants)
  }

  /// The factors of the gradients of `count` descriptors.
  func gradients(
    count: Int
  ) -> (mean: [Float], variance: [Float], first: [Float], zeroth: [Float]) {
    let size = Codebook.componentCount
    var table: (mean: [Float], variance: [Float], first: [Float], zeroth: [Float]) =
      ([], [], [], [])
    for index in means.indices {
      let weight = Double(weights[index / size])
      let (mean, variance) = (Double(means[index]), Double(variances[index]))
      table.mean.append(Float(1 / (Double(count) * (weight * variance).squareRoot())))
      table.variance.append(Float(1 / (Double(count) * (2 * weight).squareRoot() * variance)))
      table.first.append(Float(-2 * mean))
      table.zeroth.append(Float(mean * mean - variance))
    }
    return table
  }
}
