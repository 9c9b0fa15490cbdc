public import CairnDocument
public import CairnMerge
public import CairnTrust

/// How far people agree: of each class and of each exclusive set, and of each two people.
///
/// Units are the photos in view. Of a class a rating is present or absent: a box says present, and who
/// names one class of an exclusive set says that the others are absent. Of a set a rating is the class
/// that somebody names. Who says nothing of a photo has no rating of it, which is not “absent”.
public struct Agreement: Sendable {
  public typealias Subject = OpinionSubject

  /// The agreement about one class or set.
  public struct Row: Sendable {
    public let subject: Subject
    /// What people call the class, or the key of the set.
    public let name: String
    /// Raters are the places of ``Agreement/people``; categories of a class 0 for absent and 1 for
    /// present, of a set the places of ``Agreement/classes``.
    public let tally: RatingTally

    /// The photos that two people or more rated.
    public var photos: Int { tally.sharedUnits }
  }

  /// The agreement of two people about one class or set.
  public struct PairRow: Sendable {
    public let subject: Subject
    public let name: String
    public let first: Annotator
    public let second: Annotator
    /// The photos that both rated.
    public let photos: Int
    /// The share of photos of which both say the same.
    public let agreement: Double
    public let kappa: Coefficient
  }

  /// Everybody who rated something, sorted.
  public let people: [Annotator]
  /// Every class that was rated, sorted.
  public let classes: [ClassKey]
  /// By Krippendorff's alpha, the worst first, those without one last; then by key.
  public let rows: [Row]

  /// By Cohen's kappa, the worst first, those without one last; then by key and people.
  public var pairs: [PairRow] {
    rows.sorted { $0.subject < $1.subject }
      .flatMap { row in row.tally.pairs.map { pair(of: row, $0) } }
      .enumerated().sorted {
        Agreement.precedes(($0.element.kappa, $0.offset), ($1.element.kappa, $1.offset))
      }.map(\.element)
  }

  private func pair(of row: Row, _ pair: RatingTally.Pair) -> PairRow {
    PairRow(
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
struct AgreementCount {
  private let rules: ResolutionRules
  private let people: [Annotator]
  private let numbers: [Annotator: Int]
  private var classNumbers: [ClassKey: Int] = [:]
  private var classes: [ClassKey] = []
  private var byClass: [ClassKey: RatingTally] = [:]
  private var bySet: [ClassKey: RatingTally] = [:]
  /// Of each set what its classes have in common: on a photo that somebody chose a class of, those that
  /// nobody speaks of are absent for whoever chose.
  private var unnamed: [ClassKey: RatingTally] = [:]

  init(rules: ResolutionRules, annotators: [Annotator]) {
    self.rules = rules
    people = Set(annotators.filter(\.isHuman).map(rules.mailmap.person)).sorted()
    numbers = Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1, $0) })
  }

  mutating func add(_ opinions: Opinions) {
    var choosers: [ClassKey: [RatingTally.Rating]] = [:]
    for set in opinions.sets {
      var (chosen, absent): ([RatingTally.Rating], [RatingTally.Rating]) = ([], [])
      for choice in set.choices {
        guard let rater = numbers[choice.person] else { continue }
        chosen.append(RatingTally.Rating(rater: rater, category: number(of: choice.classKey)))
        absent.append(RatingTally.Rating(rater: rater, category: 0))
      }
      bySet[set.set, default: RatingTally()].add(chosen)
      unnamed[set.set, default: RatingTally()].add(absent)
      choosers[set.set] = absent
    }
    for one in opinions.classes {
      let ratings = one.voices.compactMap { voice in
        numbers[voice.person].map {
          RatingTally.Rating(rater: $0, category: voice.isPresent ? 1 : 0)
        }
      }
      _ = number(of: one.classKey)
      byClass[one.classKey, default: RatingTally()].add(ratings)
      if let set = rules.classes.set(of: one.classKey), let absent = choosers[set] {
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

  /// Returns what was counted, of some classes and their sets, or of all.
  func agreement(of wanted: Set<ClassKey>?) -> Agreement {
    var rows: [Agreement.Row] = []
    for (key, tally) in byClass where wanted?.contains(key) ?? true {
      var tally = tally
      if let set = rules.classes.set(of: key), let rest = unnamed[set] { tally.add(rest) }
      rows.append(
        Agreement.Row(subject: .ofClass(key), name: rules.classes.name(of: key), tally: tally))
    }
    let sets = wanted.map { Set($0.compactMap { rules.classes.set(of: $0) }) }
    for (key, tally) in bySet where sets?.contains(key) ?? true {
      rows.append(Agreement.Row(subject: .ofSet(key), name: key.text, tally: tally))
    }
    rows.sort { $0.subject < $1.subject }
    let ordered = rows.enumerated().map { ($0.element.tally.krippendorffsAlpha(), $0.offset) }
      .sorted(by: Agreement.precedes)
    return Agreement(people: people, classes: classes, rows: ordered.map { rows[$0.1] })
  }
}
