internal import CairnBase
internal import CairnDocument
internal import CairnFiles
package import CairnLabelers
internal import CairnStore
internal import CairnSync
internal import CairnTraining
internal import Crypto
internal import SystemPackage

extension Dataset {
  /// The directory of the models that were trained on this device; labelers name files in it. Most
  /// share their bytes with a blob, which `cairn images drop` may delete.
  var modelDirectory: FilePath { directory.privateDirectory.appending("models") }

  /// Checks everything that could keep the model from being saved, since a training takes a while.
  func startTraining(_ request: TrainingRequest) throws -> TrainingStart {
    try checkName(request.name)
    if let output = request.output {
      try checkExport(to: output, of: request.name, isReplacing: request.replacesOutput)
    }
    if request.features != nil { _ = try embeddingBytes(request) }
    _ = try replica.person()
    return try edit("train") { _ in TrainingStart(tree: try replica.headTreeText()) }
  }

  /// Checks everything that a training needs except labels.
  ///
  /// - Throws: What ``train(_:)`` would throw, however many photos people label.
  public func checkTraining(_ request: TrainingRequest) throws(CairnError) {
    try translating {
      try checkModelSize(request)
      _ = try featureSpace(of: request.features, library: request.library)
      _ = try startTraining(request)
    }
  }

  /// Checks that a model that contains the one of a request's features can be read again.
  ///
  /// - Parameters:
  ///   - featureCount: The number of features of an image.
  ///   - classCount: The number of classes that are added.
  func checkModelSize(
    _ request: TrainingRequest, featureCount: Int = 0, classCount: Int = 0
  ) throws {
    guard let file = request.features, let path = environment.files.resolve(file),
      let size = try environment.files.status(path)?.size
    else { return }
    // Each class has a weight for each feature, and a name.
    let added = 4 * classCount * (featureCount + Dataset.classNameRoom) + Dataset.metadataRoom
    if Int(size) + added <= TrainedModel.sizeLimit { return }
    throw CairnError.features(
      LabelerError(
        "\(file.lastComponent?.string ?? "") is too large: with the classes added, the model must "
          + "be smaller than 2 GiB"))
  }

  /// The space that is reserved in a model for the name of each class, in bytes.
  private static let classNameRoom = 256
  /// The space that is reserved for all other metadata, in bytes.
  private static let metadataRoom = 1 << 16

  private func checkName(_ name: String) throws {
    guard LabelerDescription.isName(name) else {
      throw CairnError(
        .invalidInput, "“\(name)” cannot be the name of a model.",
        hint: "Use letters, digits, “-”, “_” and “.”.")
    }
    guard let other = try existingLabeler(name) else { return }
    guard case .trained = other.kind else {
      throw CairnError(
        .exists, "The labeler “\(name)” already exists, and is not a trained model.",
        hint: "Choose another name, or remove it with `cairn labeler remove \(name)`.")
    }
  }

  /// Stores a model with the images, records the training as a run, and adds the model as a labeler.
  ///
  /// A model that contains an embedding model stays on this device: to run it, others would have to
  /// trust that model.
  func save(_ outcome: TrainingOutcome, _ request: TrainingRequest) throws -> TrainingReport {
    let set = outcome.set
    let bytes = try modelBytes(outcome, request)
    let digest = Hex.text(SHA256.hash(data: bytes))
    let identity = "\(request.name)@\(digest.prefix(12))"
    guard let model = Annotator(model: identity) else {
      throw CairnError(.invalidInput, "“\(identity)” cannot be the name of a model.")
    }
    let name = "\(identity).onnx"
    let file = modelDirectory.appending(name)
    // Keep the user's settings of the labeler.
    var description = try existingLabeler(request.name)?.json.object ?? ["kind": "trained"]
    description["file"] = .string(name)
    description["model"] = .string(identity)
    description["name"] = .string(request.name)
    if let library = request.library { description["library"] = .string(library.string) }
    let labeler = try LabelerDescription(json: .object(description), models: modelDirectory)
    let crossValidation = outcome.evaluation(outcome.result.outOfFold)
    let card = outcome.card(crossValidation, request)
    let contradicted = try suspects(of: outcome)
    let suspects = try keepingSettled(contradicted, named: request.name)
    let learned = set.photos + outcome.testDuplicates
    let known = try recordedTraining(of: model, card, photos: learned.count)
    // If this fails, the labeler stays unchanged.
    if let output = request.output {
      try checkExport(to: output, of: request.name, isReplacing: request.replacesOutput)
      try environment.files.write(bytes, to: output, temporary: FilePath("\(output).new"))
    }
    let run = try editWaiting("train") { session in
      // Another labeler may have been added during the training.
      try checkName(request.name)
      let isShared = outcome.space.isOwn && bytes.count <= TrainedModel.sharedSizeLimit
      // No run names a model that is nowhere.
      if !isShared { try write(bytes, at: file, isBlob: false) }
      // A shared model and its run appear together, and a labeler of them last.
      let run = try session.undoingOnFailure {
        if isShared { try store(bytes, session) }
        return try known
          ?? startRun(
            model, parameters: ["digest": .string(digest), "training": .object(card)],
            learned: learned, session)
      }
      if isShared { try write(bytes, at: file, isBlob: true) }
      try save(suspects, of: model, named: request.name)
      try write(labeler)
      try removeUnusedModels()
      return run
    }
    return TrainingReport(
      model: model, digest: digest, file: file, classes: set.classes,
      isExclusive: set.isExclusive, photos: set.photos.count,
      counts: set.classes.indices.map { set.count($0, true) },
      missingImages: outcome.missingImages, erasedImages: outcome.erasedImages,
      unusableImages: outcome.unusableImages,
      crossValidation: crossValidation, test: outcome.test,
      testDuplicates: outcome.testDuplicates, uncomparedImages: outcome.uncomparedImages,
      augmentations: request.copies, uncopiedImages: outcome.uncopiedImages,
      mistakes: Array(contradicted.prefix(TrainingReport.mistakeLimit)),
      curve: outcome.learningCurve, run: run, labels: outcome.labels)
  }

  /// Stores a model as images are stored: a blob, with a file in the work tree of which git has the
  /// pointer.
  private func store(_ bytes: [UInt8], _ session: EditSession) throws {
    let (blobs, files) = (directory.blobs, environment.files)
    var rest: [UInt8]? = bytes
    let staged = try blobs.stage {
      defer { rest = nil }
      return rest
    }
    try blobs.install(staged, replacing: true)
    var synced: Set<FilePath> = []
    try blobs.syncName(of: staged.id, &synced)
    let path = DocumentPath.model(staged.id)
    let placed = try files.status(directory.location(path.description))
    if placed?.size ?? 0 != staged.size {
      try session.placeBlob(at: path)
      try replica.indexImages([path.description])
    }
  }

  /// Writes the file for the labeler of this device.
  ///
  /// - Parameter isBlob: Whether it is stored as a blob as well.
  private func write(_ bytes: [UInt8], at file: FilePath, isBlob: Bool) throws {
    let files = environment.files
    let temporary = FilePath("\(file).new")
    try files.createDirectory(modelDirectory)
    guard isBlob else {
      return try files.write(bytes, to: file, temporary: temporary, durable: true)
    }
    let id = PhotoID(digest: Array(SHA256.hash(data: bytes)))
    try files.remove(temporary)
    try files.share(directory.blobs.path(of: id), at: temporary)
    try files.rename(temporary, to: file)
    // By POSIX, renaming a file onto another name of the same file does nothing.
    try files.remove(temporary)
    try files.syncDirectory(modelDirectory)
  }

  /// Edits as soon as no other process does, however long that takes: a training must not be lost
  /// because somebody adds a memory card.
  private func editWaiting<Value>(
    _ command: String, _ body: (EditSession) throws -> Value
  ) throws(CairnError) -> Value {
    while true {
      do throws(CairnError) {
        return try edit(command, body)
      } catch {
        guard error.kind == .locked else { throw error }
        try translating { try environment.checkCancellation() }
      }
    }
  }

  /// Returns the bytes of the model's file.
  private func modelBytes(
    _ outcome: TrainingOutcome, _ request: TrainingRequest
  ) throws -> [UInt8] {
    var metadata = [
      "cairn.classes": outcome.set.classes.map(\.text).joined(separator: "\n"),
      "cairn.features": outcome.space.name,
      "cairn.kind": outcome.classifier.kind.rawValue, "cairn.name": request.name,
    ]
    switch outcome.space {
    case .fisher:
      metadata["cairn.input"] =
        "transparency on white; scaled to fit 320 × 320, then to 192 × 192, by area"
      return ONNXModel.bytes(outcome.classifier, metadata: metadata)
    case .embedding(let embedding):
      let bytes = try embeddingBytes(request, digest: embedding.digest)
      var description = embedding.json.object ?? [:]
      description["length"] = JSON(bytes.count)
      metadata["cairn.embedding"] = String(
        decoding: JSON.object(description).canonicalBytes, as: UTF8.self)
      return ONNXModel.appending(
        outcome.classifier, to: bytes, features: embedding.output, metadata: metadata)
    }
  }

  /// Returns the file of a request's features, to which a classifier can be appended.
  ///
  /// - Parameter digest: The SHA-256 of the file with which features were computed; nil if none were.
  private func embeddingBytes(
    _ request: TrainingRequest, digest: String? = nil
  ) throws -> [UInt8] {
    guard let file = request.features, let bytes = try environment.files.read(file) else {
      throw CairnError.features(LabelerError("the model was removed in the meantime"))
    }
    if let digest, Hex.text(SHA256.hash(data: bytes)) != digest {
      throw CairnError.features(
        LabelerError("\(file.lastComponent?.string ?? "") was changed in the meantime"))
    }
    if let obstacle = ONNXModel.obstacle(in: bytes) {
      throw CairnError.features(
        LabelerError("no classes can be added to \(file.lastComponent?.string ?? ""): \(obstacle)"))
    }
    return bytes
  }

  /// Returns the run that records the same training, if it is the latest of the model's name: devices
  /// without a labeler use the latest. The commit may be another.
  ///
  /// - Parameter photos: The number of photos that the run should record, unless they are too many.
  private func recordedTraining(
    of model: Annotator, _ card: JSONObject, photos: Int
  ) throws -> Run? {
    func compared(_ card: JSONObject) -> [UInt8] {
      var card = card
      card["tree"] = nil
      return JSON.object(card).canonicalBytes
    }
    let run = try trainings().first { $0.annotator.model?.name == model.model?.name }
    guard let run, run.annotator == model, run.learned != nil || photos > Run.photoLimit,
      (run.members["parameters"]?["training"]?.object).map(compared) == compared(card)
    else { return nil }
    return run
  }

  /// Returns the runs of trainings that are not withdrawn, the latest first.
  private func trainings() throws -> [Run] {
    try query { try $0.runs() }
      .filter { !$0.withdrawn.value && $0.members["parameters"]?["training"] != nil }
      .sorted { ($0.started, $0.id) > ($1.started, $1.id) }
  }

  /// Removes the files of models that no labeler names any longer; the blobs stay.
  func removeUnusedModels() throws {
    // A labeler that cannot be read may name any.
    guard let labelers = try? ownLabelers() else { return }
    let used = Set(labelers.map(\.target))
    let trained = labelers.filter { if case .trained = $0.kind { true } else { false } }.map(\.name)
    for name in try environment.files.list(modelDirectory) ?? [] {
      let file = modelDirectory.appending(name)
      let isUnused =
        switch file.extension {
        case "onnx": !used.contains(file.string)
        // A training that was killed left it: nobody else writes while this process may.
        case "new": true
        case SuspectLabelFile.extension: !trained.contains(file.stem ?? "")
        default: false
        }
      if isUnused { try environment.files.remove(file) }
    }
  }

  // MARK: Models of the dataset

  /// Returns the names of the models of the dataset, each with a labeler for the latest version whose
  /// training is recorded and that is stored with the images. The files are not read, and may be
  /// missing on this disk.
  func storedLabelers() throws -> [String: LabelerDescription] {
    var stored: [String: LabelerDescription] = [:]
    for run in try trainings() {
      guard let name = run.annotator.model?.name, stored[name] == nil,
        LabelerDescription.isName(name),
        let id = run.members["parameters"]?["digest"]?.string.flatMap({ PhotoID($0) }),
        run.annotator == Annotator(model: "\(name)@\(id.description.prefix(12))"),
        try replica.exists(.model(id))
      else { continue }
      let model = LabelerDescription.StoredModel(
        id: id, file: directory.blobs.path(of: id), trainer: run.by)
      stored[name] = LabelerDescription(model, name: name, model: run.annotator)
    }
    return stored
  }

  /// Fetches the model of a labeler if it is one of the dataset that is not on this disk.
  ///
  /// - Throws: ``CairnError/Kind/missingImage`` when there is no remote, or it does not have the model.
  func fetchModel(of labeler: LabelerDescription) throws {
    guard case .stored(let stored) = labeler.kind,
      try directory.blobs.size(of: stored.id) == nil
    else { return }
    do {
      let report = try replica.fetchModel(stored.id, limit: TrainedModel.sharedSizeLimit)
      if let failure = report?.failure { throw failure }
    } catch SyncError.noRemote {}
    guard try directory.blobs.size(of: stored.id) == nil else { return }
    let model = labeler.model?.identity ?? labeler.name
    throw CairnError(
      .missingImage, "The model \(model) is neither on this disk nor on the remote.",
      hint: "`cairn images push` sends it from a device that has it.")
  }

  /// Returns a sentence about a model of the dataset that is going to be run; nil for a labeler of this
  /// device.
  package func notice(of labeler: LabelerDescription) throws(CairnError) -> String? {
    guard case .stored(let stored) = labeler.kind else { return nil }
    let isHere = try translating { try directory.blobs.size(of: stored.id) != nil }
    return "using the model \(labeler.model?.identity ?? labeler.name) of the dataset, trained by "
      + stored.trainer.identity + (isHere ? "" : "; it is fetched first")
  }

  // MARK: Export

  /// Checks that a model can be copied to a file: one that exists is replaced only if it is a model
  /// of the same name.
  private func checkExport(to path: FilePath, of name: String, isReplacing: Bool) throws {
    guard path.extension == "onnx" else {
      throw CairnError(
        .invalidInput, "\(path) is not the name of an ONNX file.",
        hint: "Use a name that ends in .onnx.")
    }
    let folder = path.removingLastComponent()
    guard let resolved = environment.files.resolve(folder.isEmpty ? "." : folder),
      try environment.files.status(resolved)?.kind == .directory
    else {
      throw CairnError(
        .notFound, "There is no folder \(folder).", hint: "Create it, or choose another.")
    }
    if isReplacing || TrainedModel.name(of: path) == name { return }
    if try environment.files.status(path) != nil {
      throw CairnError(
        .exists, "\(path) already exists, and is not a model “\(name)”.",
        hint: "Choose another file, or replace it with `--force`.")
    }
  }
}
