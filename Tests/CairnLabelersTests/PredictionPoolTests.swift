import CairnDocument
import Dispatch
import Synchronization
import SystemPackage
import Testing

@testable import CairnLabelers

@Suite("Pool of predictions")
struct PredictionPoolTests {
  /// Answers all images but the first, for which it waits until it is interrupted.
  private final class SlowLabeler: Labeler {
    private let interruption = DispatchSemaphore(value: 0)

    func identity() throws(LabelerError) -> LabelerIdentity { throw LabelerError("no identity") }

    func predict(_ image: LabelerImage) throws(LabelerError) -> Prediction {
      if image.name == "0" { interruption.wait() }
      return Prediction()
    }

    func interrupt() { interruption.signal() }

    func close() {}
  }

  private struct Full: Error {}

  @Test(
    "keeps what is still predicted after an error, and throws the error", arguments: [false, true])
  func interrupted(whileTaking: Bool) throws {
    var taken = Set<Int>()
    #expect(throws: Full.self) {
      try PredictionPool(SlowLabeler(), atOnce: 2).run(
        4, image: { LabelerImage(name: "\($0)", path: "", format: .png, width: 1, height: 1) },
        check: { if !whileTaking, taken.count == 3 { throw Full() } }
      ) { finished in
        taken.formUnion(finished.map(\.index))
        if whileTaking, taken.count == 3 { throw Full() }
      }
    }
    #expect(taken == [0, 1, 2, 3])
  }
}
