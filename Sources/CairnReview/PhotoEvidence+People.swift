public import CairnDocument
public import CairnMerge

// Who has labeled, and when: this decides whether an item is asked again.

extension PhotoEvidence {
  /// One person's latest vote on a class: from a label of the class, or from one that names another
  /// class of the same exclusive set.
  private struct Word {
    var isPresent: Bool
    var stamp: Stamp
  }

  /// Returns when a person decided on a class, if nobody has disagreed since. Nil otherwise.
  ///
  /// - Parameter memory: Contains the original time of labels that an undo restated.
  public func ruling(
    on classKey: ClassKey, by person: Annotator, _ memory: ReviewHistory = ReviewHistory()
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

  /// Returns whether a label is of another class of the same exclusive set.
  private func isRival(_ label: Label, of classKey: ClassKey) -> Bool {
    guard let set = rules.classes.set(of: classKey) else { return false }
    return rules.classes.set(of: label.classKey) == set
  }

  /// Returns the labels that an item about a class covers: those of the class and of the other
  /// classes of its exclusive set; all labels if there is no class.
  public func labels(on classKey: ClassKey?) -> [Label] {
    guard let classKey else { return labels }
    return labels.filter { isStatement($0, on: classKey) }
  }

  /// Returns whether a label is of a class, under any of its keys, or of another class of its
  /// exclusive set.
  func isStatement(_ label: Label, on classKey: ClassKey) -> Bool {
    let key = rules.classes.canonicalKey(of: label.classKey)
    return key == rules.classes.canonicalKey(of: classKey) || isRival(label, of: classKey)
  }

  /// Returns the labels that mark a photo as a person's favorite, under all their addresses.
  public func favorites(of person: Annotator) -> [Label] {
    let person = rules.mailmap.person(person)
    return labels.filter {
      $0.classKey == .favorite && $0.verdict == .present
        && rules.mailmap.person($0.annotator) == person
    }
  }

  /// Returns the latest stamp of other annotators' labels of a class.
  public func raised(_ classKey: ClassKey?, besides person: Annotator?) -> Stamp {
    let me = person.map(rules.mailmap.person)
    return labels(on: classKey).filter { rules.mailmap.person($0.annotator) != me }
      .map(\.stamp).max() ?? .never
  }

  /// Returns the people who labeled a removed photo on another device than the one that removed it,
  /// so that perhaps neither knew of the other; sorted.
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
