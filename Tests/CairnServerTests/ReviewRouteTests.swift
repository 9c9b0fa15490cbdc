import Cairn
import CairnDocument
import Testing

@Suite("Review", .serialized)
struct ReviewRouteTests {
  /// A server of photos 0 and 1 with predictions close to the threshold.
  private func scene() async throws -> ServerScene {
    try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      try dataset.label(
        Array(photos[0..<2]), ["oak"],
        LabelAssertion(.present, by: model, confidence: 0.52))
    }
  }

  private func queue(_ scene: ServerScene, _ body: JSON = [:]) async throws -> String {
    let reply = try await scene.request("POST", "/api/review", body)
    try #require(reply.status == 201, "\(reply.text)")
    return "/api/review/\(try #require(reply.json["queue"]?.string))"
  }

  private func answer(
    _ scene: ServerScene, _ queue: String, _ question: JSON?, _ members: JSONObject
  ) async throws -> HTTPReply {
    var body = members
    body["index"] = question?["index"]
    body["version"] = question?["version"]
    return try await scene.request("POST", "\(queue)/answers", .object(body))
  }

  @Test("answers are written, and the next question remains")
  func answers() async throws {
    let scene = try await scene()
    let queue = try await queue(scene)
    let questions = try await scene.get("\(queue)?count=10")["questions"]?.array ?? []
    #expect(questions.count == 2)
    #expect(questions.first?["class"]?.string == "oak")
    #expect(questions.first?["reasons"]?.array?.first?["reason"]?.string == "unsure")
    let reply = try await answer(scene, queue, questions.first, ["decision": "accept"])
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try await scene.states(0) == ["oak confirmed"])
    let rest = try await scene.get("\(queue)?count=10")["questions"]?.array ?? []
    #expect(rest.map(\.isNull) == [true, false])
    let progress = try await scene.get("/api/review/progress")
    #expect(progress["decided"]?.int == 1)
  }

  @Test("undoes answers, and asks the question again")
  func undoes() async throws {
    let scene = try await scene()
    let queue = try await queue(scene)
    let question = try await scene.get(queue)["questions"]?.array?.first
    _ = try await answer(scene, queue, question, ["decision": "reject"])
    #expect(try await scene.states(0) == ["oak rejected"])
    let undo = try await scene.request("POST", "/api/undo")
    #expect(undo.status == 200)
    #expect(undo.json["question"]?["class"]?.string == "oak")
    #expect(try await scene.states(0) == ["oak predicted"])
  }

  @Test("writes nothing when somebody labeled the photo in the meantime")
  func conflict() async throws {
    let scene = try await scene()
    let queue = try await queue(scene)
    let question = try await scene.get(queue)["questions"]?.array?.first
    let model = try #require(Annotator(model: "other@1"))
    try Dataset(at: scene.dataset).label(
      [scene.photos[0]], ["oak"], LabelAssertion(.absent, by: model))
    let reply = try await answer(scene, queue, question, ["decision": "accept"])
    #expect(reply.status == 409)
    #expect(reply.json["question"]?["version"]?.string != question?["version"]?.string)
    #expect(try await scene.states(0) == ["oak predicted"])
  }

  @Test("another class is an answer, a new one if confirmed")
  func otherClass() async throws {
    let scene = try await scene()
    let queue = try await queue(scene)
    let question = try await scene.get(queue)["questions"]?.array?.first
    let unconfirmed = try await answer(
      scene, queue, question, ["decision": "other", "class": "elm"])
    #expect(unconfirmed.status == 422)
    let reply = try await answer(
      scene, queue, question, ["decision": "other", "class": "elm", "create": true])
    #expect(reply.status == 200)
    #expect(try await scene.states(0) == ["elm confirmed", "oak rejected"])
  }

  @Test("asks what unlabeled photos show")
  func unlabeled() async throws {
    let scene = try await scene()
    let queue = try await queue(scene, ["kind": "unlabeled"])
    let questions = try await scene.get(queue)["questions"]?.array ?? []
    #expect(questions.count == 2)
    #expect(questions.first?["options"]?.array?.first?["class"]?.string == "oak")
    let reply = try await answer(
      scene, queue, questions.first, ["decision": "other", "class": "oak"])
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try await scene.states(2) == ["oak confirmed"])
    #expect(try await scene.request("POST", "/api/undo").status == 200)
    #expect(try await scene.states(2) == [])
  }
}
