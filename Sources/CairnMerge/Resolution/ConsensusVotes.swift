internal import CairnDocument
internal import CairnMetrics

/// The votes on photos that several people rated, in one class or set: the input for estimating a
/// ``Consensus``.
package struct ConsensusVotes: Sendable {
  private var people: [Annotator] = []
  private var personIndices: [Annotator: Int] = [:]
  private var categories: [ClassKey?] = []
  private var indices: [ClassKey?: Int] = [:]
  private var table = VoteTable()

  fileprivate init(_ subject: RatedItem) {
    guard case .ofClass(let key) = subject else { return }
    for category in [nil, key] { _ = index(of: category) }
  }

  /// Whether two people rated the same photo.
  package var isShared: Bool { table.itemCount > 0 }

  /// - Parameter votes: The votes on one photo, sorted by person.
  fileprivate mutating func add(_ votes: [(person: Annotator, category: ClassKey?)]) {
    if votes.count < 2 { return }
    table.addItem(
      votes.map {
        RatingTally.Rating(rater: index(of: $0.person), category: index(of: $0.category))
      })
  }

  private mutating func index(of person: Annotator) -> Int {
    if let known = personIndices[person] { return known }
    personIndices[person] = people.count
    people.append(person)
    return people.count - 1
  }

  private mutating func index(of category: ClassKey?) -> Int {
    if let known = indices[category] { return known }
    indices[category] = categories.count
    categories.append(category)
    return categories.count - 1
  }

  /// Estimates how people err; nil if no photo was rated by two people.
  package func consensus() -> Consensus? {
    ConsensusEstimate(table, categories: categories.count).map {
      Consensus(people: people, categories: categories, estimate: $0)
    }
  }

  /// The whole input of the estimate, as bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for name in people.map(\.description) + ["", ""] + categories.map({ $0?.text ?? "" }) {
      bytes += Array(name.utf8) + [0]
    }
    for vote in table.votes {
      for number in [vote.item, vote.annotator, vote.category] {
        withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
      }
    }
    return bytes
  }
}

/// Collects votes while photos are read, sorted by id.
package struct ConsensusCount {
  private let rules: ResolutionRules
  private let wanted: Set<RatedItem>?
  package private(set) var bySubject: [RatedItem: ConsensusVotes] = [:]

  /// - Parameter wanted: The classes and sets to collect; nil for all.
  package init(_ rules: ResolutionRules, _ wanted: Set<RatedItem>?) {
    (self.rules, self.wanted) = (rules, wanted)
  }

  package mutating func add(_ ratings: Ratings) {
    for one in ratings.classes where rules.classes.set(of: one.classKey) == nil {
      add(
        .ofClass(one.classKey),
        one.votes.map { (person: $0.person, category: $0.isPresent ? one.classKey : nil) })
    }
    for one in ratings.sets {
      add(.ofSet(one.set), one.choices.map { (person: $0.person, category: $0.classKey) })
    }
  }

  private mutating func add(
    _ subject: RatedItem, _ votes: [(person: Annotator, category: ClassKey?)]
  ) {
    if votes.count < 2 || !(wanted?.contains(subject) ?? true) { return }
    bySubject[subject, default: ConsensusVotes(subject)].add(votes)
  }
}
