/// A trained model as an ONNX file.
package enum ONNXModel {
  /// The name of the output with the probabilities.
  package static let output = "probabilities"
  /// The kind of features of models of this program, as in the metadata of their files.
  package static let features = "fisher-\(Codebook.version)"
  fileprivate static let weights = "cairn_weights"
  fileprivate static let intercepts = "cairn_intercepts"

  /// Returns a model from an image to probabilities.
  ///
  /// Its input is one image of 192 × 192 pixels, as bytes: 1 × 3 × 192 × 192, red, green and blue.
  /// - Parameters:
  ///   - classifier: Of the vectors that ``FeatureExtractor`` computes.
  ///   - metadata: Texts by name, for programs that read the file.
  package static func bytes(
    _ classifier: LinearClassifier, metadata: [String: String] = [:],
    codebook: Codebook = .embedded
  ) -> [UInt8] {
    let side = FeatureExtractor.side
    var graph = ONNXGraph()
    let vectors = graph.addFisherVectors(of: "image", codebook)
    graph.addHead(on: vectors, classifier)
    var model = header
    model.add(7) { message in
      for node in graph.nodes { message.add(1, node) }
      message.add(2, "cairn")
      message.addTensor(11, "image", type: 2, [1, 3, side, side])
      message.addTensor(12, output, type: 1, [1, classifier.classCount])
    }
    model.add(8) { version in
      version.add(1, "")
      version.add(2, ONNXGraph.opset)
    }
    model.addMetadata(metadata)
    return model.bytes
  }

  /// The version of the format, and the program that wrote the file.
  private static var header: ProtobufWriter {
    var model = ProtobufWriter()
    model.add(1, 7)
    model.add(2, "cairn")
    return model
  }

  /// The bytes that all models of this program begin with.
  package static var start: [UInt8] { header.bytes }

  /// Returns a model of the user's whose output is used as features, followed by a classifier.
  ///
  /// Messages of protocol buffers that follow each other are one message: lists are joined, and of
  /// single values the last counts.
  /// - Parameters:
  ///   - embedding: An ONNX file without ``obstacle(in:)``.
  ///   - features: The name of its output.
  package static func appending(
    _ classifier: LinearClassifier, to embedding: [UInt8], features: String,
    metadata: [String: String] = [:]
  ) -> [UInt8] {
    var graph = ONNXGraph(prefix: prefix)
    let shape = graph.constant(ints: [1, classifier.featureCount])
    graph.addHead(on: graph.add("Reshape", [features, shape]), classifier)
    var model = ProtobufWriter()
    model.add(7) { message in
      for node in graph.nodes { message.add(1, node) }
      message.addTensor(12, output, type: 1, [1, classifier.classCount])
    }
    model.addMetadata(metadata)
    return start + embedding + model.bytes
  }

  /// Begins the names of tensors that follow those of another model.
  private static let prefix = "cairn_"
  /// The first version of the operators in which additions broadcast.
  private static let leastOpset = 7

  /// Returns why a classifier cannot be appended to a model; nil if it can.
  ///
  /// Source: onnx.proto3: ModelProto (graph 7, opset_import 8), GraphProto (node 1, initializer 5),
  /// NodeProto (output 2), TensorProto (data_location 14).
  package static func obstacle(in embedding: [UInt8]) -> String? {
    if embedding.starts(with: start) { return "it is a model that cairn trained" }
    var model = ProtobufReader(embedding[...])
    while let (field, value) = model.next() {
      guard case .bytes(let content) = value else { continue }
      if field == 8 {
        let opset = Opset(content)
        if opset.domain.isEmpty, opset.version < leastOpset {
          return "it uses operators of opset \(opset.version), but at least \(leastOpset) is needed"
        }
      }
      guard field == 7 else { continue }
      var graph = ProtobufReader(content)
      while let (field, value) = graph.next() {
        guard case .bytes(let content) = value else { continue }
        if field == 1 {
          for name in ProtobufReader.contents(of: 2, in: content) {
            let name = String(decoding: name, as: UTF8.self)
            if name == output || name.hasPrefix(prefix) { return "it has a tensor “\(name)”" }
          }
        }
        if field == 5, isExternal(content) {
          return "its weights are in another file: save it as a single file"
        }
      }
    }
    return nil
  }

  /// Returns whether the numbers of a tensor are in a file beside the model.
  private static func isExternal(_ tensor: ArraySlice<UInt8>) -> Bool {
    var reader = ProtobufReader(tensor)
    while let (field, value) = reader.next() {
      if field == 14, case .number(1) = value { return true }
    }
    return false
  }

  /// A set of operators that a model uses: the domain is empty for those of ONNX.
  private struct Opset {
    var domain = ""
    var version = 0

    init(_ message: ArraySlice<UInt8>) {
      var reader = ProtobufReader(message)
      while let (field, value) = reader.next() {
        switch (field, value) {
        case (1, .bytes(let text)): domain = String(decoding: text, as: UTF8.self)
        case (2, .number(let number)): version = Int(truncatingIfNeeded: number)
        default: break
        }
      }
    }
  }

  /// Returns the model that ``appending(_:to:features:metadata:)`` was given; nil if a model of this
  /// program is too short to contain it.
  ///
  /// - Parameter length: Its length in bytes.
  package static func embedding(in bytes: [UInt8], length: Int) -> ArraySlice<UInt8>? {
    guard length > 0, length <= bytes.count - start.count else { return nil }
    return bytes[start.count..<start.count + length]
  }

  /// Returns the classifier at the end of a model of this program; nil if there is none in it, or if
  /// its weights are not all numbers.
  package static func classifier(of bytes: [UInt8], kind: Targets.Kind) -> LinearClassifier? {
    // The numbers are converted only once their count is known to be right.
    var tensors: [String: ArraySlice<UInt8>] = [:]
    var model = ProtobufReader(bytes[...])
    while let (field, value) = model.next() {
      guard field == 7, case .bytes(let content) = value else { continue }
      var graph = ProtobufReader(content)
      while let (field, value) = graph.next() {
        guard field == 1, case .bytes(let node) = value else { continue }
        let names = ProtobufReader.contents(of: 2, in: node)
        let name = names.first.map { String(decoding: $0, as: UTF8.self) }
        guard let name, [weights, intercepts].contains(name) else { continue }
        tensors[name] =
          ProtobufReader.contents(of: 5, in: node)
          .flatMap { ProtobufReader.contents(of: 5, in: $0) }
          .flatMap { ProtobufReader.contents(of: 9, in: $0) }.first
      }
    }
    guard let numbers = tensors[weights], let last = tensors[intercepts],
      last.count >= 4, last.count % 4 == 0, numbers.count % last.count == 0
    else { return nil }
    let (table, constants) = (ProtobufReader.floats(numbers), ProtobufReader.floats(last))
    guard table.allSatisfy(\.isFinite), constants.allSatisfy(\.isFinite) else { return nil }
    let (classes, count) = (constants.count, table.count / constants.count)
    var ordered: [Float] = []
    ordered.reserveCapacity(table.count)
    for index in 0..<classes {
      for feature in 0..<count { ordered.append(table[feature * classes + index]) }
    }
    return LinearClassifier(
      kind: kind, featureCount: count, weights: ordered, intercepts: constants)
  }

  /// Returns the metadata of an ONNX file.
  package static func metadata(of bytes: [UInt8]) -> [String: String] {
    var metadata: [String: String] = [:]
    var reader = ProtobufReader(bytes[...])
    while let (field, value) = reader.next() {
      guard field == 14, case .bytes(let entry) = value else { continue }
      var texts: [Int: String] = [:]
      var fields = ProtobufReader(entry)
      while let (field, value) = fields.next() {
        if case .bytes(let text) = value { texts[field] = String(decoding: text, as: UTF8.self) }
      }
      if let name = texts[1] { metadata[name] = texts[2] ?? "" }
    }
    return metadata
  }
}

extension ProtobufWriter {
  fileprivate mutating func addMetadata(_ metadata: [String: String]) {
    for (name, text) in metadata.sorted(by: { $0.key < $1.key }) {
      add(14) { entry in
        entry.add(1, name)
        entry.add(2, text)
      }
    }
  }
}

extension ONNXGraph {
  /// Adds the probabilities of a classifier.
  ///
  /// - Parameter features: 1 × the number of its features.
  fileprivate mutating func addHead(on features: Tensor, _ classifier: LinearClassifier) {
    let (count, classes) = (classifier.featureCount, classifier.classCount)
    var weights: [Float] = []
    weights.reserveCapacity(count * classes)
    for feature in 0..<count {
      for index in 0..<classes { weights.append(classifier.weights[index * count + feature]) }
    }
    let product = add(
      "MatMul", [features, constant(weights, [count, classes], as: ONNXModel.weights)])
    let scores = add(
      "Add", [product, constant(classifier.intercepts, [1, classes], as: ONNXModel.intercepts)])
    switch classifier.kind {
    case .exclusive:
      _ = add("Softmax", [scores], [("axis", .int(1))], as: ONNXModel.output)
    case .independent: _ = add("Sigmoid", [scores], as: ONNXModel.output)
    }
  }
}
