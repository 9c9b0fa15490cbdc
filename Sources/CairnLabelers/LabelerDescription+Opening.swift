public import SystemPackage

extension LabelerDescription {
  /// Returns the labeler. What it needs is started when it is first asked.
  ///
  /// - Parameters:
  ///   - scratch: Where images lie that are made for a program, while it is asked; nil for where this
  ///     machine has what is temporary.
  ///   - pixels: Decodes an image, for models that are run here.
  public func open(
    world: LabelerWorld = .machine, scratch: FilePath? = nil, pixels: @escaping PixelReader
  ) throws(LabelerError) -> any Labeler {
    switch kind {
    case .service(let service):
      try HTTPLabeler(service, model: model, timeoutSeconds: timeoutSeconds, world: world)
    case .program(let command):
      ProgramLabeler(
        command, model: model, timeoutSeconds: timeoutSeconds, world: world,
        scratch: scratch ?? FilePath(world.environment("TMPDIR") ?? "/tmp"))
    case .onnx(let file, let library):
      ONNXLabeler(file, library: library, model: model, pixels: pixels, world: world)
    }
  }
}
