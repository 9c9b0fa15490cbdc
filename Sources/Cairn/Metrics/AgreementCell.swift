package import CairnDocument
internal import CairnMerge

/// The photos on which two people both rated something, or on which they agree or disagree.
package struct AgreementCell: Equatable, Sendable {
  package let first: Annotator
  package let second: Annotator
  /// The class or set; nil for all.
  package let subject: AgreementMetrics.Subject?
  /// Whether the two ratings are the same; nil for either.
  package let isAgreed: Bool?

  package init(
    _ first: Annotator, _ second: Annotator, on subject: AgreementMetrics.Subject?,
    isAgreed: Bool?
  ) {
    (self.first, self.second) = (first, second)
    (self.subject, self.isAgreed) = (subject, isAgreed)
  }

  /// Returns whether a photo with these labels is in the cell.
  func contains(_ labels: [Label], _ rules: ResolutionRules) -> Bool {
    let (first, second) = (rules.mailmap.person(first), rules.mailmap.person(second))
    let ratings = rules.ratings(labels)
    let isInClass = ratings.classes.contains { one in
      isWanted(.ofClass(one.classKey))
        && matches(
          one.votes.first { $0.person == first }?.isPresent,
          one.votes.first { $0.person == second }?.isPresent)
    }
    if isInClass { return true }
    return ratings.sets.contains { one in
      let choices = [first, second].map { person in
        one.choices.first { $0.person == person }?.classKey
      }
      if isWanted(.ofSet(one.set)) { return matches(choices[0], choices[1]) }
      guard case .ofClass(let key) = subject, rules.classes.set(of: key) == one.set,
        !ratings.classes.contains(where: { $0.classKey == key })
      else { return false }
      // A person who chose a class of the set rates absent those that nobody names.
      let absent = choices.map { $0.map { _ in false } }
      return matches(absent[0], absent[1])
    }
  }

  private func isWanted(_ item: AgreementMetrics.Subject) -> Bool {
    subject.map { $0 == item } ?? true
  }

  private func matches<Rating: Equatable>(_ first: Rating?, _ second: Rating?) -> Bool {
    guard let first, let second else { return false }
    return isAgreed.map { $0 == (first == second) } ?? true
  }
}

extension Dataset {
  /// Returns the photos in a cell of the matrix of people, sorted by id.
  package func photos(
    in cell: AgreementCell, _ scope: MetricsScope = MetricsScope()
  ) throws(CairnError) -> [PhotoID] {
    try withMetricsScope(scope) { index, rules, _, photos in
      var found: [PhotoID] = []
      try index.forEachLabeledPhoto(among: photos) { photo, labels in
        if cell.contains(labels, rules) { found.append(photo) }
      }
      return found
    }
  }
}
