internal import CairnBase
internal import CairnFiles
internal import CairnPhotos
internal import COnnxRuntime
internal import Crypto
internal import SystemPackage

/// An ONNX model that takes one image, loaded into ONNX Runtime with its description. Several threads
/// may run it at once.
struct ONNXImageModel: Sendable {
  /// The name of its file.
  let name: String
  let description: ModelConfig
  /// The name of the output that it returns.
  let output: String
  private let session: ONNXSession
  /// In pixels.
  let width: Int
  let height: Int

  init(
    _ file: FilePath, _ description: ModelConfig, library: FilePath?,
    _ environment: LabelerEnvironment
  ) throws(LabelerError) {
    let name = file.lastComponent?.string ?? file.string
    let session = try ONNXSession(file, ONNXRuntime.load(library, environment))
    (width, height) = try ONNXImageModel.size(name, session.input, description)
    let names = session.outputs.map(\.name)
    guard let output = description.output ?? names.first, names.contains(output) else {
      throw LabelerError(
        "\(name) has no output “\(description.output ?? "")”; its outputs: "
          + names.joined(separator: ", "), scope: .labeler)
    }
    (self.name, self.description, self.output) = (name, description, output)
    self.session = session
  }

  /// The size of the output's last dimension; nil if it is not fixed.
  var outputCount: Int? {
    session.outputs.first { $0.name == output }?.dimensions.last.flatMap { $0 > 0 ? $0 : nil }
  }

  /// An image of the size of the input.
  var blackImage: PixelBuffer {
    PixelBuffer(
      width: width, height: height, bytes: [UInt8](repeating: 0, count: 3 * width * height))
  }

  /// Returns the numbers of the output for an image of any size.
  func run(_ image: PixelBuffer) throws(LabelerError) -> [Float] {
    let shape = description.layout == .nchw ? [1, 3, height, width] : [1, height, width, 3]
    if session.input.type == Int(cairn_ort_uint8) {
      // A model that takes bytes normalizes them itself.
      var bytes = try description.fittedBytes(of: image, width: width, height: height)
      return try bytes.withUnsafeMutableBytes { run($0, shape) }.get()
    }
    var values = try description.values(of: image, width: width, height: height)
    return try values.withUnsafeMutableBytes { run($0, shape) }.get()
  }

  /// Returns a Result because typed errors do not pass through the closure that provides the bytes.
  private func run(
    _ bytes: UnsafeMutableRawBufferPointer, _ shape: [Int]
  ) -> Result<[Float], LabelerError> {
    do throws(LabelerError) {
      return .success(try session.run(bytes, shape: shape, output: output))
    } catch {
      return .failure(error)
    }
  }

  // MARK: The file

  /// Checks that there is a model file.
  static func checkFile(_ file: FilePath) throws(LabelerError) {
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

  /// Returns the SHA-256 of a model file.
  static func digest(of file: FilePath) throws(LabelerError) -> String {
    var hash = SHA256()
    do {
      try FileSystem().forEachPiece(of: file) { hash.update(bufferPointer: $0) }
    } catch {
      throw LabelerError("\(file) cannot be read: \(error)", scope: .labeler)
    }
    return Hex.text(hash.finalize())
  }

  /// Returns the width and height of the input, after checking that the model takes images.
  private static func size(
    _ name: String, _ input: ONNXSession.Tensor, _ description: ModelConfig
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
