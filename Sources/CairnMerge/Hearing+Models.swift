internal import CairnDocument

extension Hearing {
  /// Returns the places of the models' labels that would count if no person had spoken, by class;
  /// strikes out the others.
  mutating func modelCandidates() -> [ClassKey: [Int]] {
    var candidates: [ClassKey: [Int]] = [:]
    for index in live {
      let statement = statements[index]
      guard let model = statement.model else { continue }
      let threshold = rules.threshold(of: model)
      if statement.label.verdict != .present {
        strike(index, .absence)
      } else if statement.label.confidence.double < threshold {
        strike(index, .belowThreshold(threshold))
      } else {
        candidates[statement.classKey, default: []].append(index)
      }
    }
    return candidates
  }

  /// Strikes out models' labels of classes that cannot stand beside another of their set: of each
  /// model all but the one it is surest of, then all but the class that a model is surest of.
  mutating func strikeLessSure(_ candidates: [Int]) {
    let bySet = Dictionary(grouping: candidates.filter { statements[$0].set != nil }) {
      statements[$0].set
    }
    for indices in bySet.values {
      var choices: [Int] = []
      for (_, own) in Dictionary(grouping: indices, by: { statements[$0].speaker }) {
        guard let best = surest(own) else { continue }
        choices.append(best)
        for index in own where statements[index].classKey != statements[best].classKey {
          strike(index, .secondChoice(after: statements[best].label))
        }
      }
      guard let best = surest(choices) else { continue }
      for index in indices
      where statements[index].struck == nil
        && statements[index].classKey != statements[best].classKey
      {
        strike(index, .lessSure(than: statements[best].label))
      }
    }
  }

  /// Returns the place of the label with the highest confidence; of equal ones by annotator and class.
  func surest(_ indices: [Int]) -> Int? {
    indices.max {
      let (a, b) = (statements[$0], statements[$1])
      let (x, y) = (a.label.confidence.double, b.label.confidence.double)
      if x != y { return x < y }
      if a.speaker != b.speaker { return a.speaker < b.speaker }
      if a.classKey != b.classKey { return a.classKey < b.classKey }
      return $0 < $1
    }
  }
}
