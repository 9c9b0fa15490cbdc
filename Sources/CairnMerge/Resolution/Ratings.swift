package import CairnDocument

/// A subject that people agree or disagree on: one class, or the choice within an exclusive set.
package enum RatedItem: Hashable, Comparable, Sendable {
  case ofClass(ClassKey)
  case ofSet(ClassKey)

  package var key: ClassKey {
    switch self {
    case .ofClass(let key), .ofSet(let key): key
    }
  }
}

/// People's votes on one photo, one per person and class.
///
/// The same rules as for a ``Resolution`` decide which labels count: aliases are one class, the
/// addresses of one person are one person, withdrawn and superseded labels do not count, and a box
/// means that its class is present.
package struct Ratings: Equatable, Sendable {
  /// People's votes on one class, sorted by person.
  package struct PerClass: Equatable, Sendable {
    package let classKey: ClassKey
    package let votes: [PersonVote]
  }

  /// People's choices within an exclusive set, sorted by person.
  package struct PerSet: Equatable, Sendable {
    package let set: ClassKey
    package let choices: [Choice]
  }

  package struct Choice: Equatable, Sendable {
    package let person: Annotator
    package let classKey: ClassKey
  }

  /// The classes that have a person's label, sorted by key. For a class of an exclusive set, people
  /// who name another class of the set count too, with the vote absent.
  package let classes: [PerClass]
  /// Sorted by the key of the set.
  package let sets: [PerSet]
}

extension ResolutionRules {
  /// Returns the votes in `labels`, all of one photo.
  package func ratings(_ labels: some Sequence<Label>) -> Ratings {
    LabelResolver(labels.filter(\.annotator.isHuman), rules: self).ratings()
  }
}

extension LabelResolver {
  func ratings() -> Ratings {
    let classes = byClass.keys.sorted().compactMap { key -> Ratings.PerClass? in
      let votes = votes(on: key)
      return votes.isEmpty ? nil : Ratings.PerClass(classKey: key, votes: votes)
    }
    let sets = Dictionary(grouping: choices) { $0.key.of }.map { set, choices in
      Ratings.PerSet(
        set: set,
        choices: choices.map {
          Ratings.Choice(person: $0.key.annotator, classKey: entries[$0.value].classKey)
        }.sorted { $0.person < $1.person })
    }
    return Ratings(classes: classes, sets: sets.sorted { $0.set < $1.set })
  }
}
