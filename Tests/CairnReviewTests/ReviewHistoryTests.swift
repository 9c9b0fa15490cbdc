import CairnDocument
import CairnReview
import Testing

@Suite("What a device remembers of its reviews")
struct ReviewHistoryTests {
  private func item(_ number: Int, raised: Stamp, _ classKey: String? = "dog") -> ReviewItem {
    ReviewItem(
      key: ReviewKey(photo: photo(number), classKey: classKey.map(key)), doubts: [],
      raised: raised)
  }

  private func step(_ number: Int, _ outcome: UndoStep.Outcome) -> ReviewEvent {
    .did(UndoStep(item(number, raised: at(0)), outcome))
  }

  private static let asked = ReviewItem(
    key: ReviewKey(photo: photo(1), classKey: key("dog")),
    doubts: [
      ReviewReasonDetail(.duplicates, "“one” has it"), ReviewReasonDetail(.rare, "few have it"),
    ], raised: at(3))
  private static let whole = ReviewItem(
    key: ReviewKey(photo: photo(1), classKey: nil), doubts: [], raised: .never)

  private static let change = LabelChange(
    before: label("ann", "dog", absent: true, at(1)), after: label("ann", "dog", at(2)))

  @Test(
    "an event comes back from its line as it was",
    arguments: [
      .did(UndoStep(asked, .skipped(raised: at(3)))),
      .did(UndoStep(whole, .kept(raised: at(3)))),
      .did(UndoStep(whole, .restored(at(3), removed: at(1)))),
      .did(UndoStep(asked, .said([change]))),
      .did(UndoStep(asked, .said([LabelChange(before: nil, after: change.after)]))),
      .passed(.skipped(raised: at(3)), ReviewKey(photo: photo(1), classKey: key("dog"))),
      .undid([Restatement(at(4), was: at(2))]), .undid([]),
      .resaid([Restatement(at(4), was: at(2)), Restatement(at(5), was: at(3))]),
    ] as [ReviewEvent])
  func line(event: ReviewEvent) throws {
    let line = event.json.line
    #expect(line.utf8.count { $0 == 0x0A } == 1)
    let read = try JSON(bytes: Array(line.utf8))
    #expect(ReviewEvent(json: read) == event)
  }

  @Test(
    "a line that is none of ours is none",
    arguments: ["{}", "[]", "{\"did\": \"say\"}", "{\"did\": \"skip\", \"photo\": \"x\"}"])
  func notOurs(text: String) throws {
    #expect(try ReviewEvent(json: JSON(bytes: Array(text.utf8))) == nil)
  }

  @Test("what was skipped is not asked until something is said of it, or skips are asked for")
  func skipped() {
    let memory = ReviewHistory([step(1, .skipped(raised: at(3)))])
    #expect(memory.isPassed(item(1, raised: at(3)), includingSkipped: false))
    #expect(!memory.isPassed(item(1, raised: at(4)), includingSkipped: false))
    #expect(!memory.isPassed(item(1, raised: at(3)), includingSkipped: true))
    #expect(!memory.isPassed(item(2, raised: at(3)), includingSkipped: false))
    #expect(!memory.isPassed(item(1, raised: at(3), "cat"), includingSkipped: false))
  }

  @Test("what was left as it is is not asked, skips or not")
  func kept() {
    let memory = ReviewHistory([step(1, .kept(raised: at(3)))])
    #expect(memory.isPassed(item(1, raised: at(3)), includingSkipped: true))
    #expect(!memory.isPassed(item(1, raised: at(4)), includingSkipped: true))
  }

  @Test("steps are taken back from the last, and what was said again was said when it was")
  func undone() {
    var memory = ReviewHistory([
      step(1, .skipped(raised: at(3))), step(2, .said([ReviewHistoryTests.change])),
    ])
    memory.add(.undid([Restatement(at(9), was: at(1))]))
    #expect(memory.moment(of: at(9)) == at(1) && memory.moment(of: at(8)) == at(8))
    #expect(memory.isPassed(item(1, raised: at(3)), includingSkipped: false))
    memory.add(.undid([]))
    #expect(!memory.isPassed(item(1, raised: at(3)), includingSkipped: false))
    memory.add(.undid([]))
    #expect(memory.steps.isEmpty)
  }

  @Test("the step before finds what it wrote under the stamp that it has now")
  func restamped() {
    let (first, second) = (label("ann", "dog", at(2)), label("ann", "dog", absent: true, at(3)))
    var memory = ReviewHistory([
      step(1, .said([LabelChange(before: nil, after: first)])),
      step(2, .said([LabelChange(before: first, after: second)])),
      .undid([Restatement(at(9), was: at(2))]),
    ])
    let again = label("ann", "dog", at(9))
    #expect(memory.steps.map(\.outcome) == [.said([LabelChange(before: nil, after: again)])])
    // Said again once more, it was still said when it was said first.
    memory.add(.resaid([Restatement(at(20), was: at(9))]))
    #expect(memory.moment(of: at(20)) == at(2))
  }

  @Test("only so many steps are kept, and what they passed over stays so")
  func bounded() {
    let count = ReviewHistory.stepLimit + 20
    let memory = ReviewHistory((0..<count).map { step($0, .skipped(raised: at(3))) })
    #expect(memory.steps.count == ReviewHistory.stepLimit)
    #expect(memory.isPassed(item(0, raised: at(3)), includingSkipped: false))
  }

  @Test("written anew in few lines, it is the same memory")
  func compacted() {
    var events: [ReviewEvent] = []
    var random = SplitMix(1)
    for _ in 0..<3000 {
      let number = Int.random(in: 0..<50, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: events.append(step(number, .skipped(raised: at(Int64(number)))))
      case 1: events.append(step(number, .kept(raised: at(Int64(number)))))
      case 2: events.append(step(number, .said([ReviewHistoryTests.change])))
      case 3: events.append(step(number, .restored(at(2), removed: at(1))))
      default:
        let moment = Int64.random(in: 0..<90, using: &random)
        events.append(.undid([Restatement(at(moment + 100), was: at(moment))]))
      }
    }
    let memory = ReviewHistory(events)
    #expect(ReviewHistory(memory.events) == memory)
    #expect(memory.events.count < 800)
  }
}
