internal import CairnBase
internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnLabelers
internal import CairnPhotos
internal import CairnStore
internal import CairnSync
internal import CairnTraining
internal import Crypto
internal import SystemPackage

extension Dataset {
  /// Learns a model from what people confirmed and rejected, and adds it as a labeler.
  ///
  /// Nothing is downloaded. Equal labels and images give equal bytes of the model on every machine,
  /// so the beginning of its digest is its version. A run with the figures records the training; the
  /// model's file stays on this device.
  /// - Throws: ``CairnError/Kind/invalidInput`` when people labeled fewer than
  ///   ``TrainingRequest/leastPhotos`` photos of a class.
  public func train(_ request: TrainingRequest) throws(CairnError) -> TrainingReport {
    try translating {
      try checkName(request.name)
      let all = try trainingSet(request)
      let part = try trainingSubsets(request)
      let learned = part.map { all.filter($0.isTraining) } ?? all
      try check(learned)
      let tested = part.map { all.filter($0.isTest) }
      let features = try features(of: learned.photos + (tested?.photos ?? []))
      let set = learned.filter { features[$0] != nil }
      try check(set)
      let rows = set.photos.compactMap { features[$0] }
      report("training", 0, 1)
      let projection = try Projection(
        of: Dataset.sample(rows), outputCount: Dataset.coordinateCount,
        checkCancellation: { try environment.checkCancellation() })
      let groups = try groups(set.photos, rows, byPin: request.groupsByPin)
      try check(set, groups: groups)
      let result = try fit(set, projection.coordinates(of: rows), groups: groups)
      report("training", 1, 1)
      let held = tested?.filter { features[$0] != nil }
      let scores = (held?.photos.compactMap { features[$0] }).map { rows in
        projection.coordinates(of: rows).map(result.classifier.probabilities)
      }
      let evaluation = held.flatMap { held in
        scores.map {
          TrainingReport.Evaluation(
            $0, verdict: held.verdict, isExclusive: set.isExclusive, classes: set.classes)
        }
      }
      return try save(
        TrainingOutcome(
          set: set, classifier: result.classifier.before(projection), result: result,
          test: evaluation, missingImages: learned.photos.count - set.photos.count), request)
    }
  }

  /// The number of coordinates of a photo that a classifier is learned from.
  private static let coordinateCount = 256

  /// Returns evenly spaced rows, as many as a projection takes.
  private static func sample(_ rows: [[Float]]) -> [[Float]] {
    let count = min(rows.count, Projection.sampleLimit)
    return (0..<count).map { rows[$0 * rows.count / count] }
  }

  private func checkName(_ name: String) throws {
    guard LabelerDescription.isName(name) else {
      throw CairnError(
        .invalidInput, "“\(name)” cannot be the name of a model.",
        hint: "Use letters, digits, “-”, “_” and “.”.")
    }
    if let other = try labelers().first(where: { $0.name == name }) {
      guard case .trained = other.kind else {
        throw CairnError(
          .exists, "The labeler “\(name)” already exists, and is not a trained model.",
          hint: "Choose another name, or remove it with `cairn labeler remove \(name)`.")
      }
    }
  }

  private func fit(
    _ set: TrainingSet, _ rows: [[Float]], groups: [Int]
  ) throws -> TrainingResult {
    let environment = environment
    return try CairnTraining.train(
      rows, set.targets, groups: groups,
      checkCancellation: { try environment.checkCancellation() },
      progress: { environment.progress("training", $0, $1) })
  }

  /// Returns the group of each photo: near duplicates, and if asked for, photos of a pin, are in one.
  ///
  /// Photos with similar hashes are near duplicates if their features are similar as well: textures
  /// and plain photos have similar hashes by chance.
  private func groups(
    _ photos: [PhotoID], _ rows: [[Float]], byPin: Bool
  ) throws -> [Int] {
    let hashes = try perceptualHashFile.read()
    let hashed = photos.indices.compactMap { row in
      (hashes[photos[row]] ?? nil).map { (row: row, hash: $0) }
    }
    var links: [[Int]] = []
    for group in CairnPhotos.nearDuplicates(
      hashed.map(\.hash), within: Dataset.duplicateDistance)
    {
      for (place, first) in group.enumerated() {
        for second in group[(place + 1)...].prefix(Dataset.comparedDuplicates) {
          let pair = [hashed[first].row, hashed[second].row]
          if Dataset.areSimilar(rows[pair[0]], rows[pair[1]]) { links.append(pair) }
        }
      }
    }
    if byPin {
      var pins: [PinID: [Int]] = [:]
      for (row, photo) in photos.enumerated() {
        if let pin = try self.photo(photo).pin.value { pins[pin, default: []].append(row) }
      }
      links += pins.values
    }
    var parents = Array(photos.indices)
    func root(_ row: Int) -> Int {
      var row = row
      while parents[row] != row { row = parents[row] }
      return row
    }
    for link in links {
      for row in link.dropFirst() {
        let (first, second) = (root(link[0]), root(row))
        parents[max(first, second)] = min(first, second)
      }
    }
    var numbers: [Int: Int] = [:]
    return photos.indices.map { row in
      let number = numbers[root(row)] ?? numbers.count
      numbers[root(row)] = number
      return number
    }
  }

  /// The number of differing bits up to which two photos count as one, as `--skip-similar` has it.
  private static let duplicateDistance = 8
  /// Measured on 16 photos: copies that differ in size, compression, brightness or by 2 % of the
  /// sides have at least 0.75, other photos at most 0.46.
  private static let duplicateSimilarity: Float = 0.72
  /// The number of photos with a similar hash that a photo is compared with.
  private static let comparedDuplicates = 256

  private static func areSimilar(_ first: [Float], _ second: [Float]) -> Bool {
    var sum: Float = 0
    for index in first.indices { sum += first[index] * second[index] }
    // Features are two vectors of length 1.
    return sum / 2 >= duplicateSimilarity
  }

  /// Whether two photos are near duplicates by both their hashes and their features.
  static func areNearDuplicates(
    _ first: (hash: PerceptualHash?, features: [Float]),
    _ second: (hash: PerceptualHash?, features: [Float])
  ) -> Bool {
    guard let a = first.hash, let b = second.hash else { return false }
    return a.distance(to: b) <= duplicateDistance && areSimilar(first.features, second.features)
  }
}

/// What a training results in, before it is saved.
struct TrainingOutcome {
  let set: TrainingSet
  /// Of features.
  let classifier: LinearClassifier
  let result: TrainingResult
  let test: TrainingReport.Evaluation?
  let missingImages: Int

  func evaluation(_ probabilities: [[Double]]) -> TrainingReport.Evaluation {
    TrainingReport.Evaluation(
      probabilities, verdict: set.verdict, isExclusive: set.isExclusive, classes: set.classes)
  }

  /// The figures of fewer labels, and of all.
  var learningCurve: [(labelsPerClass: Double, macroF1: Double)] {
    let folds = Double(result.folds.count)
    let all = set.classes.indices.reduce(0) { $0 + set.count($1, true) }
    let mean = Double(all) / Double(set.classes.count) * (folds - 1) / folds
    return (result.curve + [(1, result.outOfFold)]).map {
      ((mean * $0.share * 10).rounded() / 10, evaluation($0.outOfFold).macroF1 ?? 0)
    }
  }
}
