import Cairn
import CairnDocument
import Testing

@Suite("Result sets", .serialized)
struct SetTests {
  private func create(_ scene: ServerScene, _ body: JSON) async throws -> JSON {
    let reply = try await scene.request("POST", "/api/sets", body)
    try #require(reply.status == 201, "\(reply.text)")
    return reply.json
  }

  @Test("pages of a set have the photos in order")
  func pages() async throws {
    let scene = try await ServerScene.start(photos: 5)
    let set = try await create(scene, [:])
    #expect(set["count"]?.int == 5)
    let name = try #require(set["set"]?.string)
    let page = try await scene.get("/api/sets/\(name)/photos?from=1&count=3")
    let ids = page["photos"]?.array?.compactMap { $0["id"]?.string }
    #expect(ids == scene.photos[1..<4].map(\.description))
    #expect(page["photos"]?.array?.first?["width"]?.int == 12)
    let bytes = try await scene.request("GET", "/api/sets/\(name)/ids?from=3").body
    #expect(bytes == scene.photos[3...].flatMap(\.digest))
    let index = try await scene.get("/api/sets/\(name)/index/\(scene.photos[2])")
    #expect(index["index"]?.int == 2)
  }

  @Test("a set stays as it is while photos are labeled")
  func staysPut() async throws {
    let scene = try await ServerScene.start()
    let set = try await create(scene, ["query": "is:unlabeled"])
    let name = try #require(set["set"]?.string)
    #expect(try await scene.label(1, "oak").status == 200)
    let page = try await scene.get("/api/sets/\(name)/photos?count=10")
    #expect(page["photos"]?.array?.count == 4)
    let state = page["photos"]?.array?[1]["classes"]?.array?.first
    #expect(state?["class"]?.string == "oak")
    #expect(state?["state"]?.string == "confirmed")
    #expect(state?["mine"]?.string == "present")
    let changes = try await scene.get("/api/sets/\(name)/changes")
    #expect(changes["gone"]?.int == 1)
    #expect(changes["new"]?.int == 0)
  }

  @Test("groups are ranges of the set")
  func groups() async throws {
    let scene = try await ServerScene.start()
    for (number, name) in [(0, "oak"), (2, "elm"), (3, "oak")] {
      #expect(try await scene.label(number, name).status == 200)
    }
    let set = try await create(scene, ["group": "class"])
    let groups = set["groups"]?.array?.map {
      "\($0["key"]?.string ?? "?") \($0["start"]?.int ?? -1) \($0["count"]?.int ?? -1)"
    }
    #expect(groups == ["elm 0 1", "oak 1 2", " 3 1"])
  }

  @Test("reports errors of queries with their position")
  func reportsQueryErrors() async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.request("POST", "/api/sets", ["query": "label:oak pin:"])
    #expect(reply.status == 400)
    #expect(reply.json["excerpt"]?["line"]?.string == "label:oak pin:")
    let check = try await scene.request("POST", "/api/query", ["query": "state:nothing"])
    #expect(check.json["valid"]?.bool == false)
  }

  @Test("the oldest of many sets expires")
  func expires() async throws {
    let scene = try await ServerScene.start()
    let first = try #require(try await create(scene, [:])["set"]?.string)
    for _ in 0..<16 { _ = try await create(scene, [:]) }
    #expect(try await scene.request("GET", "/api/sets/\(first)/photos").status == 410)
    #expect(try await scene.request("GET", "/api/sets/x/photos").status == 404)
  }

  @Test("a page that outlives the server does not see the sets of another page")
  func restarts() async throws {
    let scene = try await ServerScene.start()
    let old = try await scene.set()
    let again = try await scene.restart()
    // The session goes on, at another port.
    let page = Client(port: again.port, headers: scene.owner.headers)
    let reply = try await page.request("POST", "/api/sets", ["query": "label:oak"])
    let new = try #require(reply.json["set"]?.string)
    #expect(new != old)
    #expect(try await page.request("GET", "/api/sets/\(new)/photos").status == 200)
    #expect(try await page.request("GET", "/api/sets/\(old)/photos").status == 410)
  }

  @Test("unknown addresses and methods are reported")
  func unknownRoutes() async throws {
    let scene = try await ServerScene.start()
    #expect(try await scene.request("GET", "/api/nothing").status == 404)
    let reply = try await scene.request("DELETE", "/api/session")
    #expect(reply.status == 405)
    #expect(reply.headers["allow"] == "GET")
  }
}
