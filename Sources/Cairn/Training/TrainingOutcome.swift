internal import CairnBase
internal import CairnDocument
internal import CairnLabelers
internal import CairnTraining
internal import Crypto

/// What a training results in, before it is saved.
struct TrainingOutcome {
  let start: TrainingStart
  let space: FeatureSpace
  /// All labels, also those of the test subset and of photos without images.
  let labels: TrainingSet
  /// The subsets that were asked for; nil if it learned from all.
  let split: Split?
  /// What it learned from.
  let set: TrainingSet
  /// The group of each photo that it learned from.
  let groups: [Int]
  /// Of features.
  let classifier: LinearClassifier
  let result: TrainingResult
  let test: TrainingReport.Evaluation?
  /// Photos of the test subset that are near duplicates of photos that it learned from.
  let testDuplicates: [PhotoID]
  let missingImages: [PhotoID]
  let erasedImages: [PhotoID]
  let unusableImages: [FeatureSet.UnusableImage]
  let uncomparedImages: [PhotoID]
  /// Photos that it learned from without all the copies that were asked for.
  let uncopiedImages: [PhotoID]

  func evaluation(_ probabilities: [[Double]]) -> TrainingReport.Evaluation {
    TrainingReport.Evaluation(
      probabilities, groups: groups, verdict: set.verdict, isExclusive: set.isExclusive,
      classes: set.classes)
  }

  /// The figures of fewer labels, and of all.
  var learningCurve: LearningCurve {
    let folds = Double(result.folds.count)
    let all = set.classes.indices.reduce(0) { $0 + set.count($1, true) }
    let mean = Double(all) / Double(set.classes.count) * (folds - 1) / folds
    let curve = (result.curve + [(1, result.outOfFold)]).map {
      (share: $0.share, figures: evaluation($0.outOfFold))
    }
    return LearningCurve(
      points: curve.map {
        TrainingReport.LearningPoint(
          labelsPerClass: (mean * $0.share * 10).rounded() / 10, macroF1: $0.figures.macroF1)
      },
      greatestGrowth: curve.count < 2
        ? nil
        : curve[curve.count - 1].figures.macroF1Growth(since: curve[curve.count - 2].figures)?
          .upperBound)
  }

  /// Returns the model card: what was learned, from which state of the data, and how well.
  func card(
    _ crossValidation: TrainingReport.Evaluation, _ request: TrainingRequest
  ) -> JSONObject {
    var card: JSONObject = [
      "classes": .object(
        JSONObject(
          set.classes.indices.map { (set.classes[$0].text, JSON(set.count($0, true))) })),
      "crossValidation": .object(crossValidation.summary), "exclusive": .bool(set.isExclusive),
      "erasedImages": JSON(erasedImages.count), "features": .string(space.name),
      "folds": JSON(result.folds.count), "groupByPin": .bool(request.groupsByPin),
      "labelsDigest": .string(set.digest), "missingImages": JSON(missingImages.count),
      "photos": JSON(set.photos.count), "strength": JSON(result.strength),
      "temperature": JSON(result.temperature), "testDuplicates": JSON(testDuplicates.count),
      "uncomparedImages": JSON(uncomparedImages.count),
      "undecodableImages": JSON(unusableImages.count),
    ]
    if !result.isConverged { card["converged"] = .bool(false) }
    if !request.copies.isEmpty {
      card["augmentations"] = .array(request.copies.map { .string($0.rawValue) })
      card["uncopiedImages"] = JSON(uncopiedImages.count)
    }
    if case .embedding(let embedding) = space {
      card["embedding"] = [
        "digest": .string(embedding.digest),
        "file": JSON(request.features?.lastComponent?.string),
      ]
    }
    card["query"] = request.queryText.map { .string($0) }
    if let split, var subsets = split.json.object {
      // A recorded split may be replaced by another one of its name.
      if let name = request.split, !name.contains("=") { subsets["name"] = .string(name) }
      card["split"] = .object(subsets)
    }
    card["test"] = test.map { .object($0.summary) }
    card["tree"] = start.tree.map { .string($0) }
    return card
  }
}

/// The state of a dataset when a training began.
struct TrainingStart {
  /// The tree of the last commit; nil if there is none.
  let tree: String?
}

extension TrainingSet {
  /// The SHA-256 of the verdicts: for each, the photo's id, the class, a zero byte, and 1 or 0.
  fileprivate var digest: String {
    var hash = SHA256()
    for (row, photo) in photos.enumerated() {
      for (index, key) in classes.enumerated() {
        guard let verdict = verdict(row, index) else { continue }
        hash.update(data: photo.digest + Array(key.text.utf8) + [0, verdict ? 1 : 0])
      }
    }
    return Hex.text(hash.finalize())
  }
}

extension TrainingReport.Evaluation {
  /// The figures of a model card.
  fileprivate var summary: JSONObject {
    var summary: JSONObject = ["groups": JSON(groups), "photos": JSON(photos)]
    summary["accuracy"] = accuracy.value.map { JSON($0) }
    summary["macroF1"] = macroF1.map { JSON($0) }
    summary["calibrationError"] = calibration.error.map { JSON($0) }
    return summary
  }
}
