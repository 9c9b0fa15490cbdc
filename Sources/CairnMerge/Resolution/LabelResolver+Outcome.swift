internal import CairnDocument

extension LabelResolver {
  /// Returns the resolution of every class that has a label, sorted by key.
  func resolutions() -> [Resolution] {
    var resolver = self
    let candidates = resolver.modelCandidates()
    var decisions: [ClassKey: Decision] = [:]
    for classKey in byClass.keys {
      let votes = resolver.votes(on: classKey)
      if !votes.isEmpty { decisions[classKey] = resolver.decision(by: votes, on: classKey) }
    }
    resolver.excludeLessConfident(
      candidates.filter { decisions[$0.key] == nil }.values.flatMap { $0 })
    return byClass.keys.sorted().map { classKey in
      let decision = decisions[classKey] ?? resolver.prediction(candidates[classKey] ?? [])
      return Resolution(
        classKey: classKey, name: rules.classes.name(of: classKey), state: decision.state,
        confidence: decision.confidence, reason: decision.reason,
        evidence: resolver.evidence(on: classKey, decision))
    }
  }

  private func prediction(_ candidates: [Int]) -> Decision {
    guard let best = mostConfident(candidates.filter { entries[$0].exclusion == nil }) else {
      return Decision(state: .open, confidence: 0, reason: .noneCounts)
    }
    let label = entries[best].label
    return Decision(
      state: .predicted, confidence: label.confidence,
      reason: .predicted(by: label.annotator, confidence: label.exactConfidence))
  }

  private func evidence(on classKey: ClassKey, _ decision: Decision) -> [Evidence] {
    let indices = byClass[classKey] ?? []
    let people = indices.filter { entries[$0].annotator.isHuman }
    let models = indices.filter { !entries[$0].annotator.isHuman }
    return (people + models).map { index in
      let entry = entries[index]
      return Evidence(
        label: entry.label, annotator: entry.annotator,
        status: status(of: entry, in: decision))
    }
  }

  private func status(of entry: Entry, in decision: Decision) -> LabelStatus {
    let isSettled = decision.state != .predicted && decision.state != .open
    switch entry.exclusion {
    // A person's verdict comes before these reasons to exclude a model's label.
    case .absence?, .belowThreshold?:
      return isSettled ? .overruled : entry.exclusion ?? .overruled
    case let reason?: return reason
    case nil where entry.annotator.isHuman: return self.status(of: entry, after: decision)
    case nil: return isSettled ? .overruled : .counted
    }
  }
}
