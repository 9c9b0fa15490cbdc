internal import CairnIndex

/// What may complete a query that is being typed.
public struct QueryCompletion: Sendable {
  /// A key with its colon, an operator or a value.
  public struct Candidate: Equatable, Sendable {
    /// The kinds of candidates.
    public enum Kind: String, Sendable {
      case key, `operator`, value, `class`, person, model, pin, run
    }

    /// The text of the key, the operator or the value.
    public let text: String
    /// More about the candidate, such as the number of photos of a class; may be empty.
    public let detail: String
    /// What the candidate is.
    public let kind: Kind

    /// The text as it is written in a query: in quotation marks if it contains spaces.
    public var quoted: String {
      text.contains { $0.isWhitespace || $0 == "(" || $0 == ")" } ? "\"\(text)\"" : text
    }
  }

  /// The candidates, the most likely ones first.
  public let candidates: [Candidate]
  /// The offset in UTF-16 of the beginning of the text that a candidate replaces.
  public let start: Int
}

/// The word of a query that is being typed.
package struct QueryWord: Equatable, Sendable {
  /// The key before the colon; nil without one.
  package let key: String?
  /// What was typed of the value, or of the word, without its quote.
  package let typed: String
  /// The offset in UTF-16 of what a candidate replaces.
  package let start: Int

  package init(_ text: String, at offset: Int) {
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

private typealias QueryCandidate = QueryCompletion.Candidate

extension Dataset {
  /// Returns the candidates for the word of a query that ends at an offset in UTF-16.
  ///
  /// - Parameter offset: By default, the end of the text.
  public func queryCompletion(
    of text: String, at offset: Int? = nil
  ) throws(CairnError) -> QueryCompletion {
    let word = QueryWord(text, at: offset ?? text.utf16.count)
    return QueryCompletion(
      candidates: try translating { try candidates(for: word) }, start: word.start)
  }

  private func candidates(for word: QueryWord) throws -> [QueryCandidate] {
    let typed = word.typed.lowercased()
    func values(_ texts: [String], _ kind: QueryCandidate.Kind) -> [QueryCandidate] {
      texts.filter { $0.lowercased().hasPrefix(typed) }.map {
        QueryCandidate(text: $0, detail: "", kind: kind)
      }
    }
    switch word.key {
    case nil:
      let keys = QueryKey.allCases.map { "\($0.rawValue):" }.filter { $0.hasPrefix(typed) }
      // Operators are in upper case.
      let operators = PhotoQuery.Operator.allCases.map(\.rawValue)
        .filter { !word.typed.isEmpty && $0.hasPrefix(word.typed) }
      return operators.map { QueryCandidate(text: $0, detail: "", kind: .operator) }
        + keys.map { key in
          let form = QueryKey(rawValue: String(key.dropLast()))?.forms.first ?? ""
          return QueryCandidate(text: key, detail: form, kind: .key)
        }
    case "label":
      let counts = Dictionary(
        try classes().map { ($0.labelClass.name.value, $0.photos) }, uniquingKeysWith: { $1 })
      return try classCompletion().candidates(word.typed).map { name in
        QueryCandidate(
          text: name, detail: counts[name].map { counted($0, "photo") } ?? "",
          kind: .class)
      }
    case "state": return values(["confirmed", "rejected", "predicted", "disputed", "any"], .value)
    case "is", "has":
      let key = word.key == "is" ? QueryKey.is : .has
      return values(key.forms.map { String($0.drop { $0 != ":" }.dropFirst()) }, .value)
    case "by", "model":
      let annotators = try withIndex(updating: false) { try $0.annotators() }
        .filter { $0.isHuman == (word.key == "by") }
      let all = (word.key == "by" ? ["me"] : []) + annotators.map(\.identity)
      return values(all, word.key == "by" ? .person : .model)
    case "pin":
      return values(try pins().map(\.name.value).filter { !$0.isEmpty }, .pin)
    case "run": return values(try runs().map { String($0.run.id.text.prefix(8)) }, .run)
    default: return []
    }
  }
}
