package import CairnDocument
internal import CairnMerge
internal import GRDB

extension IndexReader {
  /// Returns the photos that match a filter.
  ///
  /// - Parameter isReversed: Whether to reverse the order.
  /// - Parameter offset: The number of results to skip.
  /// - Parameter limit: The maximum number of results.
  package func photos(
    where filter: PhotoFilter, by order: PhotoOrder = .id, isReversed: Bool = false,
    offset: Int = 0, limit: Int? = nil
  ) throws -> [PhotoID] {
    let find = try PreparedStatement(db, "SELECT id FROM photo WHERE key = ?")
    var ids: [PhotoID] = []
    try forEachKey(
      where: filter, by: order, isReversed: isReversed, offset: offset, limit: limit
    ) { key in
      find.bind(key, at: 1)
      if let id = try find.first({ PhotoID(digest: $0.blob(0)) }) ?? nil { ids.append(id) }
    }
    return ids
  }

  /// Calls `visit` for each photo that matches a filter, with its resolutions. Sorted by id, photos
  /// are visited during the search; in other orders, once all row keys are known.
  package func forEachFound(
    where filter: PhotoFilter, by order: PhotoOrder = .id, isReversed: Bool = false,
    offset: Int = 0, limit: Int? = nil, _ visit: (FoundPhoto) throws -> Void
  ) throws {
    try forEachKey(
      where: filter, by: order, isReversed: isReversed, offset: offset, limit: limit
    ) { key in
      if let found = try found(key) { try visit(found) }
    }
  }

  func forEachKey(
    where filter: PhotoFilter, by order: PhotoOrder = .id, isReversed: Bool = false,
    offset: Int = 0, limit: Int? = nil, _ visit: (Int64) throws -> Void
  ) throws {
    let (offset, limit) = (max(0, offset), limit.map { max(0, $0) })
    let end = limit.map { $0 > .max - offset ? .max : offset + $0 } ?? .max
    guard order == .id else {
      let keys = try sortedKeys(where: filter, by: order, isReversed)
      for key in keys.prefix(end).dropFirst(offset) { try visit(key) }
      return
    }
    let sorting = isReversed ? "DESC" : "ASC"
    var selections = try MergedCursors(
      filter.alternatives.map {
        try selection($0, sorting: sorting, limit: limit == nil ? nil : end)
      }, isReversed: isReversed)
    var position = 0
    while position < end, let key = try selections.next() {
      if position >= offset { try visit(key) }
      position += 1
    }
  }

  private func sortedKeys(
    where filter: PhotoFilter, by order: PhotoOrder, _ isReversed: Bool
  ) throws -> [Int64] {
    var rowIndices: [Int64: Int] = [:]
    var rows: [(key: Int64, value: SortValue)] = []
    for conditions in filter.alternatives {
      let selection = try selection(conditions, value: value(of: order, asking: conditions))
      while try selection.step() {
        let (key, value) = (selection.int(0), SortValue(selection, order))
        if let index = rowIndices[key] {
          // Alternatives may name different classes, and so have different confidences.
          if rows[index].value == .unknown || value < rows[index].value {
            rows[index].value = value
          }
        } else {
          rowIndices[key] = rows.count
          rows.append((key, value))
        }
      }
    }
    rows.sort { a, b in
      if a.value == b.value { return a.key < b.key }
      if a.value == .unknown || b.value == .unknown { return b.value == .unknown }
      return (a.value < b.value) != isReversed
    }
    return rows.map(\.key)
  }

  /// Returns the number of photos that match a filter.
  package func photoCount(where filter: PhotoFilter) throws -> Int {
    var found: Set<Int64> = []
    for conditions in filter.alternatives {
      let rows = try selection(conditions)
      while try rows.step() { found.insert(rows.int(0)) }
    }
    return found.count
  }

  // MARK: Selecting

  /// Returns a statement that selects the photos; a photo may occur more than once.
  ///
  /// - Parameter value: An SQL expression to select with each photo.
  /// - Parameter sorting: The direction to sort by row key; nil for any order.
  /// - Parameter limit: The number of photos wanted.
  func selection(
    _ conditions: PhotoConditions, value: String = "NULL", sorting: String? = nil,
    limit: Int? = nil
  ) throws -> PreparedStatement {
    var search = PhotoSearch(self)
    let terms = try search.terms(of: conditions)
    let (term, source) = try cheapest(terms, search.arguments, limit: limit)
    var all = [source.condition]
    for (index, other) in terms.enumerated() where index != term { all.append(other.condition) }
    let statement = try PreparedStatement(
      db,
      """
      SELECT p.key, \(value) FROM \(source.from)
      WHERE p.view > 0 AND \(all.joined(separator: " AND "))
      \(sorting.map { "ORDER BY \(source.photo) \($0)" } ?? "")
      """)
    statement.bind(search.arguments)
    return statement
  }

  private func cheapest(
    _ terms: [PhotoSearch.Term], _ arguments: [String], limit: Int?
  ) throws -> (term: Int?, source: Candidates) {
    let only = terms.firstIndex { !$0.sources.isEmpty }
    // The only path that can stop early is always the best.
    if terms.count(where: { !$0.sources.isEmpty }) == 1, limit != nil, let only,
      let source = terms[only].sources.first, source.isSorted
    {
      return (only, source)
    }
    let total = try photoTotal()
    var paths = [SearchPlan.AccessPath(term: nil, rows: total, isSorted: true)]
    var sources = [PhotoSearch.scan]
    var shares = [Double](repeating: 1, count: terms.count)
    for (index, term) in terms.enumerated() {
      for source in term.sources {
        guard let counted = source.counted else { continue }
        let count = try PreparedStatement(
          db, "SELECT count(*) FROM (SELECT 1 FROM \(counted) LIMIT \(SearchPlan.countLimit))")
        count.bind(arguments)
        let rows = try count.first { Int($0.int(0)) } ?? 0
        let isFrequent = rows == SearchPlan.countLimit
        shares[index] = min(shares[index], Double(rows) / Double(max(total, rows, 1)))
        // Counting stopped at the limit, so the number of frequent rows is unknown.
        paths.append(
          SearchPlan.AccessPath(
            term: index, rows: isFrequent ? max(rows, total) : rows, isSorted: source.isSorted))
        sources.append(source)
      }
    }
    let best = SearchPlan.cheapest(of: paths, shares: shares, limit: limit)
    return (paths[best].term, sources[best])
  }

  /// Returns the approximate number of photos, extrapolated from a count of the first ones: ids are
  /// evenly distributed.
  private func photoTotal() throws -> Int {
    let limit = 1000
    let counted = try PreparedStatement(
      db, "SELECT count(*), max(key) FROM (SELECT key FROM photo ORDER BY key LIMIT \(limit))")
    let (rows, last) = try counted.first { (Int($0.int(0)), $0.int(1)) } ?? (0, 0)
    if rows < limit { return rows }
    return Int(Double(rows) * Double(Int64(1) << 47) / Double(max(last, 1)))
  }

  // MARK: Sorting

  /// Returns the SQL expression to sort photos by.
  private func value(of order: PhotoOrder, asking conditions: PhotoConditions) throws -> String {
    switch order {
    case .id: return "NULL"
    case .labeled: return "nullif(p.said, 0)"
    case .taken: return "p.taken"
    // Uncommitted photos are the newest.
    case .added: return "COALESCE(p.added, \(Int64.max))"
    case .title: return "nullif(p.title, '')"
    case .confidence:
      // Conditions without states, such as favorites, have no confidence.
      let classes = try conditions.assertions.filter { $0.states != nil }.compactMap(\.classKey)
        .compactMap { try names.known($0) }
      let asked = classes.map(String.init).joined(separator: ", ")
      let ofClasses = classes.isEmpty ? "" : " AND class IN (\(asked))"
      return "(SELECT max(confidence) FROM resolution WHERE photo = p.key\(ofClasses))"
    }
  }

  // MARK: Details

  /// Returns a photo with its resolutions; nil if it has no document.
  package func found(_ id: PhotoID) throws -> FoundPhoto? { try key(of: id).flatMap(found) }

  /// Returns photos with their resolutions, in their order; photos that the index no longer has are
  /// left out.
  package func found(_ keys: some Sequence<PhotoRowKey>) throws -> [FoundPhoto] {
    try keys.compactMap { try found($0) }
  }

  /// Calls `visit` for the photos whose file names have the same hash, among them all that differ
  /// only in letter case or accents, sorted by id, until it returns false.
  package func forEachPhoto(named fileName: String, _ visit: (Photo) throws -> Bool) throws {
    let rows = try names.namedDocuments.get()
    rows.bind(SearchText.hash(ofFileName: fileName), at: 1)
    defer { rows.reset() }
    while try rows.step(), try visit(Photo(bytes: rows.blob(0))) {}
  }

  private func found(_ key: PhotoRowKey) throws -> FoundPhoto? {
    let find = try names.photoDocuments.get()
    find.bind(key, at: 1)
    let found = try find.first { row in
      let location =
        row.isNull(1) || row.isNull(2)
        ? nil : Coordinate(latitude: row.double(1), longitude: row.double(2))
      return (document: row.blob(0), location: location)
    }
    guard let found else { return nil }
    return FoundPhoto(
      photo: try Photo(bytes: found.document), location: found.location,
      resolutions: try resolutions(of: key))
  }

  private func resolutions(of photo: Int64) throws -> [FoundPhoto.ClassState] {
    let rows = try names.photoResolutions.get()
    rows.bind(photo, at: 1)
    var states: [FoundPhoto.ClassState] = []
    while try rows.step() {
      guard let key = try names.classKey(rows.int(0)),
        let state = Resolution.State(number: rows.int(1))
      else { continue }
      states.append(
        FoundPhoto.ClassState(
          classKey: key, name: try names.className(rows.int(0)) ?? key.text, state: state,
          confidence: rows.double(2)))
    }
    return states.sorted { $0.classKey < $1.classKey }
  }
}

/// A value to sort photos by, in ascending order.
private enum SortValue: Comparable {
  case unknown
  /// Greatest first.
  case number(Double)
  /// In byte order.
  case text(String)

  init(_ row: PreparedStatement, _ order: PhotoOrder) {
    if row.isNull(1) {
      self = .unknown
    } else {
      self = order == .title ? .text(SearchText.folded(row.text(1))) : .number(row.double(1))
    }
  }

  static func < (a: SortValue, b: SortValue) -> Bool {
    switch (a, b) {
    case (.number(let a), .number(let b)): a > b
    case (.text(let a), .text(let b)): a.precedesInUTF8(b)
    default: false
    }
  }
}
