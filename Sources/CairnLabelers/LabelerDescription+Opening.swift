package import SystemPackage

extension LabelerDescription {
  /// Checks that a model on this machine exists, fits its description and runs, by running it once
  /// on a black image. Services and programs are not started.
  package func check(environment: LabelerEnvironment = .machine) throws(LabelerError) {
    if try trainedModel(environment: environment) != nil { return }
    switch kind {
    case .onnx(let file, let library):
      let labeler = ONNXLabeler(
        file, library: library, model: model, pixels: { _ in throw LabelerError("no image") },
        environment: environment)
      defer { labeler.close() }
      try labeler.check()
    case .service, .program, .trained, .stored: break
    }
  }

  /// Whether it is a model that cairn trained.
  ///
  /// Its file computes the same with ONNX Runtime only if images are decoded and scaled as cairn does,
  /// so it is never run with it.
  package var isTrained: Bool {
    switch kind {
    case .trained, .stored: true
    case .onnx(let file, _): TrainedModel.isTrained(file)
    case .service, .program: false
    }
  }

  /// Reads the model that cairn trained; returns nil for another labeler.
  package func trainedModel(
    environment: LabelerEnvironment = .machine
  ) throws(LabelerError) -> TrainedModel? {
    switch kind {
    case .trained(let file, let library):
      return try TrainedModel(file, library: library, environment: environment)
    case .onnx(let file, let library) where isTrained:
      return try TrainedModel(file, library: library, environment: environment)
    case .stored(let model): return try TrainedModel(stored: model, name: name)
    case .service, .program, .onnx: return nil
    }
  }

  /// Returns the labeler. It starts what it needs on first use.
  ///
  /// - Parameters:
  ///   - scratch: The directory for images converted for a program, while it uses them; nil for the
  ///     temporary directory of this machine.
  ///   - pixels: Decodes an image, for models run on this machine.
  ///   - features: Computes the features of an image, for models trained by cairn.
  package func open(
    environment: LabelerEnvironment = .machine, scratch: FilePath? = nil,
    pixels: @escaping PixelReader,
    features: @escaping FeatureReader = { _, _ in throw LabelerError("no features") }
  ) throws(LabelerError) -> any Labeler {
    if let trained = try trainedModel(environment: environment) {
      return TrainedLabeler(trained, model: model, features: features)
    }
    switch kind {
    case .service(let service):
      return try HTTPLabeler(
        service, model: model, timeoutSeconds: timeoutSeconds, environment: environment)
    case .program(let command):
      return ProgramLabeler(
        command, model: model, timeoutSeconds: timeoutSeconds, environment: environment,
        scratch: scratch ?? FilePath(environment.variable("TMPDIR") ?? "/tmp"))
    case .onnx(let file, let library):
      return ONNXLabeler(
        file, library: library, model: model, pixels: pixels, environment: environment)
    case .trained, .stored:
      throw LabelerError("it is not a model that cairn trained", scope: .labeler)
    }
  }
}
