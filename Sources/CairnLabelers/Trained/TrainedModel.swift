internal import CairnBase
package import CairnDocument
internal import CairnFiles
package import CairnTraining
internal import Crypto
package import SystemPackage

/// Returns the features of an image in a space.
package typealias FeatureReader = @Sendable (LabelerImage, FeatureSpace) throws -> [Float]

/// A model that cairn trained, read from its ONNX file.
package struct TrainedModel: Sendable {
  let name: String
  /// The SHA-256 of the file.
  let digest: String
  package let classes: [String]
  package let space: FeatureSpace
  package let classifier: LinearClassifier

  /// The maximum size of its file, in bytes: that of a message of protocol buffers.
  package static let sizeLimit = Int(Int32.max)

  /// The maximum size of a file that is shared with the dataset, in bytes, since others may have made
  /// it: room for more than 5,000 classes.
  package static let sharedSizeLimit = 1 << 27

  /// Reads a model of this device.
  ///
  /// - Parameter library: ONNX Runtime, which a model needs that was trained on features of another
  ///   model, for images whose features are not cached; nil searches the usual paths.
  package init(
    _ file: FilePath, library: FilePath? = nil, environment: LabelerEnvironment = .machine
  ) throws(LabelerError) {
    let bytes = try TrainedModel.read(file, limit: TrainedModel.sizeLimit)
    try self.init(bytes, file, library: library, environment: environment)
  }

  /// Reads a model of the dataset. Another person may have made it, so it may use only the features of
  /// this program: ONNX Runtime would run whatever it contains, and cache that as features.
  ///
  /// - Parameter name: The name that the file must have.
  package init(
    stored model: LabelerDescription.StoredModel, name: String
  ) throws(LabelerError) {
    let bytes = try TrainedModel.read(model.file, limit: TrainedModel.sharedSizeLimit)
    guard Hex.text(SHA256.hash(data: bytes)) == model.id.description else {
      throw LabelerError(
        "its file \(model.file) is damaged", scope: .labeler,
        hint: "Remove the file, then run `cairn images fetch`.")
    }
    if ONNXModel.metadata(of: bytes)["cairn.embedding"] != nil {
      throw LabelerError(
        "its file in the dataset contains an embedding model, which only its owner trusts",
        scope: .labeler,
        hint:
          "Get the file from its owner, and add it with `cairn labeler add \(name) --onnx FILE`.")
    }
    try self.init(bytes, model.file, library: nil, environment: .machine)
    guard self.name == name else {
      throw LabelerError(
        "its file in the dataset is that of the model “\(DisplaySanitizer.short(self.name))”",
        scope: .labeler,
        hint: "`cairn run list` lists trainings, and `cairn run withdraw RUN` withdraws one.")
    }
  }

  private static func read(_ file: FilePath, limit: Int) throws(LabelerError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(FileError) {
      bytes = try FileSystem().read(file, limit: limit)
    } catch {
      throw LabelerError("\(file) cannot be read: \(error)", scope: .labeler)
    }
    guard let bytes else {
      throw LabelerError(
        "the model \(file) is missing: train it again with `cairn train`", scope: .labeler)
    }
    return bytes
  }

  private init(
    _ bytes: [UInt8], _ file: FilePath, library: FilePath?, environment: LabelerEnvironment
  ) throws(LabelerError) {
    let metadata = ONNXModel.metadata(of: bytes)
    guard let name = metadata["cairn.name"],
      let kind = metadata["cairn.kind"].flatMap(Targets.Kind.init(rawValue:)),
      let classifier = ONNXModel.classifier(of: bytes, kind: kind)
    else {
      throw LabelerError("\(file) is not a model that cairn trained", scope: .labeler)
    }
    classes = (metadata["cairn.classes"] ?? "").split(separator: "\n").map { String($0) }
    let space: FeatureSpace?
    if let json = metadata["cairn.embedding"] {
      space = (try? JSON(bytes: Array(json.utf8))).flatMap {
        ImageEmbedding($0, in: file, bytes, library: library, environment: environment)
      }.map(FeatureSpace.embedding)
    } else {
      space = .fisher
    }
    guard let space, classes.count == classifier.classCount,
      metadata["cairn.features"] == space.name, classifier.featureCount == space.count
    else {
      throw LabelerError(
        "\(file) was trained by another version of cairn: train it again with `cairn train`",
        scope: .labeler)
    }
    self.space = space
    (self.name, self.classifier) = (name, classifier)
    digest = Hex.text(SHA256.hash(data: bytes))
  }

  /// Returns the model's name with the beginning of its digest.
  package func annotator() throws(LabelerError) -> Annotator {
    let text = "\(name)@\(digest.prefix(12))"
    guard let annotator = Annotator(model: text) else {
      throw LabelerError("“\(text)” is not a valid NAME@VERSION", scope: .labeler)
    }
    return annotator
  }

  /// Returns whether a file begins as the models that cairn trains do.
  static func isTrained(_ file: FilePath) -> Bool {
    let start = ONNXModel.start
    return (try? FileSystem().withReader(of: file) { try $0(0, start.count) }) == start
  }

  /// Returns the name of a model that cairn trained; nil for another file.
  package static func name(of file: FilePath) -> String? {
    isTrained(file) ? (try? TrainedModel(file))?.name : nil
  }
}

extension Labeler {
  /// The features that it predicts from, so that it does not need the image of a photo whose
  /// features are cached; nil if it needs all images.
  package var featureSpace: FeatureSpace? { (self as? TrainedLabeler)?.space }
}

/// A labeler that runs a trained model on features, which are kept from one run to the next.
final class TrainedLabeler: Labeler {
  private let model: TrainedModel
  private let annotator: Annotator?
  private let features: FeatureReader

  init(_ model: TrainedModel, model annotator: Annotator?, features: @escaping FeatureReader) {
    (self.model, self.annotator, self.features) = (model, annotator, features)
  }

  var space: FeatureSpace { model.space }

  func identity() throws(LabelerError) -> LabelerIdentity {
    let own = try model.annotator()
    return LabelerIdentity(model: annotator ?? own, digest: model.digest)
  }

  func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
    let vector: [Float]
    do {
      vector = try features(image, model.space)
    } catch let error as LabelerError {
      throw error
    } catch {
      throw LabelerError("\(error)")
    }
    let scores = model.classifier.probabilities(of: vector)
    return Prediction(
      zip(model.classes, scores).map { Prediction.Finding(name: $0, score: $1) })
  }

  func close() {}
}
