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
    resolver.strikeLessSure(candidates.filter { decisions[$0.key] == nil }.values.flatMap { $0 })
    return byClass.keys.sorted().map { classKey in
      let decision = decisions[classKey] ?? resolver.prediction(candidates[classKey] ?? [])
      return Resolution(
        classKey: classKey, name: rules.classes.name(of: classKey), state: decision.state,
        confidence: decision.confidence, reason: decision.reason,
        evidence: resolver.evidence(on: classKey, decision))
    }
  }

  private func prediction(_ candidates: [Int]) -> Decision {
    guard let best = surest(candidates.filter { entries[$0].exclusion == nil }) else {
      return Decision(state: .open, confidence: 0, reason: "no label counts")
    }
    let label = entries[best].label
    return Decision(
      state: .predicted, confidence: label.confidence.double,
      reason:
        "\(label.annotator.identity) says \(label.confidence.text), no person has labeled it")
  }

  private func evidence(on classKey: ClassKey, _ decision: Decision) -> [Evidence] {
    let indices = byClass[classKey] ?? []
    let people = indices.filter { entries[$0].annotator.isHuman }
    let models = indices.filter { !entries[$0].annotator.isHuman }
    return (people + models).map { index in
      let statement = entries[index]
      return Evidence(
        label: statement.label, annotator: statement.annotator,
        status: status(of: statement, in: decision))
    }
  }

  private func status(of statement: Entry, in decision: Decision) -> LabelStatus {
    let isSettled = decision.state != .predicted && decision.state != .open
    switch statement.exclusion {
    // A person's verdict comes before these reasons to exclude a model's label.
    case .absence?, .belowThreshold?:
      return isSettled ? .overruled : statement.exclusion ?? .overruled
    case let reason?: return reason
    case nil where statement.annotator.isHuman: return self.status(of: statement, after: decision)
    case nil: return isSettled ? .overruled : .counted
    }
  }
}
