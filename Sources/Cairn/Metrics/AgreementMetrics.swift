public import CairnDocument
public import CairnMerge
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
  public typealias Subject = RatedItem

  /// The agreement about one class or set.
  public struct Row: Sendable {
    /// The class or set.
    public let subject: Subject
    /// The display name of the class, or the key of the set.
    public let name: String
    /// Raters are indices into ``AgreementMetrics/people``. Categories are 0 for absent and 1 for
    /// present in a class, and indices into ``AgreementMetrics/classes`` in a set.
    package let tally: RatingTally

    /// The number of photos that two or more people rated.
    public var photos: Int { tally.sharedUnits }
  }

  /// The agreement of two people on one class or set.
  public struct AnnotatorPair: Sendable {
    /// The class or set.
    public let subject: Subject
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

  /// All people with ratings, sorted.
  public let people: [Annotator]
  /// Every class that was rated, sorted.
  public let classes: [ClassKey]
  /// Sorted by Krippendorff's alpha, lowest first, those without one last; then by key.
  public let rows: [Row]

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

  fileprivate static func precedes(_ a: (Coefficient, Int), _ b: (Coefficient, Int)) -> Bool {
    let (x, y) = (a.0.value ?? .infinity, b.0.value ?? .infinity)
    return x == y ? a.1 < b.1 : x < y
  }
}

/// Counts ratings while a dataset is read, photo by photo.
struct AgreementAccumulator {
  private let rules: ResolutionRules
  private let people: [Annotator]
  private let numbers: [Annotator: Int]
  private var classNumbers: [ClassKey: Int] = [:]
  private var classes: [ClassKey] = []
  private var byClass: [ClassKey: RatingTally] = [:]
  private var bySet: [ClassKey: RatingTally] = [:]
  /// For each set, the absent ratings common to its classes: a person who chose a class of the set
  /// rates its unnamed classes absent.
  private var unnamed: [ClassKey: RatingTally] = [:]

  init(rules: ResolutionRules, annotators: [Annotator]) {
    self.rules = rules
    people = Set(annotators.filter(\.isHuman).map(rules.mailmap.person)).sorted()
    numbers = Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1, $0) })
  }

  mutating func add(_ ratings: Ratings) {
    // The absent ratings of the people who chose a class, by set.
    var absentBySet: [ClassKey: [RatingTally.Rating]] = [:]
    for set in ratings.sets {
      var (chosen, absent): ([RatingTally.Rating], [RatingTally.Rating]) = ([], [])
      for choice in set.choices {
        guard let rater = numbers[choice.person] else { continue }
        chosen.append(RatingTally.Rating(rater: rater, category: number(of: choice.classKey)))
        absent.append(RatingTally.Rating(rater: rater, category: 0))
      }
      bySet[set.set, default: RatingTally()].add(chosen)
      unnamed[set.set, default: RatingTally()].add(absent)
      absentBySet[set.set] = absent
    }
    for one in ratings.classes {
      let ratings = one.votes.compactMap { vote in
        numbers[vote.person].map {
          RatingTally.Rating(rater: $0, category: vote.isPresent ? 1 : 0)
        }
      }
      _ = number(of: one.classKey)
      byClass[one.classKey, default: RatingTally()].add(ratings)
      if let set = rules.classes.set(of: one.classKey), let absent = absentBySet[set] {
        byClass[one.classKey, default: RatingTally()].add(absent, weight: -1)
      }
    }
  }

  private mutating func number(of key: ClassKey) -> Int {
    if let known = classNumbers[key] { return known }
    classNumbers[key] = classes.count
    classes.append(key)
    return classes.count - 1
  }

  /// Returns the counted agreement on some classes and their sets, or on all.
  func agreement(of wanted: Set<ClassKey>?) -> AgreementMetrics {
    var rows: [AgreementMetrics.Row] = []
    for (key, tally) in byClass where wanted?.contains(key) ?? true {
      var tally = tally
      if let set = rules.classes.set(of: key), let rest = unnamed[set] { tally.add(rest) }
      rows.append(
        AgreementMetrics.Row(
          subject: .ofClass(key), name: rules.classes.name(of: key), tally: tally))
    }
    let sets = wanted.map { Set($0.compactMap { rules.classes.set(of: $0) }) }
    for (key, tally) in bySet where sets?.contains(key) ?? true {
      rows.append(AgreementMetrics.Row(subject: .ofSet(key), name: key.text, tally: tally))
    }
    rows.sort { $0.subject < $1.subject }
    let ordered = rows.enumerated().map { ($0.element.tally.krippendorffsAlpha(), $0.offset) }
      .sorted(by: AgreementMetrics.precedes)
    return AgreementMetrics(people: people, classes: classes, rows: ordered.map { rows[$0.1] })
  }
}
