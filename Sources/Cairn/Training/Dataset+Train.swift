internal import CairnDocument
internal import CairnLabelers
internal import CairnTraining
internal import SystemPackage

extension Dataset {
  /// Learns a model from what people confirmed and rejected, and adds it as a labeler.
  ///
  /// ```swift
  /// var request = TrainingRequest(name: "trees")
  /// request.split = "train=80,test=20"
  /// let report = try dataset.train(request)
  /// print(report)
  /// ```
  ///
  /// Nothing is downloaded. Without ``TrainingRequest/features``, equal labels and equal decoded
  /// pixels give equal bytes of the model on every machine, so the beginning of its digest is its
  /// version. A run with the figures records the training, and the model is stored with the images.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` when people labeled fewer than
  ///   10 photos of a class, it is not clear what to learn, or the model of
  ///   ``TrainingRequest/features`` cannot be used;
  ///   ``CairnError/Kind/missingImage`` when there are enough labels, but too few images on this
  ///   disk; ``CairnError/Kind/exists`` when another labeler or file has the name;
  ///   ``CairnError/Kind/notFound`` when there is no such set, class or split;
  ///   ``CairnError/Kind/noIdentity`` when git's configuration does not name the current user.
  @discardableResult
  public func train(_ request: TrainingRequest) throws(CairnError) -> TrainingReport {
    try translating {
      try checkModelSize(request)
      let space = try featureSpace(of: request.features, library: request.library)
      let start = try startTraining(request)
      let all = try trainingSet(request)
      // Another process may change a recorded split meanwhile: the card describes this one.
      let split = try requestedSplit(request)
      let pins = try pins(for: request, split, all.photos)
      let subsets = try trainingSubsets(request, split, all.photos, pins)
      let learned = subsets.map { all.filter($0.training.contains) } ?? all
      try check(learned)
      try checkModelSize(
        request, featureCount: space.count, classCount: learned.classes.count)
      let tested = subsets.map { all.filter($0.test.contains) }
      let features = try features(of: learned.photos + (tested?.photos ?? []), in: space)
      let usable = Set(features.photos)
      let set = learned.filter(usable.contains)
      try check(set, features)
      let groups = try trainingGroups(
        of: features.photos, features, pins: request.groupsByPin ? pins : [:])
      let groupOf = Dictionary(uniqueKeysWithValues: zip(features.photos, groups))
      let own = set.photos.compactMap { groupOf[$0] }
      try check(set, groups: own)
      // What the model learned from must not flatter it.
      let learnedGroups = Set(own)
      let held = tested?.filter {
        usable.contains($0) && !learnedGroups.contains(groupOf[$0] ?? -1)
      }
      if let held, let tested { try checkTest(held, of: tested) }
      let copies = try self.features(ofCopies: request.copies, of: set.photos, in: space)
      let copied = copies.map { Set($0.photos) }
      let projection = try projection(of: set.photos, features)
      let result = try fit(
        set, try coordinates(of: set.photos, features, projection), groups: renumbered(own),
        copies: try copies.map {
          ($0.photos, try coordinates(of: $0.photos, $0, projection))
        })
      return try save(
        TrainingOutcome(
          start: start, space: space, labels: all, split: split, set: set,
          groups: own,
          classifier: try result.classifier.before(projection) {
            try environment.checkCancellation()
          },
          result: result,
          test: try held.map {
            try evaluate($0, groupOf, result.classifier, features, projection)
          },
          testDuplicates: (tested?.photos ?? []).filter {
            usable.contains($0) && learnedGroups.contains(groupOf[$0] ?? -1)
          },
          missingImages: features.missing, erasedImages: features.erased,
          unusableImages: features.unusable, uncomparedImages: features.uncompared,
          uncopiedImages: set.photos.filter { photo in
            copied.contains { !$0.contains(photo) }
          }), request)
    }
  }

  /// Returns the features of an ONNX model of the user's; those of this program if `file` is nil.
  func featureSpace(of file: FilePath?, library: FilePath?) throws(CairnError) -> FeatureSpace {
    guard let file else { return .fisher }
    do throws(LabelerError) {
      return .embedding(try ImageEmbedding(file, library: library))
    } catch {
      throw CairnError.features(error)
    }
  }

  /// The number of coordinates of a photo that a classifier is learned from.
  private static let coordinateCount = 256

  /// Learns a subspace from evenly spaced photos, as many as a projection takes.
  ///
  /// - Parameter coordinateCount: Its dimension, unless there are too few photos.
  func projection(
    of photos: [PhotoID], _ features: FeatureSet, coordinateCount: Int = Dataset.coordinateCount
  ) throws -> Projection {
    let count = min(photos.count, Projection.sampleLimit)
    let sample = try (0..<count).map {
      try features.features(of: photos[$0 * photos.count / count])
    }
    return try Projection(
      of: sample, outputCount: coordinateCount,
      checkCancellation: { try environment.checkCancellation() })
  }

  func coordinates(
    of photos: [PhotoID], _ features: FeatureSet, _ projection: Projection
  ) throws -> [[Float]] {
    var rows: [[Float]] = []
    try features.forEachBlock(of: photos) { _, vectors in
      try environment.checkCancellation()
      rows += projection.coordinates(of: vectors)
    }
    return rows
  }

  /// - Parameter copies: The photos and coordinates of changed copies of each kind.
  private func fit(
    _ set: TrainingSet, _ rows: [[Float]], groups: [Int],
    copies: [(photos: [PhotoID], rows: [[Float]])]
  ) throws -> TrainingResult {
    let environment = environment
    let rowOf = Dictionary(uniqueKeysWithValues: zip(set.photos, set.photos.indices))
    return try CairnTraining.train(
      rows, set.targets, groups: groups,
      copies: (
        copies.flatMap { $0.rows }, copies.flatMap { $0.photos.compactMap { rowOf[$0] } }
      ),
      checkCancellation: { try environment.checkCancellation() },
      progress: { report("training", $0, of: $1) })
  }

  private func evaluate(
    _ held: TrainingSet, _ groupOf: [PhotoID: Int], _ classifier: LinearClassifier,
    _ features: FeatureSet, _ projection: Projection
  ) throws -> TrainingReport.Evaluation {
    TrainingReport.Evaluation(
      try coordinates(of: held.photos, features, projection).map(classifier.probabilities),
      groups: held.photos.compactMap { groupOf[$0] }, verdict: held.verdict,
      isExclusive: held.isExclusive, classes: held.classes)
  }
}
