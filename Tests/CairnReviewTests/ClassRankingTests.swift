import CairnDocument
import CairnReview
import Testing

@Suite("Ranking of classes")
struct ClassRankingTests {
  private func candidate(
    _ name: String, confidence: Double? = nil, nearby: Int = 0, recent: Int = 0, photos: Int = 0
  ) throws -> ClassCandidate {
    var candidate = ClassCandidate(try #require(ClassKey(name)))
    (candidate.confidence, candidate.nearby) = (confidence, nearby)
    (candidate.recent, candidate.photos) = (recent, photos)
    return candidate
  }

  @Test("puts predictions first, then classes nearby and recent ones, then the most frequent")
  func order() throws {
    let candidates = try [
      candidate("rare", photos: 1), candidate("ash", photos: 5), candidate("elm", photos: 5),
      candidate("frequent", photos: 900), candidate("near", nearby: 2, recent: 1),
      candidate("recent", recent: 2, photos: 3), candidate("guess", confidence: 0.2),
      candidate("sure", confidence: 0.4),
    ]
    let names = candidates.shuffled().ranked(limit: 7).map(\.classKey.text)
    #expect(names == ["sure", "guess", "near", "recent", "frequent", "ash", "elm"])
  }
}
