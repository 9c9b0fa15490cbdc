public import CairnDocument

/// What one person says of one class, all their labels taken together.
public struct Voice: Equatable, Sendable {
  public let person: Annotator
  public let isPresent: Bool
  /// When they last said so.
  public internal(set) var stamp: Stamp
  /// The class of the same exclusive set that they name, where they say nothing of this one.
  public internal(set) var instead: ClassKey?
}

extension Hearing {
  /// Returns what people say of a class, sorted by person: in their own words, or because they name
  /// another class of the same exclusive set.
  ///
  /// - Parameter isPredicted: Whether a model's label of the class would count.
  func voices(on classKey: ClassKey, isPredicted: Bool) -> [Voice] {
    let own = (byClass[classKey] ?? []).filter { index in
      let statement = statements[index]
      return statement.speaker.isHuman && statement.struck != .withdrawn
    }
    var said = Dictionary(grouping: own.filter { statements[$0].struck == nil }) {
      statements[$0].speaker
    }.map { person, indices in
      Voice(
        person: person,
        isPresent: indices.contains { statements[$0].label.verdict == .present },
        stamp: statements[indices[indices.count - 1]].label.stamp)
    }
    // A class that nobody but an uncertain model named need not be told from the one that stands.
    if let set = rules.classes.set(of: classKey), isPredicted || !own.isEmpty {
      add(choicesOf: set, to: &said, on: classKey)
    }
    return said.sorted { $0.person < $1.person }
  }

  private func add(choicesOf set: ClassKey, to voices: inout [Voice], on classKey: ClassKey) {
    for (say, index) in choices where say.of == set {
      let chosen = statements[index].classKey
      guard chosen != classKey else { continue }
      let stamp = lastStamp(of: say.speaker, on: chosen)
      if let place = voices.firstIndex(where: { $0.person == say.speaker }) {
        // Who denied it earlier says so again with the later choice.
        voices[place].stamp = max(voices[place].stamp, stamp)
      } else {
        voices.append(
          Voice(person: say.speaker, isPresent: false, stamp: stamp, instead: chosen))
      }
    }
  }

  /// When a person last said something of a class that counts. The choice of a class is as late as
  /// that, else of two classes each could have the last word.
  private func lastStamp(of person: Annotator, on classKey: ClassKey) -> Stamp {
    let own = (byClass[classKey] ?? []).filter {
      statements[$0].speaker == person && statements[$0].struck == nil
    }
    return own.map { statements[$0].label.stamp }.max() ?? statements[0].label.stamp
  }

  /// Decides by the dataset's policy.
  ///
  /// - Precondition: There are voices.
  func decision(by voices: [Voice], on classKey: ClassKey) -> Decision {
    let present = voices.filter(\.isPresent)
    let absent = voices.filter { !$0.isPresent }
    if rules.people == .majority, let decision = plurality(present, absent, on: classKey) {
      return decision
    }
    let (more, fewer) = (max(present.count, absent.count), min(present.count, absent.count))
    let share = Double(more) / Double(voices.count)
    if fewer == 0 {
      return Decision(
        state: absent.isEmpty ? .confirmed : .rejected, confidence: 1,
        because: agreement(of: voices, on: classKey))
    }
    let sides = sides(present, absent)
    switch rules.people {
    case .latest:
      let last = voices.max { ($0.stamp, $0.person) < ($1.stamp, $1.person) } ?? voices[0]
      return Decision(
        state: last.isPresent ? .confirmed : .rejected, confidence: share,
        because: "\(last.person.identity) spoke last (\(sides))", last: last.person)
    case .majority where present.count != absent.count:
      let isPresent = present.count > absent.count
      return Decision(
        state: isPresent ? .confirmed : .rejected, confidence: share,
        because: "a majority of \(more) to \(fewer) (\(sides))",
        minority: Set((isPresent ? absent : present).map(\.person)))
    case .majority:
      return Decision(
        state: .disputed, confidence: share,
        because: "people are divided \(present.count) to \(absent.count) (\(sides))")
    case .dawidSkene: return consensusDecision(voices, on: classKey, sides: sides)
    case .unanimous:
      return Decision(
        state: .disputed, confidence: share, because: "people must be unanimous (\(sides))")
    }
  }

  /// Decides where some name other classes of the same exclusive set: the class that more people name
  /// than any other stands, and where two are named most often they are disputed. Those who name
  /// others do not agree with each other, so they are no majority together.
  private func plurality(
    _ present: [Voice], _ absent: [Voice], on classKey: ClassKey
  ) -> Decision? {
    let others = Dictionary(grouping: absent.compactMap(\.instead)) { $0 }.mapValues(\.count)
    guard !present.isEmpty, others.count > 1, let rival = others.values.max() else { return nil }
    let denying = absent.count { $0.instead == nil }
    // Who denies it may name a rival besides: of a set no two can have more than all against them.
    let against = rival + denying
    let sides = sides(present, absent)
    let share = Double(max(present.count, against)) / Double(present.count + absent.count)
    if present.count == against {
      return Decision(
        state: .disputed, confidence: share, because: "people are divided (\(sides))")
    }
    let stands = present.count > against
    return Decision(
      state: stands ? .confirmed : .rejected, confidence: share,
      because: stands
        ? "more people name it than any other (\(sides))"
        : "more people name another, or deny it (\(sides))",
      minority: Set((stands ? absent : present).map(\.person)))
  }

  /// Returns what became of a person's statement that was not struck out.
  func standing(of statement: Statement, after decision: Decision) -> Standing {
    if let last = decision.last, last != statement.speaker { return .spokenOver(by: last) }
    return decision.minority.contains(statement.speaker) ? .outvoted : .counted
  }
}

/// The outcome for a class, in words too.
struct Decision {
  var state: Resolution.State
  var confidence: Double
  var because: String
  /// Who decided, where the last word does.
  var last: Annotator?
  /// Who is outvoted, where the majority decides.
  var minority: Set<Annotator> = []
}
