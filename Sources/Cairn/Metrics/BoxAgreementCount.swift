internal import CairnBase
internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

/// People's boxes compared pair by pair, while a dataset is read.
struct BoxAgreementCount {
  private struct Pair: Hashable {
    let first: Int
    let second: Int
  }

  private struct Count {
    var photos = 0
    var pairs: [Pair: BoxAgreement] = [:]
  }

  private var byClass: [ClassKey: Count] = [:]

  /// Adds a photo.
  ///
  /// - Parameter numbers: The number of each person.
  mutating func add(_ resolutions: [Resolution], _ numbers: [Annotator: Int]) {
    for one in resolutions {
      let people = GroundTruth.boxesByPerson(one.evidence)
        .compactMap { person, boxes in numbers[person].map { (number: $0, boxes: boxes) } }
        .sorted { $0.number < $1.number }
      add(people, to: one.classKey)
    }
  }

  private mutating func add(
    _ people: [(number: Int, boxes: [NormalizedRect])], to key: ClassKey
  ) {
    var isShared = false
    for (index, first) in people.enumerated() {
      for second in people[(index + 1)...] where !first.boxes.isEmpty || !second.boxes.isEmpty {
        isShared = true
        let pair = Pair(first: first.number, second: second.number)
        byClass[key, default: Count()].pairs[pair, default: BoxAgreement()]
          .add(first.boxes, second.boxes)
      }
    }
    if isShared { byClass[key, default: Count()].photos += 1 }
  }

  /// Returns the counted agreement on some classes, or on all.
  func rows(
    of wanted: Set<ClassKey>?, _ people: [Annotator], _ rules: ResolutionRules
  ) -> [AgreementMetrics.BoxRow] {
    let rows = byClass.filter { wanted?.contains($0.key) ?? true }.sorted { $0.key < $1.key }
      .map { key, count in
        let pairs = count.pairs.sorted {
          ($0.key.first, $0.key.second) < ($1.key.first, $1.key.second)
        }
        let ordered = BoxAgreementCount.sorted(pairs) { $0.value }.map { pair, boxes in
          AgreementMetrics.BoxPair(
            first: people[pair.first], second: people[pair.second], boxes: boxes)
        }
        return AgreementMetrics.BoxRow(
          classKey: key, name: rules.classes.name(of: key), photos: count.photos, pairs: ordered,
          sum: pairs.reduce(into: BoxAgreement()) { $0.add($1.value) })
      }
    return BoxAgreementCount.sorted(rows) { $0.sum }
  }

  /// Sorts by agreement, lowest first; of equal values, the order stays.
  private static func sorted<Value>(
    _ values: [Value], _ boxes: (Value) -> BoxAgreement
  ) -> [Value] {
    values.indices.sorted { a, b in
      let x = boxes(values[a]).agreement ?? .infinity
      let y = boxes(values[b]).agreement ?? .infinity
      return x == y ? a < b : x < y
    }.map { values[$0] }
  }
}
