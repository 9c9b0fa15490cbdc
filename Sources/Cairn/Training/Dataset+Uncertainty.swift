public import CairnDocument
internal import CairnLabelers
internal import CairnMerge
public import CairnReview
internal import CairnTraining

/// The photos that a trained model would learn the most from.
public struct UncertainPhotos: Sendable {
  /// The model that is uncertain about them.
  public let model: Annotator
  /// Photos on which people have not decided what it predicts, the most uncertain first, without
  /// near duplicates.
  public let photos: [PhotoID]
  /// The number of photos left for later: more certain ones and near duplicates.
  public let rest: Int
  /// The number of photos whose images are not on this disk, or cannot be decoded.
  public let missingImages: Int
  let subject: UncertainSubject
}

/// What a trained model predicts.
struct UncertainSubject {
  /// The model's classes, each with its exclusive set.
  let classes: [(key: ClassKey, set: ClassKey?)]

  /// Returns whether people have not decided what the model predicts on a photo with these labels.
  ///
  /// In an exclusive set, choosing a class decides all. Of classes that do not exclude each other, an
  /// answer decides one, so a photo is open only as long as all of them are.
  func isOpen(_ labels: [Label], _ rules: ResolutionRules) -> Bool {
    let people = labels.filter(\.annotator.isHuman)
    let truth = GroundTruth(rules.resolve(people), rules.classes)
    let isUnknown = classes.map { truth.verdict(on: $0.key, in: $0.set) == .unknown }
    let isExclusive = classes.allSatisfy { $0.set != nil && $0.set == classes.first?.set }
    return isExclusive ? isUnknown.contains(true) : !isUnknown.contains(false)
  }
}

extension Dataset {
  /// The number of photos to label before the model is trained again.
  public static let uncertainPhotoCount = 100

  /// Returns the photos that a trained model is most uncertain about: those with the smallest
  /// margin between its two most likely classes or, for classes that do not exclude each other,
  /// between a probability and one half. Leaves out photos on which people have decided its
  /// exclusive set, or at least one of its classes if they do not exclude each other.
  ///
  /// ```swift
  /// let next = try dataset.uncertainPhotos(.everything, labeler: "trees", limit: 20)
  /// ```
  ///
  /// - Parameter labeler: The name of the trained model; nil for the only one.
  public func uncertainPhotos(
    _ query: PhotoQuery, labeler: String? = nil, shard: ReviewShard? = nil,
    limit: Int = uncertainPhotoCount
  ) throws(CairnError) -> UncertainPhotos {
    let (model, trained) = try trainedModel(labeler)
    let subject = try uncertainSubject(of: trained)
    let photos = try undecidedPhotos(query, subject).filter { shard?.contains($0) ?? true }
    return try translating {
      var margins: [(margin: Double, photo: PhotoID)] = []
      let features = try features(of: photos, in: trained.space)
      for photo in features.photos {
        try environment.checkCancellation()
        margins.append(
          (trained.classifier.margin(of: try features.features(of: photo)), photo))
      }
      // Of equal margins, the order of the ids decides.
      margins.sort { ($0.margin, $0.photo) < ($1.margin, $1.photo) }
      let batch = try withoutNearDuplicates(margins.map(\.photo), features, limit: limit)
      return UncertainPhotos(
        model: model, photos: batch, rest: margins.count - batch.count,
        missingImages: photos.count - margins.count, subject: subject)
    }
  }

  private func uncertainSubject(of trained: TrainedModel) throws(CairnError) -> UncertainSubject {
    try withMetricsScope(MetricsScope()) { _, rules, _, _ in
      let keys = trained.classes.compactMap { ClassKey($0).map(rules.classes.canonicalKey) }
      return UncertainSubject(classes: keys.map { ($0, rules.classes.set(of: $0)) })
    }
  }

  /// Returns the photos on which people have not decided what a model predicts.
  private func undecidedPhotos(
    _ query: PhotoQuery, _ subject: UncertainSubject
  ) throws(CairnError) -> [PhotoID] {
    let photos = try find(query)
    var decided: Set<PhotoID> = []
    try withMetricsScope(MetricsScope()) { index, rules, _, _ in
      try index.forEachLabeledPhoto(among: photos) { photo, labels in
        if !subject.isOpen(labels, rules) { decided.insert(photo) }
      }
    }
    return photos.filter { !decided.contains($0) }
  }

  /// Returns a model that cairn trained.
  ///
  /// - Parameter name: The name of its labeler; nil for the only one of this device or, if it has none,
  ///   the only one of the dataset.
  func trainedModel(_ name: String?) throws(CairnError) -> (Annotator, TrainedModel) {
    let own = try translating { try ownLabelers().filter(\.isTrained) }
    let all = try own.isEmpty || name != nil ? labelers().filter(\.isTrained) : own
    let chosen = name.map { name in all.filter { $0.name == name } } ?? all
    guard chosen.count == 1 else {
      let names = all.map(\.name).joined(separator: ", ")
      if all.isEmpty || chosen.isEmpty {
        throw CairnError(
          .notFound,
          name.map { "“\($0)” is not a trained model." } ?? "There is no trained model.",
          hint: all.isEmpty ? "Train one: `cairn train NAME`." : "Models: \(names).")
      }
      throw CairnError(
        .ambiguous, "There are \(all.count) trained models: \(names).",
        hint: "Name one with --labeler.")
    }
    try translating { try fetchModel(of: chosen[0]) }
    do throws(LabelerError) {
      guard let trained = try chosen[0].trainedModel() else {
        throw LabelerError("it is not a model that cairn trained")
      }
      let own = try trained.annotator()
      return (chosen[0].model ?? own, trained)
    } catch { throw .labeler(chosen[0].name, error) }
  }

  /// Returns the first photos of which none is a near duplicate of one before it.
  private func withoutNearDuplicates(
    _ photos: [PhotoID], _ features: FeatureSet, limit: Int
  ) throws -> [PhotoID] {
    var batch: [PhotoID] = []
    for photo in photos where batch.count < limit {
      if try !batch.contains(where: { try features.areNearDuplicates($0, photo) }) {
        batch.append(photo)
      }
    }
    return batch
  }
}

extension LinearClassifier {
  /// Returns how sure the classifier is, from 0 to 1: the margin between the two most likely classes
  /// or, for independent classes, twice the smallest distance of a probability from one half.
  ///
  /// Source: B. Settles, “Active learning literature survey”, 2009, section 3.1.
  func margin(of features: [Float]) -> Double {
    let probabilities = probabilities(of: features)
    switch kind {
    case .exclusive:
      let sorted = probabilities.sorted(by: >)
      return sorted.count > 1 ? sorted[0] - sorted[1] : 1
    case .independent:
      return probabilities.map { 2 * ($0 - 0.5).magnitude }.min() ?? 1
    }
  }
}
