internal import CairnDocument
internal import CairnMerge
internal import CairnSync

extension Dataset {
  /// Returns the photos that a query asks for.
  ///
  /// - Parameter limit: How many at most.
  /// - Parameter isReversed: The other way round.
  public func find(
    _ query: PhotoQuery, by order: PhotoOrder = .id, isReversed: Bool = false, limit: Int? = nil
  ) throws(CairnError) -> [PhotoID] {
    try translating {
      try self.query(resolved: true) { index in
        try index.photos(
          where: try filter(query, index), by: order, isReversed: isReversed, limit: limit)
      }
    }
  }

  /// Returns how many photos a query asks for.
  public func count(_ query: PhotoQuery) throws(CairnError) -> Int {
    try translating {
      try self.query(resolved: true) { try $0.photoCount(where: try filter(query, $0)) }
    }
  }

  /// Calls `visit` for each photo that a query asks for, with what stands of it. The photos are read
  /// one by one.
  public func forEachPhoto(
    _ query: PhotoQuery, by order: PhotoOrder = .id, isReversed: Bool = false, limit: Int? = nil,
    _ visit: (FoundPhoto) throws -> Void
  ) throws(CairnError) {
    try translating {
      var hasBegun = false
      try self.query(resolved: true) { index in
        // An index that breaks is made anew and asked again, but nothing is told twice.
        if hasBegun { throw CairnError.brokenIndex }
        let ids = try index.photos(
          where: try filter(query, index), by: order, isReversed: isReversed, limit: limit)
        for id in ids {
          guard let photo = try index.found(id) else { continue }
          hasBegun = true
          try visit(photo)
        }
      }
    }
  }

  // MARK: From words to what is in the index

  private func filter(_ query: PhotoQuery, _ index: IndexReader) throws -> PhotoFilter {
    var names = QueryNames(dataset: self, index: index)
    return try names.filter(query, isTop: true)
  }
}

extension CairnError {
  fileprivate static let brokenIndex = CairnError(
    .internalError, "The index database broke while it was read.", hint: "Run it again.")
}

/// Finds what the words of a query mean in a dataset.
private struct QueryNames {
  let dataset: Dataset
  let index: IndexReader
  private var speakers: (annotators: [Annotator], mailmap: Mailmap)?

  init(dataset: Dataset, index: IndexReader) { (self.dataset, self.index) = (dataset, index) }

  /// How many terms have been read of the search that is being made.
  private var termCount = 0

  /// The database takes a search apart into as many steps within each other as it has terms.
  private static let termLimit = 256

  /// - Parameter isTop: Whether it is the whole query, which finds only what is in view.
  mutating func filter(_ query: PhotoQuery, isTop: Bool) throws -> PhotoFilter {
    var alternatives: [PhotoConditions] = []
    for side in try query.sides() {
      if isTop { termCount = 0 }
      var conditions = try conditions(side.terms)
      if isTop, !conditions.traits.contains(.removed) { conditions.traits.insert(.inView) }
      for excluded in side.excluded {
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
        .invalidInput, "The query has more than \(QueryNames.termLimit) terms beside each other.",
        hint: "Ask in several queries.")
    }
    var conditions = PhotoConditions()
    var classes: [ClassKey] = []
    var claim = Claim()
    // What is common to all that was said.
    var said = SaidFilter()
    for term in terms {
      switch term {
      case .label(let name): classes.append(try dataset.existingClassKey(named: name, in: index))
      case .states(let states): claim.states = claim.states?.intersection(states) ?? states
      case .confidence(let range): claim.confidence = claim.confidence.intersection(range)
      case .said(let time): said.time = said.time.map { $0.clamped(to: time) } ?? time
      case .hasRegion: said.hasRegion = true
      case .by, .model, .run: claim.statements.append(try statement(term))
      case .pin(let name): conditions.pins.append(try pins(name))
      case .area(let area): conditions.areas.append(area)
      case .trait(let trait): conditions.traits.insert(trait)
      case .word(let word): conditions.words.append(word)
      }
    }
    if claim.statements.isEmpty, said != SaidFilter() { claim.statements = [SaidFilter()] }
    for place in claim.statements.indices {
      claim.statements[place].time = said.time
      claim.statements[place].hasRegion = said.hasRegion
    }
    if claim.states == nil, !classes.isEmpty || !claim.confidence.isAll {
      claim.states = [.confirmed, .predicted, .disputed]
    }
    if classes.isEmpty, claim != Claim() { conditions.claims = [claim] }
    for key in classes {
      claim.classKey = key
      conditions.claims.append(claim)
    }
    return conditions
  }

  private mutating func statement(_ term: PhotoQuery.Term) throws -> SaidFilter {
    var said = SaidFilter()
    switch term {
    case .by(let name): said.annotators = try people(name)
    case .model(let name): said.annotators = try models(name)
    case .run(let name): said.run = try dataset.run(name, in: index).id
    default: break
    }
    return said
  }

  private mutating func known() throws -> (annotators: [Annotator], mailmap: Mailmap) {
    if let speakers { return speakers }
    let known = (try index.annotators(), Mailmap(try dataset.mailmapText()))
    speakers = known
    return known
  }

  private mutating func people(_ name: String) throws -> [Annotator] {
    let (annotators, mailmap) = try known()
    let wanted = name == "me" ? try dataset.replica.person().identity : name.lowercased()
    let people = annotators.filter { annotator in
      guard annotator.isHuman else { return false }
      let addresses = [annotator.identity, mailmap.person(annotator).identity]
      return addresses.contains { address in
        let address = address.lowercased()
        return address == wanted || address.prefix { $0 != "@" } == wanted
      }
    }
    guard !people.isEmpty else {
      throw CairnError(
        .notFound, "Nobody called “\(name)” has said anything here.",
        hint: "A person is named by their address, or what stands before its “@”.")
    }
    return people
  }

  private mutating func models(_ name: String) throws -> [Annotator] {
    let models = try known().annotators.filter { annotator in
      annotator.model.map { $0.name == name || annotator.identity == name } ?? false
    }
    guard !models.isEmpty else {
      throw CairnError(
        .notFound, "No model “\(name)” has said anything here.",
        hint: "`cairn run list` shows the models that were run.")
    }
    return models
  }

  /// A name may be that of several pins; one that was removed is meant only where no other can be.
  private func pins(_ name: String) throws -> [PinID] {
    let pins = try index.pins(matching: name)
    let live = pins.filter { !$0.removed.value }
    guard !pins.isEmpty else {
      throw CairnError(
        .notFound, "There is no pin “\(name)”.", hint: "`cairn pin list` shows those there are.")
    }
    return (live.isEmpty ? pins : live).map(\.id)
  }
}
