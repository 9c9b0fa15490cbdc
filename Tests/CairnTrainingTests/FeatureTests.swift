import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnTraining

@Suite("Features and their ONNX model")
struct FeatureTests {
  @Test("gives the same vector twice, of length 1 for gradients and for colors")
  func vectors() {
    let image = texture(0, seed: 1)
    let extractor = FeatureExtractor()
    let first = extractor.fisherVector(of: image)
    _ = extractor.fisherVector(of: texture(1, seed: 2))
    #expect(first == extractor.fisherVector(of: image))
    #expect(first == FeatureExtractor().fisherVector(of: image))
    #expect(first.count == Codebook.fisherCount)
    for half in [first.prefix(3072), first.suffix(3072)] {
      #expect(abs(half.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4)
    }
  }

  @Test("exponential and logarithm agree with the C library")
  func functions() {
    for index in -400...400 {
      let x = Double(index) * 0.7131
      #expect(abs(deterministicExp(x) / exp(x) - 1) < 1e-15)
    }
    for index in 1...400 {
      let x = exp(Double(index - 200) * 0.37)
      #expect(abs(deterministicLog(x) - log(x)) <= 4e-16 * max(1, abs(log(x))))
    }
  }

  /// A model of three textures, from eight of each.
  private func model(
    _ kind: Targets.Kind = .exclusive
  ) throws -> (classifier: LinearClassifier, projection: Projection) {
    let extractor = FeatureExtractor()
    let vectors = (0..<24).map {
      extractor.fisherVector(of: texture($0 % 3, seed: UInt64($0) + 10))
    }
    let targets = (0..<24).map { $0 % 3 }
    let projection = try Projection(of: vectors, outputCount: 256)
    var parameters = TrainingParameters()
    parameters.foldCount = 4
    let known =
      kind == .exclusive
      ? Targets(exclusive: targets, classCount: 3)
      : Targets(independent: targets.map { one in (0..<3).map { $0 == one } }, classCount: 3)
    let result = try train(
      vectors.map { projection.coordinates(of: $0) }, known, groups: Array(0..<24), parameters)
    #expect(accuracy(result.outOfFold, targets) > 0.9)
    return (result.classifier, projection)
  }

  /// A model of Fisher vectors.
  private func classifier() throws -> LinearClassifier {
    let (classifier, projection) = try model()
    return try classifier.before(projection)
  }

  @Test("writes the same model twice, whose metadata can be read")
  func bytes() throws {
    let (first, second) = try (classifier(), classifier())
    let metadata = ["cairn.classes": "stripes\ndots\nchecks", "empty": ""]
    let bytes = ONNXModel.bytes(first, metadata: metadata)
    #expect(bytes == ONNXModel.bytes(second, metadata: metadata))
    #expect(bytes.starts(with: ONNXModel.start))
    #expect(ONNXModel.metadata(of: bytes) == metadata)
    #expect(ONNXModel.classifier(of: bytes, kind: .exclusive) == first)
    #expect(ONNXModel.metadata(of: Array(bytes.prefix(1000))).isEmpty)
  }

  @Test("rejects weights that are not numbers", arguments: [Float.nan, .infinity])
  func notNumbers(value: Float) {
    for (weight, intercept) in [(value, 0), (0, value)] {
      let damaged = LinearClassifier(
        kind: .exclusive, featureCount: 2, weights: [1, weight, 3, 4], intercepts: [0, intercept])
      let bytes = ONNXModel.appending(damaged, to: [], features: "features")
      #expect(ONNXModel.classifier(of: bytes, kind: .exclusive) == nil)
    }
  }

  @Test("finds the model that a classifier was appended to")
  func contained() {
    let classifier = LinearClassifier(
      kind: .exclusive, featureCount: 2, weights: [1, 2, 3, 4], intercepts: [0, 1])
    // An unknown field of three bytes.
    let model: [UInt8] = [0xBA, 0x3E, 3, 1, 2, 3]
    let bytes = ONNXModel.appending(classifier, to: model, features: "features")
    #expect(ONNXModel.classifier(of: bytes, kind: .exclusive) == classifier)
    #expect(ONNXModel.embedding(in: bytes, length: model.count).map(Array.init) == model)
    for length in [0, -1, bytes.count, .max] {
      #expect(ONNXModel.embedding(in: bytes, length: length) == nil)
    }
  }

  static let python = Python.program(having: "numpy, onnx, onnxruntime")

  @Test(
    "ONNX Runtime agrees with native probabilities",
    .enabled(if: python != nil, "there is no onnxruntime: `make setup` installs it"),
    arguments: [Targets.Kind.exclusive, .independent])
  func runtime(kind: Targets.Kind) throws {
    let (classifier, projection) = try model(kind)
    let extractor = FeatureExtractor()
    let images = (0..<3).map { texture($0, seed: UInt64($0) + 90) }
    let native = images.map {
      classifier.probabilities(of: projection.coordinates(of: extractor.fisherVector(of: $0)))
    }
    let folder = TemporaryDirectory()
    let file = try folder.write(
      ONNXModel.bytes(try classifier.before(projection)), to: "model.onnx")
    let pixels = try folder.write(Array(images.joined()), to: "images")
    let script = packageDirectory.appending(path: "Tests/CairnTrainingTests/oracle.py").path
    let command = Command(
      try #require(FeatureTests.python), [script, file.string, pixels.string],
      in: packageDirectory.path)
    let output = try command.run()
    try #require(output.status == 0, "\(output.stderr)")
    let answers = try JSONDecoder().decode([[Double]].self, from: output.bytes)
    #expect(answers.map(\.count) == [3, 3, 3])
    for (mine, other) in zip(native.joined(), answers.joined()) {
      #expect(abs(mine - other) < 1e-4)
    }
  }
}
