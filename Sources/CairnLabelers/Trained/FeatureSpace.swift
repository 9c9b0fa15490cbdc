internal import CairnTraining

/// How photos are described by numbers, which models are learned from and predict from.
package enum FeatureSpace: Sendable {
  /// The features of this program.
  case fisher
  /// The output of an ONNX model of the user's.
  case embedding(ImageEmbedding)

  /// Names the space, with a version or digest: only features of one space can be compared.
  package var name: String {
    switch self {
    case .fisher: ONNXModel.features
    case .embedding(let embedding): embedding.name
    }
  }

  /// Whether the features are those of this program, so that a model is run without another program.
  package var isOwn: Bool { if case .fisher = self { true } else { false } }

  /// The number of features of an image.
  package var count: Int {
    switch self {
    case .fisher: Codebook.fisherCount
    case .embedding(let embedding): embedding.count
    }
  }
}
