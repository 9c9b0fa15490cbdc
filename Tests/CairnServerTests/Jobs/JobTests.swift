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

  @Test("a server limits the memory of git's objects")
  func cacheLimit() async throws {
    let scene = try await ServerScene.start()
    #expect(Repository.cacheLimit == 32 << 20)
    await scene.stop()
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

  @Test("an undo stops the latest job, but none that an action came after")
  func latest() throws {
    let board = Self.board()
    func edit(begun: Int, action: Int? = nil) throws -> Job {
      let job = try board.start("edit", "Oak", Self.person, begun: begun) { _ in .null }
      job.action = action
      return job
    }
    let (first, second) = (try edit(begun: 30, action: 31), try edit(begun: 30))
    #expect(UndoRoutes.latestJob([], 31) === nil)
    #expect(UndoRoutes.latestJob([first], 31) === first)
    #expect(UndoRoutes.latestJob([first], 32) === nil)
    // It was started after the first one, and has changed nothing.
    #expect(UndoRoutes.latestJob([first, second], 31) === second)
    #expect(UndoRoutes.latestJob([second, first], 31) === first)
    #expect(UndoRoutes.latestJob([second], 30) === second)
    #expect(UndoRoutes.latestJob([second], 31) === nil)
    second.action = 32
    #expect(UndoRoutes.latestJob([first, second], 32) === second)
    let undo = try board.start("undo", "Undo: Oak", Self.person) { _ in .null }
    #expect(UndoRoutes.latestJob([undo, first], 32) === undo)
  }

  @Test("an event has the result only if that changed since the event before")
  func results() async throws {
    let hub = EventHub(start: 0)
    let events = hub.stream(after: nil)
    let job = try JobBoard(hub).start("train", "Training of trees", Self.person) { job in
      job.report("waiting for labels", 0, 20, always: true)
      job.keep(["model": "trees@1"])
      job.report("waiting for labels", 1, 20, always: true)
      job.report("waiting for labels", 2, 20, always: true)
      #expect(job.json["result"]?["model"]?.string == "trees@1")
      return ["model": "trees@2"]
    }
    await job.run()
    hub.finish()
    var results: [JSON?] = []
    for await event in events { results.append(event.data["result"]) }
    let expected: [JSON?] = [JSON.null, nil, ["model": "trees@1"], nil, ["model": "trees@2"]]
    #expect(results == expected)
    #expect(job.json["result"]?["model"]?.string == "trees@2")
  }
}
