import Cairn
import CairnDocument
import Foundation
import TestSupport
import Testing

@testable import CairnServer

@Suite("Similarity map", .serialized, .timeLimit(.minutes(10)))
struct SimilarityRouteTests {
  /// Starts a server of 12 photos: three elms and two oaks, and one that a model takes for an oak.
  private func scene() async throws -> ServerScene {
    let scene = try await ServerScene.start(photos: 12) { _, _ in
    } prepare: { dataset, photos in
      try dataset.label(Array(photos[0..<3]), ["elm"])
      try dataset.label(Array(photos[3..<5]), ["oak"])
      let model = try #require(Annotator(model: "net@1"))
      try dataset.label([photos[5]], ["oak"], LabelAssertion(.present, by: model, confidence: 0.9))
    }
    let grouped = try await scene.request("PATCH", "/api/classes/elm", ["set": "tree"])
    try #require(grouped.status == 200, "\(grouped.text)")
    return scene
  }

  private func arrange(_ scene: ServerScene) async throws -> JSON {
    try await scene.owner.finished(try await scene.request("POST", "/api/similarity"))
  }

  /// Returns the index, the class and whether people confirmed it, of each point.
  private func classes(_ map: JSON) -> [[Int]] {
    (map["points"]?.array ?? []).map { point in
      [0, 3, 4].map { point.array?[$0].int ?? -9 }
    }
  }

  @Test("arranges photos once, and tells their classes apart")
  func arranges() async throws {
    let scene = try await scene()
    let set = try await scene.set()
    let before = try await scene.get("/api/similarity?set=\(set)")
    #expect(before["computed"]?.bool == false && before["missing"]?.int == 12)
    #expect(before["points"]?.array?.isEmpty == true)
    let job = try await arrange(scene)
    #expect(job["state"]?.string == "done" && job["kind"]?.string == "similarity", "\(job)")
    #expect(job["result"]?["photos"]?.int == 12)
    let map = try await scene.get("/api/similarity?set=\(set)")
    #expect(map["computed"]?.bool == true && map["missing"]?.int == 0)
    #expect(map["photos"]?.int == 12)
    #expect(map["classes"]?.array?.map { $0["class"]?.string } == ["elm", "oak"])
    #expect(map["classes"]?.array?.map { $0["photos"]?.int } == [3, 3])
    #expect(
      classes(map)
        == (0..<12).map { number in
          [number, number < 3 ? 0 : number < 6 ? 1 : -1, number < 5 ? 1 : 0]
        })
    for point in map["points"]?.array ?? [] {
      for axis in [1, 2] {
        #expect((0...1).contains(point.array?[axis].double ?? -1), "\(point)")
      }
    }
    let trees = try await scene.get("/api/similarity?set=\(set)&exclusiveSet=tree")
    #expect(trees["classes"]?.array?.map { $0["class"]?.string } == ["elm"])
    #expect(classes(trees).map { $0[1] } == (0..<12).map { $0 < 3 ? 0 : -1 })
    // The positions stay, also for a part of the photos.
    let again = try await scene.restart()
    let oaks = try await again.set(["query": "label:oak"])
    let part = try await again.get("/api/similarity?set=\(oaks)")
    let places = (map["points"]?.array ?? [])[3..<6].map { Array(($0.array ?? [])[1...2]) }
    #expect((part["points"]?.array ?? []).map { Array(($0.array ?? [])[1...2]) } == places)
  }

  @Test("reports photos that were added since, and starts again without its file")
  func missing() async throws {
    let scene = try await scene()
    _ = try await arrange(scene)
    var headers = scene.owner.headers
    headers["Content-Type"] = "application/octet-stream"
    let added = try await scene.owner.send(
      "POST", "/api/uploads?name=new.png", Array(PNG.bytes(seed: 99, width: 12, height: 8)),
      headers: headers)
    try #require(added.json["status"]?.string == "added", "\(added.text)")
    let set = try await scene.set()
    let map = try await scene.get("/api/similarity?set=\(set)")
    #expect(map["photos"]?.int == 12 && map["missing"]?.int == 1)
    let folder = scene.dataset.appending(".git/cairn/features").string
    let layouts = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".layout") }
    try #require(layouts.count == 1, "\(layouts)")
    try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(layouts[0])"))
    #expect(try await scene.get("/api/similarity?set=\(set)")["computed"]?.bool == false)
    #expect(try await arrange(scene)["result"]?["photos"]?.int == 13)
    #expect(try await scene.get("/api/similarity?set=\(set)")["missing"]?.int == 0)
  }

  @Test("refuses to arrange photos while another job arranges them")
  func refusesSecond() async throws {
    let scene = try await scene()
    let state = scene.server.state
    let (end, continuation) = AsyncStream.makeStream(of: Void.self)
    let first = try state.jobs.start("similarity", "Similarity map", state.owner) { _ in
      for await _ in end {}
      return .null
    }
    let second = try await scene.request("POST", "/api/similarity")
    #expect(second.status == 409, "\(second.text)")
    #expect(second.json["kind"]?.string == "busy")
    continuation.finish()
    await first.waitForEnd()
    #expect(try await arrange(scene)["state"]?.string == "done")
  }

  @Test("arranges nothing for a session that only reads, and reports an unknown set")
  func refuses() async throws {
    let scene = try await ServerScene.start { options, _ in options.isReadOnly = true }
    #expect(try await scene.request("POST", "/api/similarity").status == 403)
    #expect(try await scene.request("GET", "/api/similarity?set=s99").status == 410)
  }
}
