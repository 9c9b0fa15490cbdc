import CairnDocument
import CairnReview
import TestSupport
import Testing

@Suite("Review history")
struct ReviewHistoryTests {
  private func item(_ number: Int, raised: Stamp, _ classKey: String? = "dog") -> ReviewItem {
    ReviewItem(
      key: ReviewKey(photo: photo(number), classKey: classKey.map(key)), reasons: [],
      raised: raised)
  }

  private func step(_ number: Int, _ outcome: UndoStep.Outcome) -> ReviewEvent {
    .step(UndoStep(item(number, raised: at(0)), outcome))
  }

  private static let change = LabelChange(
    before: label("ann", "dog", absent: true, at(1)), after: label("ann", "dog", at(2)))

  @Test("hides a skipped item until a later label, or until skipped items are included")
  func skipped() {
    let history = ReviewHistory([step(1, .skipped(raised: at(3)))])
    #expect(history.isDismissed(item(1, raised: at(3)), includingSkipped: false))
    #expect(!history.isDismissed(item(1, raised: at(4)), includingSkipped: false))
    #expect(!history.isDismissed(item(1, raised: at(3)), includingSkipped: true))
    #expect(!history.isDismissed(item(2, raised: at(3)), includingSkipped: false))
    #expect(!history.isDismissed(item(1, raised: at(3), "cat"), includingSkipped: false))
  }

  @Test("hides an item that was kept unchanged, even if skipped items are included")
  func kept() {
    let history = ReviewHistory([step(1, .kept(raised: at(3)))])
    #expect(history.isDismissed(item(1, raised: at(3)), includingSkipped: true))
    #expect(!history.isDismissed(item(1, raised: at(4)), includingSkipped: true))
  }

  @Test("undoes steps from the last and keeps the original times of restored labels")
  func undone() {
    var history = ReviewHistory([
      step(1, .skipped(raised: at(3))), step(2, .labeled([ReviewHistoryTests.change])),
    ])
    history.add(.undone([Restatement(at(9), was: at(1))]))
    #expect(history.originalStamp(of: at(9)) == at(1) && history.originalStamp(of: at(8)) == at(8))
    #expect(history.isDismissed(item(1, raised: at(3)), includingSkipped: false))
    history.add(.undone([]))
    #expect(!history.isDismissed(item(1, raised: at(3)), includingSkipped: false))
    history.add(.undone([]))
    #expect(history.steps.isEmpty)
  }

  @Test("updates the stamps of earlier steps after an undo")
  func restamped() {
    let (first, second) = (label("ann", "dog", at(2)), label("ann", "dog", absent: true, at(3)))
    var history = ReviewHistory([
      step(1, .labeled([LabelChange(before: nil, after: first)])),
      step(2, .labeled([LabelChange(before: first, after: second)])),
      .undone([Restatement(at(9), was: at(2))]),
    ])
    let again = label("ann", "dog", at(9))
    #expect(history.steps.map(\.outcome) == [.labeled([LabelChange(before: nil, after: again)])])
    // A label that was written again twice still has its original time.
    history.add(.restated([Restatement(at(20), was: at(9))]))
    #expect(history.originalStamp(of: at(20)) == at(2))
  }

  @Test("limits the number of steps and still hides the items of dropped steps")
  func bounded() {
    let count = ReviewHistory.stepLimit + 20
    let history = ReviewHistory((0..<count).map { step($0, .skipped(raised: at(3))) })
    #expect(history.steps.count == ReviewHistory.stepLimit)
    #expect(history.isDismissed(item(0, raised: at(3)), includingSkipped: false))
  }

  @Test("is equal after being compacted")
  func compacted() {
    var events: [ReviewEvent] = []
    var random = SeededGenerator(1)
    for _ in 0..<3000 {
      let number = Int.random(in: 0..<50, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: events.append(step(number, .skipped(raised: at(Int64(number)))))
      case 1: events.append(step(number, .kept(raised: at(Int64(number)))))
      case 2: events.append(step(number, .labeled([ReviewHistoryTests.change])))
      case 3: events.append(step(number, .restored(at(2), removed: at(1))))
      default:
        let moment = Int64.random(in: 0..<90, using: &random)
        events.append(.undone([Restatement(at(moment + 100), was: at(moment))]))
      }
    }
    let history = ReviewHistory(events)
    #expect(ReviewHistory(history.events) == history)
    #expect(history.events.count < 800)
  }
}
