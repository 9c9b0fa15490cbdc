import Cairn
import CairnDocument
import CairnServer
import Testing

@Suite("Security")
struct SecurityTests {
  @Test("turns the token of a link into a cookie, once")
  func redeemsLinks() async throws {
    let scene = try await ServerScene.start()
    let path = String(scene.links.owner.drop { $0 != "?" })
    let first = try await scene.send("GET", "/\(path)", [:])
    #expect(first.status == 303)
    let cookie = try #require(first.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(try await scene.send("GET", "/api/session", ["Cookie": pair]).status == 200)
    #expect(try await scene.send("GET", "/\(path)", [:]).status == 401)
  }

  @Test("requires a session", arguments: ["GET", "POST"])
  func requiresSession(method: String) async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.send(method, "/api/sets", [:])
    #expect(reply.status == 401)
    #expect(reply.json["kind"]?.string == "unauthorized")
    let wrong = ["Authorization": "Bearer \(String(repeating: "0", count: 64))"]
    #expect(try await scene.send("GET", "/api/session", wrong).status == 401)
  }

  @Test("refuses other names of the host", arguments: ["evil.example", "127.0.0.1", "localhost:1"])
  func refusesHosts(host: String) async throws {
    let scene = try await ServerScene.start()
    let reply = try await scene.request("GET", "/api/session", headers: ["Host": host])
    #expect(reply.status == 421)
    #expect(try await scene.send("GET", "/", ["Host": host]).status == 421)
  }

  @Test("refuses changes from other origins with a cookie")
  func refusesOrigins() async throws {
    let scene = try await ServerScene.start()
    let cookie = "cairn-\(scene.port)=\(scene.key)"
    func set(_ origin: String?) async throws -> Int {
      var headers = ["Cookie": cookie]
      headers["Origin"] = origin
      return try await scene.request("POST", "/api/sets", [:], headers: headers).status
    }
    #expect(try await set(nil) == 403)
    #expect(try await set("http://evil.example") == 403)
    #expect(try await set("http://localhost:\(scene.port)") == 403)
    #expect(try await set("null") == 403)
    #expect(try await set("http://127.0.0.1:\(scene.port)") == 201)
  }

  @Test("hardens every response", arguments: ["/", "/api/session", "/nothing", "/api/nothing"])
  func hardens(path: String) async throws {
    let headers = try await ServerScene.start().request("GET", path).headers
    #expect(headers["x-content-type-options"] == "nosniff")
    #expect(headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
    #expect(headers["referrer-policy"] == "no-referrer")
    #expect(headers["cross-origin-resource-policy"] == "same-origin")
  }

  @Test("changes nothing for readers")
  func isReadOnly() async throws {
    let scene = try await ServerScene.start { $0.isReadOnly = true }
    #expect(try await scene.label(0, "oak").status == 403)
    #expect(try await scene.request("POST", "/api/sets", [:]).status == 201)
    #expect(try scene.states(0) == [])
  }

  @Test("serves no files outside of the page", arguments: [
    "/page/..%2f..%2fcairn.json", "/page/../cairn.json", "/page/.git", "/cairn.json",
    "/page/%2e%2e/index.html", "/.git/config",
  ])
  func servesNoOtherFiles(path: String) async throws {
    let scene = try await ServerScene.start { $0.page = $0.directory }
    #expect(try await scene.request("GET", path).status == 404)
  }

  @Test("refuses bodies that are too large or no JSON")
  func refusesBodies() async throws {
    let scene = try await ServerScene.start()
    let key = ["Authorization": "Bearer \(scene.key)"]
    var headers = key
    headers["Content-Type"] = "text/plain"
    #expect(try await scene.send("POST", "/api/sets", Array("{}".utf8), headers).status == 415)
    headers["Content-Type"] = "application/json"
    #expect(try await scene.send("POST", "/api/sets", Array("{".utf8), headers).status == 400)
    #expect(try await scene.send("POST", "/api/sets", Array("[]".utf8), headers).status == 400)
    headers["Content-Length"] = "5000000"
    let large = [UInt8](repeating: 0x20, count: 5_000_000)
    #expect(try await scene.send("POST", "/api/sets", large, headers).status == 413)
  }

  @Test("keeps sessions when it starts again")
  func keepsSessions() async throws {
    let scene = try await ServerScene.start()
    let again = try await scene.restart()
    let headers = ["Authorization": "Bearer \(scene.key)"]
    #expect(try await again.send("GET", "/api/session", headers).status == 200)
  }

  @Test("labels of invited people carry their names")
  func invites() async throws {
    let scene = try await ServerScene.start {
      $0.invited = [Author(name: "Bob", email: "bob@example.org")]
    }
    let path = String(try #require(scene.links.invited.first?.link).drop { $0 != "?" })
    let cookie = try #require(try await scene.send("GET", "/\(path)", [:]).headers["set-cookie"])
    let headers = [
      "Cookie": String(cookie.prefix { $0 != ";" }), "Origin": "http://127.0.0.1:\(scene.port)",
    ]
    let body: JSON = [
      "do": "label", "target": ["photos": [.string(scene.photos[0].description)]],
      "classes": ["oak"], "create": ["oak"],
    ]
    #expect(try await scene.request("POST", "/api/edits", body, headers: headers).status == 200)
    let labels = try Dataset(at: scene.dataset).show(scene.photos[0]).labels
    #expect(labels.map(\.annotator.identity) == ["bob@example.org"])
  }
}
