internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
public import CairnReview
internal import CairnStore

extension Dataset {
  /// A session holds no more questions at a time: those behind are asked in the next one.
  public static let reviewSessionLimit = 10_000

  /// Returns what deserves a person's eye, each question once, under the first reason for it: in the
  /// order of ``ReviewReason``; disputes and contradictions by photo and class, what models are unsure
  /// of with the closest first, few examples with the rarest class first. What the person at work has
  /// ruled on is left out, until somebody says otherwise.
  ///
  /// - Parameter limit: How many at most; the search ends there.
  public func reviewQueue(
    _ request: ReviewRequest = ReviewRequest(), limit: Int = reviewSessionLimit
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

  /// Returns how many questions there are.
  public func reviewCount(_ request: ReviewRequest = ReviewRequest()) throws(CairnError) -> Int {
    try translating {
      var count = 0
      try forEachReviewItem(request) { _, _ in
        count += 1
        return true
      }
      return count
    }
  }

  /// Calls `visit` for each question, with all that is said of its photo; photos are read one by one.
  public func forEachReviewQuestion(
    _ request: ReviewRequest = ReviewRequest(), limit: Int? = nil,
    _ visit: (ReviewQuestion) throws -> Void
  ) throws(CairnError) {
    try translating {
      var count = 0
      if limit == 0 { return }
      try forEachReviewItem(request) { item, reading in
        guard let photo = try reading.index.found(item.key.photo)?.photo else { return true }
        try visit(ReviewQuestion(item, photo, try reading.evidence()))
        count += 1
        return count != limit
      }
    }
  }

  // MARK: Going through the reasons

  /// What is at hand while an item is visited.
  struct ReviewReading {
    let index: IndexReader
    let evidence: () throws -> ReviewCase
  }

  /// - Parameter visit: False to end it.
  private func forEachReviewItem(
    _ request: ReviewRequest, _ visit: (ReviewItem, ReviewReading) throws -> Bool
  ) throws {
    var search = try ReviewSearch(self, request)
    for reason in request.reasons.sorted() {
      let alike = reason == .duplicates ? try photosAlike(request) : []
      var hasBegun = false
      let goesOn = try query(resolved: true) { index in
        // An index that breaks is made anew and asked again, but nothing is told twice.
        if hasBegun { throw CairnError.brokenIndex }
        return try search.visit(reason, alike: alike, in: index) { item, reading in
          hasBegun = true
          return try visit(item, reading)
        }
      }
      if !goesOn { return }
    }
  }

  /// Returns the photos that look the same, in groups; none where too many were not looked at yet.
  private func photosAlike(_ request: ReviewRequest) throws -> [[PhotoID]] {
    if request.lookLimit < .max {
      let (known, all) = (try perceptualHashFile.read(), try find(.everything))
      if all.count(where: { known[$0] == nil }) > request.lookLimit { return [] }
    }
    return try nearDuplicates(within: ReviewLimit.duplicateDistance)
  }
}

/// Turns the candidates of the index into what is asked.
private struct ReviewSearch {
  let request: ReviewRequest
  let dataset: Dataset
  let me: Annotator?
  let memory: ReviewMemory
  private let found: Set<PhotoID>?
  private let classKey: ClassKey?
  private var rules: ResolutionRules?
  /// Questions whose reason the photo's own labels do not tell.
  private var seen: Set<ReviewKey> = []
  /// Classes of a photo come together.
  private var last: ReviewCase?

  typealias Visit = (ReviewItem, Dataset.ReviewReading) throws -> Bool

  init(_ dataset: Dataset, _ request: ReviewRequest) throws {
    (self.dataset, self.request) = (dataset, request)
    me = try? dataset.replica.person()
    memory = try dataset.reviewMemory()
    found = try request.query.map { Set(try dataset.find($0)) }
    classKey = try request.className.map { try dataset.classKey($0) }
  }

  /// - Returns: Whether to go on.
  mutating func visit(
    _ reason: ReviewReason, alike: [[PhotoID]], in index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    (rules, last) = (try dataset.rules(from: index), nil)
    var goesOn = true
    switch reason {
    case .disputed:
      try index.forEachDisputed(of: classKey) {
        goesOn = try own(reason, $0, $1, index, visit)
        return goesOn
      }
    case .unsure:
      try index.forEachUnsure(of: classKey, within: ReviewLimit.margin) {
        goesOn = try own(reason, $0, $1, index, visit)
        return goesOn
      }
    case .models:
      try index.forEachContradicted(of: classKey) {
        goesOn = try own(reason, $0, $1, index, visit)
        return goesOn
      }
    case .removed:
      try index.forEachRemovedAndLabelled(with: classKey) {
        goesOn = try removed($0, $1, index, visit)
        return goesOn
      }
    case .duplicates:
      for group in alike where goesOn { goesOn = try duplicates(group, index, visit) }
    case .rare:
      for (key, count) in try index.rareClasses(below: ReviewLimit.examples)
      where goesOn && (classKey == nil || classKey == key) {
        try index.forEachPredicted(of: key) {
          goesOn = try rare($0, count, $1, index, visit)
          return goesOn
        }
      }
    }
    return goesOn
  }

  // MARK: One candidate

  private func isMeant(_ photo: PhotoID) -> Bool {
    request.share?.contains(photo) != false && found?.contains(photo) != false
  }

  private mutating func evidence(
    _ photo: PhotoID, _ labels: () throws -> [Label]
  ) throws -> ReviewCase {
    if let last, last.photo == photo { return last }
    let evidence = ReviewCase(of: photo, try labels(), rules ?? ResolutionRules())
    last = evidence
    return evidence
  }

  /// Visits a question that a photo's own labels raise, where this is the first reason for it.
  private mutating func own(
    _ reason: ReviewReason, _ candidate: ReviewCandidate, _ labels: () throws -> [Label],
    _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    guard isMeant(candidate.photo), let key = candidate.classKey, key != .favorite else {
      return true
    }
    let evidence = try evidence(candidate.photo, labels)
    let doubts = evidence.doubts(on: key).filter { request.reasons.contains($0.reason) }
    guard doubts.first?.reason == reason else { return true }
    return try ask(candidate.photo, key, doubts, evidence, index, visit)
  }

  private mutating func rare(
    _ candidate: ReviewCandidate, _ count: Int, _ labels: () throws -> [Label],
    _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    guard isMeant(candidate.photo), let key = candidate.classKey, key != .favorite,
      !seen.contains(ReviewKey(photo: candidate.photo, classKey: key))
    else { return true }
    let evidence = try evidence(candidate.photo, labels)
    guard evidence.doubts(on: key).allSatisfy({ !request.reasons.contains($0.reason) }) else {
      return true
    }
    let name = evidence.rules.classes.name(of: key)
    let photos = count == 0 ? "no photo has" : count == 1 ? "one photo has" : "\(count) photos have"
    let doubt = Doubt(.rare, "\(photos) “\(name)” by people's word")
    return try ask(candidate.photo, key, [doubt], evidence, index, visit)
  }

  private func ask(
    _ photo: PhotoID, _ key: ClassKey, _ doubts: [Doubt], _ evidence: ReviewCase,
    _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    if let me, evidence.ruling(on: key, by: me, memory) != nil { return true }
    let item = ReviewItem(
      key: ReviewKey(photo: photo, classKey: key), doubts: doubts,
      raised: evidence.raised(key, besides: me))
    return try tell(item, evidence, index, visit)
  }

  private func tell(
    _ item: ReviewItem, _ evidence: ReviewCase, _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    if memory.isPassed(item, includingSkipped: request.includesSkipped) { return true }
    return try visit(item, Dataset.ReviewReading(index: index, evidence: { evidence }))
  }

  // MARK: Photos as a whole, and groups of them

  private mutating func removed(
    _ candidate: ReviewCandidate, _ labels: () throws -> [Label], _ index: IndexReader,
    _ visit: Visit
  ) throws -> Bool {
    guard isMeant(candidate.photo), let photo = try index.found(candidate.photo)?.photo else {
      return true
    }
    let evidence = try evidence(candidate.photo, labels)
    guard let item = evidence.removal(of: photo, by: me, memory) else {
      return true
    }
    return try tell(item, evidence, index, visit)
  }

  private mutating func duplicates(
    _ group: [PhotoID], _ index: IndexReader, _ visit: Visit
  ) throws -> Bool {
    let cases = try group.sorted().compactMap { id -> ReviewCase? in
      let labels = try index.labels(of: id)
      guard let photo = try index.found(id)?.photo,
        PhotoVisibility(of: photo, labels: labels).isInView
      else { return nil }
      return ReviewCase(of: id, labels, rules ?? ResolutionRules())
    }
    for item in ReviewCase.contradictions(cases) {
      guard isMeant(item.key.photo), classKey == nil || item.key.classKey == classKey,
        let evidence = cases.first(where: { $0.photo == item.key.photo }),
        let key = item.key.classKey,
        evidence.doubts(on: key).allSatisfy({ !request.reasons.contains($0.reason) }),
        seen.insert(item.key).inserted
      else { continue }
      // What photos that look the same differ in may be so.
      if let me, let ruling = evidence.ruling(on: key, by: me, memory), ruling > item.raised {
        continue
      }
      if try !tell(item, evidence, index, visit) { return false }
    }
    return true
  }
}

extension ReviewCase {
  /// Returns the question whether a photo stays removed, where people spoke of it elsewhere.
  func removal(of photo: Photo, by me: Annotator?, _ memory: ReviewMemory) -> ReviewItem? {
    guard !PhotoVisibility(of: photo, labels: labels).isInView else { return nil }
    let removed = memory.moment(of: photo.removed.stamp)
    let people = unheard(after: Register(photo.removed.value, removed))
    guard !people.isEmpty else { return nil }
    let names = people.map(\.identity).inWords
    return ReviewItem(
      key: ReviewKey(photo: photo.id, classKey: nil),
      doubts: [
        Doubt(
          .removed,
          "the photo was removed, and \(names) had spoken of it on another device; that is hidden now"
        )
      ], raised: max(raised(nil, besides: me), removed))
  }
}
