internal import CairnDocument
internal import CairnPhotos
internal import Synchronization
internal import SystemPackage

/// A labeler that runs a model file with ONNX Runtime.
final class ONNXLabeler: Labeler {
  private let file: FilePath
  private let library: FilePath?
  private let model: Annotator?
  private let pixels: PixelReader
  private let environment: LabelerEnvironment
  private let loaded = Mutex<Result<Loaded, LabelerError>?>(nil)

  private struct Loaded: Sendable {
    let model: ONNXImageModel
    let identity: LabelerIdentity
  }

  init(
    _ file: FilePath, library: FilePath?, model: Annotator?, pixels: @escaping PixelReader,
    environment: LabelerEnvironment
  ) {
    (self.file, self.library, self.model) = (file, library, model)
    (self.pixels, self.environment) = (pixels, environment)
  }

  func identity() throws(LabelerError) -> LabelerIdentity { try load().identity }

  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    let loaded = try load()
    let decoded: PixelBuffer
    do {
      decoded = try pixels(image)
    } catch let error as LabelerError {
      throw error
    } catch {
      throw LabelerError("\(error)")
    }
    return Prediction(try findings(loaded, decoded))
  }

  /// Checks that the model file exists, fits its description, and can be run: once, on a black image.
  func check() throws(LabelerError) {
    let loaded = try load()
    do throws(LabelerError) {
      _ = try findings(loaded, loaded.model.blackImage)
    } catch  where error == .notANumber {
      // A model that divides by the contrast of an image has no scores for a black one.
    }
  }

  private func findings(
    _ loaded: Loaded, _ decoded: PixelBuffer
  ) throws(LabelerError) -> [Prediction.Finding] {
    let description = loaded.model.description
    return try ResponseMapping.Activation.findings(
      description.activation, try loaded.model.run(decoded).map { Double($0) },
      description.classes)
  }

  func close() { loaded.withLock { $0 = nil } }

  // MARK: Loading

  private func load() throws(LabelerError) -> Loaded {
    try loaded.withLock { (loaded) throws(LabelerError) in
      if let loaded { return try loaded.get() }
      do throws(LabelerError) {
        let fresh = try loadNow()
        loaded = .success(fresh)
        return fresh
      } catch {
        loaded = .failure(error)
        throw error
      }
    }
  }

  private func loadNow() throws(LabelerError) -> Loaded {
    try ONNXImageModel.checkFile(file)
    let description = try ModelConfig(forModel: file)
    let digest = try ONNXImageModel.digest(of: file)
    let opened = try ONNXImageModel(file, description, library: library, environment)
    if let count = opened.outputCount, count != description.classes.count {
      throw LabelerError(
        "\(opened.name) returns \(count) scores, but its description lists "
          + "\(description.classes.count) classes", scope: .labeler)
    }
    let stem = file.stem ?? "model"
    let text = "\(description.name ?? stem)@\(description.version ?? String(digest.prefix(12)))"
    guard let model = model ?? Annotator(model: text) else {
      throw LabelerError("“\(text)” is not a valid NAME@VERSION", scope: .labeler)
    }
    return Loaded(model: opened, identity: LabelerIdentity(model: model, digest: digest))
  }
}
