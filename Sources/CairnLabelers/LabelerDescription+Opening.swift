package import SystemPackage

extension LabelerDescription {
  /// Checks that a model on this machine exists, fits its description and runs, by running it once
  /// on a black image. Services and programs are not started.
  package func check(environment: LabelerEnvironment = .machine) throws(LabelerError) {
    if let (file, library) = trainedFile {
      _ = try TrainedModel(file, library: library, environment: environment)
      return
    }
    switch kind {
    case .onnx(let file, let library):
      let labeler = ONNXLabeler(
        file, library: library, model: model, pixels: { _ in throw LabelerError("no image") },
        environment: environment)
      defer { labeler.close() }
      try labeler.check()
    case .service, .program, .trained: break
    }
  }

  /// The file of a model that cairn trained, and the library for one that was trained on features of
  /// another model; nil for another labeler.
  ///
  /// Such a file computes the same with ONNX Runtime only if images are decoded and scaled as cairn
  /// does, so it is never run with it.
  package var trainedFile: (file: FilePath, library: FilePath?)? {
    switch kind {
    case .trained(let file, let library): (file, library)
    case .onnx(let file, let library): TrainedModel.isTrained(file) ? (file, library) : nil
    case .service, .program: nil
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
    if let (file, library) = trainedFile {
      return TrainedLabeler(
        try TrainedModel(file, library: library, environment: environment), model: model,
        features: features)
    }
    switch kind {
    case .service(let service):
      return try HTTPLabeler(
        service, model: model, timeoutSeconds: timeoutSeconds, environment: environment)
    case .program(let command):
      return ProgramLabeler(
        command, model: model, timeoutSeconds: timeoutSeconds, environment: environment,
        scratch: scratch ?? FilePath(environment.variable("TMPDIR") ?? "/tmp"))
    case .onnx(let file, let library), .trained(let file, let library):
      return ONNXLabeler(
        file, library: library, model: model, pixels: pixels, environment: environment)
    }
  }
}
