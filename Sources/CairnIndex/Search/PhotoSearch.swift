internal import CairnDocument
internal import CairnMerge
internal import GRDB

/// A way to find all photos that match a condition: rows to start from, each to be checked against
/// the other conditions.
struct Candidates {
  /// The SQL after FROM; it ends with the photo's row `p`.
  let from: String
  /// The condition that these rows satisfy.
  let condition: String
  /// The expression for the photo's row key, by which sorted rows are sorted.
  let photo: String
  /// Whether the rows are sorted by photo, so that reading can stop early.
  let isSorted: Bool
  /// The SQL to count the rows up to a limit; nil for the scan of all photos.
  let counted: String?
}

/// A builder of SQL from conditions. Row keys are written into the SQL; text is bound.
struct PhotoSearch {
  let reader: IndexReader
  var arguments: [String] = []

  init(_ reader: IndexReader) { self.reader = reader }

  var names: KeyCache { reader.names }

  /// One condition, and the ways to start from it.
  struct Term {
    let condition: String
    var sources: [Candidates] = []
  }

  static let scan = Candidates(
    from: "photo p NOT INDEXED", condition: "1", photo: "p.key", isSorted: true, counted: nil)

  /// Returns the conditions on the photo `p`, the most expensive last.
  mutating func terms(of conditions: PhotoConditions) throws -> [Term] {
    var terms = conditions.flags.sorted { "\($0)" < "\($1)" }.map { term($0) }
    for pins in conditions.pins { terms.append(try term(pins)) }
    for photos in conditions.among { terms.append(try term(among: photos)) }
    for time in conditions.taken { terms.append(term(taken: time)) }
    for area in conditions.areas { terms.append(try term(area)) }
    for assertion in conditions.assertions { terms.append(try term(assertion)) }
    for text in conditions.texts { terms.append(try term(text)) }
    for filter in conditions.excluded {
      // A null condition, as for a photo without a pin, excludes nothing.
      terms.append(Term(condition: "\(try condition(filter)) IS NOT TRUE"))
    }
    return terms
  }

  private mutating func condition(_ filter: PhotoFilter) throws -> String {
    let alternatives = try filter.alternatives.map { conditions in
      try "(" + (["1"] + terms(of: conditions).map(\.condition)).joined(separator: " AND ") + ")"
    }
    return "(" + (["0"] + alternatives).joined(separator: " OR ") + ")"
  }

  // MARK: Conditions on labels

  // Conditions are written twice: unchanged, to start from an index, and with “+” before their
  // columns, to check one photo. Without the “+”, SQLite would prefer another index to reading the
  // few rows of the photo.

  private func term(_ assertion: Assertion) throws -> Term {
    let classNumber = try assertion.classKey.map { try names.known($0) ?? KeyCache.missing }
    if let states = assertion.states {
      return try resolution(assertion, states.compactMap(\.number).sorted(), classNumber)
    }
    guard let first = assertion.filters.first else { return Term(condition: "1") }
    var others: [String] = []
    if let classNumber {
      others.append("l.class IN (SELECT key FROM class WHERE canonical = \(classNumber))")
    }
    for other in assertion.filters.dropFirst() {
      let sameClass = """
        m.class IN (SELECT b.key FROM class a JOIN class b ON b.canonical = a.canonical
          WHERE a.key = l.class)
        """
      others.append(
        """
        EXISTS (SELECT 1 FROM label m WHERE m.photo = l.photo AND \(sameClass)
          AND \(try condition(other, "+m")))
        """)
    }
    func all(_ own: String) -> String { ([own] + others).joined(separator: " AND ") }
    let condition = all(try self.condition(first, "l"))
    func source(_ index: String, isSorted: Bool, _ own: String) -> Candidates {
      Candidates(
        from: "label l INDEXED BY \(index) CROSS JOIN photo p ON p.key = l.photo",
        condition: "\(own) AND \(condition)", photo: "l.photo", isSorted: isSorted,
        counted: "label l INDEXED BY \(index) WHERE \(own)")
    }
    var sources: [Candidates] = []
    if first.annotators != nil {
      let annotatorKeys = try self.annotatorKeys(first)
      sources.append(
        source(
          "labelAnnotator", isSorted: annotatorKeys.count <= 1,
          "l.annotator IN (\(annotatorKeys.joined(separator: ", ")))"))
    }
    if let time = first.time {
      let days = DayRange(time)
      sources.append(
        source(
          "labelSaid", isSorted: days.isOne,
          "\(days.condition("l.said")) AND \(during(time, "l")) AND l.verdict > 0"))
    }
    if let run = first.run {
      let number = try names.known(run)
      sources.append(source("labelRun", isSorted: false, "l.run = \(number)"))
    }
    if first.hasRegion {
      sources.append(source("labelBox", isSorted: true, "l.box > 0 AND l.verdict > 0"))
    }
    let asked = all(try self.condition(first, "+l"))
    return Term(
      condition: "EXISTS (SELECT 1 FROM label l WHERE l.photo = p.key AND \(asked))",
      sources: sources)
  }

  private func resolution(_ assertion: Assertion, _ states: [Int64], _ classNumber: Int64?) throws
    -> Term
  {
    let isUnsure = assertion.confidence.high < 1 || !assertion.confidence.isHighIncluded
    let state = { (row: String) in
      let list = states.map(String.init).joined(separator: ", ")
      return states.count == 1 ? "\(row).state = \(list)" : "\(row).state IN (\(list))"
    }
    func own(_ row: String) -> String {
      var conditions = ["1"]
      if let classNumber { conditions.append("s.class = \(classNumber)") }
      if states.count < 4 { conditions.append(state(row)) }
      if !assertion.confidence.isAll {
        conditions.append(assertion.confidence.condition("\(row).confidence"))
      }
      if isUnsure { conditions.append("\(row).confidence < 1") }
      return conditions.joined(separator: " AND ")
    }
    let canonical = classNumber.map(String.init) ?? "s.class"
    let ofLabels = try assertion.filters.map { filter in
      """
       AND EXISTS (SELECT 1 FROM label l WHERE l.photo = s.photo
        AND l.class IN (SELECT key FROM class WHERE canonical = \(canonical))
        AND \(try condition(filter, "+l")))
      """
    }.joined()
    func source(_ index: String, isSorted: Bool, _ counted: String) -> Candidates {
      Candidates(
        from: "resolution s INDEXED BY \(index) CROSS JOIN photo p ON p.key = s.photo",
        condition: own("s") + ofLabels, photo: "s.photo", isSorted: isSorted,
        counted: "resolution s INDEXED BY \(index) WHERE \(counted)")
    }
    var sources: [Candidates] = []
    if let classNumber {
      sources.append(source("resolutionClass", isSorted: true, "s.class = \(classNumber)"))
    } else {
      if states.count < 4 {
        sources.append(source("resolutionState", isSorted: states.count == 1, state("s")))
      }
      if isUnsure { sources.append(source("resolutionUnsure", isSorted: false, own("s"))) }
    }
    return Term(
      condition:
        "EXISTS (SELECT 1 FROM resolution s WHERE s.photo = p.key AND \(own("+s"))\(ofLabels))",
      sources: sources)
  }

  /// Returns the condition on a row of `label`.
  private func condition(_ filter: AssertionFilter, _ row: String) throws -> String {
    var conditions = ["\(row).verdict \(filter.isPresent ? "= 1" : "> 0")"]
    if filter.annotators != nil {
      let annotatorKeys = try self.annotatorKeys(filter).joined(separator: ", ")
      conditions.append("\(row).annotator IN (\(annotatorKeys))")
    }
    if let time = filter.time { conditions.append(during(time, row)) }
    if let run = filter.run { conditions.append("\(row).run = \(try names.known(run))") }
    if filter.hasRegion { conditions.append("\(row).box > 0") }
    return conditions.joined(separator: " AND ")
  }

  private func annotatorKeys(_ filter: AssertionFilter) throws -> [String] {
    try (filter.annotators ?? []).map { "\(try names.known($0))" }
  }

  private func during(_ time: Range<Int64>, _ row: String) -> String {
    "\(row).said >= \(time.lowerBound) AND \(row).said < \(time.upperBound)"
  }
}
