internal import CairnBase
internal import CairnDocument
public import CairnMerge

extension ResolutionReason {
  /// The reason as a phrase: `ann@x and bob@x disagree`.
  public var text: String {
    switch self {
    case .noneCounts: "no label counts"
    case .predicted(let model, let confidence):
      "labeled present by \(model.identity) (\(confidence.text)), no person has labeled it"
    case .agreement(let sides, let set): sides.agreement(in: set)
    case .latest(let person, let sides): "\(person.identity) labeled it last (\(sides.text))"
    case .majority(let sides):
      "a majority of \(max(sides.present.count, sides.against)) to "
        + "\(min(sides.present.count, sides.against)) (\(sides.text))"
    case .tie(let sides)
    where sides.present.count == 1 && sides.absent.count == 1 && sides.alternatives.isEmpty:
      "\(VoteSides.names(sides.present + sides.absent)) disagree"
    case .tie(let sides):
      "people disagree \(sides.present.count) to \(sides.against) (\(sides.text))"
    case .notUnanimous(let sides): "people must be unanimous (\(sides.text))"
    case .plurality(let sides): "more people name it than any other class (\(sides.text))"
    case .outnumbered(let sides): "more people name another class or reject it (\(sides.text))"
    case .pluralityTie(let sides): "people disagree (\(sides.text))"
    case .likely(let probability, let sides):
      "\(ResolutionReason.percent(probability)) likely given people's error rates (\(sides.text))"
    case .unlikely(let sides):
      "no outcome is \(ResolutionReason.percent(Consensus.threshold)) likely "
        + "given people's error rates (\(sides.text))"
    case .unweighable(let sides):
      "people who reject it name no other class, so votes cannot be weighed (\(sides.text))"
    }
  }

  /// Formats `93%`, rounded down.
  private static func percent(_ value: Double) -> String {
    "\(Int((value * 100).rounded(.down)))%"
  }
}

extension VoteSides {
  /// The votes of people who disagree: `ann@x against bob@x`; `labeled present by ann@x, labeled
  /// beagle instead by bob@x` if somebody names another class.
  fileprivate var text: String {
    alternatives.isEmpty
      ? "\(VoteSides.names(present)) against \(VoteSides.names(absent))" : list
  }

  /// Returns the votes of people who agree: `labeled present by ann@x`, `labeled absent by ann@x
  /// and bob@x`, or `labeled beagle by ann@x, and classes of “breed” exclude each other`.
  fileprivate func agreement(in set: ClassKey?) -> String {
    guard let set, present.isEmpty, absent.isEmpty else { return list }
    let named = alternatives.map { VoteSides.labeled($0.name, by: $0.people) }
    return named.joined(separator: ", ") + ", and classes of “\(set)” exclude each other"
  }

  private var list: String {
    let sides =
      [
        present.isEmpty ? nil : VoteSides.labeled("present", by: present),
        absent.isEmpty ? nil : VoteSides.labeled("absent", by: absent),
      ] + alternatives.map { VoteSides.labeled("\($0.name) instead", by: $0.people) }
    return sides.compactMap { $0 }.joined(separator: ", ")
  }

  private static func labeled(_ what: String, by people: [Annotator]) -> String {
    "labeled \(what) by \(names(people))"
  }

  fileprivate static func names(_ people: [Annotator]) -> String {
    people.map(\.identity).formattedList
  }
}
