import Cairn
import CairnDocument
import TestSupport
import Testing

@Suite("Fetching photos", .serialized, .timeLimit(.minutes(10)))
struct FetchRouteTests {
  @Test("fetches photos near a pin, and shows each when it arrives")
  func fetches() async throws {
    let services = try PhotoServices(#"{"total": 8}"#)
    let url = services.url("commons")
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, _ in
      _ = try dataset.setSource(.commons, url: url, contact: "ann@example.org")
      _ = try dataset.addPin(at: try #require(Coordinate(latitude: 48.8584, longitude: 2.2945)))
    }
    let sources = try await scene.get("/api/sources")["sources"]?.array
    let commons = sources?.first { $0["source"]?.string == "commons" }
    #expect(commons?["ready"]?.bool == true && commons?["hasLocations"]?.bool == true)
    let flickr = sources?.first { $0["source"]?.string == "flickr" }
    #expect(flickr?["ready"]?.bool == false)
    #expect(
      flickr?["problem"]?.string == "Flickr needs an API key: `cairn source set flickr --key`.")

    let pin = try #require(
      try await scene.get("/api/pins")["pins"]?.array?.first?["pin"])
    let stream = try await scene.owner.openEvents()
    let reply = try await scene.request(
      "POST", "/api/fetches", ["source": "commons", "pin": pin, "count": 3])
    let job = try await scene.owner.finished(reply)
    #expect(job["state"]?.string == "done", "\(job)")
    let added = job["result"]?["added"]?.array?.compactMap(\.string) ?? []
    #expect(added.count == 3)
    #expect(job["result"]?["givenUp"]?.bool == false)
    #expect(job["result"]?["notes"]?.array?.isEmpty == true)
    let events = try await stream.receive(until: "\"state\":\"done\"")
    for id in added { #expect(events.contains("\"added\":[\"\(id)\"]")) }
    let set = try await scene.set(["query": .string("pin:\(try #require(pin.string))")])
    let rows = try await scene.get("/api/sets/\(set)/photos")["photos"]?.array
    #expect(Set(rows?.compactMap { $0["id"]?.string } ?? []) == Set(added))

    let other = try await scene.owner.finished(
      try await scene.request(
        "POST", "/api/fetches",
        ["source": "commons", "pin": pin, "count": 2, "newCollection": true]))
    #expect(Set(other["result"]?["removed"]?.array?.compactMap(\.string) ?? []) == Set(added))
    // Undo removes the new photos, and restores those that they replaced. It undoes their operation.
    let operation = try await scene.change { try $0.operation() }
    #expect(operation.text.hasPrefix("serve: Photos from "), "\(operation.text)")
    let action = try #require(other["result"]?["action"]?.string)
    let undone = try await scene.request("POST", "/api/undo?action=\(action)")
    #expect(undone.status < 300, "\(undone.text)")
    let records = try await scene.change { try $0.operations() }
    #expect(records.first?.undoes == operation.number)
    let again = try await scene.set(["query": .string("pin:\(try #require(pin.string))")])
    let restored = try await scene.get("/api/sets/\(again)/photos")["photos"]?.array
    #expect(Set(restored?.compactMap { $0["id"]?.string } ?? []) == Set(added))
  }

  @Test("reports a service that cannot be reached, and sources that do not exist")
  func refuses() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, _ in
      _ = try dataset.setSource(.commons, url: "http://127.0.0.1:9/", contact: "ann@example.org")
    }
    let job = try await scene.owner.finished(
      try await scene.request("POST", "/api/fetches", ["source": "commons", "text": "heather"]))
    #expect(job["state"]?.string == "failed" && job["error"]?["message"]?.string != nil)
    let bodies: [JSON] = [
      [:], ["source": "x"], ["source": "commons", "count": 100_000],
      ["source": "commons", "pin": "x"], ["source": "commons", "radius": 0],
      ["source": "commons", "licenses": ["x"]],
    ]
    for body in bodies {
      #expect(try await scene.request("POST", "/api/fetches", body).status == 400, "\(body)")
    }
  }
}
