internal import CairnBase
internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

/// People's verdicts on a photo, where they agree.
struct GroundTruth {
  enum Verdict { case present, absent, disputed, unknown }

  private(set) var byClass: [ClassKey: Verdict] = [:]
  /// The confirmed class of each exclusive set.
  private(set) var bySet: [ClassKey: ClassKey] = [:]
  /// The exclusive sets in which a person chose a class.
  private(set) var chosen: Set<ClassKey> = []
  /// The boxes of each confirmed class; none of a class without a box.
  private(set) var boxes: [ClassKey: [TrueBox]] = [:]
  /// Whether a person drew a box of any class: then the photo's other classes are taken to have
  /// none, as in COCO.
  private(set) var hasBoxes = false

  init(_ resolutions: [Resolution], _ classes: ClassTable) {
    for one in resolutions {
      let set = classes.set(of: one.classKey)
      let people = GroundTruth.boxes(one.evidence)
      if people.contains(where: { !$0.isEmpty }) { hasBoxes = true }
      switch one.state {
      case .confirmed:
        byClass[one.classKey] = .present
        if let set { bySet[set] = one.classKey }
        if people.contains(where: { !$0.isEmpty }) {
          boxes[one.classKey] = TrueBox.consensus(of: people)
        }
      case .rejected: byClass[one.classKey] = .absent
      case .disputed: byClass[one.classKey] = .disputed
      case .predicted, .open: break
      }
      if let set, one.evidence.contains(where: \.isChoice) { chosen.insert(set) }
    }
  }

  func verdict(on key: ClassKey, in set: ClassKey?) -> Verdict {
    if let known = byClass[key] { return known }
    // No person named it, but naming another class of its set rates it absent.
    return set.map(chosen.contains) ?? false ? .absent : .unknown
  }

  /// Returns the true boxes of a class; nil if it is not known where they are.
  func boxes(of key: ClassKey, in set: ClassKey?) -> [TrueBox]? {
    switch verdict(on: key, in: set) {
    case .present: boxes[key]
    case .absent: []
    case .disputed: nil
    case .unknown: hasBoxes ? [] : nil
    }
  }

  /// Returns the boxes of each person who drew some, and none for a person who says that the class
  /// is absent; a person who only says that it is present does not say where.
  static func boxes(_ evidence: [Evidence]) -> [[NormalizedRect]] {
    boxesByPerson(evidence).sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns the boxes of one class by person, as ``boxes(_:)``, sorted by region as exports are:
  /// their order decides which of two equally good boxes a detection finds.
  static func boxesByPerson(_ evidence: [Evidence]) -> [Annotator: [NormalizedRect]] {
    var people: [Annotator: [Region]] = [:]
    for one in evidence where one.annotator.isHuman && one.isActive {
      if let region = one.label.region, one.label.verdict == .present {
        people[one.annotator, default: []].append(region)
      } else if one.label.verdict == .absent, people[one.annotator] == nil {
        people[one.annotator] = []
      }
    }
    return people.mapValues { regions in regions.sorted { $0.id < $1.id }.map(\.box) }
  }
}

extension Evidence {
  /// Whether it is an active label, even if it does not decide.
  fileprivate var isActive: Bool {
    if case .notLatest = status { return true }
    return status.counts
  }

  /// Whether it is an active label for presence, even if it does not decide.
  fileprivate var isChoice: Bool { label.verdict == .present && isActive }
}
