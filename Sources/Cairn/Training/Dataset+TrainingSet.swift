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
      let chosen = try exclusiveSet(request, among: sets)
      var classes: [ClassKey]
      if let chosen {
        classes = known.map(\.key).filter { rules.classes.set(of: $0) == chosen }
      } else {
        classes = try request.classNames.map { try existingClassKey(named: $0, in: index) }
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

  /// Returns the exclusive set to learn; nil to learn independent classes.
  private func exclusiveSet(
    _ request: TrainingRequest, among sets: [ClassKey]
  ) throws -> ClassKey? {
    if !request.classNames.isEmpty { return nil }
    let names = sets.map(\.text).joined(separator: ", ")
    if let name = request.set {
      if let set = sets.first(where: { $0.text == name || $0 == ClassKey(naming: name) }) {
        return set
      }
      throw CairnError(
        .notFound, "There is no exclusive set “\(name)”.",
        hint: names.isEmpty
          ? "Make one: `cairn class set SET CLASS CLASS…`." : "Sets: \(names).")
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
      missing.append("there are \(set.classes.count) of 2 classes")
    }
    if missing.isEmpty { return }
    throw CairnError(
      .invalidInput, "People have labeled too few photos: \(missing.joined(separator: "; ")).",
      hint: set.isExclusive
        ? "Label more photos, for example with `cairn review`."
        : "Label more photos, also where a class is absent: `cairn label PHOTO CLASS --absent`.")
  }

  /// Checks that each class has photos for every fold of the cross-validation.
  ///
  /// - Parameter groups: The group of each photo: those of one group are in one fold.
  func check(_ set: TrainingSet, groups: [Int]) throws {
    let folds = TrainingParameters().foldCount
    for (index, key) in set.classes.enumerated() {
      let rows = groups.indices.filter { set.verdict($0, index) == true }
      let different = Set(rows.map { groups[$0] }).count
      if different >= folds { continue }
      throw CairnError(
        .invalidInput,
        "The \(rows.count) photos of \(key) are only \(different) different ones: near-duplicates "
          + "count once, and so do photos of a pin with --group-by-pin.",
        hint: "Label different photos of \(key).")
    }
  }

  /// Returns whether a photo is for training, for testing, or neither; nil without a split.
  func trainingSubsets(
    _ request: TrainingRequest
  ) throws -> (isTraining: (PhotoID) -> Bool, isTest: (PhotoID) -> Bool)? {
    guard let name = request.split else { return nil }
    let split = try requestedSplit(name)
    let names = split.subsets.map(\.name)
    guard names.count > 1 else {
      throw CairnError(
        .invalidInput, "The split “\(name)” has a single subset.",
        hint: "Use one with at least two: `--split train=80,test=20`.")
    }
    let training = names.contains("train") ? "train" : names[0]
    let last = names.last { $0 != training } ?? names[0]
    let test = names.contains("test") && training != "test" ? "test" : last
    func subset(_ photo: PhotoID) -> String {
      let pin = split.isByPin ? (try? self.photo(photo))?.pin.value : nil
      return split.subset(of: photo, at: pin)
    }
    return ({ subset($0) == training }, { subset($0) == test })
  }

  /// Returns the recorded split with a name, or a new one of subsets and shares.
  private func requestedSplit(_ text: String) throws -> Split {
    guard text.contains("=") else { return try split(named: text) }
    guard let split = Split(text) else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a valid split.",
        hint: "Give subsets with their shares: `--split train=80,test=20`.")
    }
    return split
  }
}
