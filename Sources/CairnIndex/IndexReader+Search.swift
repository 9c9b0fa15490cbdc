public import CairnDocument
internal import CairnMerge
internal import Foundation
internal import GRDB

extension IndexReader {
  /// Returns the photos that a filter holds for.
  ///
  /// - Parameter limit: How many at most.
  /// - Parameter isReversed: The other way round.
  public func photos(
    where filter: PhotoFilter, by order: PhotoOrder = .id, isReversed: Bool = false,
    limit: Int? = nil
  ) throws -> [PhotoID] {
    let isSorted = order == .id && !isReversed
    var found: Set<Int64> = []
    var rows: [(key: Int64, value: SortValue)] = []
    for conditions in filter.alternatives {
      let value = try value(of: order, asking: conditions)
      let selection = try selection(
        conditions, value, limit: isSorted ? limit : nil)
      var count = 0
      while try selection.step() {
        let key = selection.int(0)
        // What comes sorted comes together when it comes twice.
        guard found.insert(key).inserted else { continue }
        rows.append((key, SortValue(selection, order)))
        count += 1
        if isSorted, count == limit { break }
      }
    }
    rows.sort { a, b in
      if a.value != b.value { return (a.value < b.value) != isReversed }
      return (a.key < b.key) != (isReversed && order == .id)
    }
    return try ids(rows.prefix(limit ?? rows.count).map(\.key))
  }

  /// Returns how many photos a filter holds for.
  public func photoCount(where filter: PhotoFilter) throws -> Int {
    var found: Set<Int64> = []
    for conditions in filter.alternatives {
      let rows = try selection(conditions, "NULL", limit: nil)
      while try rows.step() { found.insert(rows.int(0)) }
    }
    return found.count
  }

  private func ids(_ keys: [Int64]) throws -> [PhotoID] {
    let find = try PreparedStatement(db, "SELECT id FROM photo WHERE key = ?")
    return try keys.compactMap { key in
      find.bind(key, at: 1)
      return try find.first { PhotoID(digest: $0.blob(0)) }
    }
  }

  // MARK: Selecting

  /// Returns the statement whose rows are the photos, sorted by id where there is a limit.
  private func selection(
    _ conditions: PhotoConditions, _ value: String, limit: Int?
  ) throws -> PreparedStatement {
    var search = PhotoSearch(names)
    let terms = try search.terms(of: conditions)
    let (term, source) = try cheapest(terms, limit: limit)
    var all = [source.condition]
    for (place, other) in terms.enumerated() where place != term { all.append(other.condition) }
    let statement = try PreparedStatement(
      db,
      """
      SELECT p.key, \(value) FROM \(source.from)
      WHERE p.view > 0 AND \(all.joined(separator: " AND "))
      \(limit == nil ? "" : "ORDER BY \(source.photo)")
      """)
    for (place, text) in search.arguments.enumerated() {
      statement.bind(text, at: Int32(place) + 1)
    }
    return statement
  }

  private func cheapest(
    _ terms: [PhotoSearch.Term], limit: Int?
  ) throws -> (term: Int?, source: SearchSource) {
    let only = terms.firstIndex { !$0.sources.isEmpty }
    // Nothing is better than the one way that can stop early.
    if terms.count(where: { !$0.sources.isEmpty }) == 1, limit != nil, let only,
      let source = terms[only].sources.first, source.isSorted
    {
      return (only, source)
    }
    let total = try photoTotal()
    var ways = [SearchPlan.Way(term: nil, rows: total, isSorted: true)]
    var sources = [PhotoSearch.scan]
    var shares = [Double](repeating: 1, count: terms.count)
    for (place, term) in terms.enumerated() {
      for source in term.sources {
        guard let counted = source.counted else { continue }
        let rows =
          try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM (SELECT 1 FROM \(counted) LIMIT \(SearchPlan.countLimit))")
          ?? 0
        let isFrequent = rows == SearchPlan.countLimit
        shares[place] = min(shares[place], Double(rows) / Double(max(total, rows, 1)))
        // Of what is frequent it is not known how frequent.
        ways.append(
          SearchPlan.Way(
            term: place, rows: isFrequent ? max(rows, total) : rows, isSorted: source.isSorted))
        sources.append(source)
      }
    }
    let best = SearchPlan.cheapest(of: ways, shares: shares, limit: limit)
    return (ways[best].term, sources[best])
  }

  /// About how many photos there are: ids are spread evenly, so that counting some of them will do.
  private func photoTotal() throws -> Int {
    let limit = 1000
    let counted = try PreparedStatement(
      db, "SELECT count(*), max(key) FROM (SELECT key FROM photo ORDER BY key LIMIT \(limit))")
    let (rows, last) = try counted.first { (Int($0.int(0)), $0.int(1)) } ?? (0, 0)
    if rows < limit { return rows }
    return Int(Double(rows) * Double(Int64(1) << 47) / Double(max(last, 1)))
  }

  // MARK: Sorting

  /// What photos are sorted by, in SQL.
  private func value(of order: PhotoOrder, asking conditions: PhotoConditions) throws -> String {
    switch order {
    case .id: return "NULL"
    case .said: return "p.said"
    case .title: return "p.title"
    case .confidence:
      let classes = try conditions.claims.compactMap(\.classKey).compactMap { try names.known($0) }
      let asked = classes.map(String.init).joined(separator: ", ")
      let ofClasses = classes.isEmpty ? "" : " AND class IN (\(asked))"
      return "(SELECT max(confidence) FROM standing WHERE photo = p.key\(ofClasses))"
    }
  }

  // MARK: Details

  /// Returns a photo with what stands of it; nil when it has no document.
  public func found(_ id: PhotoID) throws -> FoundPhoto? {
    let row = try db.cachedStatement(
      sql: """
        SELECT photoDocument.document, latitude, longitude FROM photo
        JOIN photoDocument ON photoDocument.photo = photo.key
        LEFT JOIN pin ON pin.key = photo.pin AND pin.removed = 0 WHERE photo.key = ?
        """)
    guard let key = try key(of: id), let found = try Row.fetchOne(row, arguments: [key]) else {
      return nil
    }
    let place = (latitude: found[1] as Double?, longitude: found[2] as Double?)
    return FoundPhoto(
      photo: try Photo(bytes: [UInt8](found[0] as Data)),
      location: place.latitude.flatMap { latitude in
        place.longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) }
      },
      standings: try standings(of: key))
  }

  private func standings(of photo: Int64) throws -> [FoundPhoto.Standing] {
    let statement = try db.cachedStatement(
      sql: "SELECT class, state, confidence FROM standing WHERE photo = ?")
    return try Row.fetchAll(statement, arguments: [photo]).compactMap { row in
      guard let key = try names.classKey(row[0]),
        let state = Resolution.State(number: row[1])
      else { return nil }
      return FoundPhoto.Standing(
        classKey: key, name: try names.className(row[0]) ?? key.text, state: state,
        confidence: row[2])
    }.sorted { $0.classKey < $1.classKey }
  }
}

/// What a photo is sorted by; in ascending order.
private enum SortValue: Comparable {
  case none
  /// The greatest first.
  case number(Double)
  /// By the order of its bytes.
  case text(String)

  init(_ row: PreparedStatement, _ order: PhotoOrder) {
    switch order {
    case .id: self = .none
    case .said, .confidence: self = .number(row.isNull(1) ? -1 : row.double(1))
    case .title: self = .text(row.text(1).lowercased())
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
