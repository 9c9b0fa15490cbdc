import CairnMetrics
import Foundation
import TestSupport
import Testing

@Suite("Model metrics")
struct ModelFigureTests {
  /// The label that stands for “no prediction” in scikit-learn's input.
  private static let none = 99

  @Test(
    "computes accuracy, precision, recall, F1 and the matrix as scikit-learn does",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func scores() throws {
    var questions: [[String: Any]] = []
    var matrices: [ConfusionMatrix] = []
    for seed in UInt64(0)..<40 {
      var (random, matrix) = (XorshiftGenerator(seed), ConfusionMatrix())
      var (truth, predicted): ([Int], [Int]) = ([], [])
      let categories = 2 + random.below(5)
      let right = random.below(100)
      for _ in 0..<1 + random.below(80) {
        let category = random.below(categories)
        let isNone = random.below(10) == 0
        let guess = random.below(100) < right ? category : random.below(categories)
        matrix.add(truth: category, prediction: isNone ? nil : guess)
        truth.append(category)
        predicted.append(isNone ? Self.none : guess)
      }
      questions.append([
        "kind": "scores", "truth": truth, "predicted": predicted, "labels": matrix.categories,
      ])
      matrices.append(matrix)
    }
    for (index, answer) in try Oracle.answers(questions).enumerated() {
      let (matrix, answer) = (matrices[index], try #require(answer as? [String: Any]))
      let figures: [(Int) -> Double?] = [matrix.precision, matrix.recall, matrix.f1]
      #expect(isEqual(matrix.accuracy, try #require(answer["accuracy"])))
      let (each, macro) = (
        try #require(answer["each"] as? [[Double]]), try #require(answer["macro"] as? [Double])
      )
      for (figure, name) in figures.enumerated() {
        #expect(abs((matrix.macro(name) ?? 0) - macro[figure]) < 1e-9)
        for (column, category) in matrix.categories.enumerated() {
          #expect(abs((name(category) ?? 0) - each[figure][column]) < 1e-9)
        }
      }
      let cells = try #require(answer["matrix"] as? [[Int]])
      for (row, truth) in matrix.categories.enumerated() {
        for (column, guess) in matrix.categories.enumerated() {
          #expect(matrix[truth, guess] == cells[row][column])
        }
      }
    }
  }

  @Test(
    "computes the calibration curve as scikit-learn does, also on bin edges",
    .enabled(if: Oracle.isInstalled, Oracle.missing))
  func calibration() throws {
    var questions: [[String: Any]] = []
    var curves: [Calibration] = []
    for seed in UInt64(0)..<30 {
      var (random, curve) = (XorshiftGenerator(seed), Calibration())
      var (truth, confidences): ([Int], [Double]) = ([], [])
      for _ in 0..<1 + random.below(200) {
        let confidence =
          random.below(3) == 0
          ? Double(random.below(11)) / 10 : Double.random(in: 0...1, using: &random)
        let isTrue = random.below(100) < Int(confidence * 100)
        curve.add(confidence: confidence, isTrue: isTrue)
        truth.append(isTrue ? 1 : 0)
        confidences.append(confidence)
      }
      questions.append(["kind": "calibration", "truth": truth, "confidence": confidences])
      curves.append(curve)
    }
    for (index, answer) in try Oracle.answers(questions).enumerated() {
      let (curve, answer) = (curves[index], try #require(answer as? [String: Any]))
      let filled = curve.bins.filter { $0.count > 0 }
      #expect(filled.map(\.count) == answer["counts"] as? [Int])
      let (accuracies, means) = (
        try #require(answer["accuracies"] as? [Double]),
        try #require(answer["confidences"] as? [Double])
      )
      #expect(zip(filled, accuracies).allSatisfy { abs($0.accuracy! - $1) < 1e-9 })
      #expect(zip(filled, means).allSatisfy { abs($0.confidence! - $1) < 1e-9 })
      #expect(isEqual(curve.error, try #require(answer["error"])))
    }
  }

  @Test("has no figure when nothing was measured")
  func empty() {
    let matrix = ConfusionMatrix()
    #expect(matrix.accuracy == nil && matrix.precision(0) == nil && matrix.recall(0) == nil)
    #expect(matrix.f1(0) == nil && matrix.macro { matrix.f1($0) } == nil)
    #expect(Calibration().error == nil && Calibration().bins.allSatisfy { $0.accuracy == nil })
    var silent = ConfusionMatrix()
    silent.add(truth: 1, prediction: nil)
    #expect(silent.accuracy == 0 && silent.precision(1) == nil && silent.recall(1) == 0)
    #expect(silent.abstentions == 1 && silent.categories == [1])
  }
}
