internal import CairnDocument

extension LabelResolver {
  /// Returns `ann@x says present`, `ann@x and bob@x say absent`, or `ann@x says beagle, and classes
  /// of “breed” exclude each other`.
  func agreement(of votes: [PersonVote], on classKey: ClassKey) -> String {
    if let set = rules.classes.set(of: classKey), votes.allSatisfy({ $0.instead != nil }) {
      let named = alternatives(votes).map { "\(says($0.votes)) \(rules.classes.name(of: $0.key))" }
      return named.joined(separator: ", ") + ", and classes of “\(set)” exclude each other"
    }
    return stated(votes.filter { !$0.isPresent }, votes.filter(\.isPresent))
  }

  /// Returns `ann@x against bob@x`; `ann@x says present, bob@x says beagle instead` if somebody
  /// names another class.
  func sides(_ present: [PersonVote], _ absent: [PersonVote]) -> String {
    absent.allSatisfy { $0.instead == nil }
      ? "\(LabelResolver.names(present)) against \(LabelResolver.names(absent))"
      : stated(absent, present)
  }

  private func stated(_ absent: [PersonVote], _ present: [PersonVote]) -> String {
    let denying = absent.filter { $0.instead == nil }
    let parts =
      [
        present.isEmpty ? nil : "\(says(present)) present",
        denying.isEmpty ? nil : "\(says(denying)) absent",
      ]
      + alternatives(absent).map {
        "\(says($0.votes)) \(rules.classes.name(of: $0.key)) instead"
      }
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// Returns the classes that people name instead, sorted, each with its votes.
  private func alternatives(_ votes: [PersonVote]) -> [(key: ClassKey, votes: [PersonVote])] {
    Dictionary(grouping: votes.filter { $0.instead != nil }) { $0.instead }
      .compactMap { key, votes in key.map { ($0, votes) } }
      .sorted { $0.key < $1.key }
  }

  private func says(_ votes: [PersonVote]) -> String {
    "\(LabelResolver.names(votes)) \(votes.count == 1 ? "says" : "say")"
  }

  private static func names(_ votes: [PersonVote]) -> String {
    votes.map(\.person.identity).inWords
  }
}

extension [String] {
  /// Formats `a`, `a and b`, `a, b and c`.
  package var inWords: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
