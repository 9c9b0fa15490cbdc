internal import CairnBase
internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import COnnxRuntime
internal import Crypto
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
    let session: ONNXSession
    let description: ModelConfig
    let identity: LabelerIdentity
    /// In pixels.
    let width: Int
    let height: Int
    let output: String
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
    let (width, height) = (loaded.width, loaded.height)
    let black = PixelBuffer(
      width: width, height: height, bytes: [UInt8](repeating: 0, count: 3 * width * height))
    do throws(LabelerError) {
      _ = try findings(loaded, black)
    } catch  where error == .notANumber {
      // A model that divides by the contrast of an image has no scores for a black one.
    }
  }

  private func findings(
    _ loaded: Loaded, _ decoded: PixelBuffer
  ) throws(LabelerError) -> [Prediction.Finding] {
    let (width, height, description) = (loaded.width, loaded.height, loaded.description)
    let shape =
      description.layout == .nchw ? [1, 3, height, width] : [1, height, width, 3]
    let scores: Result<[Float], LabelerError>
    if loaded.session.input.type == Int(cairn_ort_uint8) {
      // A model that takes bytes normalizes them itself.
      var bytes = try description.fittedBytes(of: decoded, width: width, height: height)
      scores = bytes.withUnsafeMutableBytes { bytes in
        run(loaded, bytes, shape)
      }
    } else {
      var values = try description.values(of: decoded, width: width, height: height)
      scores = values.withUnsafeMutableBytes { bytes in run(loaded, bytes, shape) }
    }
    return try ResponseMapping.Activation.findings(
      description.activation, try scores.get().map { Double($0) }, description.classes)
  }

  /// Returns a Result because typed errors do not pass through the closure that provides the bytes.
  private func run(
    _ loaded: Loaded, _ bytes: UnsafeMutableRawBufferPointer, _ shape: [Int]
  ) -> Result<[Float], LabelerError> {
    do throws(LabelerError) {
      return .success(try loaded.session.run(bytes, shape: shape, output: loaded.output))
    } catch {
      return .failure(error)
    }
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
    try checkFile()
    let description = try ModelConfig(forModel: file)
    let digest = try digest()
    let session = try ONNXSession(file, ONNXRuntime.load(library, environment))
    let (width, height) = try size(session.input, description)
    let names = session.outputs.map(\.name)
    guard let output = description.output ?? names.first, names.contains(output) else {
      throw LabelerError(
        "\(name) has no output “\(description.output ?? "")”; its outputs: "
          + names.joined(separator: ", "), scope: .labeler)
    }
    if let count = session.outputs.first(where: { $0.name == output })?.dimensions.last, count > 0,
      count != description.classes.count
    {
      throw LabelerError(
        "\(name) returns \(count) scores, but its description lists "
          + "\(description.classes.count) classes", scope: .labeler)
    }
    let stem = file.stem ?? "model"
    let text = "\(description.name ?? stem)@\(description.version ?? String(digest.prefix(12)))"
    guard let model = model ?? Annotator(model: text) else {
      throw LabelerError("“\(text)” is not a valid NAME@VERSION", scope: .labeler)
    }
    return Loaded(
      session: session, description: description,
      identity: LabelerIdentity(model: model, digest: digest), width: width, height: height,
      output: output)
  }

  private var name: String { file.lastComponent?.string ?? file.string }

  private func checkFile() throws(LabelerError) {
    let status: FileStatus?
    do {
      // A model may be linked to: the file that the link leads to counts.
      status = try FileSystem().resolve(file).flatMap { try FileSystem().status($0) }
    } catch {
      throw LabelerError("\(file) cannot be read: \(error)", scope: .labeler)
    }
    guard let status else {
      throw LabelerError("there is no model file \(file)", scope: .labeler)
    }
    guard status.kind == .regular else {
      throw LabelerError("\(file) is not a file", scope: .labeler)
    }
  }

  private func digest() throws(LabelerError) -> String {
    var hash = SHA256()
    do {
      try FileSystem().forEachPiece(of: file) { hash.update(bufferPointer: $0) }
    } catch {
      throw LabelerError("\(file) cannot be read: \(error)", scope: .labeler)
    }
    return Hex.text(hash.finalize())
  }

  /// Returns the width and height of the input, after checking that the model takes images.
  private func size(
    _ input: ONNXSession.Tensor, _ description: ModelConfig
  ) throws(LabelerError) -> (width: Int, height: Int) {
    let isFirst = description.layout == .nchw
    let dimensions = input.dimensions
    guard dimensions.count == 4, dimensions[0] <= 1,
      [3, -1, 0].contains(dimensions[isFirst ? 1 : 3])
    else {
      let wanted = isFirst ? "1×3×height×width" : "1×height×width×3"
      throw LabelerError(
        "\(name) takes \(input.shape), which is not an image (\(wanted))", scope: .labeler)
    }
    guard [Int(cairn_ort_float), Int(cairn_ort_uint8)].contains(input.type) else {
      throw LabelerError("the input of \(name) is neither float32 nor uint8", scope: .labeler)
    }
    func side(_ fixed: Int, _ described: Int?, _ what: String) throws(LabelerError) -> Int {
      if fixed > 0, let described, fixed != described {
        throw LabelerError(
          "\(name) takes \(input.shape), but its description has a \(what) of \(described)",
          scope: .labeler)
      }
      guard fixed <= ModelConfig.sideLimit else {
        throw LabelerError(
          "\(name) takes \(input.shape): the \(what) exceeds \(ModelConfig.sideLimit)",
          scope: .labeler)
      }
      if fixed > 0 { return fixed }
      guard let described else {
        throw LabelerError(
          "\(name) takes any \(what), but its description has none", scope: .labeler)
      }
      return described
    }
    return (
      try side(dimensions[isFirst ? 3 : 2], description.width, "width"),
      try side(dimensions[isFirst ? 2 : 1], description.height, "height")
    )
  }
}
