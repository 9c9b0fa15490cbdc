internal import CairnIndex
internal import CairnMerge
internal import CairnTrust

/// Which photos and classes are measured.
public struct TrustScope: Sendable {
  /// Of these only what is in view is measured.
  public var query = PhotoQuery.everything
  /// The names of classes; empty for all.
  public var classNames: [String] = []

  public init() {}
}

extension Dataset {
  /// Returns how far people agree with each other.
  ///
  /// The photos are read one by one.
  public func agreement(_ scope: TrustScope = TrustScope()) throws(CairnError) -> Agreement {
    try survey(scope) { index, rules, classes, photos in
      var count = AgreementCount(rules: rules, annotators: try index.annotators())
      try index.forEachLabelledPhoto(among: photos) { _, labels in
        count.add(rules.opinions(labels))
      }
      return count.agreement(of: classes)
    }
  }

  /// Returns how good models are, each version by itself, as far as people have spoken of what they
  /// say.
  ///
  /// - Parameter names: Which models, as `NAME` or `NAME@VERSION`; empty for all.
  public func modelFigures(
    _ scope: TrustScope = TrustScope(), of names: [String] = []
  ) throws(CairnError) -> [ModelFigures] {
    try survey(scope) { index, rules, classes, photos in
      let models = try index.annotators().filter { annotator in
        guard let model = annotator.model else { return false }
        return names.isEmpty || names.contains(annotator.identity) || names.contains(model.name)
      }
      for name in names where !models.contains(where: { $0.isNamed(name) }) {
        throw CairnError(
          .notFound, "No model “\(name)” has said anything here.",
          hint: "`cairn run list` shows the models that were run.")
      }
      var count = ModelCount(rules: rules, models: models)
      try index.forEachLabelledPhoto(among: photos) { _, labels in count.add(labels) }
      return count.figures(of: classes)
    }
  }

  /// Runs `body` with the index, level with what stands, and what `scope` means in it.
  func survey<Value>(
    _ scope: TrustScope,
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
