public import CairnDocument
internal import CairnMerge
internal import CairnSync
internal import SystemPackage

extension Dataset {
  /// Returns the photos that match a query.
  ///
  /// ```swift
  /// let query = try PhotoQuery("label:heather taken:2026")
  /// let latest = try dataset.find(query, by: .taken, limit: 20)
  /// print("\(latest.count) photos")
  /// ```
  ///
  /// - Parameter isReversed: Whether to reverse the order.
  /// - Parameter offset: The number of results to skip.
  /// - Parameter limit: The maximum number of results.
  /// - Throws: ``CairnError/Kind/notFound`` when the query names a class, a pin, an annotator or a
  ///   photo that does not exist.
  public func find(
    _ query: PhotoQuery, by order: PhotoOrder = .id, isReversed: Bool = false, offset: Int = 0,
    limit: Int? = nil
  ) throws(CairnError) -> [PhotoID] {
    try translating {
      if order == .added { try updateAddedTimes() }
      let similar = try similarPhotos(in: query)
      return try self.query(resolved: true) { index in
        try index.photos(
          where: try filter(query, similar, index), by: order, isReversed: isReversed,
          offset: offset, limit: limit)
      }
    }
  }

  /// Returns the photos that a query selects for a command that changes them.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when no photo matches, ``CairnError/Kind/invalidInput``
  ///   when the query, or part of it, is empty.
  public func photosToChange(_ query: PhotoQuery) throws(CairnError) -> [PhotoID] {
    let found = try find(query.selecting())
    if found.isEmpty {
      throw CairnError(
        .notFound, "No photos match; nothing was changed.",
        hint: "Test the query with `cairn find`.")
    }
    return found
  }

  /// Returns the number of photos that match a query.
  public func count(_ query: PhotoQuery) throws(CairnError) -> Int {
    try translating {
      let similar = try similarPhotos(in: query)
      return try self.query(resolved: true) {
        try $0.photoCount(where: try filter(query, similar, $0))
      }
    }
  }

  /// Calls `visit` for each photo that matches a query, with its resolutions. Photos are read one
  /// at a time; sorted by id, they are visited during the search.
  public func forEachPhoto(
    _ query: PhotoQuery, by order: PhotoOrder = .id, isReversed: Bool = false, offset: Int = 0,
    limit: Int? = nil, _ visit: (FoundPhoto) throws -> Void
  ) throws(CairnError) {
    try translating {
      if order == .added { try updateAddedTimes() }
      let similar = try similarPhotos(in: query)
      var hasBegun = false
      try self.query(resolved: true) { index in
        // A corrupt index is rebuilt and queried again, but no photo is reported twice.
        if hasBegun { throw CairnError.brokenIndex }
        try index.forEachFound(
          where: try filter(query, similar, index), by: order, isReversed: isReversed,
          offset: offset, limit: limit
        ) { photo in
          hasBegun = true
          try visit(photo)
        }
      }
    }
  }

  // MARK: Resolving names

  func filter(
    _ query: PhotoQuery, _ similar: [SimilarityTerm: [PhotoID]], _ index: IndexReader
  ) throws -> PhotoFilter {
    var names = QueryNames(dataset: self, index: index, similar: similar)
    return try names.filter(query, isTop: true)
  }

  /// Finds the photos similar to those that a query names; called before the index is read.
  func similarPhotos(in query: PhotoQuery) throws -> [SimilarityTerm: [PhotoID]] {
    var found: [SimilarityTerm: [PhotoID]] = [:]
    for term in query.similarityTerms where found[term] == nil {
      let photo = try photoID(term.photo, relativeTo: term.directory ?? root)
      found[term] = try similarPhotos(to: photo, within: term.distance).map(\.id)
    }
    return found
  }
}

/// A search term for photos similar to a photo, up to a distance.
struct SimilarityTerm: Hashable {
  let photo: String
  let directory: FilePath?
  let distance: Int
}

extension PhotoQuery {
  fileprivate var similarityTerms: [SimilarityTerm] {
    switch expression {
    case .all(let queries), .any(let queries): queries.flatMap(\.similarityTerms)
    case .not(let query): query.similarityTerms
    case .term(let term): term.similarityTerm.map { [$0] } ?? []
    }
  }
}

extension PhotoQuery.Term {
  fileprivate var similarityTerm: SimilarityTerm? {
    guard case .similar(let photo, let directory, let distance) = self else { return nil }
    return SimilarityTerm(photo: photo, directory: directory, distance: distance)
  }
}

extension CairnError {
  static let brokenIndex = CairnError(
    .internalError, "The index database became invalid while it was read.", hint: "Try again.")
}

/// Resolves the names in a query to documents of a dataset.
private struct QueryNames {
  let dataset: Dataset
  let index: IndexReader
  let similar: [SimilarityTerm: [PhotoID]]
  private var cached: (annotators: [Annotator], mailmap: Mailmap)?

  init(dataset: Dataset, index: IndexReader, similar: [SimilarityTerm: [PhotoID]]) {
    (self.dataset, self.index, self.similar) = (dataset, index, similar)
  }

  /// The number of terms read so far in the current search.
  private var termCount = 0

  /// Limited because SQLite nests expressions as deeply as a search has terms.
  private static let termLimit = 256

  /// - Parameter isTop: Whether it is the whole query, which only matches visible photos.
  mutating func filter(_ query: PhotoQuery, isTop: Bool) throws -> PhotoFilter {
    var alternatives: [PhotoConditions] = []
    for alternative in try query.alternatives() {
      if isTop { termCount = 0 }
      var conditions = try conditions(alternative.terms)
      if isTop, !conditions.flags.contains(.removed) { conditions.flags.insert(.visible) }
      for excluded in alternative.excluded {
        conditions.excluded.append(try filter(excluded, isTop: false))
      }
      alternatives.append(conditions)
    }
    return PhotoFilter(alternatives)
  }

  private mutating func conditions(_ terms: [PhotoQuery.Term]) throws -> PhotoConditions {
    termCount += terms.count
    guard termCount <= QueryNames.termLimit else {
      throw CairnError(
        .invalidInput, "The query has more than \(QueryNames.termLimit) terms in a row.",
        hint: "Split it into several queries.")
    }
    var conditions = PhotoConditions()
    var classes: [ClassKey] = []
    var assertion = Assertion()
    // The conditions common to all label terms.
    var common = AssertionFilter()
    var favorites: Assertion?
    for term in terms {
      switch term {
      case .label(let name): classes.append(try classKey(name))
      case .states(let states): assertion.states = assertion.states?.intersection(states) ?? states
      case .confidence(let range): assertion.confidence = assertion.confidence.intersection(range)
      case .said(let time):
        // Predictions outside of a run have no time.
        let time = time.clamped(to: 1..<Int64.max)
        common.time = common.time.map { $0.clamped(to: time) } ?? time
      case .hasRegion: common.hasRegion = true
      case .by, .model, .run: assertion.filters.append(try labelFilter(term))
      case .pin(let name): conditions.pins.append(try pins(name))
      case .area(let area): conditions.areas.append(area)
      case .flag(let flag): conditions.flags.insert(flag)
      case .favorite: favorites = try favorite()
      case .taken(let time): conditions.taken.append(time)
      case .similar:
        conditions.among.append(term.similarityTerm.flatMap { similar[$0] } ?? [])
      case .text(let text): conditions.texts.append(text)
      }
    }
    if assertion.filters.isEmpty, common != AssertionFilter() {
      assertion.filters = [AssertionFilter()]
    }
    for index in assertion.filters.indices {
      assertion.filters[index].time = common.time
      assertion.filters[index].hasRegion = common.hasRegion
    }
    if assertion.states == nil, !classes.isEmpty || !assertion.confidence.isAll {
      assertion.states = [.confirmed, .predicted, .disputed]
    }
    if classes.isEmpty, assertion != Assertion() { conditions.assertions = [assertion] }
    for key in classes {
      assertion.classKey = key
      conditions.assertions.append(assertion)
    }
    // A separate condition: “label:dog is:favorite” finds favorites that also have a dog.
    if let favorites { conditions.assertions.append(favorites) }
    return conditions
  }

  private func classKey(_ name: String) throws -> ClassKey {
    let key = try dataset.existingClassKey(named: name, in: index)
    guard key != .favorite else {
      throw CairnError(
        .invalidInput, "Favorites are not classes.",
        hint: "`is:favorite` finds yours.")
    }
    return key
  }

  private mutating func favorite() throws -> Assertion {
    var (assertion, filter) = (Assertion(), AssertionFilter())
    filter.annotators = try mine()
    filter.isPresent = true
    (assertion.classKey, assertion.filters) = (.favorite, [filter])
    return assertion
  }

  /// Returns the current user under all their addresses.
  private mutating func mine() throws -> [Annotator] {
    let (annotators, mailmap) = try annotators()
    let me = mailmap.person(try dataset.replica.person())
    return annotators.filter { mailmap.person($0) == me }
  }

  private mutating func labelFilter(_ term: PhotoQuery.Term) throws -> AssertionFilter {
    var filter = AssertionFilter()
    switch term {
    case .by(let name): filter.annotators = try people(name)
    case .model(let name): filter.annotators = try models(name)
    case .run(let name): filter.run = try dataset.run(name, in: index).id
    default: break
    }
    return filter
  }

  /// Returns all annotators and the mailmap, which are read once.
  private mutating func annotators() throws -> (annotators: [Annotator], mailmap: Mailmap) {
    if let cached { return cached }
    let read = (try index.annotators(), Mailmap(try dataset.mailmapText()))
    cached = read
    return read
  }

  private mutating func people(_ name: String) throws -> [Annotator] {
    let (annotators, mailmap) = try annotators()
    let lowercased = name.lowercased()
    let people =
      try name == "me"
      ? mine()
      : annotators.filter { annotator in
        guard annotator.isHuman else { return false }
        let addresses = [annotator.identity, mailmap.person(annotator).identity]
        return addresses.contains { address in
          let address = address.lowercased()
          return address == lowercased || address.prefix { $0 != "@" } == lowercased
        }
      }
    guard !people.isEmpty || name == "me" else {
      throw CairnError(
        .notFound, "Nobody called “\(name)” has labeled anything here.",
        hint: "Name a person by their email address, or by the part before its “@”.")
    }
    return people
  }

  private mutating func models(_ name: String) throws -> [Annotator] {
    let models = try annotators().annotators.filter { annotator in
      annotator.model.map { $0.name == name || annotator.identity == name } ?? false
    }
    guard !models.isEmpty else {
      throw CairnError(
        .notFound, "No model “\(name)” has labeled anything here.",
        hint: "`cairn run list` shows the models that were run.")
    }
    return models
  }

  /// Returns the pins with a name, which may be several; removed pins only if there are no others.
  private func pins(_ name: String) throws -> [PinID] {
    let pins = try index.pins(matching: name)
    let present = pins.filter { !$0.removed.value }
    guard !pins.isEmpty else {
      throw CairnError(
        .notFound, "There is no pin “\(name)”.", hint: "`cairn pin list` lists them.")
    }
    return (present.isEmpty ? pins : present).map(\.id)
  }
}
