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
  /// The boxes of each confirmed class, with its crowds; none of a class without a box.
  private(set) var boxes: [ClassKey: [TrueBox]] = [:]
  /// Whether a person drew a box of any class: then the photo's other classes are taken to have
  /// none, as in COCO.
  private(set) var hasBoxes = false

  init(_ resolutions: [Resolution], _ classes: ClassTable) {
    for one in resolutions {
      let set = classes.set(of: one.classKey)
      let people = GroundTruth.boxes(one.evidence)
      let crowds = GroundTruth.crowds(one.evidence)
      let isLocated = !crowds.isEmpty || people.contains { !$0.isEmpty }
      if isLocated { hasBoxes = true }
      switch one.state {
      case .confirmed:
        byClass[one.classKey] = .present
        if let set { bySet[set] = one.classKey }
        if isLocated { boxes[one.classKey] = TrueBox.consensus(of: people) + crowds }
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
  /// is absent; a person who only says that it is present, or draws only crowds, does not say where
  /// each object is.
  static func boxes(_ evidence: [Evidence]) -> [[NormalizedRect]] {
    boxesByPerson(evidence).sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns the boxes of one class by person, as ``boxes(_:)``, sorted by region as exports are:
  /// their order decides which of two equally good boxes a detection finds.
  static func boxesByPerson(_ evidence: [Evidence]) -> [Annotator: [NormalizedRect]] {
    var people: [Annotator: [Region]] = [:]
    for one in evidence where one.annotator.isHuman && one.isActive {
      if let region = one.drawnRegion {
        if !region.isCrowd { people[one.annotator, default: []].append(region) }
      } else if one.label.verdict == .absent, people[one.annotator] == nil {
        people[one.annotator] = []
      }
    }
    return people.mapValues { regions in regions.sorted { $0.id < $1.id }.map(\.box) }
  }

  /// Returns the crowds that people drew, sorted by region.
  private static func crowds(_ evidence: [Evidence]) -> [TrueBox] {
    evidence.filter { $0.annotator.isHuman && $0.isActive }.compactMap(\.drawnRegion)
      .filter(\.isCrowd).sorted { $0.id < $1.id }.map { TrueBox($0.box, isCrowd: true) }
  }
}

extension Evidence {
  /// Whether it is an active label, even if it does not decide.
  fileprivate var isActive: Bool {
    if case .notLatest = status { return true }
    return status.counts
  }

  /// The region that a label for presence is of.
  fileprivate var drawnRegion: Region? { label.verdict == .present ? label.region : nil }

  /// Whether it is an active label for presence, even if it does not decide.
  fileprivate var isChoice: Bool { label.verdict == .present && isActive }
}
