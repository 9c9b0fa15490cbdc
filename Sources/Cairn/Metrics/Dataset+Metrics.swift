package import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnMetrics

/// The photos and classes to measure.
public struct MetricsScope: Sendable {
  /// Selects the photos; only visible ones are measured.
  public var query = PhotoQuery.everything
  /// The names of classes; empty for all.
  public var classNames: [String] = []

  /// Creates a scope of all photos and all classes.
  public init() {}
}

extension Dataset {
  /// Returns the agreement between people.
  ///
  /// The photos are read one by one.
  public func agreement(_ scope: MetricsScope = MetricsScope()) throws(CairnError)
    -> AgreementMetrics
  {
    try withMetricsScope(scope) { index, rules, classes, photos in
      var count = AgreementAccumulator(
        rules: rules, annotators: try index.annotators(), classes: classes)
      try index.forEachLabeledPhoto(among: photos) { count.add($1) }
      return count.agreement()
    }
  }

  /// Returns the metrics of models, each version separately, as far as people have labeled what
  /// they predict. Photos that a model learned from are left out.
  ///
  /// - Parameter names: The models, as `NAME` or `NAME@VERSION`; empty for all.
  public func modelMetrics(
    _ scope: MetricsScope = MetricsScope(), of names: [String] = []
  ) throws(CairnError) -> [ModelMetrics] {
    try withMetricsScope(scope) { index, rules, classes, photos in
      let runs = try index.runs()
      // A model that was silent on every photo has no label.
      let known = Set(try index.annotators()).union(runs.map(\.annotator)).sorted()
      let models = known.filter { annotator in
        guard let model = annotator.model else { return false }
        return names.isEmpty || names.contains(annotator.identity) || names.contains(model.name)
      }
      for name in names where !models.contains(where: { $0.isNamed(name) }) {
        throw CairnError(
          .notFound, "No model “\(name)” has labeled anything here.",
          hint: "`cairn run list` shows the models that were run.")
      }
      var count = MetricsAccumulator(
        rules: rules, models: models, records: RunRecords(runs))
      try index.forEachLabeledPhoto(among: photos) { photo, labels in
        try count.add(labels, of: photo) { try index.imageSize(of: photo) }
      }
      return count.metrics(of: classes)
    }
  }

  /// Returns the photos in a cell of a model's confusion matrix, sorted by id.
  package func photos(
    in cell: MetricsCell, of model: Annotator, _ scope: MetricsScope = MetricsScope()
  ) throws(CairnError) -> [PhotoID] {
    try withMetricsScope(scope) { index, rules, _, photos in
      var found: [PhotoID] = []
      let records = RunRecords(try index.runs())
      try index.forEachLabeledPhoto(among: photos) { photo, labels in
        if cell.contains(labels, of: photo, by: model, rules, records) { found.append(photo) }
      }
      return found
    }
  }

  /// Runs `body` with the index, its resolutions up to date, and with the rules, classes and photos
  /// of `scope`.
  func withMetricsScope<Value>(
    _ scope: MetricsScope,
    _ body: (IndexReader, ResolutionRules, Set<ClassKey>?, [PhotoID]?) throws -> Value
  ) throws(CairnError) -> Value {
    try translating {
      let photos = scope.query == .everything ? nil : try find(scope.query)
      return try query(resolved: true) { index in
        let keys = try scope.classNames.map { try existingClassKey(named: $0, in: index) }
        return try body(
          index, try rules(from: index), keys.isEmpty ? nil : Set(keys), photos)
      }
    }
  }
}

extension Annotator {
  fileprivate func isNamed(_ name: String) -> Bool { identity == name || model?.name == name }
}
