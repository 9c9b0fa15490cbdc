@testable import CairnBase
@testable import CairnDocument
@testable import CairnLabelers
@testable import CairnTraining
import SystemPackage

/// Programs and services that label, and the files and results of models.
let modelTargets = [
  FuzzTarget("labeler") { input in
    let json = try LabelerProtocol.parse(input).json.get()
    _ = try? LabelerProtocol.handshake(json)
    check(try LabelerProtocol.prediction(json, of: image))
  },
  FuzzTarget("service") { input in _ = try ServiceConfig(json: JSON(bytes: input)) },
  FuzzTarget("service-response") { input in
    let json = Secrets([secret]).removed(from: try ResponseMapping.json(input))
    precondition(!json.canonicalBytes.contains(Array(secret.utf8)), "a secret is left")
    for mapping in mappings {
      let message = mapping.errorMessage(in: json) ?? ""
      precondition(!message.unicodeScalars.contains("\u{1B}"), "a message has an escape character")
      let prediction = try? mapping.prediction(json, names: ["oak", "elm"], of: image)
      if let prediction { check(prediction) }
    }
  },
  FuzzTarget("onnx") { input in
    _ = ONNXModel.metadata(of: input)
    _ = ONNXModel.obstacle(in: input)
    _ = ONNXModel.classifier(of: input, kind: .exclusive)
  },
  FuzzTarget("onnx-description") { input in
    let json = try JSON(bytes: input)
    for isEmbedding in [true, false] {
      _ = try ModelConfig(json: json, directory: workDirectory, isEmbedding: isEmbedding)
    }
  },
  FuzzTarget("onnx-output") { input in
    let numbers = input.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        Double(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self))
      }
    }
    let names = numbers.indices.map { "class \($0)" }
    for activation in [ResponseMapping.Activation.none, .sigmoid, .softmax] {
      guard let findings = try? ResponseMapping.Activation.findings(activation, numbers, names)
      else { continue }
      check(Prediction(findings))
    }
  },
]

private let image = LabelerImage(
  name: "a", path: "a.jpg", format: .jpeg, width: 4, height: 3)

private let secret = "s3cret-key"

/// How the responses of the known services are read.
private let mappings = ServicePresets.names.compactMap { name in
  ServicePresets.json(name).flatMap { try? ServiceConfig(json: $0).mapping }
}

/// Checks that all scores are between 0 and 1, and all boxes within the photo.
private func check(_ prediction: Prediction) {
  precondition(prediction.findings.allSatisfy { 0...1 ~= $0.score }, "a score is out of range")
  precondition(
    prediction.findings.allSatisfy { $0.box?.isWithinPhoto ?? true }, "a box exceeds the photo")
}
