package import CairnDocument
internal import CairnMerge

/// A cell of a model's confusion matrix.
package enum MetricsCell: Equatable, Sendable {
  case ofClass(ClassKey, isPresent: Bool, isPredicted: Bool)
  /// In an exclusive set; nil where the model chose no class.
  case ofSet(ClassKey, truth: ClassKey, prediction: ClassKey?)

  /// Returns whether a photo with these labels is in the cell.
  func contains(
    _ labels: [Label], of photo: PhotoID, by model: Annotator, _ rules: ResolutionRules,
    _ records: RunRecords
  ) -> Bool {
    if records.hasLearned(model, from: photo) { return false }
    let own = labels.filter { $0.annotator == model && rules.isActivePrediction($0) }
    if own.isEmpty, !records.isSilent(model, on: photo) { return false }
    let truth = GroundTruth(rules.resolve(labels.filter(\.annotator.isHuman)), rules.classes)
    let predictions = Predictions(own, of: model, rules)
    switch self {
    case .ofClass(let key, let isPresent, let isPredicted):
      guard predictions.predicted.contains(key) == isPredicted else { return false }
      return truth.verdict(on: key, in: rules.classes.set(of: key))
        == (isPresent ? .present : .absent)
    case .ofSet(let set, let wanted, let prediction):
      return truth.bySet[set] == wanted && predictions.choices[set] == prediction
    }
  }
}

extension ResolutionRules {
  /// Returns whether a model's label counts: neither it nor its run is withdrawn.
  func isActivePrediction(_ label: Label) -> Bool {
    label.verdict != .withdrawn && !(label.run.map(withdrawnRuns.contains) ?? false)
  }
}
