internal import CairnBase
package import CairnDocument
package import CairnPhotos
internal import CairnTraining
internal import Crypto
internal import Synchronization
package import SystemPackage

/// An ONNX model of the user's whose output describes an image, as features to learn from. Several
/// threads may use it at once.
package final class ImageEmbedding: Sendable {
  /// `onnx-` and 16 digits, which depend on the model, its output and the preprocessing.
  package let name: String
  /// The number of features of an image.
  package let count: Int
  /// The SHA-256 of the model's file.
  package let digest: String
  /// The name of the output.
  package let output: String
  private let input: JSONObject
  private let open: @Sendable () throws(LabelerError) -> ONNXImageModel
  private let loaded: Mutex<Result<ONNXImageModel, LabelerError>?>

  /// More would be tokens or a map of the image rather than one description of it.
  package static let countLimit = 16_384

  /// Loads a model, whose description (`.json`) is beside it, and runs it once on a black image.
  package init(
    _ file: FilePath, library: FilePath?, environment: LabelerEnvironment = .machine
  ) throws(LabelerError) {
    try ONNXImageModel.checkFile(file)
    let description = try ModelConfig(forModel: file, isEmbedding: true)
    digest = try ONNXImageModel.digest(of: file)
    let model = try ONNXImageModel(file, description, library: library, environment)
    count = try model.run(model.blackImage).count
    guard 2...ImageEmbedding.countLimit ~= count else {
      throw LabelerError(
        "the output “\(model.output)” of \(model.name) has \(count) numbers for an image, but "
          + "features must have 2 to \(ImageEmbedding.countLimit): name a pooled output in "
          + "“output” of its description", scope: .labeler)
    }
    (input, output) = (description.input, model.output)
    name = ImageEmbedding.name(digest, input, output)
    open = { () throws(LabelerError) in model }
    loaded = Mutex(.success(model))
  }

  /// Reads what ``json`` wrote, with the `length` of the model in bytes; nil if it is invalid, or if
  /// the file does not contain that model: its features would be mixed with those of the model.
  ///
  /// - Parameters:
  ///   - file: A model that the embedding is part of, which is loaded on first use.
  ///   - bytes: Those of the file.
  init?(
    _ json: JSON, in file: FilePath, _ bytes: [UInt8], library: FilePath?,
    environment: LabelerEnvironment
  ) {
    guard let digest = json["digest"]?.string, let input = json["input"]?.object,
      let output = json["output"]?["name"]?.string, let count = json["count"]?.int,
      2...ImageEmbedding.countLimit ~= count, let length = json["length"]?.int,
      let model = ONNXModel.embedding(in: bytes, length: length),
      Hex.text(SHA256.hash(data: model)) == digest
    else { return nil }
    (self.digest, self.input, self.output, self.count) = (digest, input, output, count)
    name = ImageEmbedding.name(digest, input, output)
    open = { () throws(LabelerError) in
      let description = try ModelConfig(
        json: ImageEmbedding.description(input, output), directory: file, isEmbedding: true)
      return try ONNXImageModel(file, description, library: library, environment)
    }
    loaded = Mutex(nil)
  }

  private static func name(_ digest: String, _ input: JSONObject, _ output: String) -> String {
    var hash = SHA256()
    hash.update(data: Array(digest.utf8) + description(input, output).canonicalBytes)
    return "onnx-\(Hex.text(hash.finalize()).prefix(16))"
  }

  private static func description(_ input: JSONObject, _ output: String) -> JSON {
    ["input": .object(input), "output": ["name": .string(output)]]
  }

  /// What the metadata of a trained model say of it, with its length.
  package var json: JSON {
    [
      "count": JSON(count), "digest": .string(digest), "input": .object(input),
      "output": ["name": .string(output)],
    ]
  }

  /// Returns the features of an image: the numbers of the output.
  package func features(of image: PixelBuffer) throws(LabelerError) -> [Float] {
    let features = try model().run(image)
    guard features.count == count else {
      throw LabelerError(
        "the output “\(output)” has \(features.count) numbers instead of \(count)", scope: .labeler)
    }
    guard features.allSatisfy(\.isFinite) else {
      throw LabelerError("the output “\(output)” has values that are not numbers", scope: .doubtful)
    }
    return features
  }

  /// Returns the side of a square, in pixels, in which an image has all the detail that the model
  /// sees: twice that of its input.
  package func detailSide() throws(LabelerError) -> Int {
    let model = try model()
    return 2 * max(model.width, model.height)
  }

  /// Loads the model, unless it is loaded: afterwards, its file may be removed.
  package func loadModel() throws(LabelerError) { _ = try model() }

  private func model() throws(LabelerError) -> ONNXImageModel {
    try loaded.withLock { (loaded) throws(LabelerError) in
      if let loaded { return try loaded.get() }
      do throws(LabelerError) {
        let model = try open()
        loaded = .success(model)
        return model
      } catch {
        loaded = .failure(error)
        throw error
      }
    }
  }
}
