import Cairn
import CairnDocument
import Testing

@Suite("Training", .serialized, .timeLimit(.minutes(10)))
struct TrainingRouteTests {
  /// Starts a server of 28 photos, of which `count` are labeled with each of two classes that exclude
  /// each other.
  private func scene(labeled count: Int) async throws -> ServerScene {
    let scene = try await ServerScene.start(photos: 28)
    for (number, name) in ["elm", "oak"].enumerated() {
      let photos = Array(scene.photos[(number * count)..<((number + 1) * count)])
      let labeled = try await scene.owner.label(photos, name)
      try #require(labeled.status == 200, "\(labeled.text)")
      let grouped = try await scene.request("PATCH", "/api/classes/\(name)", ["set": "tree"])
      try #require(grouped.status == 200, "\(grouped.text)")
    }
    return scene
  }

  /// Waits until a job that goes on is as wanted.
  private func job(
    _ scene: ServerScene, _ reply: HTTPReply, _ isWanted: (JSON) -> Bool
  ) async throws -> JSON {
    let name = try #require(reply.json["job"]?.string, "\(reply.text)")
    let stream = try await scene.owner.openEvents()
    while true {
      let job = try await scene.get("/api/jobs/\(name)")
      if isWanted(job) { return job }
      try #require(["waiting", "running"].contains(job["state"]?.string), "\(job)")
      _ = try await stream.receive(until: "event: job")
    }
  }

  @Test("trains a model as a job, which reports its figures; the model becomes a labeler")
  func trains() async throws {
    let scene = try await scene(labeled: 12)
    let job = try await scene.owner.finished(
      try await scene.request(
        "POST", "/api/trainings", ["name": "trees", "exclusiveSet": "tree"]))
    #expect(job["state"]?.string == "done" && job["kind"]?.string == "train", "\(job)")
    let result = try #require(job["result"])
    #expect(result["photos"]?.int == 24 && result["missingImages"]?.int == 0)
    #expect(result["crossValidation"]?["confusion"]?.array?.count == 2)
    #expect(result["flat"]?.bool != nil)
    // Random pixels cannot be told apart.
    let mistakes = result["mistakes"]?.array ?? []
    #expect(mistakes.allSatisfy { ["elm", "oak"].contains($0["class"]?.string) })
    #expect(mistakes.allSatisfy { $0["photo"]?.string.flatMap { PhotoID($0) } != nil })
    // Paths of this computer are not for people on the network.
    #expect(result["file"]?.string == nil)
    let model = try #require(result["model"]?.string)
    let labelers = try await scene.get("/api/labelers")["labelers"]?.array
    #expect(labelers?.map { $0["model"]?.string } == [model])
    let runs = try await scene.get("/api/runs")["runs"]?.array
    #expect(runs?.map { $0["run"]?.string } == [result["run"]?.string])
    let predicted = try await scene.owner.finished(
      try await scene.request("POST", "/api/predictions", ["labeler": "trees"]))
    #expect(predicted["result"]?["model"]?.string == model, "\(predicted)")
  }

  @Test("lists the photos about which a model is most uncertain, among those that nobody decided")
  func uncertain() async throws {
    let scene = try await scene(labeled: 12)
    let missing = try await scene.request(
      "POST", "/api/sets", ["uncertain": ["labeler": "trees"]])
    #expect(missing.status == 404, "\(missing.text)")
    _ = try await scene.owner.finished(
      try await scene.request("POST", "/api/trainings", ["name": "trees"]))
    let set = try await scene.set(["uncertain": ["labeler": "trees"]])
    let photos = try await scene.get("/api/sets/\(set)/photos")["photos"]?.array ?? []
    let undecided = scene.photos.suffix(4).map(\.description)
    #expect(photos.compactMap { $0["id"]?.string }.sorted() == undecided.sorted())
    let none = try await scene.set(["query": "label:elm", "uncertain": ["labeler": "trees"]])
    #expect(try await scene.get("/api/sets/\(none)/photos")["photos"]?.array?.isEmpty == true)
  }

  @Test("trains again while people label, until it is canceled; the last model stays")
  func repeats() async throws {
    let scene = try await scene(labeled: 9)
    let reply = try await scene.request(
      "POST", "/api/trainings", ["name": "trees", "every": 2])
    let waiting = try await job(scene, reply) {
      $0["step"]?.string?.contains("elm has 9 of 10 photos; oak has 9") == true
    }
    #expect(waiting["result"]?.isNull == true, "\(waiting)")
    let other = try await scene.request("POST", "/api/trainings", ["name": "other"])
    #expect(other.status == 409, "\(other.text)")
    for count in [20, 22] {
      #expect(try await scene.label(count - 2, "elm").status == 200)
      #expect(try await scene.label(count - 1, "oak").status == 200)
      let trained = try await job(scene, reply) { $0["result"]?["photos"]?.int == count }
      #expect(trained["state"]?.string == "running")
    }
    let name = try #require(reply.json["job"]?.string)
    #expect(try await scene.request("DELETE", "/api/jobs/\(name)").status == 202)
    let end = try await scene.owner.finished(reply)
    #expect(end["state"]?.string == "cancelled", "\(end)")
    #expect(end["result"]?["photos"]?.int == 22)
    let labelers = try await scene.get("/api/labelers")["labelers"]?.array
    #expect(labelers?.map { $0["model"]?.string } == [end["result"]?["model"]?.string])
    // Nothing keeps another training from starting.
    let next = try await scene.owner.finished(
      try await scene.request("POST", "/api/trainings", ["name": "other"]))
    #expect(next["state"]?.string == "done", "\(next)")
  }

  @Test("reports what is wrong with a training")
  func refuses() async throws {
    let scene = try await ServerScene.start()
    let invalid: [JSON] = [
      [:], ["name": "trees", "exclusiveSet": "tree", "classes": ["elm"]],
      ["name": "trees", "every": 0], ["name": "trees", "query": "label:"],
    ]
    for body in invalid {
      let reply = try await scene.request("POST", "/api/trainings", body)
      #expect(reply.status == 400, "\(body): \(reply.text)")
    }
    let impossible: [JSON] = [
      ["name": "trees"], ["name": "../trees"], ["name": "trees", "every": 1],
      ["name": "trees", "classes": ["elm"]],
    ]
    for body in impossible {
      let job = try await scene.owner.finished(
        try await scene.request("POST", "/api/trainings", body))
      #expect(job["state"]?.string == "failed", "\(body): \(job)")
    }
    #expect(try await scene.get("/api/labelers")["labelers"]?.array?.isEmpty == true)
  }
}
