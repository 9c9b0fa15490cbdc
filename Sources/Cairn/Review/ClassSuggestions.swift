public import CairnDocument
internal import CairnIndex
internal import CairnMerge
public import CairnReview

/// A class that answers a question, chosen by its number.
public struct ReviewOption: Equatable, Sendable {
  /// The class.
  public let classKey: ClassKey
  /// The display name of the class.
  public let name: String
  /// The confidence of a model in it, or of its resolution; nil if there is none.
  public let confidence: Double?

  package init(classKey: ClassKey, name: String, confidence: Double?) {
    (self.classKey, self.name, self.confidence) = (classKey, name, confidence)
  }
}

/// Suggests classes during a review. The classes of the dataset are read once.
public struct ClassSuggestions {
  private let dataset: Dataset
  private var records: [ClassRecord]
  /// The latest answers, oldest first.
  private var recent: [ClassKey] = []

  /// As many as there are number keys.
  package static let optionLimit = 9
  private static let recentLimit = 20
  private static let radiusMeters = 500.0
  private static let nearbyLimit = 200

  /// Reads the classes of a dataset.
  public init(_ dataset: Dataset) throws(CairnError) {
    self.dataset = dataset
    records = try ClassSuggestions.records(of: dataset)
  }

  private static func records(of dataset: Dataset) throws(CairnError) -> [ClassRecord] {
    try dataset.classes().filter { !$0.isAlias && $0.labelClass.key != .favorite }
  }

  /// Remembers an answer, which makes its class more likely for the next photos.
  public mutating func note(_ classKey: ClassKey) throws(CairnError) {
    if !records.contains(where: { $0.labelClass.key == classKey }) {
      records = try ClassSuggestions.records(of: dataset)
    }
    recent = (recent + [classKey]).suffix(ClassSuggestions.recentLimit)
  }

  // MARK: “What is it?”

  /// Returns the classes that a photo without labels may have, the most likely first.
  public func options(forUnlabeled question: ReviewQuestion) throws(CairnError) -> [ReviewOption] {
    let predicted = question.evidence.modelConfidences
    let nearby = try nearbyClasses(question.photo.id)
    var candidates: [ClassCandidate] = []
    for record in records {
      let key = record.labelClass.key
      var candidate = ClassCandidate(key)
      (candidate.confidence, candidate.nearby) = (predicted[key], nearby[key] ?? 0)
      (candidate.recent, candidate.photos) = (recent.count { $0 == key }, record.photos)
      candidates.append(candidate)
    }
    let names = self.names
    return candidates.ranked(limit: ClassSuggestions.optionLimit).map {
      ReviewOption(
        classKey: $0.classKey, name: names[$0.classKey] ?? $0.classKey.text,
        confidence: $0.confidence)
    }
  }

  private var names: [ClassKey: String] {
    Dictionary(
      records.map { ($0.labelClass.key, $0.labelClass.name.value) }, uniquingKeysWith: { $1 })
  }

  /// Returns the classes confirmed on photos within 500 meters, with the number of those photos.
  private func nearbyClasses(_ photo: PhotoID) throws(CairnError) -> [ClassKey: Int] {
    try translating {
      try dataset.query(resolved: true) { index in
        guard let center = try index.found(photo)?.location,
          let area = MapArea(around: center, radiusMeters: ClassSuggestions.radiusMeters)
        else { return [:] }
        var conditions = PhotoConditions()
        (conditions.areas, conditions.flags) = ([area], [.visible])
        var counts: [ClassKey: Int] = [:]
        try index.forEachFound(
          where: PhotoFilter([conditions]), limit: ClassSuggestions.nearbyLimit
        ) { found in
          for state in found.resolutions where state.state == .confirmed {
            counts[state.classKey, default: 0] += 1
          }
        }
        return counts
      }
    }
  }

  // MARK: Exclusive sets

  /// Returns the classes of an exclusive set that answer a question: those labeled on the photo
  /// first, then the others, most used first; none if the class is in no set.
  ///
  /// - Parameter limit: Maximum number of classes.
  public func options(for question: ReviewQuestion, limit: Int = 9) -> [ReviewOption] {
    let rules = question.evidence.rules
    guard let key = question.key.classKey, let set = rules.classes.set(of: key) else { return [] }
    let labeled = question.evidence.resolutions.filter {
      rules.classes.set(of: $0.classKey) == set
    }.sorted { ($1.confidence, $0.classKey) < ($0.confidence, $1.classKey) }
    let known = Set(labeled.map(\.classKey))
    let others = records.filter { $0.set == set && !known.contains($0.labelClass.key) }
      .sorted { ($1.photos, $0.labelClass.key) < ($0.photos, $1.labelClass.key) }
    let all =
      labeled.map {
        ReviewOption(classKey: $0.classKey, name: $0.name, confidence: $0.confidence)
      }
      + others.map {
        ReviewOption(
          classKey: $0.labelClass.key, name: $0.labelClass.name.value, confidence: nil)
      }
    return Array(all.prefix(limit))
  }

  /// Returns the questions without those about further classes of an exclusive set on the same
  /// photo, which one answer settles.
  public func askingSetsOnce(_ items: [ReviewItem]) -> [ReviewItem] {
    let sets = Dictionary(
      records.compactMap { record in record.set.map { (record.labelClass.key, $0) } },
      uniquingKeysWith: { $1 })
    var asked: Set<ReviewKey> = []
    return items.filter { item in
      guard let key = item.key.classKey, let set = sets[key] else { return true }
      return asked.insert(ReviewKey(photo: item.key.photo, classKey: set)).inserted
    }
  }
}

extension PhotoEvidence {
  /// The highest confidence of a model in each class, whether its label counts or not; without
  /// those of withdrawn runs.
  var modelConfidences: [ClassKey: Double] {
    var confidences: [ClassKey: Double] = [:]
    for label in labels where !label.annotator.isHuman && label.verdict == .present {
      if let run = label.run, rules.withdrawnRuns.contains(run) { continue }
      let key = rules.classes.canonicalKey(of: label.classKey)
      confidences[key] = max(confidences[key] ?? 0, label.confidence)
    }
    return confidences
  }
}
