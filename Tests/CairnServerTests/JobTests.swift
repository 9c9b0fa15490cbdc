import Cairn
import CairnDocument
import Testing

@testable import CairnServer

@Suite("Jobs", .timeLimit(.minutes(5)))
struct JobTests {
  private static let person = Person(annotator: nil, name: "Alice", author: nil)

  private static func board() -> JobBoard { JobBoard(EventHub(start: 0)) }

  @Test("a waiting job ends as soon as it is canceled")
  func cancelsWaiting() async throws {
    let board = Self.board()
    let job = try board.start("sync", "Sync", Self.person) { _ in .null }
    #expect(job.state == .waiting)
    job.cancel()
    #expect(job.state == .cancelled)
    await job.waitForEnd()
    await job.run()
    #expect(job.state == .cancelled)
  }

  @Test("edits do not wait for jobs that take long")
  func editsRun() async throws {
    let board = Self.board()
    let running = Task { await board.run() }
    defer { running.cancel() }
    let ends = try (0..<4).map { _ in
      let (stream, end) = AsyncStream.makeStream(of: Void.self)
      _ = try board.start("sync", "Sync", Self.person) { _ in
        for await _ in stream {}
        return .null
      }
      return end
    }
    let edit = try board.start("edit", "Oak on 1 photo", Self.person) { _ in .null }
    await edit.waitForEnd()
    #expect(edit.state == .done)
    for end in ends { end.finish() }
    for job in board.all { await job.waitForEnd() }
  }
}
