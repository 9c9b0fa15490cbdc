internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

/// Counts ratings while a dataset is read, photo by photo.
struct AgreementAccumulator {
  private let rules: ResolutionRules
  /// The classes to measure, and their sets; nil for all.
  private let wanted: Set<ClassKey>?
  private let wantedSets: Set<ClassKey>?
  private let people: [Annotator]
  private let numbers: [Annotator: Int]
  private var classNumbers: [ClassKey: Int] = [:]
  private var classes: [ClassKey] = []
  private var byClass: [ClassKey: RatingTally] = [:]
  private var bySet: [ClassKey: RatingTally] = [:]
  /// For each set, the absent ratings common to its classes: a person who chose a class of the set
  /// rates its unnamed classes absent.
  private var unnamed: [ClassKey: RatingTally] = [:]
  /// The photos on which both people of a pair rated a class, and those on which they differ.
  private var sharedPhotos: [RatingTally.Pair: Int] = [:]
  private var differingPhotos: [RatingTally.Pair: Int] = [:]
  private var boxes = BoxAgreementCount()

  /// - Parameter classes: The classes to measure; nil for all.
  init(rules: ResolutionRules, annotators: [Annotator], classes: Set<ClassKey>? = nil) {
    (self.rules, wanted) = (rules, classes)
    wantedSets = classes.map { Set($0.compactMap { rules.classes.set(of: $0) }) }
    people = Set(annotators.filter(\.isHuman).map(rules.mailmap.person)).sorted()
    numbers = Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1, $0) })
  }

  /// Adds a photo with all its labels.
  mutating func add(_ labels: [Label]) {
    let people = labels.filter(\.annotator.isHuman)
    add(rules.ratings(people))
    // Few photos have boxes: only those are resolved.
    if people.contains(where: { $0.region != nil }) {
      boxes.add(rules.resolve(people), numbers)
    }
  }

  private mutating func add(_ ratings: Ratings) {
    // All ratings of the photo, whatever the class.
    var photo = RatingTally()
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
      if absent.count > 1, wantedSets?.contains(set.set) ?? true { photo.add(absent) }
    }
    for one in ratings.classes {
      let ratings = one.votes.compactMap { vote in
        numbers[vote.person].map {
          RatingTally.Rating(rater: $0, category: vote.isPresent ? 1 : 0)
        }
      }
      _ = number(of: one.classKey)
      byClass[one.classKey, default: RatingTally()].add(ratings)
      if ratings.count > 1, wanted?.contains(one.classKey) ?? true { photo.add(ratings) }
      if let set = rules.classes.set(of: one.classKey), let absent = absentBySet[set] {
        byClass[one.classKey, default: RatingTally()].add(absent, weight: -1)
      }
    }
    for pair in photo.pairs {
      sharedPhotos[pair, default: 0] += 1
      if photo.concordantUnits(of: pair) < photo.units(of: pair) {
        differingPhotos[pair, default: 0] += 1
      }
    }
  }

  private mutating func number(of key: ClassKey) -> Int {
    if let known = classNumbers[key] { return known }
    classNumbers[key] = classes.count
    classes.append(key)
    return classes.count - 1
  }

  /// Returns the counted agreement.
  func agreement() -> AgreementMetrics {
    var rows: [AgreementMetrics.Row] = []
    for (key, tally) in byClass where wanted?.contains(key) ?? true {
      var tally = tally
      if let set = rules.classes.set(of: key), let rest = unnamed[set] { tally.add(rest) }
      rows.append(
        AgreementMetrics.Row(
          subject: .ofClass(key), name: rules.classes.name(of: key), tally: tally))
    }
    for (key, tally) in bySet where wantedSets?.contains(key) ?? true {
      rows.append(AgreementMetrics.Row(subject: .ofSet(key), name: key.text, tally: tally))
    }
    rows.sort { $0.subject < $1.subject }
    let tallies = rows.filter { $0.subject == .ofClass($0.subject.key) }.map(\.tally)
    let overall = sharedPhotos.sorted { $0.key < $1.key }.map { pair, photos in
      AgreementMetrics.OverallPair(
        first: people[pair.first], second: people[pair.second], photos: photos,
        differing: differingPhotos[pair] ?? 0, kappa: RatingTally.pooledKappa(pair, of: tallies))
    }
    let ordered = rows.enumerated().map { ($0.element.tally.krippendorffsAlpha(), $0.offset) }
      .sorted(by: AgreementMetrics.precedes)
    return AgreementMetrics(
      people: people, classes: classes, rows: ordered.map { rows[$0.1] }, overall: overall,
      boxes: boxes.rows(of: wanted, people, rules))
  }
}
