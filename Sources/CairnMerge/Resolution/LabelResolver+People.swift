package import CairnDocument

/// One person's vote on one class, from all their labels.
package struct PersonVote: Equatable, Sendable {
  package let person: Annotator
  package let isPresent: Bool
  /// The time of the last label behind the vote.
  package internal(set) var stamp: Stamp
  /// The class of the same exclusive set that they name, if they have no label of this one.
  package internal(set) var instead: ClassKey?
}

extension LabelResolver {
  /// Returns people's votes on a class, sorted by person: from labels of the class, or from labels
  /// that name another class of the same exclusive set.
  func votes(on classKey: ClassKey) -> [PersonVote] {
    let labels = byClass[classKey] ?? []
    let own = labels.filter { entries[$0].annotator.isHuman && entries[$0].exclusion == nil }
    var votes = Dictionary(grouping: own) { entries[$0].annotator }.map { person, indices in
      PersonVote(
        person: person,
        isPresent: indices.contains { entries[$0].label.verdict == .present },
        stamp: entries[indices[indices.count - 1]].label.stamp)
    }
    // A class whose labels are all withdrawn has none.
    if let set = rules.classes.set(of: classKey), labels.contains(where: { !isWithdrawn($0) }) {
      add(choicesOf: set, to: &votes, on: classKey)
    }
    return votes.sorted { $0.person < $1.person }
  }

  private func isWithdrawn(_ index: Int) -> Bool {
    switch entries[index].exclusion {
    case .withdrawn?, .runWithdrawn?: true
    default: false
    }
  }

  private func add(choicesOf set: ClassKey, to votes: inout [PersonVote], on classKey: ClassKey) {
    for (choice, index) in choices where choice.of == set {
      let chosen = entries[index].classKey
      guard chosen != classKey else { continue }
      let stamp = lastStamp(of: choice.annotator, on: chosen)
      if let position = votes.firstIndex(where: { $0.person == choice.annotator }) {
        // A person who rejected it earlier confirms that with the later choice.
        votes[position].stamp = max(votes[position].stamp, stamp)
      } else {
        votes.append(
          PersonVote(person: choice.annotator, isPresent: false, stamp: stamp, instead: chosen))
      }
    }
  }

  /// Returns the stamp of a person's last label of a class that counts. The choice of a class has
  /// this stamp; otherwise either of two classes could be the last.
  private func lastStamp(of person: Annotator, on classKey: ClassKey) -> Stamp {
    let own = (byClass[classKey] ?? []).filter {
      entries[$0].annotator == person && entries[$0].exclusion == nil
    }
    return own.map { entries[$0].label.stamp }.max() ?? entries[0].label.stamp
  }

  /// Decides by the dataset's policy.
  ///
  /// - Precondition: There are votes.
  func decision(by votes: [PersonVote], on classKey: ClassKey) -> Decision {
    let present = votes.filter(\.isPresent)
    let absent = votes.filter { !$0.isPresent }
    if rules.people == .majority, let decision = plurality(votes) { return decision }
    let sides = self.sides(votes)
    let (more, fewer) = (max(present.count, absent.count), min(present.count, absent.count))
    let share = Double(more) / Double(votes.count)
    if fewer == 0 {
      return Decision(
        state: absent.isEmpty ? .confirmed : .rejected, confidence: 1,
        reason: .agreement(sides, set: rules.classes.set(of: classKey)))
    }
    switch rules.people {
    case .latest:
      let last = votes.max { ($0.stamp, $0.person) < ($1.stamp, $1.person) } ?? votes[0]
      return Decision(
        state: last.isPresent ? .confirmed : .rejected, confidence: share,
        reason: .latest(last.person, sides), last: last.person)
    case .majority where present.count != absent.count:
      let isPresent = present.count > absent.count
      return Decision(
        state: isPresent ? .confirmed : .rejected, confidence: share,
        reason: .majority(sides),
        outvoted: Set((isPresent ? absent : present).map(\.person)))
    case .majority:
      return Decision(state: .disputed, confidence: share, reason: .tie(sides))
    case .dawidSkene: return consensusDecision(votes, on: classKey, sides: sides)
    case .unanimous:
      return Decision(state: .disputed, confidence: share, reason: .notUnanimous(sides))
    }
  }

  /// Decides if some people name other classes of the same exclusive set: the class that more
  /// people name than any other wins; if two are named most often, they are disputed. People who
  /// name different other classes do not agree with each other, so they form no majority together.
  private func plurality(_ votes: [PersonVote]) -> Decision? {
    let present = votes.filter(\.isPresent)
    let absent = votes.filter { !$0.isPresent }
    let others = Dictionary(grouping: absent.compactMap(\.instead)) { $0 }.mapValues(\.count)
    guard !present.isEmpty, others.count > 1, let rival = others.values.max() else { return nil }
    let rejecting = absent.count { $0.instead == nil }
    // People who reject the class may also name a rival: no two classes of a set can have more
    // votes than all that are against them.
    let against = rival + rejecting
    let sides = self.sides(votes)
    let share = Double(max(present.count, against)) / Double(votes.count)
    if present.count == against {
      return Decision(state: .disputed, confidence: share, reason: .pluralityTie(sides))
    }
    let isConfirmed = present.count > against
    return Decision(
      state: isConfirmed ? .confirmed : .rejected, confidence: share,
      reason: isConfirmed ? .plurality(sides) : .outnumbered(sides),
      outvoted: Set((isConfirmed ? absent : present).map(\.person)))
  }

  /// Returns the status of a person's label that was not excluded.
  func status(of entry: Entry, after decision: Decision) -> LabelStatus {
    if let last = decision.last, last != entry.annotator { return .notLatest(by: last) }
    return decision.outvoted.contains(entry.annotator) ? .outvoted : .counted
  }
}

/// The outcome for a class, with its reason.
struct Decision {
  var state: Resolution.State
  var confidence: Double
  var reason: ResolutionReason
  /// The person who decided, if the last label decides.
  var last: Annotator?
  /// The people who are outvoted, if the majority decides.
  var outvoted: Set<Annotator> = []
}
