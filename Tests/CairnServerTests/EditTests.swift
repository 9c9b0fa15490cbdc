import Cairn
import CairnDocument
import Testing

@Suite("Edits")
struct EditTests {
  private func target(_ scene: ServerScene, _ numbers: Int...) -> JSON {
    ["photos": .array(numbers.map { .string(scene.photos[$0].description) })]
  }

  @Test("labels are in the documents when they are acknowledged")
  func labels() async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.label(0, "oak")
    #expect(reply.status == 200)
    #expect(reply.json["changed"]?.int == 1)
    #expect(try scene.states(0) == ["oak confirmed"])
    let again = try await scene.label(0, "oak")
    #expect(again.json["changed"]?.int == 0)
    #expect(again.json["action"]?.isNull == true)
  }

  @Test("a new class needs confirmation")
  func confirmsClasses() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    let reply = try await scene.edit([
      "do": "label", "target": target(scene, 1), "classes": ["oka"],
    ])
    #expect(reply.status == 422)
    let unknown = reply.json["unknown"]?.array?.first
    #expect(unknown?["name"]?.string == "oka")
    #expect(try scene.states(1) == [])
  }

  @Test("undoes actions in reverse order, also those of an earlier server")
  func undoes() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    _ = try await scene.edit([
      "do": "label", "target": target(scene, 0, 1, 2), "classes": ["elm"], "create": ["elm"],
    ])
    let again = try await scene.restart()
    let first = try await again.request("POST", "/api/undo")
    #expect(first.status == 200)
    #expect(first.json["photos"]?.array?.count == 3)
    #expect(first.json["left"]?.int == 1)
    #expect(try again.states(0) == ["oak confirmed"])
    #expect(try again.states(1) == [])
    #expect(try await again.request("POST", "/api/undo").status == 200)
    #expect(try again.states(0) == [])
    #expect(try await again.request("POST", "/api/undo").status == 404)
  }

  @Test("undoes committed labels")
  func undoesCommitted() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    #expect(try await scene.request("POST", "/api/commit", [:]).status == 200)
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try scene.states(0) == [])
  }

  @Test("a dry run changes nothing")
  func dryRun() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    let reply = try await scene.edit([
      "do": "label", "target": target(scene, 0, 1, 2), "classes": ["oak"], "dryRun": true,
    ])
    #expect(reply.json["photos"]?.int == 3)
    #expect(reply.json["changes"]?.int == 2)
    #expect(reply.json["unchanged"]?.int == 1)
    #expect(try scene.states(1) == [])
    let turned = try await scene.edit([
      "do": "label", "target": target(scene, 0), "classes": ["oak"], "verdict": "absent",
      "dryRun": true,
    ])
    #expect(turned.json["reversals"]?.int == 1)
  }

  @Test("edits a range of a set, except some photos")
  func editsSets() async throws {
    let scene = try await ServerScene.start()
    let set = try #require(try await scene.request("POST", "/api/sets", [:]).json["set"])
    let reply = try await scene.edit([
      "do": "label", "classes": ["oak"], "create": ["oak"],
      "target": [
        "set": set, "range": [1, 4], "except": [.string(scene.photos[2].description)],
      ],
    ])
    #expect(reply.json["changed"]?.int == 2)
    #expect(try (0..<4).map { try scene.states($0).count } == [0, 1, 0, 1])
  }

  @Test("more than 500 photos are edited and undone as a job", .timeLimit(.minutes(3)))
  func bulk() async throws {
    let scene = try await ServerScene.start(photos: 501)
    let set = try #require(try await scene.request("POST", "/api/sets", [:]).json["set"])
    let reply = try await scene.edit([
      "do": "label", "classes": ["oak"], "create": ["oak"], "target": ["set": set],
    ])
    #expect(reply.status == 202)
    let job = try await scene.finished(reply)
    #expect(job["state"]?.string == "done", "\(job)")
    #expect(job["result"]?["changed"]?.int == 501)
    #expect(try scene.states(500) == ["oak confirmed"])
    let undo = try await scene.request("POST", "/api/undo")
    #expect(undo.status == 202)
    #expect(try await scene.finished(undo)["state"]?.string == "done")
    #expect(try scene.states(500) == [])
  }

  @Test("favorites, titles and removals are undone, too")
  func otherEdits() async throws {
    let scene = try await ServerScene.start()
    let photo = JSON.string(scene.photos[0].description)
    let favorite = try await scene.edit(["do": "favorite", "target": target(scene, 0)])
    #expect(favorite.json["photos"]?.array?.first?["favorite"]?.bool == true)
    let title = try await scene.edit(["do": "title", "photo": photo, "text": "A tree"])
    #expect(title.json["photos"]?.array?.first?["name"]?.string == "A tree")
    let removed = try await scene.edit(["do": "remove", "target": target(scene, 0)])
    #expect(removed.json["photos"]?.array?.first?["removed"]?.bool == true)
    for _ in 0..<3 { #expect(try await scene.request("POST", "/api/undo").status == 200) }
    let row = try await scene.get("/api/photos/\(scene.photos[0])")["photo"]
    #expect(row?["favorite"]?.bool == false)
    #expect(row?["removed"]?.bool == false)
    #expect(row?["name"]?.string?.hasSuffix(".png") == true)
  }

  @Test("reports a conflict when the photo was changed in the meantime")
  func conflict() async throws {
    let scene = try await ServerScene.start()
    let path = "/api/photos/\(scene.photos[0])"
    let version = try #require(try await scene.get(path)["version"])
    _ = try await scene.label(0, "oak")
    let reply = try await scene.edit([
      "do": "title", "photo": .string(scene.photos[0].description), "text": "x",
      "expect": version,
    ])
    #expect(reply.status == 409)
    #expect(reply.json["kind"]?.string == "conflict")
    #expect(reply.json["photo"]?["version"]?.string != nil)
    #expect(reply.json["photo"]?["version"] != version)
  }

  @Test("boxes are drawn, moved, reclassified, removed, and all of it undone")
  func boxes() async throws {
    let scene = try await ServerScene.start()
    let photo = JSON.string(scene.photos[0].description)
    func boxes() async throws -> [String] {
      try await scene.get("/api/photos/\(scene.photos[0])")["boxes"]?.array?.map {
        "\($0["class"]?.string ?? "?") \($0["box"]?["x"]?.double ?? -1)"
      } ?? []
    }
    func box(_ x: Double) -> JSON { ["x": JSON(x), "y": 0.1, "width": 0.2, "height": 0.2] }
    let drawn = try await scene.edit([
      "do": "box", "photo": photo, "class": "oak", "box": box(0.1), "create": ["oak"],
    ])
    let label = try #require(drawn.json["label"], "\(drawn.text)")
    #expect(try await boxes() == ["oak 0.1"])
    _ = try await scene.edit(["do": "moveBox", "photo": photo, "label": label, "box": box(0.5)])
    #expect(try await boxes() == ["oak 0.5"])
    let elm = try await scene.edit([
      "do": "moveBox", "photo": photo, "label": label, "class": "elm", "create": ["elm"],
    ])
    #expect(try await boxes() == ["elm 0.5"])
    _ = try await scene.edit([
      "do": "removeBox", "photo": photo, "label": try #require(elm.json["label"]),
    ])
    #expect(try await boxes() == [])
    for expected in [["elm 0.5"], ["oak 0.5"], ["oak 0.1"], []] {
      #expect(try await scene.request("POST", "/api/undo").status == 200)
      #expect(try await boxes() == expected)
    }
    let outside = try await scene.edit([
      "do": "box", "photo": photo, "class": "oak", "box": box(0.9),
    ])
    #expect(outside.status == 400)
  }
}

extension ServerScene {
  /// Waits until the job of a reply has ended.
  func finished(_ reply: HTTPReply) async throws -> JSON {
    let name = try #require(reply.json["job"]?.string)
    for _ in 0..<1_000 {
      let job = try await get("/api/jobs/\(name)")
      if let state = job["state"]?.string, ["done", "failed", "cancelled"].contains(state) {
        return job
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    return .null
  }
}
