internal import CTraining

/// Minimizes a smooth function by limited-memory BFGS, with a line search for the weak Wolfe
/// conditions.
///
/// Every sum has a fixed order. Source: J. Nocedal and S. J. Wright, “Numerical optimization”, 2006,
/// algorithm 7.5; A. S. Lewis and M. L. Overton, “Nonsmooth optimization via quasi-Newton methods”,
/// 2013, algorithm 2.6 (line search).
struct LBFGS {
  /// The number of steps remembered.
  var memory = 10
  var iterationLimit = 400
  /// The largest element of the gradient at which it stops.
  var tolerance = 2e-7

  /// A function of many numbers: returns its value, and writes its gradient.
  typealias Objective = (_ point: [Double], _ gradient: inout [Double]) throws -> Double

  /// A point, and whether it is a minimum.
  struct Minimum {
    let point: [Double]
    /// Whether the function is flat there, as far as rounding shows.
    let isConverged: Bool
  }

  /// The largest element of the gradient up to which a function is flat.
  private static let flatness = 1e-5

  /// Returns the lowest point that was found, starting from `point`; of points whose values differ
  /// by no more than rounding, the flattest.
  func minimum(from point: [Double], of objective: Objective) throws -> Minimum {
    var point = point
    var gradient = [Double](repeating: 0, count: point.count)
    var value = try objective(point, &gradient)
    var pairs: [(step: [Double], change: [Double], curvature: Double)] = []
    var best = (point: point, value: value, steepness: LBFGS.steepness(gradient))
    var stalled = 0
    for _ in 0..<iterationLimit {
      if best.steepness <= tolerance || stalled == 20 { break }
      var direction = LBFGS.direction(gradient, pairs)
      if dot(direction, gradient) >= 0 {
        pairs = []
        direction = gradient.map { -$0 }
      }
      let first = pairs.isEmpty ? min(1, 1 / dot(gradient, gradient).squareRoot()) : 1
      guard
        let next = try search(point, value, gradient, direction, first: first, objective)
      else {
        if pairs.isEmpty { break }
        // What was remembered may mislead: once more, along the gradient.
        pairs = []
        continue
      }
      let step = difference(next.point, point)
      let change = difference(next.gradient, gradient)
      let curvature = dot(step, change)
      if curvature > 1e-14 * dot(change, change) {
        pairs.append((step, change, curvature))
        if pairs.count > memory { pairs.removeFirst() }
      }
      (point, value, gradient) = (next.point, next.value, next.gradient)
      let steepness = LBFGS.steepness(gradient)
      let rounding = LBFGS.rounding(of: best.value)
      let isFlatter = value <= best.value + rounding && steepness < 0.9 * best.steepness
      if value < best.value - rounding || isFlatter {
        best = (point, value, steepness)
        stalled = 0
      } else {
        stalled += 1
      }
    }
    return Minimum(point: best.point, isConverged: best.steepness <= LBFGS.flatness)
  }

  /// Returns by how much rounding may change a value, since scores have single precision.
  private static func rounding(of value: Double) -> Double { 2e-7 * max(1, value.magnitude) }

  private static func steepness(_ gradient: [Double]) -> Double {
    gradient.reduce(0) { max($0, $1.magnitude) }
  }

  private static func direction(
    _ gradient: [Double], _ pairs: [(step: [Double], change: [Double], curvature: Double)]
  ) -> [Double] {
    var direction = gradient
    var factors: [Double] = []
    for pair in pairs.reversed() {
      let factor = dot(pair.step, direction) / pair.curvature
      factors.append(factor)
      add(-factor, pair.change, to: &direction)
    }
    if let last = pairs.last {
      let scale = last.curvature / dot(last.change, last.change)
      for index in direction.indices { direction[index] *= scale }
    }
    for (pair, factor) in zip(pairs, factors.reversed()) {
      let other = dot(pair.change, direction) / pair.curvature
      add(factor - other, pair.step, to: &direction)
    }
    for index in direction.indices { direction[index] = -direction[index] }
    return direction
  }

  private typealias Point = (point: [Double], value: Double, gradient: [Double])

  /// Returns a point along `direction` that is lower and less steep; nil if there is none.
  private func search(
    _ point: [Double], _ value: Double, _ gradient: [Double], _ direction: [Double], first: Double,
    _ objective: Objective
  ) throws -> Point? {
    let slope = dot(gradient, direction)
    // Source: W. W. Hager and H. Zhang, “A new conjugate gradient method with guaranteed descent”,
    // 2005, approximate Wolfe conditions: where rounding hides a decrease, the slope decides.
    let rounding = LBFGS.rounding(of: value)
    var (low, high, length) = (0.0, Double.infinity, first)
    var best: Point?
    var next = [Double](repeating: 0, count: point.count)
    for _ in 0..<30 {
      var candidate = point
      add(length, direction, to: &candidate)
      let reached = try objective(candidate, &next)
      let end = dot(next, direction)
      let isLower =
        reached <= value + 1e-4 * length * slope
        || (reached <= value + rounding && end <= -0.9998 * slope)
      if !isLower {
        high = length
      } else {
        best = (candidate, reached, next)
        if end >= 0.9 * slope { return best }
        low = length
      }
      length = high.isFinite ? (low + high) / 2 : 2 * length
    }
    return best
  }
}

func dot(_ left: [Double], _ right: [Double]) -> Double {
  ctraining_dot(left, right, left.count)
}

/// Adds `factor` × `values` to `result`.
func add(_ factor: Double, _ values: [Double], to result: inout [Double]) {
  ctraining_add(factor, values, &result, values.count)
}

private func difference(_ left: [Double], _ right: [Double]) -> [Double] {
  var result = left
  add(-1, right, to: &result)
  return result
}
