package import CairnDocument
internal import CairnMerge

// Who labeled a photo, and when: this decides whether an item is asked again.

extension PhotoEvidence {
  /// One person's latest vote on a class: from a label of the class, or from one that names another
  /// class of the same exclusive set.
  private struct Vote {
    var isPresent: Bool
    var stamp: Stamp
  }

  /// Returns when a person decided on a class, if nobody has disagreed since. Nil otherwise.
  ///
  /// - Parameter history: Contains the original stamps of labels that an undo restated.
  package func decisionStamp(
    on classKey: ClassKey, by person: Annotator, _ history: ReviewHistory = ReviewHistory()
  ) -> Stamp? {
    let votes = votes(on: classKey)
    guard let own = votes[rules.mailmap.person(person)] else { return nil }
    let decided = history.originalStamp(of: own.stamp)
    let isContradicted = votes.values.contains {
      $0.isPresent != own.isPresent && $0.stamp > decided
    }
    return isContradicted ? nil : decided
  }

  private func votes(on classKey: ClassKey) -> [Annotator: Vote] {
    var votes: [Annotator: Vote] = [:]
    for label in labels where label.annotator.isHuman && label.verdict != .withdrawn {
      let isOwn = rules.classes.canonicalKey(of: label.classKey) == classKey
      guard isOwn || label.verdict == .present && isInSameSet(label, as: classKey) else {
        continue
      }
      let person = rules.mailmap.person(label.annotator)
      if let known = votes[person], known.stamp >= label.stamp { continue }
      votes[person] = Vote(isPresent: isOwn && label.verdict == .present, stamp: label.stamp)
    }
    return votes
  }

  /// Returns whether the class of a label and `classKey` are in the same exclusive set.
  private func isInSameSet(_ label: Label, as classKey: ClassKey) -> Bool {
    guard let set = rules.classes.set(of: classKey) else { return false }
    return rules.classes.set(of: label.classKey) == set
  }

  /// Returns the labels that an item about a class covers: those of the class and of the other
  /// classes of its exclusive set; all labels if there is no class.
  package func labels(on classKey: ClassKey?) -> [Label] {
    guard let classKey else { return labels }
    return labels.filter { isRelevant($0, to: classKey) }
  }

  /// Returns whether a label is of a class, under any of its keys, or of another class of its
  /// exclusive set.
  func isRelevant(_ label: Label, to classKey: ClassKey) -> Bool {
    let key = rules.classes.canonicalKey(of: label.classKey)
    return key == rules.classes.canonicalKey(of: classKey) || isInSameSet(label, as: classKey)
  }

  /// Returns the labels that mark a photo as a person's favorite, under all their addresses.
  package func favorites(of person: Annotator) -> [Label] {
    let person = rules.mailmap.person(person)
    return labels.filter {
      $0.classKey == .favorite && $0.verdict == .present
        && rules.mailmap.person($0.annotator) == person
    }
  }

  /// Returns the latest stamp of other annotators' labels of a class; of all their labels if there
  /// is no class.
  package func raised(_ classKey: ClassKey?, exceptBy person: Annotator?) -> Stamp {
    let me = person.map(rules.mailmap.person)
    return labels(on: classKey).filter { rules.mailmap.person($0.annotator) != me }
      .map(\.stamp).max() ?? .never
  }

  /// Returns the people who labeled a removed photo on another device than the one that removed it,
  /// so that the label and the removal may have been made without knowledge of each other; sorted.
  package func concurrentLabelers(of removal: Register<Bool>) -> [Annotator] {
    guard removal.value else { return [] }
    let concurrent = labels.filter { label in
      label.annotator.isHuman && label.verdict != .withdrawn && label.classKey != .favorite
        && label.stamp.replica != removal.stamp.replica
    }
    return Set(concurrent.map { rules.mailmap.person($0.annotator) }).sorted()
  }
}

extension Stamp {
  /// Earlier than all others.
  package static let never = Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0))
}
