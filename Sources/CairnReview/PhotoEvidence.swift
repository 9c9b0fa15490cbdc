package import CairnDocument
package import CairnMerge

/// All labels of one photo and their resolutions, from which doubtful classes are found.
package struct PhotoEvidence: Sendable {
  package let photo: PhotoID
  package let labels: [Label]
  package let rules: ResolutionRules
  /// One for every class that has a label, including classes where none counts; sorted by key.
  package let resolutions: [Resolution]

  package init(of photo: PhotoID, _ labels: [Label], _ rules: ResolutionRules) {
    (self.photo, self.labels, self.rules) = (photo, labels, rules)
    resolutions = rules.explain(labels)
  }

  /// Returns the resolution of a class; nil if it has no labels.
  package func resolution(of classKey: ClassKey) -> Resolution? {
    resolutions.first { $0.classKey == classKey }
  }

  /// Returns the doubts that the photo's own labels raise about a class, the most urgent first.
  package func reasons(on classKey: ClassKey) -> [ReviewReasonDetail] {
    guard let resolution = resolution(of: classKey) else { return [] }
    switch resolution.state {
    case .disputed: return [.disputed(resolution.reason)]
    case .predicted:
      return [unsure(resolution), disagreement(resolution)].compactMap { $0 }
    case .open: return [nearThreshold(resolution)].compactMap { $0 }
    case .confirmed, .rejected: return []
    }
  }

  // MARK: One model

  /// Returns the label that decided the prediction: the one with the highest confidence.
  private func mostConfidentLabel(_ resolution: Resolution) -> Label? {
    let counted = resolution.evidence.filter { $0.status == .counted }.map(\.label)
    return counted.max { a, b in
      let (x, y) = (a.confidence, b.confidence)
      return x != y ? x < y : a.annotator < b.annotator
    }
  }

  private func threshold(of annotator: Annotator) -> Double {
    annotator.model.map { rules.threshold(of: $0.name) } ?? rules.threshold
  }

  private func unsure(_ resolution: Resolution) -> ReviewReasonDetail? {
    guard let label = mostConfidentLabel(resolution) else { return nil }
    let (confidence, threshold) = (label.confidence, threshold(of: label.annotator))
    if let second = secondChoice(to: resolution, by: label.annotator),
      confidence - second.confidence <= ReviewLimit.margin
    {
      return .undecided(
        prediction(of: resolution, by: label),
        second: ModelPrediction(
          second.annotator, name(second), confidence: second.exactConfidence))
    }
    guard confidence - threshold <= ReviewLimit.margin else { return nil }
    return closeToThreshold(resolution, label)
  }

  private func prediction(of resolution: Resolution, by label: Label) -> ModelPrediction {
    ModelPrediction(label.annotator, resolution.name, confidence: label.exactConfidence)
  }

  private func closeToThreshold(
    _ resolution: Resolution, _ label: Label
  ) -> ReviewReasonDetail {
    .nearThreshold(
      prediction(of: resolution, by: label), threshold: threshold(of: label.annotator))
  }

  /// Returns the model's label of the class with the second highest confidence in the exclusive
  /// set.
  private func secondChoice(to resolution: Resolution, by annotator: Annotator) -> Label? {
    let others = resolutions.flatMap(\.evidence).filter { evidence in
      guard case .secondChoice(let best) = evidence.status else { return false }
      return evidence.label.annotator == annotator && isOf(best, resolution.classKey)
    }
    return others.map(\.label).max {
      ($0.confidence, $1.classKey) < ($1.confidence, $0.classKey)
    }
  }

  /// Returns the doubt about a class without a label that counts but with one just below its
  /// threshold; nil if another class of its set is confirmed, predicted or disputed.
  private func nearThreshold(_ resolution: Resolution) -> ReviewReasonDetail? {
    if let set = rules.classes.set(of: resolution.classKey),
      resolutions.contains(where: {
        [.confirmed, .predicted, .disputed].contains($0.state)
          && rules.classes.set(of: $0.classKey) == set
      })
    {
      return nil
    }
    let close = resolution.evidence.compactMap { evidence -> (label: Label, gap: Double)? in
      guard case .belowThreshold(let threshold) = evidence.status else { return nil }
      let gap = threshold - evidence.label.confidence
      return gap <= ReviewLimit.margin ? (evidence.label, gap) : nil
    }
    guard
      let (label, _) = close.min(by: { ($0.gap, $0.label.annotator) < ($1.gap, $1.label.annotator) }
      )
    else { return nil }
    return closeToThreshold(resolution, label)
  }

  // MARK: Several models

  private func disagreement(_ resolution: Resolution) -> ReviewReasonDetail? {
    guard let label = mostConfidentLabel(resolution), let model = label.annotator.model?.name else {
      return nil
    }
    var contrary: [ModelContradiction] = []
    for evidence in resolution.evidence
    where evidence.status == .absence && evidence.annotator.model?.name != model {
      contrary.append(.absent(evidence.annotator))
    }
    for other in resolutions {
      for evidence in other.evidence {
        guard case .lessConfident(let best) = evidence.status, isOf(best, resolution.classKey)
        else { continue }
        contrary.append(.other(prediction(of: other, by: evidence.label)))
      }
    }
    return contrary.isEmpty
      ? nil : .contradicted(prediction(of: resolution, by: label), by: contrary)
  }

  private func isOf(_ label: Label, _ classKey: ClassKey) -> Bool {
    rules.classes.canonicalKey(of: label.classKey) == classKey
  }

  private func name(_ label: Label) -> String {
    rules.classes.name(of: rules.classes.canonicalKey(of: label.classKey))
  }
}
