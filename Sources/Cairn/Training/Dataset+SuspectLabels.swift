internal import CairnDocument
internal import CairnFiles
internal import CairnMerge
internal import CairnReview
internal import CairnTraining
internal import SystemPackage

extension Dataset {
  private func suspectFile(_ name: String) -> FilePath {
    modelDirectory.appending("\(name).\(SuspectLabelFile.extension)")
  }

  private func suspectFile(named name: String) throws -> SuspectLabelFile? {
    try environment.files.read(suspectFile(name)).flatMap { SuspectLabelFile($0) }
  }

  /// Returns the labels that the cross-validation of a training contradicts, the least probable first.
  ///
  /// Source: C. Northcutt, L. Jiang and I. Chuang, “Confident learning”, 2021, section 3.2 (ranking
  /// by self-confidence, out of sample).
  func suspects(of outcome: TrainingOutcome) throws -> [SuspectLabel] {
    let set = outcome.set
    var suspects: [SuspectLabel] = []
    for (row, photo) in set.photos.enumerated() {
      try environment.checkCancellation()
      let scores = outcome.result.outOfFold[row]
      for (index, key) in set.classes.enumerated() {
        guard let verdict = set.verdict(row, index), !set.isExclusive || verdict else { continue }
        var best = index
        if set.isExclusive {
          best = scores.indices.max { (scores[$0], $1) < (scores[$1], $0) } ?? index
          if best == index { continue }
        } else if (scores[index] >= 0.5) == verdict {
          continue
        }
        let evidence = try evidence(of: photo)
        suspects.append(
          SuspectLabel(
            photo: photo, classKey: key, isPresent: verdict,
            probability: rounded(verdict ? scores[index] : 1 - scores[index]),
            predicted: set.classes[best], confidence: rounded(scores[best]),
            raised: evidence.latestLabel(of: key) ?? .never))
      }
    }
    return suspects.sorted {
      ($0.probability, $0.photo, $0.classKey) < ($1.probability, $1.photo, $1.classKey)
    }
  }

  /// Returns the labels that a model contradicts, with what people have settled: a label that an
  /// earlier version contradicted, and that they have given again, stays settled, even if this version
  /// agrees with it and a later one does not.
  func keepingSettled(_ suspects: [SuspectLabel], named name: String) throws -> [SuspectLabel] {
    var earlier = Dictionary(
      try suspectFile(named: name)?.suspects.map { (ReviewKey($0), $0) } ?? [],
      uniquingKeysWith: { first, _ in first })
    let asked = suspects.map { suspect in
      guard let known = earlier[ReviewKey(suspect)], known.isPresent == suspect.isPresent else {
        return suspect
      }
      return SuspectLabel(
        photo: suspect.photo, classKey: suspect.classKey, isPresent: suspect.isPresent,
        probability: suspect.probability, predicted: suspect.predicted,
        confidence: suspect.confidence, raised: known.raised)
    }
    for suspect in suspects { earlier[ReviewKey(suspect)] = nil }
    let settled = try earlier.values.filter { suspect in
      let latest = try evidence(of: suspect.photo).latestLabel(of: suspect.classKey)
      return latest.map { $0 > suspect.raised } ?? false
    }
    return asked + settled.sorted { ($0.photo, $0.classKey) < ($1.photo, $1.classKey) }
  }

  /// Writes which labels a model contradicts, during an edit.
  func save(_ suspects: [SuspectLabel], of model: Annotator, named name: String) throws {
    let file = suspectFile(name)
    try environment.files.write(
      SuspectLabelFile(model: model, suspects: suspects).bytes, to: file,
      temporary: FilePath("\(file).new"), durable: true)
  }

  /// Returns the labels that models of this device contradict, the least probable first, each once.
  func suspectLabels() throws -> [(suspect: SuspectLabel, model: Annotator)] {
    var all: [(suspect: SuspectLabel, model: Annotator)] = []
    for name in try environment.files.list(modelDirectory) ?? [] {
      let path = FilePath(name)
      guard path.extension == SuspectLabelFile.extension, let stem = path.stem,
        let file = try suspectFile(named: stem)
      else { continue }
      all += file.suspects.map { ($0, file.model) }
    }
    all.sort {
      ($0.suspect.probability, $0.suspect.photo, $0.suspect.classKey, $0.model)
        < ($1.suspect.probability, $1.suspect.photo, $1.suspect.classKey, $1.model)
    }
    var seen = Set<ReviewKey>()
    return all.filter { seen.insert(ReviewKey($0.suspect)).inserted }
  }

  private func evidence(of photo: PhotoID) throws -> PhotoEvidence {
    let labels = try labels(of: photo)
    return PhotoEvidence(of: photo, labels, try resolvingRules(of: labels))
  }

  private func rounded(_ probability: Double) -> Double {
    (probability * 10_000).rounded() / 10_000
  }
}

extension ReviewKey {
  fileprivate init(_ suspect: SuspectLabel) {
    self.init(photo: suspect.photo, classKey: suspect.classKey)
  }
}

extension PhotoEvidence {
  /// Returns the latest stamp of people's labels of a class and of the others of its exclusive set;
  /// nil if there are none.
  func latestLabel(of classKey: ClassKey) -> Stamp? {
    labels(on: classKey).filter(\.annotator.isHuman).map(\.stamp).max()
  }

  /// Returns a question about a label that a model contradicts; nil if people have labeled the photo
  /// since then, or disagree.
  func item(_ suspect: SuspectLabel, by model: Annotator) -> ReviewItem? {
    let state = resolution(of: suspect.classKey)?.state
    guard state == (suspect.isPresent ? .confirmed : .rejected),
      latestLabel(of: suspect.classKey).map({ $0 <= suspect.raised }) != false
    else { return nil }
    let predicted = ModelPrediction(
      model, rules.classes.name(of: suspect.predicted), confidence: JSONNumber(suspect.confidence))
    return ReviewItem(
      key: ReviewKey(photo: photo, classKey: suspect.classKey), reasons: [.suspect(predicted)],
      raised: suspect.raised)
  }
}
