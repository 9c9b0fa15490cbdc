import Cairn
import CairnDocument
import Foundation
import TestSupport
import Testing

@testable import CairnServer

@Suite("Bulk edits", .serialized, .timeLimit(.minutes(10)))
struct BulkEditTests {
  private static func label(_ set: String) -> JSON {
    ["do": "label", "classes": ["oak"], "create": ["oak"], "target": ["set": .string(set)]]
  }

  private static func labeled(_ dataset: Dataset) throws -> Int {
    try dataset.find(PhotoQuery("label:oak")).count
  }

  @Test("more than 500 photos are edited and undone as a job")
  func bulk() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let reply = try await scene.request("POST", "/api/edits", Self.label(try await scene.set()))
    let job = try await scene.owner.finished(reply)
    #expect(job["state"]?.string == "done", "\(job)")
    #expect(job["done"]?.int == 501 && job["total"]?.int == 501)
    #expect(job["result"]?["changed"]?.int == 501)
    #expect(try await scene.change(Self.labeled) == 501)
    let undo = try await scene.request("POST", "/api/undo")
    #expect(try await scene.owner.finished(undo)["state"]?.string == "done")
    #expect(try await scene.change(Self.labeled) == 0)
    #expect(try await scene.request("POST", "/api/undo").status == 404)
  }

  @Test("reports the progress of a bulk edit after a few photos, and keeps its batches bounded")
  func batches() throws {
    let photos = try (0..<1_000).map { number in
      let text = String(number, radix: 16)
      return try #require(PhotoID(String(repeating: "0", count: 64 - text.count) + text))
    }
    let batches = EditRoutes.batches(photos)
    #expect(batches.map(\.count) == [25, 50, 100, 200, 250, 250, 125])
    #expect(batches.flatMap { $0 } == photos)
    #expect(EditRoutes.batches([]).isEmpty)
  }

  @Test("a canceled edit keeps what it wrote, and undo reverts that")
  func cancels() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let set = try await scene.set()
    let stream = try await scene.owner.openEvents()
    let reply = try await scene.request("POST", "/api/edits", Self.label(set))
    let path = "/api/jobs/\(try #require(reply.json["job"]?.string))"
    _ = try await stream.receive(until: "\"done\":175")
    #expect(try await scene.request("DELETE", path).status == 202)
    let job = try await scene.owner.finished(reply)
    #expect(job["state"]?.string == "cancelled")
    let written = try #require(job["result"]?["changed"]?.int)
    #expect(written >= 175 && written < 501)
    #expect(try await scene.change(Self.labeled) == written)
    let undo = try await scene.request("POST", "/api/undo")
    if undo.status == 202 {
      #expect(try await scene.owner.finished(undo)["state"]?.string == "done")
    } else {
      #expect(undo.status == 200)
    }
    #expect(try await scene.change(Self.labeled) == 0)
  }

  @Test("an undo during a bulk edit of another page stops it, and reverts all of it")
  func undoesRunning() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let stream = try await scene.owner.openEvents()
    let reply = try await scene.request("POST", "/api/edits", Self.label(try await scene.set()))
    _ = try await stream.receive(until: "\"done\":175")
    var undo = try await scene.request("POST", "/api/undo")
    _ = try await scene.owner.finished(reply)
    while undo.status != 404 {
      try #require(undo.status == 200 || undo.status == 202, "\(undo.text)")
      if undo.status == 202 { _ = try await scene.owner.finished(undo) }
      undo = try await scene.request("POST", "/api/undo")
    }
    #expect(try await scene.change(Self.labeled) == 0)
  }

  @Test("an undo during a bulk edit undoes only what was done after it began")
  func undoesLater() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let stream = try await scene.owner.openEvents()
    let reply = try await scene.request("POST", "/api/edits", Self.label(try await scene.set()))
    _ = try await stream.receive(until: "\"done\":175")
    let later = try await scene.label(0, "elm")
    let undo = try await scene.request("POST", "/api/undo")
    #expect(undo.status == 200, "\(undo.text)")
    #expect(undo.json["undone"]?["action"] == later.json["action"])
    let job = try await scene.owner.finished(reply)
    #expect(job["state"]?.string == "done", "\(job)")
    #expect(try await scene.change(Self.labeled) == 501)
    #expect(try await scene.change { try $0.find(PhotoQuery("label:elm")).count } == 0)
  }

  @Test("an undo before a bulk edit has changed anything stops it, or undoes what was done since")
  func undoesWaiting() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let set = try await scene.set()
    #expect(try await scene.label(0, "elm").status == 200)
    // As many edits of somebody else as run at once.
    let other = Person(annotator: nil, name: "Bob", author: nil)
    let ends = try (0..<3).map { _ in
      let (stream, end) = AsyncStream.makeStream(of: Void.self)
      _ = try scene.server.state.jobs.start("edit", "Elm", other) { _ in
        for await _ in stream {}
        return .null
      }
      return end
    }
    defer { for end in ends { end.finish() } }
    func elms() async throws -> Int {
      try await scene.change { try $0.find(PhotoQuery("label:elm")).count }
    }

    let stopped = try await scene.request("POST", "/api/edits", Self.label(set))
    let nothing = try await scene.request("POST", "/api/undo")
    #expect(nothing.status == 200, "\(nothing.text)")
    #expect(nothing.json["undone"]?["action"] == .null && nothing.json["left"]?.int == 1)
    #expect(try await scene.owner.finished(stopped)["state"]?.string == "cancelled")
    #expect(try await elms() == 1)

    let kept = try await scene.request("POST", "/api/edits", Self.label(set))
    let later = try await scene.label(1, "elm")
    let undo = try await scene.request("POST", "/api/undo")
    #expect(undo.status == 200, "\(undo.text)")
    #expect(undo.json["undone"]?["action"] == later.json["action"])
    #expect(try await elms() == 1)
    for end in ends { end.finish() }
    #expect(try await scene.owner.finished(kept)["state"]?.string == "done")
    #expect(try await scene.change(Self.labeled) == 501)
  }

  @Test("the removal of more than 500 photos is undone as a job, with its progress")
  func undoesRemoval() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let edit: JSON = [
      "do": "remove", "on": true, "target": ["set": .string(try await scene.set())],
    ]
    let reply = try await scene.request("POST", "/api/edits", edit)
    #expect(try await scene.owner.finished(reply)["state"]?.string == "done")
    #expect(try await scene.change { try $0.find(PhotoQuery("")).count } == 0)
    let undo = try await scene.request("POST", "/api/undo")
    let job = try await scene.owner.finished(undo)
    #expect(job["state"]?.string == "done", "\(job)")
    #expect(job["done"]?.int == 501 && job["total"]?.int == 501)
    #expect(job["result"]?["undone"]?["outcome"]?.string == "asBefore")
    #expect(try await scene.change { try $0.find(PhotoQuery("")).count } == 501)
    #expect(try await scene.request("POST", "/api/undo").status == 404)
  }

  @Test("reports a new class once it is there")
  func reportsClass() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let stream = try await scene.owner.openEvents()
    let reply = try await scene.request("POST", "/api/edits", Self.label(try await scene.set()))
    _ = try await stream.receive(until: "event: classes")
    let classes = try await scene.get("/api/classes")["classes"]?.array
    #expect(classes?.map { $0["class"]?.string } == ["oak"])
    _ = try await scene.owner.finished(reply)
  }

  @Test("Ctrl-C during a bulk edit keeps what was reported, and leaves the dataset sound")
  func interrupt() async throws {
    let scene = try await ServerScene.start(photos: 501)
    await scene.stop()
    let process = try await ServeProcess(scene.dataset)
    let created = try await process.client.request("POST", "/api/sets", [:])
    let set = try #require(created.json["set"]?.string, "\(created.text)")
    let stream = try await process.client.openEvents()
    #expect(try await process.client.request("POST", "/api/edits", Self.label(set)).status == 202)
    _ = try await stream.receive(until: "\"done\":175")
    #expect(try await process.interrupt() == 0)
    try await scene.change { dataset in
      let report = try dataset.verify()
      #expect(report.isValid, "\(report)")
      #expect(try Self.labeled(dataset) >= 175)
    }
  }

  @Test("a killed server loses no acknowledged label, and the next one undoes the rest")
  func kill() async throws {
    let scene = try await ServerScene.start(photos: 501)
    await scene.stop()
    var process = try await ServeProcess(scene.dataset)
    let client = process.client
    let created = try await client.request("POST", "/api/sets", [:])
    let set = try #require(created.json["set"]?.string, "\(created.text)")
    let first = try await client.label([scene.photos[500]], "elm")
    #expect(first.status == 200)
    let stream = try await client.openEvents()
    let edit = try await client.request("POST", "/api/edits", Self.label(set))
    #expect(edit.status == 202)
    let text = try await stream.receive(until: "\"done\":175")
    process.kill()
    #expect(text.contains("event: job"))
    let states = try await scene.change { [photos = scene.photos] dataset in
      _ = try dataset.verify()
      return try [photos[0], photos[174], photos[500]].map { photo in
        try dataset.show(photo).resolution.filter { $0.state == .confirmed }.map(\.classKey.text)
      }
    }
    #expect(states[0] == ["oak"] && states[1] == ["oak"])
    #expect(states[2].contains("elm"))

    process = try await ServeProcess(scene.dataset)
    let again = process.client
    let undo = try await again.request("POST", "/api/undo")
    if undo.status == 202 {
      #expect(try await again.finished(undo)["state"]?.string == "done")
    } else {
      #expect(undo.status == 200, "\(undo.text)")
    }
    // A batch that was written but not reported may remain, and the label before stays.
    #expect(try await scene.change(Self.labeled) <= 250)
    #expect(try await scene.change { try $0.find(PhotoQuery("label:elm")).count } == 1)
    process.kill()
  }
}
