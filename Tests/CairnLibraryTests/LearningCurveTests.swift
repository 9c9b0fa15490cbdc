import CairnDocument
import Testing

@testable import Cairn

@Suite("Figures of trainings")
struct LearningCurveTests {
  private func curve(
    _ points: [(labels: Double, macroF1: Double)], _ growth: Double?
  ) -> LearningCurve {
    LearningCurve(
      points: points.map {
        TrainingReport.LearningPoint(labelsPerClass: $0.labels, macroF1: $0.macroF1)
      }, greatestGrowth: growth)
  }

  @Test("a curve is flat only if even its greatest growth would add little")
  func flat() throws {
    // Few labels: the curve falls by chance.
    let falling = curve([(4, 0.7), (8, 0.65)], 0.1)
    #expect(falling.gainOf100Labels == nil && !falling.isFlat)
    let rising = curve([(10, 0.6), (20, 0.7)], 0.15)
    let gain = try #require(rising.gainOf100Labels)
    #expect(abs(gain - 0.2585) < 1e-3 && !rising.isFlat)
    // 100 labels are few among many.
    let long = curve([(500, 0.9), (1000, 0.901)], 0.004)
    #expect(try #require(long.gainOf100Labels) < 0.001 && long.isFlat)
    let uncertain = curve([(50, 0.9), (100, 0.901)], 0.02)
    #expect(try #require(uncertain.gainOf100Labels) < 0.005 && !uncertain.isFlat)
    let perfect = curve([(5, 1), (10, 1)], 0)
    #expect(perfect.gainOf100Labels == 0 && perfect.isFlat)
    let one = curve([(5, 1)], nil)
    #expect(one.gainOf100Labels == nil && !one.isFlat)
  }

  @Test("near duplicates count once in the intervals of figures")
  func groups() throws {
    let classes = [try #require(ClassKey("elm")), try #require(ClassKey("oak"))]
    /// Figures of eight photos, each `count` times, of which the first is mistaken.
    func figures(_ count: Int, isExclusive: Bool) -> TrainingReport.Evaluation {
      let rows = (0..<8 * count).map { $0 / count }
      return TrainingReport.Evaluation(
        rows.map { $0 == 0 || $0 >= 4 ? [0.2, 0.8] : [0.8, 0.2] }, groups: rows,
        verdict: { row, index in (rows[row] < 4) == (index == 0) }, isExclusive: isExclusive,
        classes: classes)
    }
    for isExclusive in [true, false] {
      let (one, five) = (figures(1, isExclusive: isExclusive), figures(5, isExclusive: isExclusive))
      #expect(one.photos == 8 && one.groups == 8 && five.photos == 40 && five.groups == 8)
      #expect(five.accuracy.value == 7 / 8 && five.accuracy.interval == one.accuracy.interval)
      #expect(five.macroF1 == one.macroF1 && five.macroF1Interval == one.macroF1Interval)
      for (first, second) in zip(one.perClass, five.perClass) {
        #expect(first.f1 == second.f1 && first.recall.interval == second.recall.interval)
        #expect(first.precision.interval == second.precision.interval)
      }
      #expect(one.macroF1Growth(since: one) == 0...0)
    }
  }
}
