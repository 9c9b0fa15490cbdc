package import CairnDocument

/// The facts that are erased from all of a dataset's history.
package struct ErasedFacts: Equatable, Sendable {
  /// A person, as the record of their erasure names them.
  package struct Person: Hashable, Sendable {
    package let id: ErasedPersonID
    package let salt: String
  }

  /// The photos whose location is erased.
  package private(set) var positions: Set<PhotoID> = []
  /// The photos whose metadata is erased.
  package private(set) var metadata: Set<PhotoID> = []
  /// The people whose address is replaced.
  package private(set) var people: Set<Person> = []

  package init() {}

  /// Creates the facts that records name.
  package init(_ records: some Sequence<Redaction>) {
    for record in records { add(record) }
  }

  package var isEmpty: Bool { positions.isEmpty && metadata.isEmpty && people.isEmpty }

  /// The photos with erased facts.
  package var photos: Set<PhotoID> { positions.union(metadata) }

  /// Adds the facts of a record.
  package mutating func add(_ record: Redaction) {
    switch record.subject {
    case .photo(let id):
      if record.facts[.position] != nil { positions.insert(id) }
      if record.facts[.metadata] != nil { metadata.insert(id) }
    case .person(let id):
      if let salt = record.salt, record.facts[.identity] != nil {
        people.insert(Person(id: id, salt: salt))
      }
    }
  }

  package mutating func formUnion(_ other: ErasedFacts) {
    positions.formUnion(other.positions)
    metadata.formUnion(other.metadata)
    people.formUnion(other.people)
  }

  package func isSuperset(of other: ErasedFacts) -> Bool {
    positions.isSuperset(of: other.positions) && metadata.isSuperset(of: other.metadata)
      && people.isSuperset(of: other.people)
  }
}

// One fact on each line, sorted: `position PHOTO`, `metadata PHOTO` or `person ID SALT`.
extension ErasedFacts {
  /// Parses ``text``; ignores lines that it does not know.
  package init(text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      switch (parts.first, parts.count) {
      case ("position", 2): if let id = PhotoID(parts[1]) { positions.insert(id) }
      case ("metadata", 2): if let id = PhotoID(parts[1]) { metadata.insert(id) }
      case ("person", 3):
        if let id = ErasedPersonID(parts[1]) { people.insert(Person(id: id, salt: parts[2])) }
      default: break
      }
    }
  }

  package var text: String {
    let lines =
      positions.map { "position \($0)\n" } + metadata.map { "metadata \($0)\n" }
      + people.map { "person \($0.id) \($0.salt)\n" }
    return lines.sorted().joined()
  }
}
