internal import LibC

extension ResponseMapping.Activation {
  /// Returns scores with their names, after applying the activation.
  static func findings(
    _ activation: Self, _ values: [Double], _ names: [String]
  ) throws(LabelerError) -> [Prediction.Finding] {
    guard values.count == names.count else {
      throw LabelerError(
        "it returned \(values.count) scores, but \(names.count) class names are configured",
        scope: .labeler)
    }
    guard values.allSatisfy(\.isFinite) else { throw .notANumber }
    var scores = values
    switch activation {
    case .none: break
    case .sigmoid: scores = values.map { 1 / (1 + exp(-$0)) }
    case .softmax:
      let highest = values.max() ?? 0
      let powers = values.map { exp($0 - highest) }
      let sum = powers.reduce(0, +)
      scores = powers.map { $0 / sum }
    }
    var findings: [Prediction.Finding] = []
    for (name, score) in zip(names, scores) {
      findings.append(Prediction.Finding(name: name, score: try checked(score)))
    }
    return findings
  }

  /// Returns a score clamped to 0…1, or throws when it is out of range by more than rounding.
  static func checked(_ score: Double) throws(LabelerError) -> Double {
    guard score.isFinite else { throw .notANumber }
    guard score >= -1e-4, score <= 1 + 1e-4 else {
      throw .response(
        "a score of \(score) is not between 0 and 1: the description may need a “scale” "
          + "or an “activation”")
    }
    return min(1, max(0, score))
  }
}
