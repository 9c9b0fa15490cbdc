import CairnDocument
import CairnFiles
import SystemPackage
import TestSupport
import Testing

@testable import CairnStore

@Suite("Operation log")
struct OperationLogTests {
  private let sandbox: Sandbox
  private let dataset: DatasetDirectory
  private let log: OperationLog

  init() throws {
    sandbox = try Sandbox()
    dataset = try sandbox.dataset()
    log = OperationLog(dataset)
  }

  private let ann = Annotator("human:ann@example.org")

  @Test("returns what was recorded, in order")
  func order() throws {
    #expect(try log.numbers() == [])
    let first = try log.begin("label “3fa9” oak\n", by: ann, at: 1_700_000_000_000)
    let entries: [OperationLog.Entry] = [
      .document(DocumentEdit(.manifest, before: nil, after: ["kind": "dataset"])),
      .commits(before: nil, after: "3fa9"),
      .document(DocumentEdit(.manifest, before: ["kind": "dataset"], after: nil)),
    ]
    for entry in entries { try log.add([entry], to: first) }
    let second = try log.begin("undo", by: nil, at: 1, undoes: first)
    #expect(try log.numbers() == [1, 2])
    #expect(try log.entries(of: first) == entries)
    let header = try #require(try log.header(of: first))
    #expect(header.text == "label “3fa9” oak\n" && header.by == ann && header.undoes == nil)
    #expect(header.time == 1_700_000_000_000)
    #expect(try log.header(of: second)?.undoes == 1)
    #expect(try log.header(of: 3) == nil)
  }

  @Test("skips a line that a crash left incomplete")
  func torn() throws {
    let number = try log.begin("label", by: ann, at: 1)
    let entry = OperationLog.Entry.commits(before: "a", after: "b")
    try log.add([entry], to: number)
    let path = dataset.privateDirectory.appending("operations").appending("1")
    try dataset.files.append(Array("{\"commits\": [\"b\"".utf8), to: path)
    #expect(try log.entries(of: number) == [entry])
    try log.add([entry], to: number)
    #expect(try log.entries(of: number) == [entry, entry])
    try dataset.files.write(
      Array("{\"by".utf8), to: path.removingLastComponent().appending("7"),
      temporary: dataset.temporaryFile())
    #expect(try log.header(of: 7) == nil)
    #expect(try log.begin("label", by: ann, at: 1) == 8)
  }

  @Test("tells an undo that was interrupted from a complete one")
  func unfinished() throws {
    let first = try log.begin("label", by: ann, at: 1)
    #expect(try log.header(of: first)?.isUnfinished == false)
    let undo = try log.begin("undo", by: ann, at: 2, undoes: first)
    #expect(try log.header(of: undo)?.isUnfinished == true)
    try log.add([.commits(before: "a", after: "b")], to: undo)
    #expect(try log.header(of: undo)?.isUnfinished == true)
    try log.add([.done(kept: 0)], to: undo)
    #expect(try log.header(of: undo)?.isUnfinished == false)
    #expect(try log.header(of: undo)?.kept == 0)
    #expect(try log.entries(of: undo) == [.commits(before: "a", after: "b"), .done(kept: 0)])
    let partial = try log.begin("undo", by: ann, at: 2, undoes: first)
    try log.add([.done(kept: 250)], to: partial)
    #expect(try log.header(of: partial)?.isUnfinished == false)
    #expect(try log.header(of: partial)?.kept == 250)
  }

  @Test("shortens command lines that name many files")
  func longText() throws {
    let text = (0..<5000).map { "\($0).jpg" }.joined(separator: " ")
    let number = try log.begin(text, by: ann, at: 1)
    let short = try #require(try log.header(of: number)).text
    #expect(short.count == 501 && short.hasSuffix("…") && text.hasPrefix(short.dropLast()))
  }

  @Test("keeps the newest operations, and larger ones regardless of how many small ones follow")
  func limit() throws {
    let commit = OperationLog.Entry.commits(
      before: String(repeating: "a", count: 40), after: String(repeating: "b", count: 40))
    let imported = try log.begin("import", by: ann, at: 1, [commit])
    let edit = OperationLog.Entry.document(
      DocumentEdit(.manifest, before: nil, after: .string(String(repeating: "c", count: 9000))))
    let large = try log.begin("predict", by: ann, at: 1, [edit])
    let undo = try log.begin("undo", by: ann, at: 1, undoes: large, [.done(kept: 0)])
    let label = try log.begin("label", by: ann, at: 1)
    _ = try log.begin("undo", by: ann, at: 1, undoes: label, [.done(kept: 0)])
    for _ in 0..<OperationLog.limit + 100 { _ = try log.begin("label", by: ann, at: 1) }
    let numbers = try log.numbers()
    #expect(numbers.last == OperationLog.limit + 105)
    #expect(numbers.count >= OperationLog.limit && numbers.count <= OperationLog.limit + 50)
    // Without its undo, a large operation would be one that can be undone.
    #expect(numbers.prefix(3) == [imported, large, undo] && numbers[3] > 100)
    #expect(try log.entries(of: imported) == [commit] && log.entries(of: large) == [edit])
  }
}
