import Cairn
import CairnDocument
import Testing

@Suite("Classes", .serialized, .timeLimit(.minutes(10)))
struct ClassRouteTests {
  @Test("creates, renames and groups classes, each with confirmation")
  func edits() async throws {
    let scene = try await ServerScene.start()
    let unconfirmed = try await scene.request("POST", "/api/classes", ["name": "Elm"])
    #expect(unconfirmed.status == 422)
    #expect(unconfirmed.json["unknown"]?.array?.first?["name"]?.string == "Elm")
    let created = try await scene.request(
      "POST", "/api/classes", ["name": "Elm", "confirm": true])
    #expect(created.status == 201 && created.json["class"]?.string == "elm")
    let changes: [JSON] = [["name": "Wych elm"], ["set": "tree"], ["alias": "ulmus"]]
    for change in changes {
      #expect(try await scene.request("PATCH", "/api/classes/elm", change).status == 200)
    }
    _ = try await scene.label(0, "oak")
    let list = try await scene.get("/api/classes")
    #expect(list["classes"]?.array?.map { $0["class"]?.string } == ["oak", "elm"])
    let elm = list["classes"]?.array?.last
    #expect(elm?["name"]?.string == "Wych elm" && elm?["set"]?.string == "tree")
    #expect(elm?["aliases"]?.array == ["ulmus"] && list["sets"]?.array == ["tree"])
    #expect(list["classes"]?.array?.first?["photos"]?.int == 1)
    let removed = try await scene.request("PATCH", "/api/classes/elm", ["set": .null])
    #expect(removed.status == 200)
    #expect(try await scene.get("/api/classes")["sets"]?.array == [])
  }

  @Test("reports that a set or an alias may have changed any photo", arguments: ["set", "alias"])
  func reports(change: String) async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    let stream = try await scene.owner.openEvents()
    let reply = try await scene.request("PATCH", "/api/classes/oak", .object([change: "quercus"]))
    #expect(reply.status == 200)
    let text = try await stream.receive(until: "event: photos")
    #expect(text.contains("event: classes"))
  }

  @Test("refuses unknown classes and invalid names")
  func refuses() async throws {
    let scene = try await ServerScene.start()
    #expect(try await scene.request("PATCH", "/api/classes/x", ["name": "X"]).status == 404)
    #expect(try await scene.request("PATCH", "/api/classes/%20", ["name": "X"]).status == 400)
    let empty = try await scene.request("POST", "/api/classes", ["name": "", "confirm": true])
    #expect(empty.status == 400)
    #expect(try await scene.request("POST", "/api/classes", [:]).status == 400)
  }

  @Test("completes names")
  func completes() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "Scots pine")
    let json = try await scene.get("/api/classes/complete?text=sco")
    #expect(json["names"]?.array == ["Scots pine"])
    #expect(json["exact"]?.isNull == true && json["valid"]?.bool == true)
    let exact = try await scene.get("/api/classes/complete?text=Scots%20pine")
    #expect(exact["exact"]?.string == "scots-pine")
  }
}
