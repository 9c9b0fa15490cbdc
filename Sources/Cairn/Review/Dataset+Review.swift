internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
public import CairnReview
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Maximum number of questions in a session; the rest is left for the next one.
  public static let reviewSessionLimit = 10_000

  /// Returns the questions that need a person's decision, each once, under the first reason for it.
  ///
  /// Sorted in the order of ``ReviewReason``; within a reason, disputes and contradictions by photo
  /// and class, uncertain predictions by closeness to the threshold, labels that a trained model
  /// contradicts by probability, lowest first, and predictions of rare classes by class, rarest
  /// first. Omits questions that the current user has decided, until somebody disagrees, and photos
  /// whose metadata was erased from the history, which cannot get labels.
  ///
  /// - Parameter limit: Maximum number of questions; the search ends there.
  public func reviewQueue(
    _ request: ReviewFilter = ReviewFilter(), limit: Int = reviewSessionLimit
  ) throws(CairnError) -> [ReviewItem] {
    try translating {
      var items: [ReviewItem] = []
      try forEachReviewItem(request) { item, _ in
        if items.count < limit { items.append(item) }
        return items.count < limit
      }
      return items
    }
  }

  /// Returns the number of questions.
  public func reviewCount(_ request: ReviewFilter = ReviewFilter()) throws(CairnError) -> Int {
    try translating {
      var count = 0
      try forEachReviewItem(request) { _, _ in
        count += 1
        return true
      }
      return count
    }
  }

  /// Calls `visit` for each question, with all labels of its photo; photos are read one by one.
  public func forEachReviewQuestion(
    _ request: ReviewFilter = ReviewFilter(), limit: Int? = nil,
    _ visit: (ReviewQuestion) throws -> Void
  ) throws(CairnError) {
    try translating {
      var count = 0
      if limit == 0 { return }
      try forEachReviewItem(request) { item, snapshot in
        guard let photo = try snapshot.index.found(item.key.photo)?.photo else { return true }
        try visit(ReviewQuestion(item, photo, try snapshot.evidence()))
        count += 1
        return count != limit
      }
    }
  }

  // MARK: Iterating over the reasons

  /// The data available while an item is visited.
  struct ReviewSnapshot {
    let index: IndexReader
    let evidence: () throws -> PhotoEvidence
  }

  /// - Parameter visit: Returns false to stop.
  private func forEachReviewItem(
    _ request: ReviewFilter, _ visit: (ReviewItem, ReviewSnapshot) throws -> Bool
  ) throws {
    var search = try ReviewQuery(self, request)
    for reason in request.reasons.sorted() {
      let duplicates = reason == .duplicates ? try duplicateGroups(request) : []
      var hasBegun = false
      let shouldContinue = try query(resolved: true) { index in
        // A corrupt index is rebuilt and queried again, but no item may be visited twice.
        if hasBegun { throw CairnError.brokenIndex }
        return try search.visit(reason, duplicates: duplicates, in: index) { item, snapshot in
          hasBegun = true
          return try visit(item, snapshot)
        }
      }
      if !shouldContinue { return }
    }
  }

  /// Returns the groups of photos that look the same; none if too many are not hashed yet.
  private func duplicateGroups(_ request: ReviewFilter) throws -> [[PhotoID]] {
    if request.hashLimit < .max {
      let (known, all) = (try perceptualHashFile.read(), try find(.everything))
      if all.count(where: { known[$0] == nil }) > request.hashLimit { return [] }
    }
    return try nearDuplicates(within: ReviewLimit.duplicateDistance)
  }
}

/// Turns candidates from the index into questions.
private struct ReviewQuery {
  let request: ReviewFilter
  let dataset: Dataset
  /// The current user; nil if git has no name or email for them.
  let me: Annotator?
  let history: ReviewHistory
  /// The photos that match the filter's query; nil for all.
  private let matching: Set<PhotoID>?
  /// The photos that cannot get labels, because their metadata was erased from the history.
  private let erased: Set<PhotoID>
  private let classKey: ClassKey?
  private var rules: ResolutionRules?
  /// Questions already asked whose reason does not come from the photo's own labels.
  private var seen: Set<ReviewKey> = []
  /// The evidence of the last photo, cached since the classes of a photo are adjacent.
  private var last: PhotoEvidence?

  typealias Visit = (ReviewItem, Dataset.ReviewSnapshot) throws -> Bool

  init(_ dataset: Dataset, _ request: ReviewFilter) throws {
    (self.dataset, self.request) = (dataset, request)
    me = dataset.replica.knownPerson()
    history = try dataset.reviewHistory()
    matching = try request.query.map { Set(try dataset.find($0)) }
    erased = try dataset.replica.erasedFacts().metadata
    classKey = try request.className.map { try dataset.classKey($0) }
  }

  /// - Returns: Whether to continue.
  mutating func visit(
    _ reason: ReviewReason, duplicates groups: [[PhotoID]], in index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    (rules, last) = (try dataset.rules(from: index), nil)
    var shouldContinue = true
    switch reason {
    case .disputed:
      try index.forEachDisputed(of: classKey) {
        shouldContinue = try visitOwn(reason, $0, $1, index, visit)
        return shouldContinue
      }
    case .unsure:
      try index.forEachUnsure(of: classKey, within: ReviewLimit.margin) {
        shouldContinue = try visitOwn(reason, $0, $1, index, visit)
        return shouldContinue
      }
    case .models:
      try index.forEachContradicted(of: classKey) {
        shouldContinue = try visitOwn(reason, $0, $1, index, visit)
        return shouldContinue
      }
    case .removed:
      try index.forEachRemovedAndLabeled(with: classKey) {
        shouldContinue = try visitRemoved($0, $1, index, visit)
        return shouldContinue
      }
    case .duplicates:
      for group in groups where shouldContinue {
        shouldContinue = try visitDuplicates(group, index, visit)
      }
    case .suspect:
      for (suspect, model) in try dataset.suspectLabels() where shouldContinue {
        shouldContinue = try visitSuspect(suspect, by: model, index, visit)
      }
    case .rare:
      for (key, count) in try index.rareClasses(below: ReviewLimit.examples)
      where shouldContinue && (classKey == nil || classKey == key) {
        try index.forEachPredicted(of: key) {
          shouldContinue = try visitRare($0, count, $1, index, visit)
          return shouldContinue
        }
      }
    }
    return shouldContinue
  }

  // MARK: Single candidates

  private func isSelected(_ photo: PhotoID) -> Bool {
    request.shard?.contains(photo) != false && matching?.contains(photo) != false
      && !erased.contains(photo)
  }

  private mutating func evidence(
    _ photo: PhotoID, _ labels: () throws -> [Label]
  ) throws -> PhotoEvidence {
    if let last, last.photo == photo { return last }
    let evidence = PhotoEvidence(of: photo, try labels(), rules ?? ResolutionRules())
    last = evidence
    return evidence
  }

  /// Visits a question that a photo's own labels raise, if this is the first reason for it.
  private mutating func visitOwn(
    _ reason: ReviewReason, _ candidate: ReviewCandidate, _ labels: () throws -> [Label],
    _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    guard isSelected(candidate.photo), let key = candidate.classKey, key != .favorite else {
      return true
    }
    let evidence = try evidence(candidate.photo, labels)
    let reasons = evidence.reasons(on: key).filter { request.reasons.contains($0.reason) }
    guard reasons.first?.reason == reason else { return true }
    return try visitUndecided(candidate.photo, key, reasons, evidence, index, visit)
  }

  private mutating func visitRare(
    _ candidate: ReviewCandidate, _ count: Int, _ labels: () throws -> [Label],
    _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    guard isSelected(candidate.photo), let key = candidate.classKey, key != .favorite,
      !seen.contains(ReviewKey(photo: candidate.photo, classKey: key))
    else { return true }
    let evidence = try evidence(candidate.photo, labels)
    guard evidence.reasons(on: key).allSatisfy({ !request.reasons.contains($0.reason) }) else {
      return true
    }
    let name = evidence.rules.classes.name(of: key)
    return try visitUndecided(
      candidate.photo, key, [.rare(className: name, examples: count)], evidence, index, visit)
  }

  /// Visits a question about a label that a trained model contradicts.
  private mutating func visitSuspect(
    _ suspect: SuspectLabel, by model: Annotator, _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    guard isSelected(suspect.photo), classKey == nil || classKey == suspect.classKey,
      let photo = try index.found(suspect.photo)?.photo
    else { return true }
    let labels = try index.labels(of: suspect.photo)
    let evidence = PhotoEvidence(of: suspect.photo, labels, rules ?? ResolutionRules())
    guard Visibility(of: photo, labels: labels).isVisible,
      let item = evidence.item(suspect, by: model), seen.insert(item.key).inserted
    else { return true }
    return try visitUnlessDismissed(item, evidence, index, visit)
  }

  /// Visits a question, unless the current user has decided it.
  private func visitUndecided(
    _ photo: PhotoID, _ key: ClassKey, _ reasons: [ReviewReasonDetail], _ evidence: PhotoEvidence,
    _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    if let me, evidence.decisionStamp(on: key, by: me, history) != nil { return true }
    let item = ReviewItem(
      key: ReviewKey(photo: photo, classKey: key), reasons: reasons,
      raised: evidence.raised(key, exceptBy: me))
    return try visitUnlessDismissed(item, evidence, index, visit)
  }

  private func visitUnlessDismissed(
    _ item: ReviewItem, _ evidence: PhotoEvidence, _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    if history.isDismissed(item, includingSkipped: request.includesSkipped) { return true }
    return try visit(item, Dataset.ReviewSnapshot(index: index, evidence: { evidence }))
  }

  // MARK: Whole photos and groups of photos

  private mutating func visitRemoved(
    _ candidate: ReviewCandidate, _ labels: () throws -> [Label], _ index: IndexReader,
    _ visit: Visit
  ) throws -> Bool {
    guard isSelected(candidate.photo), let photo = try index.found(candidate.photo)?.photo else {
      return true
    }
    let evidence = try evidence(candidate.photo, labels)
    guard let item = evidence.removal(of: photo, by: me, history) else {
      return true
    }
    return try visitUnlessDismissed(item, evidence, index, visit)
  }

  private mutating func visitDuplicates(
    _ group: [PhotoID], _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    let photos = try group.sorted().compactMap { id -> PhotoEvidence? in
      let labels = try index.labels(of: id)
      guard let photo = try index.found(id)?.photo,
        Visibility(of: photo, labels: labels).isVisible
      else { return nil }
      return PhotoEvidence(of: id, labels, rules ?? ResolutionRules())
    }
    for item in PhotoEvidence.contradictions(photos) {
      guard isSelected(item.key.photo), classKey == nil || item.key.classKey == classKey,
        let evidence = photos.first(where: { $0.photo == item.key.photo }),
        let key = item.key.classKey,
        evidence.reasons(on: key).allSatisfy({ !request.reasons.contains($0.reason) }),
        seen.insert(item.key).inserted
      else { continue }
      // The current user may have decided that photos that look the same do differ in this class.
      if let me, let decided = evidence.decisionStamp(on: key, by: me, history),
        decided > item.raised
      {
        continue
      }
      if try !visitUnlessDismissed(item, evidence, index, visit) { return false }
    }
    return true
  }
}

extension PhotoEvidence {
  /// Returns the question whether a photo stays removed, if people labeled it elsewhere.
  func removal(of photo: Photo, by me: Annotator?, _ history: ReviewHistory) -> ReviewItem? {
    guard !Visibility(of: photo, labels: labels).isVisible else { return nil }
    let removed = history.originalStamp(of: photo.removed.stamp)
    let people = concurrentLabelers(of: Register(photo.removed.value, removed))
    guard !people.isEmpty else { return nil }
    return ReviewItem(
      key: ReviewKey(photo: photo.id, classKey: nil),
      reasons: [.removed(labeledBy: people)], raised: max(raised(nil, exceptBy: me), removed))
  }
}
