internal import CairnDocument

extension LabelResolver {
  /// Returns, by class, the indices of the models' labels that would count if no person had labeled
  /// the class; excludes the others.
  mutating func modelCandidates() -> [ClassKey: [Int]] {
    var candidates: [ClassKey: [Int]] = [:]
    for index in active {
      let entry = entries[index]
      guard let model = entry.model else { continue }
      let threshold = rules.threshold(of: model)
      if entry.label.verdict != .present {
        exclude(index, .absence)
      } else if entry.label.confidence < threshold {
        exclude(index, .belowThreshold(threshold))
      } else {
        candidates[entry.classKey, default: []].append(index)
      }
    }
    return candidates
  }

  /// Excludes models' labels of classes that lose to another class of their set: for each model all
  /// but its most confident class, then all but the most confident class of any model.
  mutating func excludeLessConfident(_ candidates: [Int]) {
    let bySet = Dictionary(grouping: candidates.filter { entries[$0].set != nil }) {
      entries[$0].set
    }
    for indices in bySet.values {
      var choices: [Int] = []
      for (_, own) in Dictionary(grouping: indices, by: { entries[$0].annotator }) {
        guard let best = mostConfident(own) else { continue }
        choices.append(best)
        for index in own where entries[index].classKey != entries[best].classKey {
          exclude(index, .secondChoice(after: entries[best].label))
        }
      }
      guard let best = mostConfident(choices) else { continue }
      for index in indices
      where entries[index].exclusion == nil
        && entries[index].classKey != entries[best].classKey
      {
        exclude(index, .lessConfident(than: entries[best].label))
      }
    }
  }

  /// Returns the index of the label with the highest confidence; ties go by annotator and class.
  func mostConfident(_ indices: [Int]) -> Int? {
    indices.max {
      let (a, b) = (entries[$0], entries[$1])
      let (x, y) = (a.label.confidence, b.label.confidence)
      if x != y { return x < y }
      if a.annotator != b.annotator { return a.annotator < b.annotator }
      if a.classKey != b.classKey { return a.classKey < b.classKey }
      return $0 < $1
    }
  }
}
