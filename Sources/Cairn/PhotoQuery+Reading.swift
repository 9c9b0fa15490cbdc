extension PhotoQuery {
  /// Reads a query.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput``; its message shows the place with “▸”.
  public init(_ text: String) throws(CairnError) {
    var reader = QueryReader(text)
    self = try reader.query()
  }
}

/// Reads a query from left to right.
private struct QueryReader {
  private let text: [Character]
  private var place = 0
  private var depth = 0

  /// Beyond these sizes it is no query that people write, nor one that SQLite reads.
  private static let lengthLimit = 10_000
  private static let depthLimit = 10

  init(_ text: String) { self.text = Array(text) }

  mutating func query() throws(CairnError) -> PhotoQuery {
    if text.count > QueryReader.lengthLimit {
      throw CairnError(
        .invalidInput, "The query is longer than \(QueryReader.lengthLimit) characters.")
    }
    skipSpaces()
    if isAtEnd { return .everything }
    let query = try alternatives()
    if !isAtEnd { throw error("there is no “(” for this “)”") }
    return query
  }

  // MARK: Structure

  private mutating func alternatives() throws(CairnError) -> PhotoQuery {
    var sides = [try conjunction()]
    while takeOr() { sides.append(try conjunction()) }
    return sides.count == 1 ? sides[0] : .any(sides)
  }

  private mutating func conjunction() throws(CairnError) -> PhotoQuery {
    var parts: [PhotoQuery] = []
    skipSpaces()
    while !isAtEnd, text[place] != ")", !isAtOr { parts.append(try part()) }
    if parts.isEmpty { throw error("a term is missing") }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func part() throws(CairnError) -> PhotoQuery {
    defer { skipSpaces() }
    if text[place] == "-" {
      place += 1
      guard !isAtEnd, !text[place].isWhitespace, text[place] != ")", text[place] != "-" else {
        throw error("a term is missing after “-”")
      }
      return .not(try part())
    }
    guard text[place] == "(" else { return .term(try term()) }
    depth += 1
    if depth > QueryReader.depthLimit { throw error("too many parentheses within each other") }
    let start = place
    place += 1
    let query = try alternatives()
    guard !isAtEnd else { throw error("there is no “)” for this “(”", at: start) }
    place += 1
    depth -= 1
    return query
  }

  private var isAtEnd: Bool { place == text.count }

  private mutating func skipSpaces() { while !isAtEnd, text[place].isWhitespace { place += 1 } }

  private var isAtOr: Bool {
    let end = place + 2
    guard end <= text.count, text[place] == "O", text[place + 1] == "R" else { return false }
    return end == text.count || text[end].isWhitespace || text[end] == "("
  }

  private mutating func takeOr() -> Bool {
    guard isAtOr else { return false }
    place += 2
    return true
  }

  // MARK: Terms

  private mutating func term() throws(CairnError) -> PhotoQuery.Term {
    let start = place
    let key = takeKey()
    let valueStart = place
    let value = try value()
    guard let key else { return .word(value) }
    if value.isEmpty { throw error("“\(key):” says nothing", at: start) }
    switch key {
    case "label": return .label(value)
    case "by": return .by(value)
    case "model": return .model(value)
    case "run": return .run(value)
    case "pin": return .pin(value)
    case "state": return .states(try states(value, at: valueStart))
    case "conf":
      return .confidence(
        try wanted(QueryValue.confidence(value), "such as <0.6, 0.9.. or 0.5..0.6", at: valueStart))
    case "said":
      return .said(
        try wanted(
          QueryValue.dates(value), "such as 2026-05 or 2026-05-03..2026-07", at: valueStart))
    case "near":
      return .area(try wanted(QueryValue.circle(value), "such as 48.85,2.35,2km", at: valueStart))
    case "in":
      return .area(
        try wanted(QueryValue.box(value), "west,south,east,north in degrees", at: valueStart))
    case "is":
      return .trait(
        try wanted(QueryValue.traits[value], "“unlabelled” or “removed”", at: valueStart))
    case "has":
      if value == "region" { return .hasRegion }
      return .trait(try wanted(value == "pin" ? .hasPin : nil, "“region” or “pin”", at: valueStart))
    default:
      throw error("there is no term “\(key):”; text with a colon stands in quotes", at: start)
    }
  }

  /// Takes letters and the colon after them; nil when that is not what comes.
  private mutating func takeKey() -> String? {
    var end = place
    while end < text.count, text[end].isASCII, text[end].isLetter { end += 1 }
    guard end > place, end < text.count, text[end] == ":" else { return nil }
    defer { place = end + 1 }
    return String(text[place..<end])
  }

  /// Takes text up to the next space or parenthesis, or between quotes.
  private mutating func value() throws(CairnError) -> String {
    guard !isAtEnd, text[place] == "\"" else {
      let start = place
      while !isAtEnd, !text[place].isWhitespace, text[place] != "(", text[place] != ")" {
        if text[place] == "\"" { throw error("a quote stands within a word") }
        place += 1
      }
      return String(text[start..<place])
    }
    let start = place
    place += 1
    guard let end = text[place...].firstIndex(of: "\"") else {
      throw error("this quote is not closed", at: start)
    }
    defer { place = end + 1 }
    return String(text[place..<end])
  }

  private func states(_ value: String, at start: Int) throws(CairnError) -> Set<Resolution.State> {
    if value == "any" { return [.confirmed, .rejected, .predicted, .disputed] }
    var states = Set<Resolution.State>()
    for name in value.split(separator: ",", omittingEmptySubsequences: false) {
      let state = Resolution.State(rawValue: String(name)).flatMap { $0 == .open ? nil : $0 }
      states.insert(
        try wanted(state, "“confirmed”, “rejected”, “predicted”, “disputed” or “any”", at: start))
    }
    return states
  }

  private func wanted<Value>(
    _ value: Value?, _ what: String, at start: Int
  ) throws(CairnError) -> Value {
    guard let value else { throw error("what is wanted is \(what)", at: start) }
    return value
  }

  // MARK: Errors

  private func error(_ message: String, at start: Int? = nil) -> CairnError {
    let start = start ?? place
    let before = String(text[max(0, start - 30)..<start])
    let after = String(text[start..<min(text.count, start + 30)])
    return CairnError(
      .invalidInput,
      "The query does not read at character \(start + 1), “\(before)▸\(after)”: \(message).",
      hint: "`cairn find --help` lists the terms.")
  }
}
