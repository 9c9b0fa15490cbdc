import Cairn
import CairnDocument
import CairnServer
import Testing

@Suite("Several people", .serialized, .timeLimit(.minutes(10)))
struct PeopleTests {
  @Test("labels of invited people carry their names, and each undoes their own")
  func invites() async throws {
    let scene = try await ServerScene.start { options, _ in
      options.invited = [Author(name: "Bob", email: "bob@example.org")]
    }
    let bob = try await scene.open(try #require(scene.links.invited.first?.link))
    let session = try await bob.get("/api/session")
    #expect(session["person"]?["name"]?.string == "Bob" && session["invited"]?.bool == true)
    #expect(try await bob.label([scene.photos[0]], "oak").status == 200)
    #expect(try await scene.label(0, "elm").status == 200)
    let photo = scene.photos[0]
    let labels = try await scene.change {
      try $0.show(photo).labels.map { "\($0.annotator.identity)" }
    }
    #expect(labels.sorted() == ["ann@example.org", "bob@example.org"])
    let mine = try await bob.get("/api/photos/\(photo)")["photo"]?["classes"]?.array ?? []
    let byClass = Dictionary(
      uniqueKeysWithValues: mine.map { ($0["class"]?.string ?? "", $0["mine"]?.string) })
    #expect(byClass == ["oak": "present", "elm": nil])
    #expect(try await bob.request("POST", "/api/undo").status == 200)
    #expect(try await scene.states(0) == ["elm confirmed"])
    #expect(try await bob.request("POST", "/api/undo").status == 404)
  }

  @Test("a review question that somebody answered is a conflict for the others")
  func sameQuestion() async throws {
    let scene = try await ServerScene.start { options, _ in
      options.invited = [Author(name: "Bob", email: "bob@example.org")]
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      try dataset.label(
        [photos[0]], ["oak"], LabelAssertion(.present, by: model, confidence: 0.52))
    }
    let bob = try await scene.open(try #require(scene.links.invited.first?.link))
    var answers: [JSON] = []
    var queues: [String] = []
    for client in [scene.owner, bob] {
      let reply = try await client.request("POST", "/api/review", [:])
      let queue = "/api/review/\(try #require(reply.json["queue"]?.string))"
      let question = try await client.get(queue)["questions"]?.array?.first
      queues.append(queue)
      answers.append([
        "index": 0, "version": try #require(question?["version"]), "decision": "accept",
      ])
    }
    let first = try await bob.request("POST", "\(queues[1])/answers", answers[1])
    #expect(first.status == 200, "\(first.text)")
    let second = try await scene.request("POST", "\(queues[0])/answers", answers[0])
    #expect(second.status == 409)
    #expect(second.json["question"]?.isNull == true)
    let photo = scene.photos[0]
    let people = try await scene.change {
      try $0.show(photo).labels.filter(\.annotator.isHuman).map(\.annotator.identity)
    }
    #expect(people == ["bob@example.org"])
  }

  @Test("twenty people label at once")
  func crowd() async throws {
    let authors = (0..<20).map { Author(name: "P\($0)", email: "p\($0)@example.org") }
    let scene = try await ServerScene.start(photos: 21) { options, _ in options.invited = authors }
    let links = scene.links.invited.map(\.link)
    let shared = scene.photos[20]
    let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
      for (number, link) in links.enumerated() {
        group.addTask {
          let client = try await scene.open(link)
          let stream = try await client.openEvents()
          var statuses: [Int] = []
          for name in ["oak", "elm"] {
            let own = try await client.label([scene.photos[number], shared], name)
            statuses.append(own.status)
          }
          let set = try await client.request("POST", "/api/sets", ["query": "by:me"])
          statuses.append(set.json["count"]?.int ?? -1)
          _ = try await stream.receive(until: "event: photos")
          statuses.append(try await client.request("POST", "/api/undo").status)
          return statuses
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == [[Int]](repeating: [200, 200, 2, 200], count: 20))
    let labels = try await scene.change { dataset in
      try dataset.show(shared).labels.filter { $0.verdict == .present }
        .map { "\($0.annotator.identity) \($0.classKey)" }
    }
    #expect(Set(labels) == Set(authors.map { "\($0.email) oak" }))
    #expect(labels.count == 20)
  }
}
