import CairnDocument
import CairnFiles
import CairnReview
import Foundation
import SystemPackage
import Testing

@testable import Cairn

@Suite("Lines of the review log")
struct ReviewLogTests {
  private static let key = ReviewKey(photo: photoID, classKey: ClassKey("dog"))
  private static let asked = ReviewItem(
    key: key,
    reasons: [
      .logged(.duplicates, text: "“one” has it"), .logged(.rare, text: "few have it"),
    ], raised: at(3))
  private static let whole = ReviewItem(
    key: ReviewKey(photo: photoID, classKey: nil), reasons: [], raised: .never)
  private static let change = LabelChange(
    before: label("human:ann@x", .absent, at(1)), after: label("human:ann@x", at(2)))

  @Test(
    "reads an event from the line that it wrote",
    arguments: [
      .step(UndoStep(asked, .skipped(raised: at(3)))),
      .step(UndoStep(whole, .kept(raised: at(3)))),
      .step(UndoStep(whole, .restored(at(3), removed: at(1)))),
      .step(UndoStep(asked, .labeled([change]))),
      .step(UndoStep(asked, .labeled([LabelChange(before: nil, after: change.after)]))),
      .dismissed(.skipped(raised: at(3)), key),
      .undone([Restatement(at(4), was: at(2))]), .undone([]),
      .restated([Restatement(at(4), was: at(2)), Restatement(at(5), was: at(3))]),
    ] as [ReviewEvent])
  func line(event: ReviewEvent) throws {
    let line = event.json.line
    #expect(line.utf8.count { $0 == 0x0A } == 1)
    let read = try JSON(bytes: Array(line.utf8))
    #expect(ReviewEvent(json: read) == event)
  }

  @Test("keeps the text of each detail")
  func details() throws {
    let rare = ReviewReasonDetail.rare(className: "dog", examples: 1)
    let item = ReviewItem(key: ReviewLogTests.key, reasons: [rare], raised: at(3))
    let event = ReviewEvent.step(UndoStep(item, .skipped(raised: at(3))))
    guard case .step(let step)? = ReviewEvent(json: event.json) else {
      Issue.record("the event was not read")
      return
    }
    #expect(step.item.reasons == [.logged(.rare, text: rare.text)])
    #expect(ReviewEvent.step(step).json == event.json)
  }

  @Test(
    "reads the lines of all versions of the program, and writes those of the first",
    arguments: ["doubts", "suspects"])
  func versions(key: String) throws {
    // Written by earlier versions: do not change it.
    let line = #"""
      {"class":"dog","did":"skip","photo":"\#(photoID)","raised":"\#(at(3))",\#
      "stamp":"\#(at(3))","\#(key)":[{"because":"few have it","reason":"rare"}],"undoable":true}
      """#
    let event = try #require(ReviewEvent(json: JSON(bytes: Array(line.utf8))))
    guard case .step(let step) = event else {
      Issue.record("\(event) is not a step")
      return
    }
    #expect(step.item.reasons == [.logged(.rare, text: "few have it")])
    #expect(event.json["doubts"]?.array?.count == 1 && event.json["suspects"] == nil)
  }

  @Test(
    "ignores a line that is not an event",
    arguments: ["{}", "[]", "{\"did\": \"say\"}", "{\"did\": \"skip\", \"photo\": \"x\"}"])
  func notOurs(text: String) throws {
    #expect(try ReviewEvent(json: JSON(bytes: Array(text.utf8))) == nil)
  }
}

@Suite("The edit log")
struct EditLogTests {
  @Test("skips damaged lines")
  func damaged() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let lines = [
      #"{"action": 1, "time": 1e30, "title": "Oak"}"#, #"{"action": 2, "time": 7, "title": "Elm"}"#,
      #"{"action": \#(Int.max), "time": 8, "title": "Ash"}"#,
      #"{"action": 1, "restated": [{"stamp": "\#(at(3))", "was": "\#(at(3))"}], "undone": true}"#,
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    var log = try EditLog(FilePath(file.path), files: FileSystem())
    #expect(log.actions.map(\.text) == ["Elm"] && log.actions.map(\.time) == [7])
    let change = EditChange.label(
      LabelChange(before: nil, after: label("human:ann@x", .absent, at(3))))
    let number = try log.begin("Fir", at: 9)
    try log.add([change], to: number, at: 9)
    #expect(number == 3 && log.changes(of: number) == [change])
  }

  @Test("keeps what is left of an action, and the changes of a photo together")
  func left() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    var log = try EditLog(FilePath(file.path), files: FileSystem())
    let number = try log.begin("Fir", at: 9)
    let changes: [EditChange] = (1...3).map {
      .label(LabelChange(before: nil, after: label("human:ann@x", .absent, at($0))))
    }
    try log.add([.review(nil)] + changes, to: number, at: 9)
    let last = log.lastChanges(of: number, limit: 2)
    #expect(last.changes == changes && last.before == 1)
    try log.end(number, left: 1, restated: [])
    log = try EditLog(FilePath(file.path), files: FileSystem())
    #expect(log.isOpen(number) && log.changes(of: number) == [.review(nil)])
    try log.end(number, restated: [])
    #expect(!log.isOpen(number) && log.changes(of: number).isEmpty)
  }
}
