internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

extension ModelCount {
  /// Returns the figures that follow from the counts, for all classes or for some.
  func metrics(
    of model: Annotator, _ wanted: Set<ClassKey>?, _ rules: ResolutionRules,
    _ records: RunRecords
  ) -> ModelMetrics {
    func isWanted(_ key: ClassKey) -> Bool { wanted?.contains(key) ?? true }
    let namedSets = Set(named.compactMap { rules.classes.set(of: $0) })
    func isMeasured(_ key: ClassKey) -> Bool {
      if let wanted { return wanted.contains(key) }
      return named.contains(key) || rules.classes.set(of: key).map(namedSets.contains) ?? false
    }
    let measured = classes.keys.filter(isMeasured).sorted().map { perClass($0, rules) }
      .filter { $0.matrix.count > 0 }
    let order = measured.indices.sorted { a, b in
      let (x, y) = (measured[a].f1 ?? .infinity, measured[b].f1 ?? .infinity)
      return x == y ? a < b : x < y
    }
    let counted = classes.filter { isWanted($0.key) }.map(\.value)
    let wantedSets = wanted.map { Set($0.compactMap { rules.classes.set(of: $0) }) } ?? namedSets
    let (independent, undefined) = independent(measured, rules)
    return ModelMetrics(
      model: model, photos: photos, silent: silent, silentIsKnown: silentIsKnown,
      learned: learned, learnedFromAll: learned > 0 && !hasGroundTruth,
      learnedIsKnown: records.recordsLearned(model), training: records.training(of: model),
      classes: order.map { measured[$0] },
      sets: namedSets.intersection(wantedSets).sorted().compactMap { perSet($0, rules) },
      independent: independent, independentUndefined: undefined,
      boxes: boxes.metrics(isWanted, rules),
      mistakes: mistakes.filter { isWanted($0.prediction) }.map { mistake in
        ModelMetrics.Mistake(
          photo: mistake.photo, prediction: rules.classes.name(of: mistake.prediction),
          truth: mistake.truth.map { rules.classes.name(of: $0) }, confidence: mistake.confidence)
      },
      neverNamed: classes.filter { key, count in
        isWanted(key) && !isMeasured(key) && count.matrix.actual(1) > 0
      }.keys.sorted(),
      calibration: classes.filter { isWanted($0.key) && named.contains($0.key) }
        .reduce(into: Calibration()) { $0.add($1.value.calibration) },
      disputed: counted.reduce(0) { $0 + $1.disputed },
      withoutGroundTruth: counted.reduce(0) { $0 + $1.withoutGroundTruth })
  }

  private func perClass(_ key: ClassKey, _ rules: ResolutionRules) -> ModelMetrics.PerClass {
    var count = classes[key] ?? ClassCount()
    if let set = rules.classes.set(of: key), let chosen = chosen[set] { count.addAbsent(chosen) }
    return ModelMetrics.PerClass(
      classKey: key, name: rules.classes.name(of: key), matrix: count.matrix,
      ranking: count.ranking, calibration: count.calibration)
  }

  // MARK: Exclusive sets

  private func perSet(_ set: ClassKey, _ rules: ResolutionRules) -> ModelMetrics.PerSet? {
    guard let counted = sets[set] else { return nil }
    let used = Set(counted.best.keys.map(\.truth))
      .union(counted.best.keys.compactMap(\.prediction))
    let keys = used.sorted()
    let indices = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    var (matrix, outcomes, right, all) = (ConfusionMatrix(), OutcomeCounts(), 0, 0)
    for (choice, count) in counted.choices {
      guard let truth = indices[choice.truth] else { continue }
      matrix.add(truth: truth, prediction: choice.prediction.flatMap { indices[$0] }, weight: count)
    }
    for (choice, count) in counted.best {
      guard let truth = indices[choice.truth] else { continue }
      all += count
      if choice.prediction == choice.truth {
        right += count
        outcomes.add([truth: .truePositive], weight: count)
      } else {
        var photo: [Int: OutcomeCounts.Outcome] = [truth: .falseNegative]
        if let wrong = choice.prediction.flatMap({ indices[$0] }) { photo[wrong] = .falsePositive }
        outcomes.add(photo, weight: count)
      }
    }
    return ModelMetrics.PerSet(
      set: set, matrix: matrix, classes: keys, names: keys.map { rules.classes.name(of: $0) },
      topOne: Proportion(right, of: all),
      topFive: keys.count > 5 ? Proportion(counted.topFive, of: all) : nil, outcomes: outcomes,
      trueClasses: Set(counted.best.keys.map(\.truth)).count)
  }

  // MARK: Independent classes

  /// Returns the means over the classes in no set that some photos have and some lack, or why there
  /// are none.
  private func independent(
    _ classes: [ModelMetrics.PerClass], _ rules: ResolutionRules
  ) -> (ModelMetrics.Independent?, ModelMetrics.Undefined?) {
    let independent = classes.filter { rules.classes.set(of: $0.classKey) == nil }
    let measurable = independent.filter { $0.undefined == nil }
    let keys = Set(measurable.compactMap { numbers[$0.classKey] })
    guard let macro = outcomes.macro(of: keys), let micro = outcomes.micro(of: keys) else {
      if independent.isEmpty { return (nil, .noClasses) }
      let hasPositives = independent.contains { $0.undefined == .noNegatives }
      return (nil, hasPositives ? .noNegatives : .noPositives)
    }
    let precisions = measurable.compactMap(\.ranking.averagePrecision)
    let figures = ModelMetrics.Independent(
      classes: measurable.count, macro: macro, macroF1Interval: outcomes.macroF1Interval(of: keys),
      micro: micro,
      meanAveragePrecision: precisions.reduce(0, +) / Double(max(1, precisions.count)))
    return (figures, nil)
  }
}
