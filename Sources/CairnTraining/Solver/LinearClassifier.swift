/// A linear function of features for each class, and what makes probabilities of its values.
package struct LinearClassifier: Equatable, Sendable {
  package let kind: Targets.Kind
  package let classCount: Int
  package let featureCount: Int
  /// By class, then by feature.
  package let weights: [Float]
  package let intercepts: [Float]

  package init(
    kind: Targets.Kind, featureCount: Int, weights: [Float], intercepts: [Float]
  ) {
    precondition(weights.count == featureCount * intercepts.count)
    (self.kind, self.featureCount) = (kind, featureCount)
    (self.weights, self.intercepts) = (weights, intercepts)
    classCount = intercepts.count
  }

  /// Creates a classifier of unscaled features whose temperature is 1.
  init(
    _ point: [Double], _ kind: Targets.Kind, classCount: Int, scaling: FeatureScaling,
    temperature: Double
  ) {
    let count = scaling.mean.count
    var (weights, intercepts): ([Float], [Float]) = ([], [])
    for output in 0..<classCount {
      var intercept = point[output * (count + 1) + count]
      for feature in 0..<count {
        let weight = point[output * (count + 1) + feature] * Double(scaling.factor)
        intercept -= weight * Double(scaling.mean[feature])
        weights.append(Float(weight / temperature))
      }
      intercepts.append(Float(intercept / temperature))
    }
    self.init(kind: kind, featureCount: count, weights: weights, intercepts: intercepts)
  }

  /// Returns the probability of each class.
  package func probabilities(of features: [Float]) -> [Double] {
    precondition(features.count == featureCount)
    let scores = (0..<classCount).map { output in
      var sum = Double(intercepts[output])
      for feature in 0..<featureCount {
        sum += Double(weights[output * featureCount + feature]) * Double(features[feature])
      }
      return sum
    }
    return Temperature.probabilities(scores, kind, temperature: 1)
  }

  /// Returns the classifier of the vectors that `projection` makes features of.
  package func before(
    _ projection: Projection, checkCancellation: () throws -> Void = {}
  ) rethrows -> LinearClassifier {
    precondition(projection.outputCount == featureCount)
    let inputs = projection.inputCount
    let columns = Matrix(rows: featureCount, columns: classCount)
    for output in 0..<classCount {
      for feature in 0..<featureCount {
        columns[feature, output] = weights[output * featureCount + feature]
      }
    }
    let product = Matrix(rows: inputs, columns: classCount)
    multiply(projection.axes, rows: inputs, columns, into: product)
    var (all, intercepts): ([Float], [Float]) = ([], [])
    all.reserveCapacity(classCount * inputs)
    for output in 0..<classCount {
      try checkCancellation()
      var intercept = Double(self.intercepts[output])
      for input in 0..<inputs {
        let weight = product[input, output]
        intercept -= Double(weight) * Double(projection.mean[input])
        all.append(weight)
      }
      intercepts.append(Float(intercept))
    }
    return LinearClassifier(
      kind: kind, featureCount: inputs, weights: all, intercepts: intercepts)
  }
}
