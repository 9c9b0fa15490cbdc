public import CairnDocument

/// What people agree or differ on: whether a class is there, or which class of an exclusive set it is.
public enum OpinionSubject: Hashable, Comparable, Sendable {
  case ofClass(ClassKey)
  case ofSet(ClassKey)

  public var key: ClassKey {
    switch self {
    case .ofClass(let key), .ofSet(let key): key
    }
  }
}

/// What people say of one photo, each person once for each class.
///
/// What counts is decided as for a ``Resolution``: aliases are one class, the addresses of one person one
/// person; what was withdrawn, or said otherwise since, is not said; a box says that its class is
/// present.
public struct Opinions: Equatable, Sendable {
  /// What people say of one class, sorted by person.
  public struct OfClass: Equatable, Sendable {
    public let classKey: ClassKey
    public let voices: [Voice]
  }

  /// Which class of an exclusive set people say it is, sorted by person.
  public struct OfSet: Equatable, Sendable {
    public let set: ClassKey
    public let choices: [Choice]
  }

  public struct Choice: Equatable, Sendable {
    public let person: Annotator
    public let classKey: ClassKey
  }

  /// The classes that somebody speaks of in their own words, sorted by key. Of a class of an exclusive
  /// set those who name another class of it speak, too: they say that it is absent.
  public let classes: [OfClass]
  /// Sorted by the key of the set.
  public let sets: [OfSet]
}

extension ResolutionRules {
  /// Returns what people say by `labels`, all of one photo.
  public func opinions(_ labels: some Sequence<Label>) -> Opinions {
    Hearing(labels.filter(\.annotator.isHuman), rules: self).opinions()
  }
}

extension Hearing {
  func opinions() -> Opinions {
    let classes = byClass.keys.sorted().compactMap { key -> Opinions.OfClass? in
      let voices = voices(on: key, isPredicted: false)
      return voices.isEmpty ? nil : Opinions.OfClass(classKey: key, voices: voices)
    }
    let sets = Dictionary(grouping: choices) { $0.key.of }.map { set, choices in
      Opinions.OfSet(
        set: set,
        choices: choices.map {
          Opinions.Choice(person: $0.key.speaker, classKey: statements[$0.value].classKey)
        }.sorted { $0.person < $1.person })
    }
    return Opinions(classes: classes, sets: sets.sorted { $0.set < $1.set })
  }
}
