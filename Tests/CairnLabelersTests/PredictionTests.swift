import CairnBase
import CairnLabelers
import Testing

@Suite("Predictions")
struct PredictionTests {
  @Test("are limited by classes, and the boxes of each class")
  func best() {
    let box = NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let gulls = (0..<12).map {
      Prediction.Finding(name: "gull", score: 0.9 - Double($0) / 100, box: box)
    }
    let others = [
      Prediction.Finding(name: "tern", score: 0.7), Prediction.Finding(name: "tern", score: 0.6),
      Prediction.Finding(name: "auk", score: 0.5, box: box),
    ]
    let prediction = Prediction(gulls + others)
    func names(_ count: Int, boxes: Int) -> [String] {
      prediction.best(count, boxes: boxes, from: 0.05).map(\.name)
    }
    let all = [String](repeating: "gull", count: 12)
    #expect(names(5, boxes: 100) == all + ["tern", "auk"])
    #expect(names(2, boxes: 100) == all + ["tern"])
    #expect(names(1, boxes: 3) == ["gull", "gull", "gull"])
  }
}
