internal import CTraining
internal import CairnBase
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
  /// Whether the solver found its optimum.
  package let isConverged: Bool
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
///   - copies: Features of changed copies of photos, and the row of each one's photo. A classifier
///     learns from them wherever it learns from their photos; they are never predicted or counted.
///   - progress: Called with the number of fits that are done, and their total, on this thread.
package func train(
  _ features: [[Float]], _ targets: Targets, groups: [Int],
  copies: (features: [[Float]], photos: [Int]) = ([], []),
  _ parameters: TrainingParameters = TrainingParameters(),
  checkCancellation: @escaping @Sendable () throws -> Void = {},
  progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
) throws -> TrainingResult {
  let scaling = FeatureScaling(features)
  let rows = FeatureMatrix(features + copies.features, scaling)
  let folds = Folds(targets, groups: groups, count: parameters.foldCount)
  let fits = parameters.strengths.count + parameters.curveShares.count
  let total = parameters.foldCount * fits + 1
  var done = 0
  func report() {
    done += 1
    progress(done, total)
  }
  progress(0, total)
  let validation = Validation(
    rows: rows, targets: targets, copies: copies.photos, folds: folds, parameters: parameters,
    checkCancellation: checkCancellation)
  let paths = try validation.inEachFold(onFit: report) { try validation.path(in: $0, $1) }
  var best: (index: Int, temperature: Double, loss: Double)?
  for index in parameters.strengths.indices {
    let found = try Temperature.best(
      validation.merged(paths.map { $0[index] }), targets, checkCancellation: checkCancellation)
    if best.map({ found.loss < $0.loss }) ?? true {
      best = (index, found.temperature, found.loss)
    }
  }
  let (index, temperature) = (best?.index ?? 0, best?.temperature ?? 1)
  let strength = parameters.strengths[index]
  let curves = try validation.inEachFold(onFit: report) {
    try validation.curve(in: $0, strength: strength, $1)
  }
  func probabilities(_ scores: [[Double]], _ temperature: Double) -> [[Double]] {
    scores.map { Temperature.probabilities($0, targets.kind, temperature: temperature) }
  }
  let curve = try parameters.curveShares.enumerated().map { place, share in
    let scores = validation.merged(curves.map { $0[place] })
    let found = try Temperature.best(scores, targets, checkCancellation: checkCancellation)
    return (share, probabilities(scores, found.temperature))
  }
  let found = try validation.fit(
    Array(features.indices), targets, strength: strength, from: nil)
  report()
  return TrainingResult(
    classifier: LinearClassifier(
      found.point, targets.kind, classCount: targets.classCount, scaling: scaling,
      temperature: temperature),
    isConverged: found.isConverged, strength: strength, temperature: temperature, folds: folds,
    outOfFold: probabilities(validation.merged(paths.map { $0[index] }), temperature),
    curve: curve)
}

/// Trains on all folds but one, for each fold; folds run at the same time, and none of them depends
/// on another.
private struct Validation: Sendable {
  /// The photos, then their copies.
  let rows: FeatureMatrix
  /// Of the photos.
  let targets: Targets
  /// The row of each copy's photo.
  let copies: [Int]
  let folds: Folds
  let parameters: TrainingParameters
  let checkCancellation: @Sendable () throws -> Void

  /// Learns from photos and their copies. The penalty depends on the number of photos only.
  ///
  /// - Parameter targets: Those of `photos`, in their order.
  func fit(
    _ photos: [Int], _ targets: Targets, strength: Double, from point: [Double]?
  ) throws -> LBFGS.Minimum {
    let places = Dictionary(uniqueKeysWithValues: zip(photos, photos.indices))
    let used = copies.indices.filter { places[copies[$0]] != nil }
    let objective = LogisticObjective(
      rows.selecting(photos + used.map { self.targets.count + $0 }),
      targets.selecting(Array(photos.indices) + used.compactMap { places[copies[$0]] }),
      penalty: 1 / (strength * Double(photos.count)), checkCancellation: checkCancellation)
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
  func path(in fold: Int, _ onFit: () -> Void) throws -> [[[Double]]] {
    let (inside, outside) = rows(of: fold)
    let held = rows.selecting(inside)
    let known = targets.selecting(outside)
    var point: [Double]?
    return try parameters.strengths.map { strength in
      let next = try fit(outside, known, strength: strength, from: point).point
      point = next
      onFit()
      return LogisticObjective.scores(next, held, classCount: targets.classCount)
    }
  }

  /// Returns the scores of a fold's rows for each share of the labels.
  func curve(
    in fold: Int, strength: Double, _ onFit: () -> Void
  ) throws -> [[[Double]]] {
    let (inside, outside) = rows(of: fold)
    let held = rows.selecting(inside)
    return try parameters.curveShares.map { share in
      let part = targets.spread(share, of: outside)
      let found = try fit(part.rows, part.targets, strength: strength, from: nil)
      onFit()
      return LogisticObjective.scores(found.point, held, classCount: targets.classCount)
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

  /// Calls `body` with each fold, on several threads, and `onFit` on this thread for each fit.
  func inEachFold<Value: Sendable>(
    onFit: () -> Void, _ body: @Sendable (_ fold: Int, _ onFit: () -> Void) throws -> Value
  ) throws -> [Value] {
    let events = BoundedQueue<FoldEvent<Value>>(capacity: folds.count)
    let workers = DispatchGroup()
    let queue = DispatchQueue(label: "folds", attributes: .concurrent)
    let next = Mutex(0)
    var values: [Int: Result<Value, any Error>] = [:]
    withoutActuallyEscaping(body) { body in
      for _ in 0..<min(folds.count, processorCount()) {
        queue.async(group: workers) {
          while true {
            let fold = next.withLock { next in
              next += 1
              return next - 1
            }
            if fold >= folds.count { return }
            events.put(.end(fold, Result { try body(fold) { events.put(.fit) } }))
          }
        }
      }
      while values.count < folds.count {
        switch events.take() {
        case .fit: onFit()
        case .end(let fold, let value): values[fold] = value
        }
      }
      workers.wait()
    }
    return try (0..<folds.count).compactMap { try values[$0]?.get() }
  }
}

private enum FoldEvent<Value: Sendable>: Sendable {
  case fit
  case end(Int, Result<Value, any Error>)
}

extension Targets {
  /// Returns a share of the verdicts, the first ones of each class and kind, and the rows with any.
  fileprivate func spread(_ share: Double, of rows: [Int]) -> (rows: [Int], targets: Targets) {
    let part = selecting(rows)
    let width = kind == .exclusive ? 1 : classCount
    func bin(_ index: Int) -> Int? {
      if part.values[index] < 0 { return nil }
      return kind == .exclusive ? part.values[index] : 2 * (index % width) + part.values[index]
    }
    var counts = [Int](repeating: 0, count: kind == .exclusive ? classCount : 2 * classCount)
    for index in part.values.indices { if let bin = bin(index) { counts[bin] += 1 } }
    var left = counts.map { Int((Double($0) * share).rounded(.up)) }
    let values = part.values.indices.map { index in
      guard let bin = bin(index), left[bin] > 0 else { return -1 }
      left[bin] -= 1
      return part.values[index]
    }
    let kept = rows.indices.filter { row in
      values[row * width..<(row + 1) * width].contains { $0 >= 0 }
    }
    let all = Targets(kind, classCount, values, count: rows.count)
    return (kept.map { rows[$0] }, all.selecting(kept))
  }
}
