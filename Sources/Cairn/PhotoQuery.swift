public import SystemPackage

/// A question for photos, as people write it: `label:dog state:disputed -by:alice`.
///
/// - Terms beside each other must all hold; `OR` between them takes either; `-` before a term, or before
///   parentheses, takes away the photos that it holds for.
/// - Terms that speak of labels (`label:`, `state:`, `conf:`, `by:`, `model:`, `run:`, `said:`,
///   `has:region`) and stand beside each other speak of one class: `label:dog by:alice` finds photos on
///   which Alice said something of dogs. Alternatives in parentheses are meant as if each were written
///   out. What is taken away stands alone: `label:dog -state:disputed` finds photos with a dog and
///   nothing disputed.
/// - A class is meant with all its aliases, in the states that say it may be there: confirmed, predicted
///   or disputed, unless `state:` says otherwise.
/// - A `said:` or `has:region` beside annotators is about what each of them said.
/// - Photos that were removed are found by `is:removed` alone.
///
/// <doc:Find> has the grammar and every term.
public indirect enum PhotoQuery: Equatable, Sendable {
  case all([PhotoQuery])
  case any([PhotoQuery])
  case not(PhotoQuery)
  case term(Term)

  public enum Term: Equatable, Sendable {
    case label(String)
    case states(Set<Resolution.State>)
    case confidence(FractionRange)
    /// A person: their address, or what stands before its “@”, or “me”.
    case by(String)
    /// A model: `NAME` or `NAME@VERSION`.
    case model(String)
    case run(String)
    /// Milliseconds since 1970.
    case said(Range<Int64>)
    case hasRegion
    case pin(String)
    case area(MapArea)
    case trait(PhotoTrait)
    /// The person at work has it among their favourites.
    case favorite
    /// Milliseconds of the camera's clock since 1970 began by it.
    case taken(Range<Int64>)
    /// Like a photo, named by its id or its file, by so many bits of their perceptual hashes at most.
    /// Its file is relative to the directory; to the dataset's where that is nil.
    case similar(String, in: FilePath?, distance: Int)
    case text(TextFilter)
  }

  /// Every photo in view.
  public static let everything = PhotoQuery.all([])
}

extension PhotoQuery {
  /// What stands beside each other: terms, and what is taken away.
  struct Side {
    var terms: [Term] = []
    var excluded: [PhotoQuery] = []
  }

  /// A query that people write has a few; each is a search of its own.
  private static let sideLimit = 256

  /// Returns the query as alternatives without parentheses.
  func sides() throws(CairnError) -> [Side] {
    switch self {
    case .term(let term): return [Side(terms: [term])]
    case .not(let query): return [Side(excluded: [query])]
    case .any(let queries):
      var sides: [Side] = []
      for query in queries { sides += try query.sides() }
      return try PhotoQuery.checked(sides)
    case .all(let queries):
      var sides = [Side()]
      for query in queries {
        let more = try query.sides()
        sides = try PhotoQuery.checked(
          sides.flatMap { a in
            more.map { Side(terms: a.terms + $0.terms, excluded: a.excluded + $0.excluded) }
          })
      }
      return sides
    }
  }

  private static func checked(_ sides: [Side]) throws(CairnError) -> [Side] {
    guard sides.count <= sideLimit else {
      throw CairnError(
        .invalidInput, "The query has more than \(sideLimit) alternatives.",
        hint: "Ask in several queries.")
    }
    return sides
  }
}
