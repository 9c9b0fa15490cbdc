@testable import CairnDocument
@testable import CairnLabelers
@testable import CairnTraining

/// Programs and services that label, and the files of models.
let modelTargets = [
  FuzzTarget("labeler") { input in
    _ = try LabelerProtocol.handshake(LabelerProtocol.parse(input).json.get())
  },
  FuzzTarget("service") { input in _ = try ServiceConfig(json: JSON(bytes: input)) },
  FuzzTarget("onnx") { input in
    _ = ONNXModel.metadata(of: input)
    _ = ONNXModel.obstacle(in: input)
    _ = ONNXModel.classifier(of: input, kind: .exclusive)
  },
]
