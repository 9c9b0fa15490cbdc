internal import CTraining

/// Divides scores before they become probabilities, so that a confidence of 0.8 is right in 80% of
/// the cases.
///
/// Source: C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, “On calibration of modern neural
/// networks”, 2017, section 4.2.
enum Temperature {
  /// Returns the temperature with the least negative log likelihood, and that likelihood's mean.
  ///
  /// - Parameter scores: By row and class.
  static func best(
    _ scores: [[Double]], _ targets: Targets, checkCancellation: () throws -> Void = {}
  ) throws -> (temperature: Double, loss: Double) {
    // Golden section over the logarithm; the loss has a single minimum. Where every row is right, it
    // would be at 0: the lower limit keeps few labels from looking certain.
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (-1.0, 3.0)
    func value(_ logarithm: Double) throws -> Double {
      try checkCancellation()
      return loss(scores, targets, temperature: ctraining_exp(logarithm))
    }
    var left = high - ratio * (high - low)
    var right = low + ratio * (high - low)
    var (atLeft, atRight) = (try value(left), try value(right))
    for _ in 0..<40 {
      if atLeft <= atRight {
        (high, right, atRight) = (right, left, atLeft)
        left = high - ratio * (high - low)
        atLeft = try value(left)
      } else {
        (low, left, atLeft) = (left, right, atRight)
        right = low + ratio * (high - low)
        atRight = try value(right)
      }
    }
    let temperature = ctraining_exp((low + high) / 2)
    return (temperature, loss(scores, targets, temperature: temperature))
  }

  private static func loss(
    _ scores: [[Double]], _ targets: Targets, temperature: Double
  ) -> Double {
    var (sum, count) = (0.0, 0.0)
    for (row, line) in scores.enumerated() {
      switch targets.kind {
      case .exclusive:
        let highest = line.max() ?? 0
        var powers = 0.0
        for score in line { powers += ctraining_exp((score - highest) / temperature) }
        sum += ctraining_log(powers) - (line[targets.values[row]] - highest) / temperature
        count += 1
      case .independent:
        for (index, score) in line.enumerated() {
          guard let verdict = targets.verdict(row, index) else { continue }
          let margin = (verdict ? score : -score) / temperature
          sum += ctraining_log(1 + ctraining_exp(-margin.magnitude)) - min(0, margin)
          count += 1
        }
      }
    }
    return count > 0 ? sum / count : 0
  }

  /// Returns the probabilities of scores.
  static func probabilities(
    _ scores: [Double], _ kind: Targets.Kind, temperature: Double
  ) -> [Double] {
    switch kind {
    case .exclusive:
      let highest = scores.max() ?? 0
      let powers = scores.map { ctraining_exp(($0 - highest) / temperature) }
      let sum = powers.reduce(0, +)
      return powers.map { $0 / sum }
    case .independent:
      return scores.map { score in
        let power = ctraining_exp(-(score / temperature).magnitude)
        return (score > 0 ? 1 : power) / (1 + power)
      }
    }
  }
}
