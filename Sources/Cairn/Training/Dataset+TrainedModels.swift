internal import CairnBase
internal import CairnDocument
internal import CairnFiles
internal import CairnLabelers
internal import CairnStore
internal import CairnSync
internal import CairnTraining
internal import Crypto
internal import SystemPackage

extension Dataset {
  private var modelDirectory: FilePath { directory.privateDirectory.appending("models") }

  /// Writes a model and its description for other programs, adds it as a labeler, and records the
  /// training as a run.
  func save(_ outcome: TrainingOutcome, _ request: TrainingRequest) throws -> TrainingReport {
    let set = outcome.set
    let bytes = ONNXModel.bytes(
      outcome.classifier,
      metadata: [
        "cairn.classes": set.classes.map(\.text).joined(separator: "\n"),
        "cairn.features": ONNXModel.features, "cairn.kind": outcome.classifier.kind.rawValue,
        "cairn.name": request.name,
      ])
    let digest = Hex.text(SHA256.hash(data: bytes))
    let identity = "\(request.name)@\(digest.prefix(12))"
    guard let model = Annotator(model: identity) else {
      throw CairnError(.invalidInput, "“\(identity)” cannot be the name of a model.")
    }
    let file = modelDirectory.appending("\(identity).onnx")
    try write(bytes, to: file)
    try write(
      Dataset.description(request.name, digest, set.classes).canonicalBytes,
      to: modelDirectory.appending("\(identity).json"))
    _ = try addLabeler(
      [
        "file": .string(file.string), "kind": "trained", "model": .string(model.identity),
        "name": .string(request.name),
      ], isReplacing: true)
    let crossValidation = outcome.evaluation(outcome.result.outOfFold)
    let run = try recordTraining(
      model, card: card(outcome, crossValidation, request, digest: digest), digest: digest)
    return TrainingReport(
      model: model, digest: digest, file: file, classes: set.classes,
      isExclusive: set.isExclusive, photos: set.photos.count,
      counts: set.classes.indices.map { set.count($0, true) },
      missingImages: outcome.missingImages, crossValidation: crossValidation, test: outcome.test,
      learningCurve: outcome.learningCurve, run: run)
  }

  private func write(_ bytes: [UInt8], to path: FilePath) throws {
    try environment.files.createDirectory(modelDirectory)
    try environment.files.write(
      bytes, to: path, temporary: FilePath("\(path).new"), durable: true)
  }

  /// Returns what ``ModelConfig`` reads beside an ONNX file.
  private static func description(
    _ name: String, _ digest: String, _ classes: [ClassKey]
  ) -> JSON {
    [
      "classes": .array(classes.map { .string($0.text) }),
      "input": [
        "fit": "stretch", "height": JSON(FeatureExtractor.side),
        "width": JSON(FeatureExtractor.side),
      ],
      "name": .string(name), "output": ["name": .string(ONNXModel.output)],
      "version": .string(String(digest.prefix(12))),
    ]
  }

  /// Returns the model card: what was learned, from which state of the data, and how well.
  private func card(
    _ outcome: TrainingOutcome, _ crossValidation: TrainingReport.Evaluation,
    _ request: TrainingRequest, digest: String
  ) throws -> JSONObject {
    let set = outcome.set
    var photos = SHA256()
    for photo in set.photos { photos.update(data: photo.digest) }
    var card: JSONObject = [
      "classes": .object(
        JSONObject(
          set.classes.indices.map { (set.classes[$0].text, JSON(set.count($0, true))) })),
      "crossValidation": .object(crossValidation.summary), "exclusive": .bool(set.isExclusive),
      "features": .string(ONNXModel.features), "folds": JSON(outcome.result.folds.count),
      "photos": JSON(set.photos.count), "photosDigest": .string(Hex.text(photos.finalize())),
      "strength": JSON(outcome.result.strength), "temperature": JSON(outcome.result.temperature),
    ]
    card["query"] = request.queryText.map { .string($0) }
    card["split"] = request.split.map { .string($0) }
    card["test"] = outcome.test.map { .object($0.summary) }
    card["tree"] = try replica.headTreeText().map { .string($0) }
    return card
  }

  /// Records a training, unless a run of the same model records it already.
  private func recordTraining(
    _ model: Annotator, card: JSONObject, digest: String
  ) throws -> Run {
    let known = try query { try $0.runs() }.first { run in
      run.annotator == model && run.members["parameters"]?["training"] != nil
        && !run.withdrawn.value
    }
    if let known { return known }
    return try startRun(
      model, parameters: ["digest": .string(digest), "training": .object(card)])
  }
}

extension TrainingReport.Evaluation {
  /// The figures of a model card.
  fileprivate var summary: JSONObject {
    var summary: JSONObject = ["photos": JSON(photos)]
    summary["accuracy"] = accuracy.value.map { JSON($0) }
    summary["macroF1"] = macroF1.map { JSON($0) }
    summary["calibrationError"] = calibration.error.map { JSON($0) }
    return summary
  }
}
