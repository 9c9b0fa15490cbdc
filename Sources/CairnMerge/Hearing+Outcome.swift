internal import CairnDocument

extension Hearing {
  /// Returns the outcome for every class that was spoken of, sorted by key.
  func resolutions() -> [Resolution] {
    var hearing = self
    let candidates = hearing.modelCandidates()
    var decisions: [ClassKey: Decision] = [:]
    for classKey in byClass.keys {
      let voices = hearing.voices(on: classKey, isPredicted: candidates[classKey] != nil)
      if !voices.isEmpty { decisions[classKey] = hearing.decision(by: voices, on: classKey) }
    }
    hearing.strikeLessSure(candidates.filter { decisions[$0.key] == nil }.values.flatMap { $0 })
    return byClass.keys.sorted().map { classKey in
      let decision = decisions[classKey] ?? hearing.prediction(candidates[classKey] ?? [])
      return Resolution(
        classKey: classKey, name: rules.classes.name(of: classKey), state: decision.state,
        confidence: decision.confidence, because: decision.because,
        evidence: hearing.evidence(on: classKey, decision))
    }
  }

  private func prediction(_ candidates: [Int]) -> Decision {
    guard let best = surest(candidates.filter { statements[$0].struck == nil }) else {
      return Decision(state: .open, confidence: 0, because: "nothing that was said of it counts")
    }
    let label = statements[best].label
    return Decision(
      state: .predicted, confidence: label.confidence.double,
      because:
        "\(label.annotator.identity) says \(label.confidence.text), no person has spoken")
  }

  private func evidence(on classKey: ClassKey, _ decision: Decision) -> [Evidence] {
    let indices = byClass[classKey] ?? []
    let people = indices.filter { statements[$0].speaker.isHuman }
    let models = indices.filter { !statements[$0].speaker.isHuman }
    return (people + models).map { index in
      let statement = statements[index]
      return Evidence(
        label: statement.label, annotator: statement.speaker,
        standing: standing(of: statement, in: decision))
    }
  }

  private func standing(of statement: Statement, in decision: Decision) -> Standing {
    let isSettled = decision.state != .predicted && decision.state != .open
    switch statement.struck {
    // Whatever else there is to say of a model's label, people have spoken.
    case .absence?, .belowThreshold?: return isSettled ? .overruled : statement.struck ?? .overruled
    case let reason?: return reason
    case nil where statement.speaker.isHuman: return self.standing(of: statement, after: decision)
    case nil: return isSettled ? .overruled : .counted
    }
  }
}
