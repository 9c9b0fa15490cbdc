public import CairnDocument
internal import CairnTrust

/// What people say of the photos that several of them rated, in one class or set: what a ``Consensus`` is
/// estimated from.
public struct ConsensusVotes: Sendable {
  private var people: [Annotator] = []
  private var numbers: [Annotator: Int] = [:]
  private var categories: [ClassKey?] = []
  private var places: [ClassKey?: Int] = [:]
  private var table = VoteTable()

  fileprivate init(_ subject: OpinionSubject) {
    guard case .ofClass(let key) = subject else { return }
    for category in [nil, key] { _ = place(category) }
  }

  /// Whether there is a photo that two people rated.
  public var isShared: Bool { table.itemCount > 0 }

  /// - Parameter votes: Those on one photo, sorted by person.
  fileprivate mutating func add(_ votes: [(person: Annotator, says: ClassKey?)]) {
    if votes.count < 2 { return }
    table.addItem(
      votes.map { RatingTally.Rating(rater: number($0.person), category: place($0.says)) })
  }

  private mutating func number(_ person: Annotator) -> Int {
    if let known = numbers[person] { return known }
    numbers[person] = people.count
    people.append(person)
    return people.count - 1
  }

  private mutating func place(_ category: ClassKey?) -> Int {
    if let known = places[category] { return known }
    places[category] = categories.count
    categories.append(category)
    return categories.count - 1
  }

  /// Estimates how people err; nil where no photo was rated by two.
  public func consensus() -> Consensus? {
    ConsensusEstimate(table, categories: categories.count).map {
      Consensus(people: people, categories: categories, estimate: $0)
    }
  }

  /// All that the estimate depends on, as bytes.
  public var bytes: [UInt8] {
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

/// Gathers votes while photos are read, sorted by id.
package struct ConsensusCount {
  private let rules: ResolutionRules
  private let wanted: Set<OpinionSubject>?
  package private(set) var bySubject: [OpinionSubject: ConsensusVotes] = [:]

  /// - Parameter wanted: Which classes and sets; nil for all.
  package init(_ rules: ResolutionRules, _ wanted: Set<OpinionSubject>?) {
    (self.rules, self.wanted) = (rules, wanted)
  }

  package mutating func add(_ opinions: Opinions) {
    for one in opinions.classes where rules.classes.set(of: one.classKey) == nil {
      add(
        .ofClass(one.classKey),
        one.voices.map { (person: $0.person, says: $0.isPresent ? one.classKey : nil) })
    }
    for one in opinions.sets {
      add(.ofSet(one.set), one.choices.map { (person: $0.person, says: $0.classKey) })
    }
  }

  private mutating func add(
    _ subject: OpinionSubject, _ votes: [(person: Annotator, says: ClassKey?)]
  ) {
    if votes.count < 2 || !(wanted?.contains(subject) ?? true) { return }
    bySubject[subject, default: ConsensusVotes(subject)].add(votes)
  }
}
