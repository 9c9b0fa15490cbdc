internal import CairnDocument

/// What a program says by the protocol of co-processes.
enum ProgramAnswer {
  /// The version of the protocol that is spoken here.
  static let protocolVersion = 1

  private static let description: JSON = [
    "at": "labels", "name": "name", "score": "score", "mayBeMissing": true,
    "caption": ["text": "caption.text", "score": "caption.score"],
    "box": ["x": "box.x", "y": "box.y", "width": "box.width", "height": "box.height"],
    "errors": "error",
  ]

  /// Reads the first line: who it is.
  static func hello(_ json: JSON) throws(LabelerError) -> ProgramLabeler.Hello {
    guard json["cairn"]?.string == "labeler", let version = json["protocol"]?.int else {
      throw LabelerError(
        "the program's first line is not the greeting of a labeler", scope: .labeler)
    }
    guard version == protocolVersion else {
      throw LabelerError(
        "the program speaks version \(version) of the protocol, and cairn \(protocolVersion)",
        scope: .labeler)
    }
    guard let name = json["name"]?.string, let number = json["version"]?.string,
      let model = Annotator(model: "\(name)@\(number)")
    else {
      throw LabelerError("the program does not say its name and version", scope: .labeler)
    }
    return ProgramLabeler.Hello(
      model: model, digest: json["digest"]?.string.map { ForeignText.short($0) })
  }

  static func prediction(
    _ json: JSON, of image: LabelerImage
  ) throws(LabelerError) -> Prediction {
    try AnswerDescription(json: description).prediction(json, names: [], of: image)
  }
}
