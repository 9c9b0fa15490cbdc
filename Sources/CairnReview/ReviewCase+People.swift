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

  /// Returns when somebody ruled on a class: nobody who says otherwise has spoken since. Nil where they
  /// have not.
  ///
  /// - Parameter memory: Knows when what an undo said again was said.
  public func ruling(
    on classKey: ClassKey, by person: Annotator, _ memory: ReviewMemory = ReviewMemory()
  ) -> Stamp? {
    let words = words(on: classKey)
    guard let own = words[rules.mailmap.person(person)] else { return nil }
    let moment = memory.moment(of: own.stamp)
    let isDenied = words.values.contains { $0.isPresent != own.isPresent && $0.stamp > moment }
    return isDenied ? nil : moment
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
    return labels.filter { isStatement($0, on: classKey) }
  }

  /// Whether a label is one of a class, under any of its keys, or of another of its exclusive set.
  func isStatement(_ label: Label, on classKey: ClassKey) -> Bool {
    let key = rules.classes.canonicalKey(of: label.classKey)
    return key == rules.classes.canonicalKey(of: classKey) || isRival(label, of: classKey)
  }

  /// Returns the labels by which a photo is among somebody's favourites, under all their addresses.
  public func favorites(of person: Annotator) -> [Label] {
    let person = rules.mailmap.person(person)
    return labels.filter {
      $0.classKey == .favorite && $0.verdict == .present
        && rules.mailmap.person($0.annotator) == person
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
  public func unheard(after removal: Register<Bool>) -> [Annotator] {
    guard removal.value else { return [] }
    let said = labels.filter { label in
      label.annotator.isHuman && label.verdict != .withdrawn && label.classKey != .favorite
        && label.stamp.replica != removal.stamp.replica
    }
    return Set(said.map { rules.mailmap.person($0.annotator) }).sorted()
  }
}

extension Stamp {
  /// Earlier than all others.
  public static let never = Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0))
}
