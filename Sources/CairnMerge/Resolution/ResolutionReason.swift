public import CairnDocument

/// The reason for the state of a ``Resolution``.
public enum ResolutionReason: Equatable, Sendable {
  /// No label of the class counts.
  case noneCounts
  /// A model labeled it as present, with this confidence; no person has labeled it.
  case predicted(by: Annotator, confidence: JSONNumber)
  /// All people agree. `set` is the exclusive set of the class.
  case agreement(VoteSides, set: ClassKey?)
  /// This person labeled it last, and the last label decides.
  case latest(Annotator, VoteSides)
  case majority(VoteSides)
  /// As many people say that it is present as disagree.
  case tie(VoteSides)
  /// People disagree but must be unanimous.
  case notUnanimous(VoteSides)
  /// More people name it than any other class of its exclusive set.
  case plurality(VoteSides)
  /// More people name another class of its exclusive set, or reject it.
  case outnumbered(VoteSides)
  /// Two classes of the exclusive set are named most often, or as many people reject it.
  case pluralityTie(VoteSides)
  /// With this probability, by people's error rates.
  case likely(Double, VoteSides)
  /// No outcome is likely enough by people's error rates.
  case unlikely(VoteSides)
  /// People who reject it name no other class, so their error rates cannot be applied.
  case unweighable(VoteSides)
}

/// People's votes on a class by what they assert; each list of people is sorted.
public struct VoteSides: Equatable, Sendable {
  /// The people who voted present.
  public let present: [Annotator]
  /// People who reject the class without naming another class of its exclusive set.
  public let absent: [Annotator]
  /// The other classes of the exclusive set that people name instead, sorted by key.
  public let alternatives: [Alternative]

  /// A class that people name instead.
  public struct Alternative: Equatable, Sendable {
    /// The other class of the exclusive set.
    public let classKey: ClassKey
    /// The display name of the class.
    public let name: String
    /// The people who chose it.
    public let people: [Annotator]

    package init(_ classKey: ClassKey, name: String, people: [Annotator]) {
      (self.classKey, self.name, self.people) = (classKey, name, people)
    }
  }

  package init(present: [Annotator], absent: [Annotator], alternatives: [Alternative] = []) {
    (self.present, self.absent, self.alternatives) = (present, absent, alternatives)
  }

  /// The number of people who reject the class or name another one.
  package var against: Int { absent.count + alternatives.map(\.people.count).reduce(0, +) }
}

extension LabelResolver {
  /// Returns the sides of votes on one class, sorted by person.
  func sides(_ votes: [PersonVote]) -> VoteSides {
    let others = Dictionary(grouping: votes.filter { $0.instead != nil }) { $0.instead }
      .compactMap { key, votes in
        key.map {
          VoteSides.Alternative(
            $0, name: rules.classes.name(of: $0), people: votes.map(\.person))
        }
      }
    return VoteSides(
      present: votes.filter(\.isPresent).map(\.person),
      absent: votes.filter { !$0.isPresent && $0.instead == nil }.map(\.person),
      alternatives: others.sorted { $0.classKey < $1.classKey })
  }
}
