package import SystemPackage

/// A photo query as people write it: `label:dog state:disputed -by:alice`.
///
/// - Adjacent terms must all match, with or without `AND` between them; `OR` between them matches
///   either; `-` or `NOT` before a term, or before parentheses, excludes the photos that match it.
///   `NOT` binds most tightly and `OR` least.
/// - Adjacent terms about labels (`label:`, `state:`, `conf:`, `by:`, `model:`, `run:`, `labeled:`,
///   `has:region`) apply to one class: `label:dog by:alice` finds photos on which Alice has a
///   label for dog. Alternatives in parentheses mean the same as if each were written out. An
///   exclusion is independent: `label:dog -state:disputed` finds photos with a dog and nothing
///   disputed.
/// - A class includes all its aliases, in the states in which a photo may have it: confirmed,
///   predicted or disputed, unless `state:` specifies others.
/// - A `labeled:` or `has:region` next to annotators applies to the labels of each of them.
/// - Removed photos are found only by `is:removed`.
///
/// <doc:Find> has the grammar and every term.
public struct PhotoQuery: Equatable, Sendable {
  /// A word in upper case between or before terms; in quotes it is text.
  package enum Operator: String, CaseIterable, Sendable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
  }

  package indirect enum Expression: Equatable, Sendable {
    case all([PhotoQuery])
    case any([PhotoQuery])
    case not(PhotoQuery)
    case term(Term)
  }

  package enum Term: Equatable, Sendable {
    case label(String)
    case states(Set<Resolution.State>)
    case confidence(FractionRange)
    /// A person: their address, the part of it before the “@”, or “me”.
    case by(String)
    /// A model: `NAME` or `NAME@VERSION`.
    case model(String)
    case run(String)
    /// Milliseconds since 1970.
    case labeled(Range<Int64>)
    case hasRegion
    case pin(String)
    case area(MapArea)
    case flag(PhotoFlag)
    /// A favorite of the current user.
    case favorite
    /// Milliseconds since 1970 by the camera's clock.
    case taken(Range<Int64>)
    /// Photos similar to a photo, named by its id or file. The file is relative to the directory, or
    /// to the dataset's if that is nil.
    case similar(String, in: FilePath?, Similarity)
    case text(TextFilter)
  }

  package let expression: Expression

  /// Matches the photos that match all of the queries; every visible photo if there are none.
  public static func all(_ queries: [PhotoQuery]) -> PhotoQuery {
    PhotoQuery(expression: .all(queries))
  }

  /// Matches the photos that match at least one of the queries.
  public static func any(_ queries: [PhotoQuery]) -> PhotoQuery {
    PhotoQuery(expression: .any(queries))
  }

  /// Matches the visible photos that do not match a query.
  public static func not(_ query: PhotoQuery) -> PhotoQuery { PhotoQuery(expression: .not(query)) }

  package static func term(_ term: Term) -> PhotoQuery { PhotoQuery(expression: .term(term)) }

  /// Matches the photos of a pin, which is given by its name or its id.
  public static func pin(_ name: String) -> PhotoQuery { .term(.pin(name)) }

  /// Matches the photos labeled by a model: `NAME`, or `NAME@VERSION`.
  public static func model(_ name: String) -> PhotoQuery { .term(.model(name)) }

  /// Matches the favorites of the current user.
  public static let favorite = PhotoQuery.term(.favorite)

  /// Matches removed photos.
  public static let removed = PhotoQuery.term(.flag(.removed))

  /// Matches every visible photo.
  public static let everything = PhotoQuery.all([])

  /// Returns the query, or throws if it, or part of it, is empty: in a script, an empty query is
  /// more likely an unset variable than a request for every photo.
  public func selecting() throws(CairnError) -> PhotoQuery {
    guard !hasEmptySubquery else {
      throw CairnError(
        .invalidInput, "The query is empty and would select every photo.",
        hint: "To select every photo, use `--find -is:removed`.")
    }
    return self
  }

  private var hasEmptySubquery: Bool {
    switch expression {
    case .all(let queries), .any(let queries):
      queries.isEmpty || queries.contains(where: \.hasEmptySubquery)
    case .not(let query): query.hasEmptySubquery
    case .term: false
    }
  }
}

extension PhotoQuery {
  /// Adjacent terms and exclusions, all of which must match.
  struct Conjunction {
    var terms: [Term] = []
    var excluded: [PhotoQuery] = []
  }

  /// Hand-written queries have few alternatives; each is a separate search.
  private static let alternativeLimit = 256

  /// Returns the query as alternatives without parentheses.
  func alternatives() throws(CairnError) -> [Conjunction] {
    switch expression {
    case .term(let term): return [Conjunction(terms: [term])]
    case .not(let query): return [Conjunction(excluded: [query])]
    case .any(let queries):
      var alternatives: [Conjunction] = []
      for query in queries { alternatives += try query.alternatives() }
      return try PhotoQuery.checked(alternatives)
    case .all(let queries):
      var alternatives = [Conjunction()]
      for query in queries {
        let more = try query.alternatives()
        alternatives = try PhotoQuery.checked(
          alternatives.flatMap { a in
            more.map { Conjunction(terms: a.terms + $0.terms, excluded: a.excluded + $0.excluded) }
          })
      }
      return alternatives
    }
  }

  private static func checked(_ alternatives: [Conjunction]) throws(CairnError) -> [Conjunction] {
    guard alternatives.count <= alternativeLimit else {
      throw CairnError(
        .invalidInput, "The query has more than \(alternativeLimit) alternatives.",
        hint: "Split it into several queries.")
    }
    return alternatives
  }
}
