import CairnDocument
import CairnMerge
import TestSupport
import Testing

@testable import CairnIndex

@Suite("Search")
struct SearchTests {
  @Test("finds and sorts the same photos as a scan of every document", arguments: UInt64(0)..<8)
  func naive(seed: UInt64) throws {
    var scene = Scene(seed: seed)
    let index = try DatasetIndex.inMemory()
    for _ in 0..<6 {
      let changed = scene.changes(40)
      try index.write { writer in
        try scene.write(changed, to: writer)
        try writer.clearAdded()
        for case .photo(let photo) in scene.documents.values {
          try writer.setAdded(photo.id, at: photo.source.stamp.milliseconds)
        }
        try writer.resolve(scene.rules, fingerprint: scene.fingerprint)
      }
      let oracle = Oracle(scene)
      for _ in 0..<30 {
        let filter = scene.random.filter(depth: 2)
        let wanted = Scene.photos.sorted().filter { oracle.holds(filter, for: $0) }
        let limit = scene.random.below(4)
        try index.read { reader in
          #expect(
            Set(try reader.photos(where: filter)) == Set(wanted), "\(filter)")
          #expect(try reader.photoCount(where: filter) == wanted.count)
          // Ids with the same first bytes come in any order.
          let first = try reader.photos(where: filter, limit: limit + 1)
          #expect(first.map(start) == wanted.prefix(limit + 1).map(start), "\(filter)")
          for order in PhotoOrder.allCases {
            for isReversed in [false, true] {
              let sorted = oracle.sorted(wanted, by: order, isReversed, filter)
              let all = try reader.photos(where: filter, by: order, isReversed: isReversed)
              #expect(Set(all) == Set(wanted))
              #expect(all.map(start) == sorted.map(start), "\(order) \(isReversed) \(filter)")
              let some = try reader.photos(
                where: filter, by: order, isReversed: isReversed, limit: limit)
              #expect(some.map(start) == sorted.prefix(limit).map(start))
              let negative = try reader.photos(
                where: filter, by: order, isReversed: isReversed, offset: -2, limit: -1)
              #expect(negative.isEmpty)
            }
          }
        }
      }
    }
  }

  private func start(_ id: PhotoID) -> [UInt8] { Array(id.digest.prefix(6)) }

  @Test("starts from a sorted term when it can stop early, and from a rare term otherwise")
  func plan() {
    let all = SearchPlan.AccessPath(term: nil, rows: 200_000, isSorted: true)
    let frequent = SearchPlan.AccessPath(term: 0, rows: 200_000, isSorted: true)
    let rare = SearchPlan.AccessPath(term: 1, rows: 40, isSorted: false)
    let scattered = SearchPlan.AccessPath(term: 1, rows: 9_000, isSorted: false)
    func best(_ ways: [SearchPlan.AccessPath], _ shares: [Double], _ limit: Int?) -> Int {
      SearchPlan.cheapest(of: ways, shares: shares, limit: limit)
    }
    #expect(best([all, frequent, rare], [0.1, 0.0002], 100) == 2)
    #expect(best([all, frequent, scattered], [0.1, 0.05], 100) == 1)
    #expect(best([all, scattered], [0.5, 0.5], 100) == 0)
    #expect(best([all, frequent, scattered], [0.1, 0.05], nil) == 2)
  }
}

/// Computes the expected results from the documents themselves.
private struct Oracle {
  let scene: Scene
  let rules: ResolutionRules

  init(_ scene: Scene) { (self.scene, rules) = (scene, scene.rules) }

  func holds(_ filter: PhotoFilter, for id: PhotoID) -> Bool {
    guard case .photo(let photo) = scene.documents[.photo(id)] else { return false }
    return filter.alternatives.contains { holds($0, for: photo) }
  }

  /// Sorts photos that match a filter; equal ones by id.
  func sorted(
    _ photos: [PhotoID], by order: PhotoOrder, _ isReversed: Bool, _ filter: PhotoFilter
  ) -> [PhotoID] {
    let ids = photos.sorted()
    func sorted<Value: Equatable>(
      _ value: (Photo) -> Value?, _ precedes: (Value, Value) -> Bool
    ) -> [PhotoID] {
      let values = ids.map { id -> (id: PhotoID, value: Value?) in
        guard case .photo(let photo) = scene.documents[.photo(id)] else { fatalError("\(id)") }
        return (id, value(photo))
      }
      return values.sorted { a, b in
        if a.value == b.value { return a.id < b.id }
        guard let x = a.value, let y = b.value else { return a.value != nil }
        return precedes(x, y) != isReversed
      }.map(\.id)
    }
    return switch order {
    case .id: isReversed ? ids.reversed() : ids
    case .labeled:
      sorted(
        { photo in
          scene.labels(of: photo.id).filter { $0.verdict != .withdrawn }
            .map(\.stamp.milliseconds).filter { $0 > 0 }.max()
        }, >)
    case .taken: sorted({ $0.taken.map { String($0.local) } }, >)
    case .added: sorted({ $0.source.stamp.milliseconds }, >)
    case .confidence: sorted({ confidence(of: $0, filter) }, >)
    case .title:
      sorted({ photo in
        let title = photo.title.value.isEmpty ? photo.source.value : photo.title.value
        return title.isEmpty ? nil : Array(plain(title).utf8)
      }) { $0.lexicographicallyPrecedes($1) }
    }
  }

  /// Returns the highest confidence among the classes in the matching alternatives, or among all.
  private func confidence(of photo: Photo, _ filter: PhotoFilter) -> Double? {
    let asked = filter.alternatives.filter { holds($0, for: photo) }.map { conditions in
      conditions.assertions.filter { $0.states != nil }.compactMap(\.classKey)
    }
    return rules.resolve(scene.labels(of: photo.id))
      .filter { resolution in
        asked.contains { $0.isEmpty || $0.contains(resolution.classKey) }
      }
      .map(\.confidence).max()
  }

  private func holds(_ conditions: PhotoConditions, for photo: Photo) -> Bool {
    return conditions.flags.allSatisfy { holds($0, for: photo) }
      && conditions.pins.allSatisfy { pins in photo.pin.value.map(pins.contains) ?? false }
      && conditions.areas.allSatisfy { area in coordinate(of: photo).map(area.contains) ?? false }
      && conditions.among.allSatisfy { $0.contains(photo.id) }
      && conditions.taken.allSatisfy { time in
        photo.taken?.localMilliseconds.map(time.contains) ?? false
      }
      && conditions.texts.allSatisfy { text in
        texts(of: photo, text.field).contains { holds(text, of: $0) }
      }
      && conditions.assertions.allSatisfy { claim in
        Scene.classes.contains { holds(claim, on: $0, for: photo.id) }
      }
      && !conditions.excluded.contains { holds($0, for: photo.id) }
  }

  private func coordinate(of photo: Photo) -> Coordinate? {
    guard let pin = scene.pin(of: photo), !pin.removed.value else {
      return photo.location
    }
    return pin.location.value
  }

  private func texts(of photo: Photo, _ field: PhotoTextField) -> [String] {
    let credit = photo.credit?.value
    switch field {
    case .text:
      return [photo.title.value, photo.caption.value, photo.source.value, credit?.title ?? ""]
        + photo.image.keywords + photo.image.regions.compactMap(\.name)
        + [scene.pin(of: photo)?.name.value ?? ""]
        + scene.labels(of: photo.id).filter { $0.verdict != .withdrawn }.compactMap(\.text)
    case .camera: return [photo.image.camera ?? ""]
    case .author: return [credit?.author ?? ""]
    case .license: return [credit?.license ?? ""]
    case .source: return [credit?.service ?? ""]
    }
  }

  /// Returns whether the words of the filter follow one another in the text.
  private func holds(_ filter: TextFilter, of text: String) -> Bool {
    func words(_ text: String) -> [Substring] {
      plain(text).split { !$0.isLetter && !$0.isNumber }
    }
    let (all, wanted) = (words(text), words(filter.text))
    return all.indices.contains { start in
      let part = all[start...].prefix(wanted.count)
      guard part.count == wanted.count, part.dropLast() == wanted.dropLast(),
        let last = part.last, let wantedLast = wanted.last
      else { return false }
      return filter.isBeginning ? last.hasPrefix(wantedLast) : last == wantedLast
    }
  }

  private func plain(_ text: String) -> String {
    text.lowercased().replacing("\u{E9}", with: "e").replacing("\u{EF}", with: "i")
      .replacing("\u{EB}", with: "e")
  }

  private func holds(_ flag: PhotoFlag, for photo: Photo) -> Bool {
    let labels = scene.labels(of: photo.id)
    let isVisible = Visibility(of: photo, labels: labels).isVisible
    return switch flag {
    case .visible: isVisible
    case .removed: !isVisible
    case .unlabeled: rules.resolve(labels).isEmpty
    case .labeled: !rules.resolve(labels).isEmpty
    case .hasPin: scene.pin(of: photo)?.removed.value == false
    case .hasLocation: coordinate(of: photo) != nil
    case .hasTitle: !photo.title.value.isEmpty
    case .hasCaption: !photo.caption.value.isEmpty
    case .hasText: labels.contains { $0.verdict != .withdrawn && $0.text != nil }
    case .hasTaken: photo.taken != nil
    }
  }

  private func holds(_ claim: Assertion, on key: ClassKey, for photo: PhotoID) -> Bool {
    if let wanted = claim.classKey, wanted != key { return false }
    let labels = scene.labels(of: photo)
    if let states = claim.states {
      let resolution = rules.resolve(labels).first { $0.classKey == key }
      guard let resolution, states.contains(resolution.state),
        claim.confidence.contains(resolution.confidence)
      else { return false }
    }
    return claim.filters.allSatisfy { labelFilter in
      labels.contains { label in
        rules.classes.canonicalKey(of: label.classKey) == key
          && (labelFilter.isPresent ? label.verdict == .present : label.verdict != .withdrawn)
          && labelFilter.annotators?.contains(label.annotator) ?? true
          && labelFilter.time?.contains(label.stamp.milliseconds) ?? true
          && (labelFilter.run == nil || labelFilter.run == label.run)
          && (!labelFilter.hasRegion || label.region != nil)
      }
    }
  }
}

extension FractionRange {
  fileprivate func contains(_ value: Double) -> Bool {
    (isLowIncluded ? value >= low : value > low) && (isHighIncluded ? value <= high : value < high)
  }
}

extension SeededGenerator {
  fileprivate mutating func filter(depth: Int) -> PhotoFilter {
    PhotoFilter((0..<(chance(25) ? 2 : 1)).map { _ in conditions(depth: depth) })
  }

  private mutating func conditions(depth: Int) -> PhotoConditions {
    var conditions = PhotoConditions()
    for _ in 0..<below(4) {
      switch below(12) {
      case 0: conditions.flags.insert(pick(PhotoFlag.allCases))
      case 1: conditions.pins.append((0...below(2)).map { _ in pick(Scene.pins) })
      case 2: conditions.areas.append(area())
      case 3: conditions.texts.append(text())
      case 9: conditions.texts.append(text())
      case 10:
        conditions.taken.append(
          pick([1_714_435_200_000..<1_714_521_600_000, -86_400_000..<0, 0..<1_714_521_600_000]))
      case 11: conditions.among.append((0...below(6)).map { _ in pick(Scene.photos) })
      case 4 where depth > 0: conditions.excluded.append(filter(depth: depth - 1))
      default: conditions.assertions.append(claim())
      }
    }
    return conditions
  }

  private mutating func text() -> TextFilter {
    if chance(60) {
      return TextFilter(
        pick([
          "old", "OAK", "jp", "\u{E9}lan", "mill", "a.jpg", "x", "old tr", "naive", "york", "caf",
          "oak a cafe", "oak jpg", "tree fir", "jpg elms",
        ]),
        isBeginning: chance(50))
    }
    let (field, text): (PhotoTextField, String) = pick([
      (.camera, "canon"), (.camera, "z"), (.author, "ansel adams"), (.author, "zoe"),
      (.license, "cc-by"), (.source, "flick"), (.source, "commons"),
    ])
    return TextFilter(text, in: field, isBeginning: chance(30))
  }

  private mutating func area() -> MapArea {
    pick([
      MapArea(west: -1, south: -1, east: 0.005, north: 1)!,
      MapArea(west: 179, south: -90, east: -179, north: 90)!,
      MapArea(west: -180, south: -90, east: 180, north: 90)!,
      MapArea(around: Coordinate(latitude: 0, longitude: 0)!, radiusMeters: 600)!,
      MapArea(around: Coordinate(latitude: 0, longitude: -179.999)!, radiusMeters: 2000)!,
      MapArea(around: Coordinate(latitude: 90, longitude: 7)!, radiusMeters: 1000)!,
    ])
  }

  private mutating func claim() -> Assertion {
    var claim = Assertion()
    if chance(50) { claim.classKey = pick(Scene.classes) }
    if chance(60) {
      let states: [Resolution.State] = [.confirmed, .rejected, .predicted, .disputed]
      claim.states = Set((0...below(4)).map { _ in pick(states) })
      if chance(40) {
        claim.confidence.high = pick([0.4, 0.6, 1])
        claim.confidence.isHighIncluded = chance(50)
        claim.confidence.low = pick([0, 0.4])
        claim.confidence.isLowIncluded = chance(50)
      }
    }
    for _ in 0..<below(3) {
      var labelFilter = AssertionFilter()
      if chance(60) {
        labelFilter.annotators = (0...below(2)).map { _ in pick(Scene.people + Scene.models) }
      }
      if chance(30) {
        let start = 1_795_000_000_000 + Int64(below(40)) * 86_400_000
        labelFilter.time = start..<start + Int64(below(30)) * 86_400_000
      }
      if chance(20) { labelFilter.run = pick(Scene.runs) }
      if chance(20) { labelFilter.hasRegion = true }
      if chance(20) { labelFilter.isPresent = true }
      claim.filters.append(labelFilter)
    }
    // An empty assertion matches even a photo without any class.
    if claim.states == nil, claim.filters.isEmpty { claim.filters = [AssertionFilter()] }
    return claim
  }
}
