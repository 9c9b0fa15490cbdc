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
  private var position = 0
  private var depth = 0

  /// People do not write larger queries, and SQLite cannot execute them.
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
    if !isAtEnd { throw error("unmatched “)”") }
    return query
  }

  // MARK: Structure

  private mutating func alternatives() throws(CairnError) -> PhotoQuery {
    var queries = [try conjunction()]
    while take(.or) { queries.append(try conjunction()) }
    return queries.count == 1 ? queries[0] : .any(queries)
  }

  private mutating func conjunction() throws(CairnError) -> PhotoQuery {
    var parts: [PhotoQuery] = []
    skipSpaces()
    while !isAtEnd, text[position] != ")", !isAt(.or) {
      if !parts.isEmpty, take(.and) {
        skipSpaces()
        guard !isAtEnd, text[position] != ")" else { throw error("a term is missing after “AND”") }
      }
      guard !isAt(.and), !isAt(.or) else { throw error("a term is missing") }
      parts.append(try part())
    }
    if parts.isEmpty { throw error("a term is missing") }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func part() throws(CairnError) -> PhotoQuery {
    defer { skipSpaces() }
    if take(.not) {
      skipSpaces()
      return .not(try negated(after: "NOT"))
    }
    if text[position] == "!" { throw error("expected “-” or “NOT” to negate a term") }
    guard text[position] == "-" else { return try operand() }
    position += 1
    return .not(try negated(after: "-"))
  }

  /// Parses what a hyphen or `NOT` negates.
  private mutating func negated(after negation: String) throws(CairnError) -> PhotoQuery {
    let isOperator = isAt(.and) || isAt(.or) || isAt(.not)
    guard !isAtEnd, !text[position].isWhitespace, text[position] != ")", text[position] != "-",
      !isOperator
    else { throw error("a term is missing after “\(negation)”") }
    return try operand()
  }

  /// Parses a term, or a query in parentheses.
  private mutating func operand() throws(CairnError) -> PhotoQuery {
    guard text[position] == "(" else { return .term(try term()) }
    depth += 1
    if depth > QueryParser.depthLimit { throw error("parentheses are nested too deeply") }
    let start = position
    position += 1
    let query = try alternatives()
    guard !isAtEnd else { throw error("unmatched “(”", at: start) }
    position += 1
    depth -= 1
    return query
  }

  private var isAtEnd: Bool { position == text.count }

  private mutating func skipSpaces() {
    while !isAtEnd, text[position].isWhitespace { position += 1 }
  }

  /// Returns whether the next word is an operator: in upper case, and not part of a longer word.
  private func isAt(_ word: PhotoQuery.Operator) -> Bool {
    let letters = Array(word.rawValue)
    let end = position + letters.count
    guard end <= text.count, text[position..<end].elementsEqual(letters) else { return false }
    return end == text.count || text[end].isWhitespace || "()".contains(text[end])
  }

  private mutating func take(_ word: PhotoQuery.Operator) -> Bool {
    guard isAt(word) else { return false }
    position += word.rawValue.count
    return true
  }

  // MARK: Terms

  private mutating func term() throws(CairnError) -> PhotoQuery.Term {
    let start = position
    let key = takeKey()
    let valueStart = position
    let value = try value()
    guard let key else { return .text(try textFilter(value, in: .text, at: start)) }
    if value.isEmpty {
      throw error(
        "“\(key):” needs a value", at: start,
        hint: QueryKey(spelled: key).map { "Expected \($0.example)." })
    }
    guard let term = QueryKey(spelled: key) else {
      throw error(
        "unknown term “\(key):”; quote text that contains a colon", at: start,
        hint: QueryKey.nearest(to: key).map { "Did you mean `\($0):`?" })
    }
    return try self.term(term, value, at: valueStart)
  }

  private func term(
    _ key: QueryKey, _ value: String, at start: Int
  ) throws(CairnError) -> PhotoQuery.Term {
    func valid<Value>(_ value: Value?) throws(CairnError) -> Value {
      guard let value else { throw error("expected \(key.example)", at: start) }
      return value
    }
    switch key {
    case .label: return .label(value)
    case .state: return .states(try valid(QueryValue.states(value)))
    case .conf: return .confidence(try valid(QueryValue.confidence(value)))
    case .by: return .by(value)
    case .model: return .model(value)
    case .run: return .run(value)
    case .labeled: return .labeled(try valid(QueryValue.dates(value)))
    case .taken: return .taken(try valid(QueryValue.dates(value)))
    case .pin: return .pin(value)
    case .near: return .area(try valid(QueryValue.circle(value)))
    case .in: return .area(try valid(QueryValue.box(value)))
    case .is: return try valid(QueryValue.state(value))
    case .has: return try valid(QueryValue.property(value))
    case .similar:
      let (photo, similarity) = try valid(QueryValue.similar(value))
      return .similar(photo, in: directory, similarity)
    case .camera: return .text(try textFilter(value, in: .camera, at: start))
    case .author: return .text(try textFilter(value, in: .author, at: start))
    case .license: return .text(try textFilter(value, in: .license, at: start))
    case .source: return .text(try textFilter(value, in: .source, at: start))
    }
  }

  private func textFilter(
    _ value: String, in field: PhotoTextField, at start: Int
  ) throws(CairnError) -> TextFilter {
    let isBeginning = value.last == "*"
    let filter = TextFilter(
      isBeginning ? String(value.dropLast()) : value, in: field, isBeginning: isBeginning)
    guard filter.hasWords else {
      let isOperator = ["&", "&&", "|", "||"].contains(value)
      throw error(
        isOperator ? "expected “AND” or “OR” between terms" : "expected a letter or digit",
        at: start)
    }
    return filter
  }

  /// Takes letters and the colon after them; returns nil if the text does not start with a key.
  private mutating func takeKey() -> String? {
    var end = position
    while end < text.count, text[end].isASCII, text[end].isLetter { end += 1 }
    guard end > position, end < text.count, text[end] == ":" else { return nil }
    defer { position = end + 1 }
    return String(text[position..<end])
  }

  /// Takes text up to the next space or parenthesis, or between quotes.
  private mutating func value() throws(CairnError) -> String {
    guard !isAtEnd, text[position] == "\"" else {
      let start = position
      while !isAtEnd, !text[position].isWhitespace, text[position] != "(", text[position] != ")" {
        if text[position] == "\"" { throw error("unexpected quote in a word") }
        position += 1
      }
      return String(text[start..<position])
    }
    let start = position
    position += 1
    guard let end = text[position...].firstIndex(of: "\"") else {
      throw error("this quote is not closed", at: start)
    }
    defer { position = end + 1 }
    return String(text[position..<end])
  }

  // MARK: Errors

  private func error(_ message: String, at start: Int? = nil, hint: String? = nil) -> CairnError {
    let start = start ?? position
    // Limit the line so that it fits a terminal.
    let first = max(0, start - 40)
    return CairnError(
      .invalidInput, "Invalid query at character \(start + 1): \(message).",
      hint: hint ?? "`cairn find --help` lists the terms.",
      excerpt: CairnError.Excerpt(
        line: String(text[first..<min(text.count, start + 40)]), column: start - first))
  }
}
