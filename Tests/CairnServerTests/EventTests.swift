import Cairn
import CairnDocument
import Testing

@Suite("Events")
struct EventTests {
  private func last(_ scene: ServerScene) async throws -> Int {
    try #require(try await scene.get("/api/session")["event"]?.int)
  }

  @Test("tells pages about edits, with the name of the tab")
  func tells() async throws {
    let scene = try await ServerScene.start()
    let stream = try scene.events(after: try await last(scene))
    _ = try await stream.receive(until: ":\n\n")
    let body: JSON = [
      "do": "label", "target": ["photos": [.string(scene.photos[0].description)]],
      "classes": ["oak"], "create": ["oak"],
    ]
    _ = try await scene.request("POST", "/api/edits", body, headers: ["X-Cairn-Client": "tab7"])
    let text = try await stream.receive(until: "event: classes")
    #expect(text.contains("event: photos"))
    #expect(text.contains(scene.photos[0].description))
    #expect(text.contains("\"session\":\"tab7\""))
  }

  @Test("replays events that a page missed")
  func replays() async throws {
    let scene = try await ServerScene.start()
    let before = try await last(scene)
    _ = try await scene.label(0, "oak")
    let text = try await scene.events(after: before).receive(until: "event: photos")
    #expect(!text.contains("event: reset"))
  }

  @Test("resets pages whose last event is unknown", arguments: [1, Int.max / 4])
  func resets(id: Int) async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.events(after: id).receive(until: "event: reset")
  }

  @Test("limits the streams of a session, and frees those that pages leave")
  func limits() async throws {
    let scene = try await ServerScene.start()
    var streams: [HTTPConnection] = []
    for _ in 0..<3 {
      let stream = try scene.events()
      _ = try await stream.receive(until: ":\n\n")
      streams.append(stream)
    }
    #expect(try await scene.events().receive(until: "\r\n\r\n").contains("429"))
    streams.removeLast()
    var isFree = false
    for _ in 0..<50 where !isFree {
      try await Task.sleep(for: .milliseconds(100))
      isFree = try await scene.events().receive(until: "\r\n\r\n").contains("200 OK")
    }
    #expect(isFree)
  }

  @Test("notices what other processes change", .timeLimit(.minutes(1)))
  func noticesOthers() async throws {
    let scene = try await ServerScene.start()
    let stream = try scene.events(after: try await last(scene))
    _ = try await stream.receive(until: ":\n\n")
    let bob = Author(name: "Bob", email: "bob@example.org")
    try Dataset(at: scene.dataset, author: bob).label([scene.photos[1]], ["elm"])
    _ = try await stream.receive(until: "event: dataset")
    let row = try await scene.get("/api/photos/\(scene.photos[1])")["photo"]
    #expect(row?["classes"]?.array?.first?["class"]?.string == "elm")
  }
}
