public import SystemPackage

extension PhotoQuery {
  /// Parses a query.
  ///
  /// - Parameter directory: The directory that file names in it are relative to; nil for the
  ///   dataset.
  /// - Throws: ``CairnError/Kind/invalidInput``; ``CairnError/excerpt`` shows the position.
  public init(_ text: String, in directory: FilePath? = nil) throws(CairnError) {
    var reader = QueryParser(text, directory)
    self = try reader.query()
  }
}

/// Parses a query from left to right.
private struct QueryParser {
  private let text: [Character]
  private let directory: FilePath?
  private var place = 0
  private var depth = 0

  /// Larger queries are not written by people, and SQLite cannot read them.
  private static let lengthLimit = 10_000
  private static let depthLimit = 10

  init(_ text: String, _ directory: FilePath?) {
    (self.text, self.directory) = (Array(text), directory)
  }

  mutating func query() throws(CairnError) -> PhotoQuery {
    if text.count > QueryParser.lengthLimit {
      throw CairnError(
        .invalidInput, "The query is longer than \(QueryParser.lengthLimit) characters.")
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
    if depth > QueryParser.depthLimit { throw error("too many parentheses within each other") }
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
    guard let key else { return .text(try words(value, in: .words, at: start)) }
    if value.isEmpty {
      throw error(
        "“\(key):” needs a value", at: start,
        hint: QueryKey(spelled: key).map { "Expected \($0.example)." })
    }
    guard let term = QueryKey(spelled: key) else {
      throw error(
        "unknown term “\(key):”; quote text that contains a colon", at: start,
        hint: QueryKey.nearest(to: key).map { "Do you mean `\($0):`?" })
    }
    return try self.term(term, value, at: valueStart)
  }

  private func term(
    _ key: QueryKey, _ value: String, at start: Int
  ) throws(CairnError) -> PhotoQuery.Term {
    func wanted<Value>(_ value: Value?) throws(CairnError) -> Value {
      guard let value else { throw error("expected \(key.example)", at: start) }
      return value
    }
    switch key {
    case .label: return .label(value)
    case .state: return .states(try wanted(QueryValue.states(value)))
    case .conf: return .confidence(try wanted(QueryValue.confidence(value)))
    case .by: return .by(value)
    case .model: return .model(value)
    case .run: return .run(value)
    case .said: return .said(try wanted(QueryValue.dates(value)))
    case .taken: return .taken(try wanted(QueryValue.dates(value)))
    case .pin: return .pin(value)
    case .near: return .area(try wanted(QueryValue.circle(value)))
    case .in: return .area(try wanted(QueryValue.box(value)))
    case .is: return try wanted(QueryValue.state(value))
    case .has: return try wanted(QueryValue.parts[value])
    case .similar:
      let (photo, distance) = try wanted(QueryValue.similar(value))
      return .similar(photo, in: directory, distance: distance)
    case .camera: return .text(try words(value, in: .camera, at: start))
    case .author: return .text(try words(value, in: .author, at: start))
    case .license: return .text(try words(value, in: .licence, at: start))
    case .source: return .text(try words(value, in: .source, at: start))
    }
  }

  private func words(
    _ value: String, in field: PhotoTextField, at start: Int
  ) throws(CairnError) -> TextFilter {
    let isBeginning = value.last == "*"
    let words = TextFilter(
      isBeginning ? String(value.dropLast()) : value, in: field, isBeginning: isBeginning)
    guard words.hasWords else {
      throw error("there is no letter or digit to look for", at: start)
    }
    return words
  }

  /// Takes letters and the colon after them; returns nil if something different comes next.
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
        if text[place] == "\"" { throw error("unexpected quote in a word") }
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

  // MARK: Errors

  private func error(_ message: String, at start: Int? = nil, hint: String? = nil) -> CairnError {
    let start = start ?? place
    // Limits the line so that a terminal shows all of it.
    let first = max(0, start - 40)
    return CairnError(
      .invalidInput, "Invalid query at character \(start + 1): \(message).",
      hint: hint ?? "`cairn find --help` lists the terms.",
      excerpt: CairnError.Excerpt(
        line: String(text[first..<min(text.count, start + 40)]), column: start - first))
  }
}
