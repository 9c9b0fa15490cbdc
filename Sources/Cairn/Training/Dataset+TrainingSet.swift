internal import CairnDocument
internal import CairnFormats
internal import CairnIndex
internal import CairnMerge
internal import CairnTraining

extension Dataset {
  /// Returns what people decided of the photos and classes of a request.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` when it is not clear what to learn.
  func trainingSet(_ request: TrainingRequest) throws -> TrainingSet {
    var scope = MetricsScope()
    scope.query = request.query
    return try withMetricsScope(scope) { index, rules, _, photos in
      let known = try index.classes().filter { !$0.removed.value && $0.aliasOf?.value == nil }
      let sets = Set(known.compactMap { rules.classes.set(of: $0.key) }).sorted()
      var chosen: ClassKey?
      var classes: [ClassKey]
      switch request.subject {
      case .exclusiveSet(let name):
        let set = try exclusiveSet(name, among: sets)
        classes = known.map(\.key).filter { rules.classes.set(of: $0) == set }
        chosen = set
      case .classes(let names):
        if names.isEmpty { throw CairnError(.invalidInput, "There are no classes to learn.") }
        classes = try names.map { try existingClassKey(named: $0, in: index) }
      }
      classes = Set(classes.map(rules.classes.canonicalKey)).sorted()
      var found = TrainingSet(isExclusive: chosen != nil, classes: classes)
      try index.forEachLabeledPhoto(among: photos?.sorted()) { photo, labels in
        let people = labels.filter(\.annotator.isHuman)
        if people.isEmpty { return }
        let truth = GroundTruth(rules.resolve(people), rules.classes)
        found.add(photo, truth, set: chosen, rules.classes)
      }
      return found
    }
  }

  /// Returns the exclusive set to learn.
  private func exclusiveSet(_ name: String?, among sets: [ClassKey]) throws -> ClassKey {
    let names = sets.map(\.text).joined(separator: ", ")
    if let name {
      if let set = sets.first(where: { $0.text == name || $0 == ClassKey(naming: name) }) {
        return set
      }
      throw CairnError(
        .notFound, "There is no exclusive set “\(name)”.",
        hint: names.isEmpty
          ? "Create one: `cairn class set \(name) CLASS CLASS…`." : "Sets: \(names).")
    }
    if sets.count == 1 { return sets[0] }
    throw CairnError(
      .invalidInput,
      sets.isEmpty
        ? "There is no exclusive set of classes to learn."
        : "There are \(sets.count) exclusive sets; choose one: \(names).",
      hint: "Name a set with `--set`, or classes with `--classes oak,ash`.")
  }

  /// Checks that people labeled enough photos.
  func check(_ set: TrainingSet) throws {
    guard let missing = missingLabels(set) else { return }
    throw CairnError(
      .invalidInput, "People have labeled too few photos: \(missing).",
      hint: set.isExclusive
        ? "Label more photos, for example with `cairn review`."
        : "Label more photos, also where a class is absent: `cairn label PHOTO CLASS --absent`.")
  }

  /// Checks that enough of the photos that people labeled have images.
  func check(_ set: TrainingSet, _ features: FeatureSet) throws {
    guard let missing = missingLabels(set) else { return }
    func images(_ count: Int, _ one: String, _ several: String) -> [String] {
      count == 0 ? [] : [count == 1 ? "1 image \(one)" : "\(count) images \(several)"]
    }
    let unusable = features.unusable.first.map { " (\($0.photo.short)…: \($0.reason))" } ?? ""
    let causes =
      images(features.missing.count, "is not on this disk", "are not on this disk")
      + images(features.erased.count, "was erased", "were erased")
      + images(
        features.unusable.count, "cannot be used\(unusable)", "cannot be used\(unusable)")
    throw CairnError(
      .missingImage,
      "There are enough labels, but too few images: \(causes.joined(separator: " and ")), so "
        + "\(missing).",
      hint: features.missing.isEmpty
        ? "Label other photos; `cairn verify` names damaged images."
        : "Fetch them with `cairn images fetch`.")
  }

  /// Returns what a set lacks for a training; nil if nothing.
  func missingLabels(_ set: TrainingSet) -> String? {
    let least = TrainingRequest.leastPhotos
    var missing: [String] = []
    for (index, key) in set.classes.enumerated() {
      let present = set.count(index, true)
      if present < least { missing.append("\(key) has \(present) of \(least) photos") }
      let absent = set.isExclusive ? least : set.count(index, false)
      if absent < least {
        missing.append("\(key) is rejected on \(absent) of \(least) photos")
      }
    }
    if set.isExclusive, set.classes.count < 2 {
      missing.append("the set has only \(set.classes.count) of the 2 classes needed")
    }
    return missing.isEmpty ? nil : missing.joined(separator: "; ")
  }

  /// Checks that each class has photos for every fold of the cross-validation.
  ///
  /// - Parameter groups: The group of each photo: those of one group are in one fold.
  func check(_ set: TrainingSet, groups: [Int]) throws {
    let folds = TrainingParameters().foldCount
    for (index, key) in set.classes.enumerated() {
      // In an exclusive set, the photos of other classes lack this one.
      for verdict in set.isExclusive ? [true] : [true, false] {
        let rows = groups.indices.filter { set.verdict($0, index) == verdict }
        let different = Set(rows.map { groups[$0] }).count
        if different >= folds { continue }
        throw CairnError(
          .invalidInput,
          "The \(rows.count) photos \(verdict ? "of" : "without") \(key) count as only "
            + "\(different): near-duplicates count once, and so do photos of a pin with "
            + "--group-by-pin.",
          hint: "Label different photos \(verdict ? "of" : "without") \(key).")
      }
    }
  }

  /// Returns the pins of photos, if a request needs them.
  func pins(
    for request: TrainingRequest, _ split: Split?, _ photos: [PhotoID]
  ) throws -> [PhotoID: PinID] {
    try request.groupsByPin || split?.isByPin == true ? pins(of: photos) : [:]
  }

  /// Returns which photos are for training, and which for testing; nil without a split.
  ///
  /// - Parameter split: What ``requestedSplit(_:)`` returns.
  func trainingSubsets(
    _ request: TrainingRequest, _ split: Split?, _ photos: [PhotoID], _ pins: [PhotoID: PinID]
  ) throws -> (training: Set<PhotoID>, test: Set<PhotoID>)? {
    guard let split else { return nil }
    let names = split.subsets.map(\.name)
    guard names.count > 1 else {
      throw CairnError(
        .invalidInput, "The split “\(request.split ?? "")” has a single subset.",
        hint: "Use one with at least two: `--split train=80,test=20`.")
    }
    let training = names.contains("train") ? "train" : names[0]
    let last = names.last { $0 != training } ?? names[0]
    let test = names.contains("test") && training != "test" ? "test" : last
    let subsets = Dictionary(grouping: photos) {
      split.subset(of: $0, at: split.isByPin ? pins[$0] : nil)
    }
    return (Set(subsets[training] ?? []), Set(subsets[test] ?? []))
  }

  /// Checks that photos are left for a test.
  ///
  /// - Parameters:
  ///   - held: The labeled photos of the test subset that can be used.
  ///   - tested: All labeled photos of this subset.
  func checkTest(_ held: TrainingSet, of tested: TrainingSet) throws {
    guard held.photos.isEmpty else { return }
    let count = tested.photos.count
    throw CairnError(
      .invalidInput,
      count == 0
        ? "The test subset has no labeled photos."
        : "None of the \(count) labeled photos in the test subset can be used: they are "
          + "near-duplicates of training photos, or their images cannot be used.",
      hint: "Label more photos, or give the test subset a greater share.")
  }

  /// Returns the recorded split with a name, or a new one of subsets and shares, which keeps pins
  /// together if asked for; nil if none is requested.
  func requestedSplit(_ request: TrainingRequest) throws -> Split? {
    guard let text = request.split else { return nil }
    guard text.contains("=") else {
      let split = try split(named: text)
      guard split.isByPin || !request.groupsByPin else {
        throw CairnError(
          .invalidInput,
          "The split “\(text)” divides single photos, so the photos of a pin are not kept together.",
          hint: "Record one by pin: `cairn split add NAME \(split.text) --by pin`.")
      }
      return split
    }
    guard let split = Split(text, isByPin: request.groupsByPin) else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a valid split.",
        hint: "Give subsets with their shares: `--split train=80,test=20`.")
    }
    return split
  }
}
