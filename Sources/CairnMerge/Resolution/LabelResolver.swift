internal import CairnDocument

/// The labels of one photo during resolution: each rule excludes labels that do not count, with the
/// reason.
struct LabelResolver {
  struct Entry {
    let label: Label
    /// The annotator that the label counts for: a person under their proper address, or a model.
    let annotator: Annotator
    /// The name of the model, without its version.
    let model: String?
    let classKey: ClassKey
    let set: ClassKey?
    /// The reason that it does not count; nil if it does.
    var exclusion: LabelStatus?
  }

  /// One annotator and one class or set, by key.
  struct AnnotatorClass: Hashable {
    let annotator: Annotator
    let of: ClassKey
  }

  let rules: ResolutionRules
  /// Sorted by time, then by content, so that the order of the input never matters.
  private(set) var entries: [Entry]
  /// For each person, the index of the last label that a class of the exclusive set is present.
  private(set) var choices: [AnnotatorClass: Int] = [:]
  /// The indices of the entries of each class.
  private(set) var byClass: [ClassKey: [Int]] = [:]

  init(_ labels: some Sequence<Label>, rules: ResolutionRules) {
    self.rules = rules
    entries = labels.map { label in
      let key = rules.classes.canonicalKey(of: label.classKey)
      let annotator = rules.mailmap.person(label.annotator)
      return Entry(
        label: label, annotator: annotator, model: annotator.model?.name, classKey: key,
        set: rules.classes.set(of: key))
    }
    // Favorites take no part in resolution.
    .filter { $0.classKey != .favorite }
    entries.sort { $0.label.precedes($1.label) }
    for index in entries.indices {
      byClass[entries[index].classKey, default: []].append(index)
    }
    excludeWithdrawn()
    excludeOlderVersions()
    excludeOwnEarlier()
    excludeOwnOtherClasses()
  }

  mutating func exclude(_ index: Int, _ reason: LabelStatus) { entries[index].exclusion = reason }

  /// The indices of entries that still count.
  var active: [Int] { entries.indices.filter { entries[$0].exclusion == nil } }

  // MARK: Withdrawn labels

  private mutating func excludeWithdrawn() {
    for (index, entry) in entries.enumerated() {
      let label = entry.label
      if label.verdict == .withdrawn {
        exclude(index, .withdrawn)
      } else if let run = label.run, !entry.annotator.isHuman, rules.withdrawnRuns.contains(run) {
        exclude(index, .runWithdrawn(run))
      }
    }
  }

  // MARK: Superseded labels

  /// Keeps for each model only the version with the latest label of this photo: an older version's
  /// label must not count if the newer one no longer finds the class. If a label of the model is
  /// timeless, the version whose name sorts last is kept, with numbers compared by value.
  private mutating func excludeOlderVersions() {
    var latest: [String: Annotator] = [:]
    let timeless = Set(
      active.filter { entries[$0].label.stamp.isTimeless }.compactMap { entries[$0].model })
    for index in active {
      let annotator = entries[index].annotator
      guard let model = entries[index].model else { continue }
      if timeless.contains(model), let known = latest[model],
        annotator.versionPrecedes(known)
      {
        continue
      }
      latest[model] = annotator
    }
    for index in active {
      let annotator = entries[index].annotator
      guard let name = entries[index].model, let newest = latest[name], newest != annotator else {
        continue
      }
      exclude(index, .olderVersion(than: newest))
    }
  }

  /// Keeps each annotator's last label of a whole photo, across aliases and addresses; it also
  /// replaces their own earlier region labels with another verdict.
  private mutating func excludeOwnEarlier() {
    var last: [AnnotatorClass: Int] = [:]
    // A withdrawal also counts as the last label: they may have labeled the same class under
    // another key.
    for index in entries.indices where entries[index].label.region == nil {
      let exclusion = entries[index].exclusion
      if exclusion == nil || exclusion == .withdrawn { last[annotatorClass(of: index)] = index }
    }
    for index in active {
      guard let later = last[annotatorClass(of: index)], later != index else { continue }
      let (label, whole) = (entries[index].label, entries[later].label)
      // Regions are withdrawn one by one.
      let isContrary = whole.verdict != .withdrawn && label.verdict != whole.verdict
      if label.region == nil || label.stamp < whole.stamp && isContrary {
        exclude(index, .superseded(by: whole))
      }
    }
  }

  private func annotatorClass(of index: Int) -> AnnotatorClass {
    AnnotatorClass(annotator: entries[index].annotator, of: entries[index].classKey)
  }

  /// Excludes a person's earlier choices when they name another class of an exclusive set.
  private mutating func excludeOwnOtherClasses() {
    let named = active.filter {
      entries[$0].annotator.isHuman && entries[$0].label.verdict == .present
    }
    for index in named {
      guard let set = entries[index].set else { continue }
      choices[AnnotatorClass(annotator: entries[index].annotator, of: set)] = index
    }
    for index in named {
      let entry = entries[index]
      guard let set = entry.set,
        let choice = choices[AnnotatorClass(annotator: entry.annotator, of: set)],
        entries[choice].classKey != entry.classKey
      else { continue }
      exclude(index, .superseded(by: entries[choice].label))
    }
  }
}

extension Label {
  /// Orders labels totally: by time, then by every field that distinguishes two labels.
  fileprivate func precedes(_ other: Label) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    if annotator != other.annotator { return annotator < other.annotator }
    if classKey != other.classKey { return classKey < other.classKey }
    return canonicalBytes.lexicographicallyPrecedes(other.canonicalBytes)
  }
}
