public import CairnDocument
public import CairnMerge

// Who has spoken, and when: what decides whether a question is asked again.

extension ReviewCase {
  /// One person's last word on a class: in their own words, or because they name another class of the
  /// same exclusive set.
  private struct Word {
    var isPresent: Bool
    var stamp: Stamp
  }

  /// Whether somebody has ruled on a class: nobody who says otherwise has spoken since.
  ///
  /// - Parameter reopened: Stamps of statements that put back what was there before: they are no
  ///   ruling.
  public func isRuled(
    on classKey: ClassKey, by person: Annotator, reopened: Set<Stamp> = []
  ) -> Bool {
    let words = words(on: classKey)
    guard let own = words[rules.mailmap.person(person)], !reopened.contains(own.stamp) else {
      return false
    }
    return !words.values.contains { $0.isPresent != own.isPresent && $0.stamp > own.stamp }
  }

  private func words(on classKey: ClassKey) -> [Annotator: Word] {
    var words: [Annotator: Word] = [:]
    for label in labels where label.annotator.isHuman && label.verdict != .withdrawn {
      let isOwn = rules.classes.canonicalKey(of: label.classKey) == classKey
      guard isOwn || label.verdict == .present && isRival(label, of: classKey) else { continue }
      let person = rules.mailmap.person(label.annotator)
      if let known = words[person], known.stamp >= label.stamp { continue }
      words[person] = Word(isPresent: isOwn && label.verdict == .present, stamp: label.stamp)
    }
    return words
  }

  /// Whether a label is one of another class of the exclusive set that a class is in.
  private func isRival(_ label: Label, of classKey: ClassKey) -> Bool {
    guard let set = rules.classes.set(of: classKey) else { return false }
    return rules.classes.set(of: label.classKey) == set
  }

  /// Returns the labels that a question about a class is about: those of the class, and of the others
  /// of its exclusive set; without a class, all.
  public func labels(on classKey: ClassKey?) -> [Label] {
    guard let classKey else { return labels }
    return labels.filter {
      rules.classes.canonicalKey(of: $0.classKey) == classKey || isRival($0, of: classKey)
    }
  }

  /// Returns the latest stamp of what others say of a class.
  public func raised(_ classKey: ClassKey?, besides person: Annotator?) -> Stamp {
    let me = person.map(rules.mailmap.person)
    return labels(on: classKey).filter { rules.mailmap.person($0.annotator) != me }
      .map(\.stamp).max() ?? .never
  }

  /// Returns the people who spoke of a removed photo on another device than the one that removed it,
  /// and so perhaps without anybody's knowing of both; sorted.
  ///
  /// - Parameter reopened: Stamps of removals that only put back what was there before.
  public func unheard(
    after removal: Register<Bool>, reopened: Set<Stamp> = []
  ) -> [Annotator] {
    guard removal.value else { return [] }
    let said = labels.filter { label in
      label.annotator.isHuman && label.verdict != .withdrawn && label.classKey != .favorite
        && (label.stamp.replica != removal.stamp.replica || reopened.contains(removal.stamp))
    }
    return Set(said.map { rules.mailmap.person($0.annotator) }).sorted()
  }
}

extension Stamp {
  /// Earlier than all others.
  public static let never = Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0))
}
