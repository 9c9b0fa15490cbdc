internal import CairnDocument

extension LabelResolver {
  /// Returns `labeled present by ann@x`, `labeled absent by ann@x and bob@x`, or
  /// `labeled beagle by ann@x, and classes of “breed” exclude each other`.
  func agreement(of votes: [PersonVote], on classKey: ClassKey) -> String {
    if let set = rules.classes.set(of: classKey), votes.allSatisfy({ $0.instead != nil }) {
      let named = alternatives(votes).map { labeled(rules.classes.name(of: $0.key), by: $0.votes) }
      return named.joined(separator: ", ") + ", and classes of “\(set)” exclude each other"
    }
    return labelList(votes.filter { !$0.isPresent }, votes.filter(\.isPresent))
  }

  /// Returns `ann@x against bob@x`; `labeled present by ann@x, labeled beagle instead by bob@x` if
  /// somebody names another class.
  func sides(_ present: [PersonVote], _ absent: [PersonVote]) -> String {
    absent.allSatisfy { $0.instead == nil }
      ? "\(LabelResolver.names(present)) against \(LabelResolver.names(absent))"
      : labelList(absent, present)
  }

  private func labelList(_ absent: [PersonVote], _ present: [PersonVote]) -> String {
    let rejecting = absent.filter { $0.instead == nil }
    let sides =
      [
        present.isEmpty ? nil : labeled("present", by: present),
        rejecting.isEmpty ? nil : labeled("absent", by: rejecting),
      ]
      + alternatives(absent).map {
        labeled("\(rules.classes.name(of: $0.key)) instead", by: $0.votes)
      }
    return sides.compactMap { $0 }.joined(separator: ", ")
  }

  /// Returns the classes that people name instead, sorted, each with its votes.
  private func alternatives(_ votes: [PersonVote]) -> [(key: ClassKey, votes: [PersonVote])] {
    Dictionary(grouping: votes.filter { $0.instead != nil }) { $0.instead }
      .compactMap { key, votes in key.map { ($0, votes) } }
      .sorted { $0.key < $1.key }
  }

  private func labeled(_ what: String, by votes: [PersonVote]) -> String {
    "labeled \(what) by \(LabelResolver.names(votes))"
  }

  private static func names(_ votes: [PersonVote]) -> String {
    votes.map(\.person.identity).formattedList
  }
}

extension [String] {
  /// Formats `a`, `a and b`, `a, b and c`.
  package var formattedList: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
