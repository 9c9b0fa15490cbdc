import Cairn
import CairnDocument
import Foundation
import TestSupport
import Testing

@testable import CairnServer

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

  @Test("a set does not change while photos are labeled")
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

  @Test("groups photos by the day when they were taken, also before 1970")
  func groupsByDay() async throws {
    let times = ["1955-07-03T14:22:10", "1969-12-31T00:00:00", "1970-01-01T23:59:59"]
    let scene = try await ServerScene.start(photos: 0) { _, _ in
    } prepare: { dataset, _ in
      let directory = TemporaryDirectory()
      for (number, time) in times.enumerated() {
        let file = try directory.write(PNG.bytes(seed: number), to: "\(number).png")
        try directory.write(
          Data(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
              xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
              xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:DateTimeOriginal="\(time)"/>
            </rdf:RDF></x:xmpmeta>
            """.utf8), to: "\(number).png.xmp")
        _ = try dataset.addPhotos([file])
      }
    }
    let set = try await create(scene, ["group": "day"])
    let days = set["groups"]?.array?.compactMap { $0["key"]?.string } ?? []
    #expect(days.sorted() == ["1955-07-03", "1969-12-31", "1970-01-01"])
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

  @Test("a set takes at most the maximum number of ids")
  func manyPhotos() async throws {
    let scene = try await ServerScene.start(photos: 1)
    func create(_ bytes: [UInt8]) async throws -> HTTPReply {
      var headers = scene.owner.headers
      headers["Content-Type"] = "application/octet-stream"
      return try await scene.owner.send("POST", "/api/sets", bytes, headers: headers)
    }
    let ids = [[UInt8]](repeating: Array(scene.photos[0].digest), count: SetRoutes.idLimit)
    let bytes = Array(ids.joined())
    let reply = try await create(bytes)
    #expect(reply.status == 201, "\(reply.text)")
    #expect(reply.json["count"]?.int == SetRoutes.idLimit)
    #expect(try await create(Array(bytes.prefix(33))).status == 400)
    let more = try await create(bytes + bytes.prefix(32))
    #expect(more.status == 413)
    #expect(more.json["message"]?.string == "These are too many photos for one request.")
  }

  @Test("a photo whose document is gone keeps its place in the set")
  func gonePhoto() async throws {
    let scene = try await ServerScene.start(photos: 3)
    let name = try await scene.set()
    let path = "\(scene.dataset)/\(DocumentPath.photo(scene.photos[1]))"
    try FileManager.default.removeItem(atPath: path)
    // A change brings the index up to date.
    #expect(try await scene.label(0, "oak").status == 200)
    let photos = try await scene.get("/api/sets/\(name)/photos")["photos"]?.array ?? []
    #expect(
      photos.map { $0["id"]?.string } == [
        scene.photos[0].description, nil, scene.photos[2].description,
      ])
    #expect(photos.count == 3 && photos[1].isNull)
  }

  @Test("a page that outlives the server does not see the sets of another page")
  func restarts() async throws {
    let scene = try await ServerScene.start()
    let old = try await scene.set()
    let again = try await scene.restart()
    // The session goes on, at another port.
    let page = Client(port: again.port, headers: scene.owner.headers)
    let reply = try await page.request("POST", "/api/sets", ["query": "is:unlabeled"])
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
