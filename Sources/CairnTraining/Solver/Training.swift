internal import CTraining
internal import Dispatch
internal import Synchronization

/// Options of a training.
package struct TrainingParameters: Equatable, Sendable {
  package var foldCount = 5
  /// Inverse strengths of the penalty that are tried, ascending: features have mean squared length 1.
  package var strengths: [Double] = [0.3, 1, 3, 10, 30, 100, 300]
  /// Shares of the labels for the learning curve, ascending, below 1.
  package var curveShares: [Double] = [0.1, 0.25, 0.5]

  package init() {}
}

/// A trained classifier, and what a cross-validation says of it.
package struct TrainingResult: Sendable {
  package let classifier: LinearClassifier
  /// The inverse strength of the penalty that was chosen.
  package let strength: Double
  package let temperature: Double
  package let folds: Folds
  /// The probabilities of each row and class from the classifier that was trained without the row.
  package let outOfFold: [[Double]]
  /// The same, of classifiers that were trained with a share of the labels.
  package let curve: [(share: Double, outOfFold: [[Double]])]
}

/// Learns a classifier; its penalty and temperature are those with the least out-of-fold loss.
///
/// - Parameters:
///   - features: One row for each photo, in the order of their ids.
///   - groups: The group of each row: rows of a group are in one fold.
///   - progress: Called with the number of fits that are done, and their total, by several threads.
package func train(
  _ features: [[Float]], _ targets: Targets, groups: [Int],
  _ parameters: TrainingParameters = TrainingParameters(),
  checkCancellation: @escaping @Sendable () throws -> Void = {},
  progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
) throws -> TrainingResult {
  let scaling = FeatureScaling(features)
  let rows = FeatureMatrix(features, scaling)
  let folds = Folds(targets, groups: groups, count: parameters.foldCount)
  let fits = parameters.strengths.count + parameters.curveShares.count
  let counter = FitCounter(total: parameters.foldCount * fits + 1, report: progress)
  let validation = Validation(
    rows: rows, targets: targets, folds: folds, parameters: parameters,
    checkCancellation: checkCancellation, counter: counter)
  let paths = try validation.inEachFold { try validation.path(in: $0) }
  var best: (index: Int, temperature: Double, loss: Double)?
  for index in parameters.strengths.indices {
    let found = Temperature.best(validation.merged(paths.map { $0[index] }), targets)
    if best.map({ found.loss < $0.loss }) ?? true {
      best = (index, found.temperature, found.loss)
    }
  }
  let (index, temperature) = (best?.index ?? 0, best?.temperature ?? 1)
  let strength = parameters.strengths[index]
  let curves = try validation.inEachFold { try validation.curve(in: $0, strength: strength) }
  func probabilities(_ scores: [[Double]], _ temperature: Double) -> [[Double]] {
    scores.map { Temperature.probabilities($0, targets.kind, temperature: temperature) }
  }
  let curve = parameters.curveShares.enumerated().map { place, share in
    let scores = validation.merged(curves.map { $0[place] })
    return (share, probabilities(scores, Temperature.best(scores, targets).temperature))
  }
  let point = try validation.fit(rows, targets, strength: strength, from: nil)
  counter.add()
  return TrainingResult(
    classifier: LinearClassifier(
      point, targets.kind, classCount: targets.classCount, scaling: scaling,
      temperature: temperature),
    strength: strength, temperature: temperature, folds: folds,
    outOfFold: probabilities(validation.merged(paths.map { $0[index] }), temperature),
    curve: curve)
}

private final class FitCounter: Sendable {
  private let done = Mutex(0)
  private let total: Int
  private let report: @Sendable (Int, Int) -> Void

  init(total: Int, report: @escaping @Sendable (Int, Int) -> Void) {
    (self.total, self.report) = (total, report)
  }

  func add() {
    let count = done.withLock { done in
      done += 1
      return done
    }
    report(count, total)
  }
}

/// Trains on all folds but one, for each fold; folds run at the same time, and none of them depends
/// on another.
private struct Validation: Sendable {
  let rows: FeatureMatrix
  let targets: Targets
  let folds: Folds
  let parameters: TrainingParameters
  let checkCancellation: @Sendable () throws -> Void
  let counter: FitCounter

  func fit(
    _ rows: FeatureMatrix, _ targets: Targets, strength: Double, from point: [Double]?
  ) throws -> [Double] {
    let objective = LogisticObjective(
      rows, targets, penalty: 1 / (strength * Double(rows.count)),
      checkCancellation: checkCancellation)
    return try LBFGS().minimum(
      from: point ?? [Double](repeating: 0, count: objective.parameterCount)
    ) { try objective($0, &$1) }
  }

  /// The rows in a fold, and those outside it.
  private func rows(of fold: Int) -> (inside: [Int], outside: [Int]) {
    let all = folds.indices.indices
    return (all.filter { folds.indices[$0] == fold }, all.filter { folds.indices[$0] != fold })
  }

  /// Returns the scores of a fold's rows for each strength.
  func path(in fold: Int) throws -> [[[Double]]] {
    let (inside, outside) = rows(of: fold)
    let (held, learned) = (rows.selecting(inside), rows.selecting(outside))
    let known = targets.selecting(outside)
    var point: [Double]?
    return try parameters.strengths.map { strength in
      let next = try fit(learned, known, strength: strength, from: point)
      point = next
      counter.add()
      return LogisticObjective.scores(next, held, classCount: targets.classCount)
    }
  }

  /// Returns the scores of a fold's rows for each share of the labels.
  func curve(in fold: Int, strength: Double) throws -> [[[Double]]] {
    let (inside, outside) = rows(of: fold)
    let held = rows.selecting(inside)
    return try parameters.curveShares.map { share in
      let part = targets.spread(share, of: outside)
      let point = try fit(
        rows.selecting(part), targets.selecting(part), strength: strength, from: nil)
      counter.add()
      return LogisticObjective.scores(point, held, classCount: targets.classCount)
    }
  }

  /// Returns the values of the rows of each fold in the order of the rows.
  func merged(_ parts: [[[Double]]]) -> [[Double]] {
    var next = [Int](repeating: 0, count: parts.count)
    return folds.indices.map { fold in
      defer { next[fold] += 1 }
      return parts[fold][next[fold]]
    }
  }

  func inEachFold<Value: Sendable>(
    _ body: @Sendable (Int) throws -> Value
  ) throws -> [Value] {
    let results = Mutex<[Int: Result<Value, any Error>]>([:])
    withoutActuallyEscaping(body) { body in
      DispatchQueue.concurrentPerform(iterations: folds.count) { fold in
        let result = Result { try body(fold) }
        results.withLock { $0[fold] = result }
      }
    }
    return try results.withLock { results in
      try (0..<folds.count).compactMap { try results[$0]?.get() }
    }
  }
}

extension Targets {
  /// Returns the first rows of each class, as a share of its rows; and of rows without any class.
  fileprivate func spread(_ share: Double, of rows: [Int]) -> [Int] {
    var counts = [Int](repeating: 0, count: classCount + 1)
    func bin(_ row: Int) -> Int {
      (0..<classCount).first { verdict(row, $0) == true } ?? classCount
    }
    for row in rows { counts[bin(row)] += 1 }
    let limits = counts.map { Int((Double($0) * share).rounded(.up)) }
    var taken = [Int](repeating: 0, count: classCount + 1)
    return rows.filter { row in
      let bin = bin(row)
      taken[bin] += 1
      return taken[bin] <= limits[bin]
    }
  }
}
