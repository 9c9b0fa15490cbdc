public import CairnDocument
internal import CairnFiles
public import CairnLabelers
internal import CairnPhotos
internal import CairnStore
public import SystemPackage

// Labelers belong to a device, not to the dataset: if they were shared, anyone who can edit the
// dataset could redirect other people's photos to another URL, or run commands on their devices.

/// A labeler's prediction for one image, to test the labeler.
public struct LabelerTrial: Sendable {
  package let identity: LabelerIdentity

  /// The model, with the version that it reported.
  public var model: Annotator { identity.model }
  /// What it predicted.
  public let prediction: Prediction
  /// Time from the first request to the prediction, including loading.
  public let milliseconds: Int64
}

extension Dataset {
  private var labelerDirectory: FilePath { directory.privateDirectory.appending("labelers") }

  private func labelerFile(_ name: String) -> FilePath {
    labelerDirectory.appending("\(name).json")
  }

  /// Returns the labelers of this device and, for other names, the trained models of the dataset, by
  /// name.
  public func labelers() throws(CairnError) -> [LabelerDescription] {
    try translating {
      let own = try ownLabelers()
      let names = Set(own.map(\.name))
      let stored = try storedLabelers().values.filter { !names.contains($0.name) }
      return (own + stored).sorted { $0.name < $1.name }
    }
  }

  /// Returns the labelers of this device, by name.
  func ownLabelers() throws -> [LabelerDescription] {
    let files = try environment.files.list(labelerDirectory) ?? []
    return try files.filter { $0.hasSuffix(".json") }.sorted().map {
      try savedLabeler(String($0.dropLast(".json".count)))
    }
  }

  /// Returns the labeler with the given name: that of this device, otherwise the latest version of the
  /// trained model of the dataset.
  ///
  /// - Parameter name: Nil for the only labeler on this device or, if it has none, the only trained
  ///   model of the dataset.
  public func labeler(_ name: String? = nil) throws(CairnError) -> LabelerDescription {
    if let name { return try translating { try savedLabeler(name) } }
    let own = try translating { try ownLabelers() }
    let all = try own.isEmpty ? labelers() : own
    if all.count == 1 { return all[0] }
    if all.isEmpty {
      throw CairnError(
        .notFound, "There is no labeler or trained model.",
        hint: "Add one: `cairn labeler add NAME --preset PRESET` (`cairn labeler presets` lists "
          + "them).")
    }
    throw CairnError(
      .ambiguous,
      "There are \(all.count) labelers: \(all.map(\.name).joined(separator: ", ")).",
      hint: "Name one with --labeler.")
  }

  private func savedLabeler(_ name: String) throws -> LabelerDescription {
    if let labeler = try existingLabeler(name) ?? storedLabelers()[name] { return labeler }
    throw CairnError(
      .notFound, "There is no labeler or trained model “\(name)”.",
      hint: "`cairn labeler list` lists them.")
  }

  /// Returns the labeler of this device with the given name; nil if there is none.
  func existingLabeler(_ name: String) throws -> LabelerDescription? {
    let isName = LabelerDescription.isName(name)
    let bytes =
      isName ? try environment.files.read(labelerFile(name), limit: DocumentLimit.size) : nil
    guard let bytes else { return nil }
    do {
      return try LabelerDescription(json: try JSON(bytes: bytes), models: modelDirectory)
    } catch {
      throw CairnError(
        .invalidInput, "\(labelerFile(name)) is invalid: \(error).",
        hint: "Fix it, or remove it with `cairn labeler remove \(name)`.")
    }
  }

  /// Adds a labeler to this device. A model file is loaded and run once.
  ///
  /// ```swift
  /// let trees = try dataset.addLabeler([
  ///   "kind": "onnx", "name": "trees", "file": "/data/trees.onnx",
  /// ])
  /// let report = try dataset.predict(nil, with: trees)
  /// print("\(report.labels) labels on \(report.photos) photos")
  /// ```
  ///
  /// - Parameter json: Its description, as `cairn labeler show` prints it.
  /// - Parameter isReplacing: Whether it replaces a labeler with the same name.
  @discardableResult
  public func addLabeler(
    _ json: JSON, isReplacing: Bool = false
  ) throws(CairnError) -> LabelerDescription {
    let labeler: LabelerDescription
    do {
      labeler = try LabelerDescription(json: json, models: modelDirectory)
      // Before the dataset is locked, because a model may take seconds to load.
      try labeler.check()
    } catch {
      throw CairnError(
        .invalidInput, "The labeler cannot be added: \(error).",
        hint: "`cairn help labeler add` shows examples.")
    }
    return try edit("labeler add") { session in
      let file = labelerFile(labeler.name)
      if !isReplacing, try environment.files.status(file) != nil {
        throw CairnError(
          .exists, "The labeler “\(labeler.name)” already exists.",
          hint: "Replace it with `--replace`.")
      }
      try write(labeler)
      return labeler
    }
  }

  /// Writes the description of a labeler, during an edit.
  func write(_ labeler: LabelerDescription) throws {
    try environment.files.createDirectory(labelerDirectory)
    try environment.files.write(
      labeler.json.canonicalBytes, to: labelerFile(labeler.name),
      temporary: labelerDirectory.appending("\(labeler.name).new"), durable: true)
  }

  /// Removes a labeler from this device. Its labels stay, and so does a trained model that is stored in
  /// the dataset.
  public func removeLabeler(_ name: String) throws(CairnError) {
    try edit("labeler remove") { session in
      guard LabelerDescription.isName(name), try environment.files.status(labelerFile(name)) != nil
      else {
        throw CairnError(
          .notFound, "There is no labeler “\(name)” on this device.",
          hint: "`cairn labeler list` lists them.")
      }
      try environment.files.remove(labelerFile(name))
      try removeUnusedModels()
    }
  }

  /// Runs a labeler on one image without writing anything.
  ///
  /// - Parameter file: An image, in the dataset or not.
  public func tryLabeler(
    _ description: LabelerDescription, with file: FilePath
  ) throws(CairnError) -> LabelerTrial {
    try translating { try tryLabeler(description, with: try labelerImage(file)) }
  }

  /// Runs a labeler on a photo of the dataset without writing anything.
  public func tryLabeler(
    _ description: LabelerDescription, with photo: PhotoID
  ) throws(CairnError) -> LabelerTrial {
    try translating {
      guard let image = try labelerImage(of: try self.photo(photo)) else {
        throw try missingImage(photo)
      }
      return try tryLabeler(description, with: image)
    }
  }

  private func tryLabeler(
    _ description: LabelerDescription, with image: LabelerImage
  ) throws -> LabelerTrial {
    try withLabeler(description) { labeler in
      let start = LabelerEnvironment.machine.monotonic()
      let identity = try labeler.identity()
      let prediction = try labeler.predict(image)
      return LabelerTrial(
        identity: identity.stated(by: prediction), prediction: prediction,
        milliseconds: LabelerEnvironment.machine.monotonic() - start)
    }
  }

  /// Opens a labeler, runs `body` with it, and closes it.
  func withLabeler<Value>(
    _ description: LabelerDescription, _ body: (any Labeler) throws -> Value
  ) throws -> Value {
    do {
      let scratch = labelerDirectory.appending("tmp")
      for name in try environment.files.list(scratch) ?? [] where TemporaryName.isAbandoned(name) {
        try environment.files.remove(scratch.appending(name))
      }
      try fetchModel(of: description)
      let labeler = try description.open(
        scratch: scratch, pixels: pixelReader(), features: featureReader())
      defer { labeler.close() }
      return try body(labeler)
    } catch let error as LabelerError {
      throw CairnError.labeler(description.name, error)
    }
  }

  private func labelerImage(_ file: FilePath) throws -> LabelerImage {
    guard let path = environment.files.resolve(file) else {
      throw CairnError(.notFound, "There is no file \(file).")
    }
    let image: ImageFacts
    do {
      let scratch = directory.privateDirectory.appending("tmp")
      image = try environment.files.withCopy(of: path, in: scratch) {
        try ImageFacts(inspecting: $0)
      }
    } catch let error as ImageError {
      throw CairnError(.invalidImage, "\(file) \(error).")
    }
    return image.labelerImage(
      name: path.stem ?? "image", photo: nil, at: path, address: nil)
  }

  private func image(of photo: Photo, at path: FilePath) -> LabelerImage {
    photo.image.labelerImage(
      name: photo.id.description, photo: photo.id, at: path,
      address: photo.credit?.value?.url)
  }

  /// Returns the image of a photo for a labeler that uses features: it need not be on this disk if
  /// they are cached; nil otherwise.
  func labelerImage(of photo: Photo, cached: FeatureIndex?) throws -> LabelerImage? {
    if let image = try labelerImage(of: photo) { return image }
    guard let cached, cached.contains(photo.id) else { return nil }
    return image(of: photo, at: directory.blobs.path(of: photo.id))
  }

  /// Returns the image of a photo for a labeler; nil when it is not on this disk.
  func labelerImage(of photo: Photo) throws -> LabelerImage? {
    let stored = directory.root.pushing(
      FilePath(DocumentPath.image(photo.id, photo.image.format).description))
    let paths = [stored, directory.blobs.path(of: photo.id)]
    let path = try paths.first {
      let status = try environment.files.status($0)
      return status?.kind == .regular && Int(status?.size ?? 0) == photo.image.bytes
    }
    return path.map { image(of: photo, at: $0) }
  }
}

extension ImageFacts {
  fileprivate func labelerImage(
    name: String, photo: PhotoID?, at path: FilePath, address: String?
  ) -> LabelerImage {
    LabelerImage(
      name: name, photo: photo, path: path, format: format, width: isTransposed ? height : width,
      height: isTransposed ? width : height, address: address)
  }
}
