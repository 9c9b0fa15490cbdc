public import CairnDocument
package import CairnMerge
public import CairnMetrics

/// The agreement between people, for each class and each exclusive set, and for each pair of
/// people.
///
/// Units are the visible photos. A rating of a class is present or absent: a box means present, and
/// naming one class of an exclusive set rates the others absent. A rating of a set is the class
/// that a person names. A person without a label on a photo has no rating of it, which is not
/// “absent”.
public struct AgreementMetrics: Sendable {
  /// A class, or an exclusive set.
  package typealias Subject = RatedItem

  /// The agreement about one class or set.
  public struct Row: Sendable {
    /// The class or set.
    package let subject: Subject
    /// The display name of the class, or the key of the set.
    public let name: String
    /// Raters are indices into ``AgreementMetrics/people``. Categories are 0 for absent and 1 for
    /// present in a class, and indices into ``AgreementMetrics/classes`` in a set.
    package let tally: RatingTally

    /// The number of photos that two or more people rated.
    public var photos: Int { tally.sharedUnits }

    /// The number of people who rated one of these photos.
    public var people: Int { tally.sharingRaters.count }

    /// The number of photos that somebody rated, and so of units.
    package var ratedPhotos: Int { tally.units }

    /// The number of ratings of these photos.
    package var ratings: Int { tally.ratings }

    /// The share of pairs of ratings of the same photo that are the same, from 0 to 1; nil if no
    /// photo has two.
    public var agreement: Double? { tally.agreement }

    /// Fleiss' kappa of the photos that have the most frequent number of ratings: 1 for perfect
    /// agreement, 0 for agreement by chance.
    public var fleissKappa: Coefficient { tally.fleissKappa() }

    /// The number of photos that ``fleissKappa`` is computed from.
    package var fleissPhotos: Int { tally.fleissUnits?.count ?? 0 }

    /// The number of ratings that each of these photos has.
    package var fleissRatings: Int { tally.fleissUnits?.ratings ?? 0 }

    /// Krippendorff's alpha of all ratings: 1 for perfect agreement, 0 for agreement by chance.
    public var krippendorffsAlpha: Coefficient { tally.krippendorffsAlpha() }
  }

  /// The agreement of two people on one class or set.
  public struct AnnotatorPair: Sendable {
    /// The class or set.
    package let subject: Subject
    /// The display name of the class, or the key of the set.
    public let name: String
    /// The person that sorts first.
    public let first: Annotator
    /// The other person.
    public let second: Annotator
    /// The number of photos that both rated.
    public let photos: Int
    /// The share of photos that both rated the same.
    public let agreement: Double
    /// Cohen's kappa: 1 for perfect agreement, 0 for agreement by chance.
    public let kappa: Coefficient
  }

  /// The agreement of two people on all measured classes together.
  package struct OverallPair: Sendable {
    /// The person that sorts first.
    package let first: Annotator
    /// The other person.
    package let second: Annotator
    /// The number of photos on which both rated the same class, whichever.
    package let photos: Int
    /// The number of these photos on which they differ in at least one class.
    package let differing: Int
    /// The pooled kappa of the classes: 1 for perfect agreement, 0 for agreement by chance.
    package let kappa: Coefficient
  }

  /// The agreement on where a class is: on its boxes.
  ///
  /// Units are the photos on which at least two people drew the class or rated it absent, and at
  /// least one of them drew it. A person who only rates it present does not say where.
  public struct BoxRow: Sendable {
    /// The class.
    public let classKey: ClassKey
    /// The display name of the class.
    public let name: String
    /// The number of photos.
    public let photos: Int
    /// Each pair of people with such a photo, sorted by agreement, lowest first, those without one
    /// last; then by people.
    package let pairs: [BoxPair]
    /// The sum of all pairs: a photo counts once for each pair.
    package let sum: BoxAgreement

    /// Twice the number of pairs of boxes that match, as a share of all boxes.
    public var agreement: Double? { sum.agreement }

    /// The mean overlap (IoU) of the pairs of boxes that match; nil without any.
    public var overlap: Double? { sum.overlap }
  }

  /// The agreement of two people on the boxes of one class.
  package struct BoxPair: Sendable {
    /// The person that sorts first.
    package let first: Annotator
    /// The other person.
    package let second: Annotator
    /// Their boxes, matched by overlap.
    package let boxes: BoxAgreement
  }

  /// All people with ratings, sorted.
  public let people: [Annotator]
  /// Every class that was rated, sorted.
  package let classes: [ClassKey]
  /// Sorted by Krippendorff's alpha, lowest first, those without one last; then by key.
  public let rows: [Row]
  /// The pairs of people who rated the same class on a photo, sorted by people.
  package let overall: [OverallPair]
  /// The classes that people drew, sorted by agreement, lowest first, those without one last; then
  /// by key.
  public let boxes: [BoxRow]

  /// Sorted by Cohen's kappa, lowest first, those without one last; then by key and people.
  public var pairs: [AnnotatorPair] {
    rows.sorted { $0.subject < $1.subject }
      .flatMap { row in row.tally.pairs.map { pair(of: row, $0) } }
      .enumerated().sorted {
        AgreementMetrics.precedes(($0.element.kappa, $0.offset), ($1.element.kappa, $1.offset))
      }.map(\.element)
  }

  private func pair(of row: Row, _ pair: RatingTally.Pair) -> AnnotatorPair {
    AnnotatorPair(
      subject: row.subject, name: row.name, first: people[pair.first], second: people[pair.second],
      photos: row.tally.units(of: pair), agreement: row.tally.agreement(of: pair) ?? 0,
      kappa: row.tally.cohensKappa(pair))
  }

  static func precedes(_ a: (Coefficient, Int), _ b: (Coefficient, Int)) -> Bool {
    let (x, y) = (a.0.value ?? .infinity, b.0.value ?? .infinity)
    return x == y ? a.1 < b.1 : x < y
  }
}
