import Cairn
import CairnDocument
import CairnFiles
import CairnStore
import Dispatch
import SystemPackage
import Testing

@testable import CairnServer

@Suite("Events", .serialized)
struct EventTests {
  private let bob = Author(name: "Bob", email: "bob@example.org")

  private func sceneWithBob() async throws -> (scene: ServerScene, bob: Client) {
    let scene = try await ServerScene.start { [bob] options, _ in options.invited = [bob] }
    return (scene, try await scene.open(try #require(scene.links.invited.first?.link)))
  }

  @Test("reports edits to pages, with the name of the tab")
  func reports() async throws {
    let scene = try await ServerScene.start()
    let stream = try await scene.owner.openEvents()
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

  @Test("sends the events that a page missed, each once")
  func replays() async throws {
    let scene = try await ServerScene.start()
    let before = try await scene.owner.lastEvent()
    _ = try await scene.label(0, "oak")
    let stream = try scene.owner.events(after: before)
    let text = try await stream.receive(until: "event: classes")
    #expect(!text.contains("event: reset"))
    #expect(text.contains("id: \(before + 1)\nevent: photos\n"))
    let after = try await scene.owner.lastEvent()
    let rest = try scene.owner.events(after: after)
    _ = try await scene.label(1, "oak")
    let new = try await rest.receive(until: scene.photos[1].description)
    #expect(!new.contains(scene.photos[0].description))
  }

  @Test("resets pages whose last event is unknown", arguments: [1, Int.max / 4])
  func resets(id: Int) async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.owner.events(after: id).receive(until: "event: reset")
  }

  @Test("resets pages that missed too many events")
  func resetsLate() async {
    let hub = EventHub(start: 7)
    for number in 0..<1_300 { hub.send("pins", ["number": JSON(number)]) }
    var events = hub.stream(after: 7).makeAsyncIterator()
    #expect(await events.next()?.name == "reset")
    var known = hub.stream(after: hub.last - 1_000).makeAsyncIterator()
    #expect(await known.next()?.id == hub.last - 999)
  }

  @Test("ends the stream of a page that does not read its events")
  func slowReader() async {
    let hub = EventHub(start: 0)
    let events = hub.stream(after: nil)
    for number in 1...3_000 { hub.send("pins", ["number": JSON(number)]) }
    var received: [Int?] = []
    for await event in events { received.append(event.id) }
    #expect(received == Array(1...2_000))
  }

  @Test("a person who has closed the page looks at nothing")
  func leaves() async throws {
    let (scene, bob) = try await sceneWithBob()
    let watch = try await scene.owner.openEvents()
    let page = try await bob.openEvents()
    let report: JSON = ["photo": .string(scene.photos[2].description), "view": "photo"]
    #expect(try await bob.request("PUT", "/api/presence", report).status == 204)
    func looking() async throws -> JSON? {
      let people = try await scene.get("/api/people")["people"]?.array ?? []
      return people.first { $0["name"]?.string == "Bob" }?["looking"]
    }
    #expect(try await looking()?["view"]?.string == "photo")
    page.leave()
    _ = try await watch.receive(until: "\"online\":false")
    #expect(try await looking()?.isNull == true)
  }

  @Test("a page that reconnects learns who is online, and misses no edit")
  func presenceIsNotKept() async throws {
    let (scene, bob) = try await sceneWithBob()
    let watch = try await bob.openEvents()
    let before = try await scene.owner.lastEvent()
    let report: JSON = ["photo": .string(scene.photos[2].description), "view": "photo"]
    #expect(try await scene.request("PUT", "/api/presence", report).status == 204)
    _ = try await watch.receive(until: "event: presence")
    #expect(try await scene.owner.lastEvent() == before)
    let text = try await bob.events().receive(until: ":\n\n")
    #expect(text.contains("event: presence") && text.contains(scene.photos[2].description))
    #expect(!text.contains("\nid: "))
  }

  @Test("limits the streams of a session, and frees those that pages leave")
  func limits() async throws {
    let (scene, bob) = try await sceneWithBob()
    let watch = try await bob.openEvents()
    var streams: [HTTPConnection] = []
    for _ in 0..<3 { streams.append(try await scene.owner.openEvents()) }
    #expect(try await scene.owner.events().receive(until: "\r\n\r\n").contains(" 429 "))
    for stream in streams { stream.leave() }
    // Others learn that the user left only when the last stream has ended.
    let text = try await watch.receive(until: "\"online\":false")
    #expect(text.contains("event: presence"))
    _ = try await scene.owner.openEvents()
  }

  @Test("ends streams when the server stops", .timeLimit(.minutes(5)))
  func stops() async throws {
    let scene = try await ServerScene.start()
    let stream = try await scene.owner.openEvents()
    await scene.stop()
    while try await !stream.receive().isEmpty {}
  }

  @Test("notices what other processes change", .timeLimit(.minutes(5)))
  func noticesOthers() async throws {
    let scene = try await ServerScene.start()
    let photo = scene.photos[1]
    for name in ["elm", "oak"] {
      let stream = try await scene.owner.openEvents()
      try await scene.change(as: bob) { _ = try $0.label([photo], [name]) }
      // The first event may come before the document is written.
      repeat {
        _ = try await stream.receive(until: "event: dataset")
      } while try await !scene.classes(of: photo).contains(name)
    }
  }

  @Test(
    "notices documents that another process writes after the page has seen that it began",
    .timeLimit(.minutes(5)))
  func noticesSlowEdit() async throws {
    // Otherwise the edit would begin with the class.
    let scene = try await ServerScene.start(prepare: { dataset, _ in
      _ = try dataset.createClass("elm")
    })
    let photo = scene.photos[1]
    let stream = try await scene.owner.openEvents()
    let isSeen = DispatchSemaphore(value: 0)
    async let edit: Void = onThread { [dataset = scene.dataset] in
      var environment = Environment.machine
      environment.files.fault = { step, path in
        // The paths were recorded, and the document is not there yet.
        if step == .rename, path.string.contains("/labels/") { isSeen.wait() }
      }
      _ = try Dataset(at: dataset, environment: environment).label([photo], ["elm"])
    }
    // Also if the event does not come: a thread waits for it.
    defer { isSeen.signal() }
    _ = try await stream.receive(until: "event: dataset")
    isSeen.signal()
    try await edit
    while try await !scene.classes(of: photo).contains("elm") {
      _ = try await stream.receive(until: "event: dataset")
    }
  }

  @Test("shows who looks at what")
  func presence() async throws {
    let (scene, bob) = try await sceneWithBob()
    let stream = try await bob.openEvents()
    let photo = JSON.string(scene.photos[2].description)
    let report: JSON = ["photo": photo, "view": "review"]
    #expect(try await scene.request("PUT", "/api/presence", report).status == 204)
    let text = try await stream.receive(until: "\"view\":\"review\"")
    #expect(text.contains("event: presence") && text.contains(scene.photos[2].description))
    // Each gets events about the other only.
    let own = try await scene.owner.openEvents()
    for (client, count) in [(bob, 1), (scene.owner, 0)] {
      let reply = try await client.request("POST", "/api/review", ["kind": "unlabeled"])
      let queue = try #require(reply.json["queue"]?.string)
      let questions = try await client.get("/api/review/\(queue)")["questions"]?.array ?? []
      let question = questions.first { $0["photo"]?["id"] == photo }
      #expect(question?["looking"]?.array?.count == count, "\(questions)")
    }
    withExtendedLifetime(own) {}
    let people = try await bob.get("/api/people")["people"]?.array ?? []
    #expect(people.compactMap { $0["me"]?.bool } == [false, true])
    #expect(people.first?["looking"]?["photo"] == photo)
    #expect(people.last?["name"]?.string == "Bob" && people.last?["online"]?.bool == true)
    let wrong = try await scene.request("PUT", "/api/presence", ["view": "cellar"])
    #expect(wrong.status == 400)
  }
}
