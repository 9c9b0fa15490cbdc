internal import Cairn
internal import Hummingbird

/// Completion of queries while they are typed.
enum CompletionRoutes {
  static let all = [Route(.get, "/api/complete", complete)]

  private static func complete(_ request: APIRequest) async throws -> Response {
    let text = request["text"] ?? ""
    guard text.utf16.count <= 4_096 else { throw ServeError.invalid("“text” is too long.") }
    let at = try request.integer("at", 0...text.utf16.count, default: text.utf16.count)
    let word = QueryWord(text, at: at)
    let candidates = try await request.server.library.read(as: request.session.person) {
      try $0.candidates(for: word)
    }
    return .json([
      (
        "candidates",
        .array(
          candidates.prefix(20).map {
            [
              "detail": .string($0.detail), "kind": .string($0.kind), "text": .string($0.text),
            ]
          })
      ), ("from", JSON(word.start)), ("to", JSON(at)),
    ])
  }
}

/// The word of a query that is being typed.
struct QueryWord: Equatable, Sendable {
  /// The key before the colon; nil without one.
  let key: String?
  /// What was typed of the value, or of the word, without its quote.
  let typed: String
  /// The offset in UTF-16 of what a candidate replaces.
  let start: Int

  init(_ text: String, at offset: Int) {
    let typed = Array(text.utf16.prefix(offset))
    var (begin, isQuoted, colon) = (0, false, Int?.none)
    for (index, unit) in typed.enumerated() {
      switch Unicode.Scalar(unit) {
      case "\"": isQuoted.toggle()
      case " " where !isQuoted, "(" where !isQuoted, ")" where !isQuoted:
        (begin, colon) = (index + 1, nil)
      case "-" where !isQuoted && index == begin: begin = index + 1
      case ":" where !isQuoted: colon = colon ?? index
      default: break
      }
    }
    key = colon.map { String(decoding: typed[begin..<$0], as: UTF16.self) }
    start = colon.map { $0 + 1 } ?? begin
    self.typed = String(decoding: typed[start...], as: UTF16.self).replacing("\"", with: "")
  }
}

struct QueryCandidate: Equatable, Sendable {
  let text: String
  let detail: String
  let kind: String
}

extension Dataset {
  func candidates(for word: QueryWord) throws -> [QueryCandidate] {
    let typed = word.typed.lowercased()
    func values(_ texts: [String], _ kind: String) -> [QueryCandidate] {
      texts.filter { $0.lowercased().hasPrefix(typed) }.map {
        QueryCandidate(text: QueryWord.quoted($0), detail: "", kind: kind)
      }
    }
    switch word.key {
    case nil:
      let keys = QueryKey.allCases.map { "\($0.rawValue):" }.filter { $0.hasPrefix(typed) }
      // Operators are in upper case.
      let operators = PhotoQuery.Operator.allCases.map(\.rawValue)
        .filter { !word.typed.isEmpty && $0.hasPrefix(word.typed) }
      return operators.map { QueryCandidate(text: $0, detail: "", kind: "operator") }
        + keys.map { key in
          let form = QueryKey(rawValue: String(key.dropLast()))?.forms.first ?? ""
          return QueryCandidate(text: key, detail: form, kind: "key")
        }
    case "label":
      let counts = Dictionary(
        try classes().map { ($0.labelClass.name.value, $0.photos) }, uniquingKeysWith: { $1 })
      return try classCompletion().candidates(word.typed).map { name in
        QueryCandidate(
          text: QueryWord.quoted(name), detail: counts[name].map { "\($0) photos" } ?? "",
          kind: "class")
      }
    case "state": return values(["confirmed", "rejected", "predicted", "disputed", "any"], "value")
    case "is", "has":
      let key = word.key == "is" ? QueryKey.is : .has
      return values(key.forms.map { String($0.drop { $0 != ":" }.dropFirst()) }, "value")
    case "by", "model":
      let annotators = try withIndex(updating: false) { try $0.annotators() }
        .filter { $0.isHuman == (word.key == "by") }
      let all = (word.key == "by" ? ["me"] : []) + annotators.map(\.identity)
      return values(all, word.key == "by" ? "person" : "model")
    case "pin":
      return values(try pins().map(\.name.value).filter { !$0.isEmpty }, "pin")
    case "run": return values(try runs().map { String($0.run.id.text.prefix(8)) }, "run")
    default: return []
    }
  }
}

extension QueryWord {
  /// Returns a value as it is written in a query.
  static func quoted(_ text: String) -> String {
    text.contains { $0.isWhitespace || $0 == "(" || $0 == ")" } ? "\"\(text)\"" : text
  }
}
