internal import CairnDocument
internal import CairnFiles
internal import CairnStore
internal import SystemPackage

/// A person's label that a model contradicts which was trained without the photo.
struct SuspectLabel: Equatable {
  let photo: PhotoID
  let classKey: ClassKey
  /// Whether people say that the photo has the class.
  let isPresent: Bool
  /// The probability of what people say.
  let probability: Double
  /// The class that the model predicts instead, or the same class if it has another opinion of it.
  let predicted: ClassKey
  /// The probability of ``predicted``.
  let confidence: Double
  /// The latest stamp of people's labels when it was contradicted: a later label settles it.
  let raised: Stamp
}

/// The labels that a model contradicts, kept on this device until it is trained again; derived data, so it may be
/// deleted.
///
/// In JSON Lines: the first line names the model, and each of the others is a label.
struct SuspectLabelFile {
  static let `extension` = "suspects"

  /// The version of the model.
  let model: Annotator
  /// The least probable labels first, then those that are settled.
  let suspects: [SuspectLabel]

  init(model: Annotator, suspects: [SuspectLabel]) {
    (self.model, self.suspects) = (model, suspects)
  }

  /// Reads the format of ``bytes``; nil if it is invalid.
  init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A).map { try? JSON(bytes: $0) }
    guard let model = lines.first??["model"]?.string.flatMap(Annotator.init(model:)) else {
      return nil
    }
    self.model = model
    suspects = lines.dropFirst().compactMap { $0.flatMap(SuspectLabel.init) }
  }

  var bytes: [UInt8] {
    let first: JSON = ["model": .string(model.identity)]
    return ([first] + suspects.map(\.json)).flatMap { Array($0.line.utf8) }
  }
}

extension SuspectLabel {
  fileprivate init?(_ json: JSON) {
    guard let photo = json["photo"]?.string.flatMap({ PhotoID($0) }),
      let classKey = json["class"]?.string.flatMap({ ClassKey($0) }),
      let isPresent = json["present"]?.bool, let probability = json["probability"]?.double,
      let predicted = json["predicted"]?.string.flatMap({ ClassKey($0) }),
      let confidence = json["confidence"]?.double,
      let raised = json["raised"]?.string.flatMap({ Stamp($0) })
    else { return nil }
    self.init(
      photo: photo, classKey: classKey, isPresent: isPresent, probability: probability,
      predicted: predicted, confidence: confidence, raised: raised)
  }

  fileprivate var json: JSON {
    [
      "class": .string(classKey.text), "confidence": JSON(confidence),
      "photo": .string(photo.description), "predicted": .string(predicted.text),
      "present": .bool(isPresent), "probability": JSON(probability),
      "raised": .string(raised.description),
    ]
  }
}
