import Foundation
import TestSupport
import Testing

@testable import CairnTraining

@Suite("Solving logistic regressions")
struct SolverTests {
  /// Returns the gradient of the loss at `point`, computed one number at a time.
  private func gradient(
    at point: [Double], _ rows: [[Float]], _ targets: Targets, penalty: Double
  ) -> [Double] {
    let size = rows[0].count + 1
    let weights = targets.balancedWeights
    var result = [Double](repeating: 0, count: point.count)
    for (index, row) in rows.enumerated() {
      let values = row.map { Double($0) } + [1]
      let scores = (0..<targets.classCount).map { output in
        zip(values, point[(output * size)...]).reduce(0) { $0 + $1.0 * $1.1 }
      }
      let sum = scores.reduce(0) { $0 + exp($1) }
      for output in 0..<targets.classCount {
        guard let verdict = targets.verdict(index, output) else { continue }
        let isExclusive = targets.kind == .exclusive
        let share = isExclusive ? exp(scores[output]) / sum : 1 / (1 + exp(-scores[output]))
        let weight = weights[isExclusive ? index : index * targets.classCount + output]
        for column in 0..<size {
          result[output * size + column] +=
            weight * (share - (verdict ? 1 : 0)) * values[column] / Double(rows.count)
        }
      }
    }
    for index in point.indices where index % size != size - 1 {
      result[index] += penalty * point[index]
    }
    return result
  }

  /// Returns rows as a training scales them.
  private func scaled(
    _ data: (rows: [[Float]], classes: [Int])
  ) -> (rows: [[Float]], classes: [Int]) {
    let scaling = FeatureScaling(data.rows)
    let rows = data.rows.map { row in
      zip(row, scaling.mean).map { ($0 - $1) * scaling.factor }
    }
    return (rows, data.classes)
  }

  private func minimum(
    _ rows: [[Float]], _ targets: Targets, penalty: Double
  ) throws -> [Double] {
    let matrix = FeatureMatrix(rows, .identity(columns: rows[0].count))
    let objective = LogisticObjective(matrix, targets, penalty: penalty)
    return try LBFGS().minimum(
      from: [Double](repeating: 0, count: objective.parameterCount)
    ) { try objective($0, &$1) }.point
  }

  // The loss grows by at least penalty / 2 times the squared distance from its minimum, so a small
  // gradient bounds the distance, except along the intercepts of a softmax, which may shift together.
  @Test("finds the optimum of a softmax", arguments: [0.01, 0.1])
  func softmax(penalty: Double) throws {
    let data = scaled(clusters(120, classes: 3, columns: 5))
    let targets = Targets(exclusive: data.classes, classCount: 3)
    let point = try minimum(data.rows, targets, penalty: penalty)
    let slope = gradient(at: point, data.rows, targets, penalty: penalty)
    #expect(slope.map(\.magnitude).max() ?? 1 < 1e-4 * penalty)
  }

  @Test("finds the optimum of independent classes with unknown verdicts", arguments: [0.01, 0.1])
  func independent(penalty: Double) throws {
    let data = scaled(clusters(120, classes: 3, columns: 5, spread: 2))
    let verdicts = data.classes.enumerated().map { row, target in
      (0..<3).map { (row + $0) % 4 == 0 ? nil : target == $0 }
    }
    let targets = Targets(independent: verdicts, classCount: 3)
    let point = try minimum(data.rows, targets, penalty: penalty)
    let slope = gradient(at: point, data.rows, targets, penalty: penalty)
    #expect(slope.map(\.magnitude).max() ?? 1 < 1e-4 * penalty)
  }

  @Test("finds the optimum of many features with hardly any penalty")
  func strong() throws {
    let data = scaled(clusters(800, classes: 4, columns: 256, spread: 4))
    let targets = Targets(exclusive: data.classes, classCount: 4)
    let penalty = 1.0 / (300 * 800)
    let matrix = FeatureMatrix(data.rows, .identity(columns: 256))
    let objective = LogisticObjective(matrix, targets, penalty: penalty)
    let found = try LBFGS().minimum(
      from: [Double](repeating: 0, count: objective.parameterCount)
    ) { try objective($0, &$1) }
    #expect(found.isConverged)
    let slope = gradient(at: found.point, data.rows, targets, penalty: penalty)
    #expect(slope.map(\.magnitude).max() ?? 1 < 1e-5)
  }

  @Test("reports progress on the calling thread, fit by fit")
  func progress() throws {
    let data = clusters(60, classes: 2, columns: 3)
    var reported: [Int] = []
    _ = try train(
      data.rows, Targets(exclusive: data.classes, classCount: 2), groups: Array(0..<60),
      progress: { done, total in
        #expect(total == 51)
        reported.append(done)
      })
    #expect(reported == Array(0...51))
  }

  @Test("learns a share of both verdicts for the learning curve of independent classes")
  func independentCurve() throws {
    // Few rows have a class, and each class is rejected on rows of its own.
    let data = clusters(200, classes: 4, columns: 8, spread: 0.5)
    let verdicts = data.classes.enumerated().map { row, target -> [Bool?] in
      let isFirst = row % 8 < 4
      return [isFirst ? target == 0 : nil, isFirst ? nil : target == 1]
    }
    let result = try train(
      data.rows, Targets(independent: verdicts, classCount: 2), groups: Array(0..<200))
    for point in result.curve where point.share >= 0.25 {
      var right: [Bool] = []
      for (row, line) in point.outOfFold.enumerated() {
        for (index, probability) in line.enumerated() {
          guard let verdict = verdicts[row][index] else { continue }
          right.append((probability > 0.5) == verdict)
        }
      }
      #expect(right.count == 200 && right.count { $0 } > 190)
    }
  }

  @Test("computes products of vectors")
  func vectorProducts() {
    let (left, right) = ([[1, 2, 3], [0, 1, 0]] as [[Float]], [[1, 1, 1]] as [[Float]])
    #expect(products(left, right) == [[6], [1]])
    #expect(products(left, []).isEmpty)
  }

  @Test("stops when it is canceled")
  func cancellation() {
    struct Stop: Error {}
    let data = clusters(60, classes: 2, columns: 3)
    #expect(throws: Stop.self) {
      try train(
        data.rows, Targets(exclusive: data.classes, classCount: 2), groups: Array(0..<60),
        checkCancellation: { throw Stop() })
    }
  }

  @Test("learns clusters, and gives the same bytes twice")
  func training() throws {
    let data = clusters(300, classes: 3, columns: 12, spread: 1.4)
    func result() throws -> TrainingResult {
      try train(
        data.rows, Targets(exclusive: data.classes, classCount: 3), groups: Array(0..<300))
    }
    let (first, second) = (try result(), try result())
    #expect(first.classifier == second.classifier)
    #expect(first.outOfFold == second.outOfFold)
    #expect(accuracy(first.outOfFold, data.classes) > 0.9)
    // More labels help.
    let curve = first.curve.map { accuracy($0.outOfFold, data.classes) }
    #expect(curve[0] < accuracy(first.outOfFold, data.classes) + 0.01)
    // A classifier of shuffled labels is no better than chance.
    let shuffled = data.classes.indices.map { data.classes[($0 * 7 + $0 / 11) % 300] }
    let random = try train(
      data.rows, Targets(exclusive: shuffled, classCount: 3), groups: Array(0..<300))
    #expect(accuracy(random.outOfFold, shuffled) < 0.45)
  }

  @Test(
    "learns from copies with their photos, and never where these are predicted",
    arguments: [Targets.Kind.exclusive, .independent])
  func copies(kind: Targets.Kind) throws {
    // With more columns than rows, a copy among what a fold learns from would reveal its photo's class.
    let noise = clusters(90, classes: 1, columns: 120)
    let classes = noise.rows.indices.map { $0 * 7 / 5 % 3 }
    let verdicts = classes.map { one -> [Bool?] in [one == 0, one == 1 ? nil : one == 2] }
    let targets =
      kind == .exclusive
      ? Targets(exclusive: classes, classCount: 3) : Targets(independent: verdicts, classCount: 2)
    func result(_ copies: (features: [[Float]], photos: [Int])) throws -> TrainingResult {
      try train(noise.rows, targets, groups: Array(0..<90), copies: copies)
    }
    let plain = try result(([], []))
    // Two of each photo, in another order: they change nothing.
    let order = Array((0..<90).reversed()) + Array(0..<90)
    let copied = try result((order.map { noise.rows[$0] }, order))
    #expect(copied.folds == plain.folds && copied.outOfFold.count == 90)
    #expect(copied.strength == plain.strength)
    for (own, other) in zip(
      copied.curve.map(\.outOfFold) + [copied.outOfFold],
      plain.curve.map(\.outOfFold) + [plain.outOfFold])
    {
      for (left, right) in zip(own.joined(), other.joined()) { #expect(abs(left - right) < 0.02) }
    }
    // Copies of other classes change it.
    let wrong = try result((noise.rows, (0..<90).map { ($0 + 1) % 90 }))
    #expect(wrong.classifier != plain.classifier)
  }

  @Test("calibrates confidences")
  func temperature() throws {
    // Of ten rows with a score of 4, seven are right: the confidence becomes 0.7.
    let targets = Targets(exclusive: [0, 0, 0, 0, 0, 0, 0, 1, 1, 1], classCount: 2)
    let scores = [[Double]](repeating: [4, 0], count: 10)
    let found = try Temperature.best(scores, targets)
    let confidence = Temperature.probabilities(
      scores[0], .exclusive, temperature: found.temperature)[0]
    #expect(abs(confidence - 0.7) < 1e-3)
  }

  @Test("keeps groups in one fold and spreads classes", arguments: UInt64(0)..<8)
  func folds(seed: UInt64) {
    var random = SeededGenerator(seed)
    var groups: [Int] = []
    while groups.count < 200 {
      let next = (groups.last ?? -1) + 1
      groups += Array(repeating: next, count: Int.random(in: 1...6, using: &random))
    }
    let classes = groups.map { $0 % 3 }
    let folds = Folds(Targets(exclusive: classes, classCount: 3), groups: groups, count: 5)
    for group in Set(groups) {
      let found = Set(groups.indices.filter { groups[$0] == group }.map { folds.indices[$0] })
      #expect(found.count == 1)
    }
    for target in 0..<3 {
      let counts = (0..<5).map { fold in
        classes.indices.filter { classes[$0] == target && folds.indices[$0] == fold }.count
      }
      #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 6)
    }
  }

  @Test("projects onto the principal subspace")
  func projection() throws {
    // Twenty points of a plane in six dimensions, and a little noise.
    var random = SeededGenerator(4)
    let points = (0..<20).map { _ in
      let (a, b) = (
        Float.random(in: -9...9, using: &random), Float.random(in: -5...5, using: &random)
      )
      return [a, b, a + b, a - b, 3, 2 * a].map {
        $0 + Float.random(in: -1e-3...1e-3, using: &random)
      }
    }
    let projection = try Projection(of: points, outputCount: 2)
    for (first, second) in zip(points, points.dropFirst()) {
      let (a, b) = (projection.coordinates(of: first), projection.coordinates(of: second))
      let before = zip(first, second).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      let after = zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      #expect(abs(before.squareRoot() - after.squareRoot()) < 0.01)
    }
  }
}

extension FeatureScaling {
  /// Leaves features as they are.
  static func identity(columns: Int) -> FeatureScaling {
    FeatureScaling(mean: Array(repeating: 0, count: columns), factor: 1)
  }
}
