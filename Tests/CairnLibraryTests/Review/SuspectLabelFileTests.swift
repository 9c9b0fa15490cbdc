import CairnDocument
import TestSupport
import Testing

@testable import Cairn

@Suite("File of suspect labels")
struct SuspectLabelFileTests {
  @Test("reads back as many labels as there are, and nothing from another file")
  func many() throws {
    let model = try #require(Annotator(model: "trees@1"))
    let (oak, ash) = (try #require(ClassKey("oak")), try #require(ClassKey("ash")))
    var random = SeededGenerator(1)
    let suspects = (0..<5000).map { number -> SuspectLabel in
      let digest = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
      return SuspectLabel(
        photo: PhotoID(digest: digest), classKey: oak, isPresent: number % 2 == 0,
        probability: Double(number) / 10_000, predicted: ash, confidence: 0.75, raised: .never)
    }
    let file = try #require(
      SuspectLabelFile(SuspectLabelFile(model: model, suspects: suspects).bytes))
    #expect(file.model == model && file.suspects == suspects)
    #expect(SuspectLabelFile(Array("{}\n".utf8)) == nil && SuspectLabelFile([]) == nil)
  }
}
