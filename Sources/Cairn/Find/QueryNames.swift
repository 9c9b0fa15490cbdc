internal import CairnDocument
internal import CairnMerge
internal import CairnSync
internal import SystemPackage

/// Resolves the names in a query to documents of a dataset.
struct QueryNames {
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
      case .labeled(let time):
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
