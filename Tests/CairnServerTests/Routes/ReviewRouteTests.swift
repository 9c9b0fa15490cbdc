import Cairn
import CairnDocument
import Dispatch
import Testing

@testable import CairnServer

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

  /// Lets the terminal review, as after the end of the server's process.
  private func endReviews(_ scene: ServerScene) async throws {
    try await scene.server.state.library.inspect(as: nil) { $1.endIdleReviews(.zero) }
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
    #expect(try await scene.get("/api/review/progress")["decided"]?.int == 0)
    // Another class is an answer to it as before, which rejects the first one.
    let again = undo.json["question"]
    let own = "/api/review/\(try #require(again?["queue"]?.string))"
    let reply = try await answer(
      scene, own, again, ["decision": "other", "class": "elm", "create": true])
    #expect(reply.status == 200, "\(reply.text)")
    #expect(try await scene.states(0) == ["elm confirmed", "oak rejected"])
    let progress = try await scene.get("/api/review/progress")
    #expect(progress["decided"]?.int == 1 && progress["left"]?.int == 1)
  }

  @Test("an answer that was undone in the terminal is not undone again")
  func undoneElsewhere() async throws {
    let scene = try await scene()
    let queue = try await queue(scene)
    for question in try await scene.get(queue)["questions"]?.array ?? [] {
      _ = try await answer(scene, queue, question, ["decision": "accept"])
    }
    await scene.stop()
    try await endReviews(scene)
    try await scene.change { _ = try $0.startReview().undo() }
    #expect(try await scene.states(1) == ["oak predicted"])
    let again = try await scene.restart()
    let undo = try await again.request("POST", "/api/undo")
    #expect(undo.json["undone"]?["action"]?.string == "a1")
    #expect(undo.json["photos"]?.array?.first?["id"]?.string == scene.photos[0].description)
    #expect(try await scene.states(0) == ["oak predicted"])
    #expect(try await again.request("POST", "/api/undo").status == 404)
  }

  @Test("a later answer of the terminal is undone first, under its own name")
  func undoesTerminal() async throws {
    let scene = try await scene()
    let queue = try await queue(scene)
    let question = try await scene.get(queue)["questions"]?.array?.first
    let answered = try await answer(scene, queue, question, ["decision": "accept"])
    let action = try #require(answered.json["action"]?.string)
    await scene.stop()
    try await endReviews(scene)
    try await scene.change { dataset in
      let review = try dataset.startReview()
      let item = try #require(try dataset.reviewQueue().first)
      try review.answer(try #require(try review.question(item)), .accept)
    }
    let again = try await scene.restart()
    #expect(try await again.request("POST", "/api/undo?action=\(action)").status == 409)
    let undo = try await again.request("POST", "/api/undo")
    #expect(undo.json["undone"]?["action"]?.isNull == true)
    #expect(try await scene.states(0) == ["oak confirmed"])
    #expect(try await scene.states(1) == ["oak predicted"])
    #expect(try await again.request("POST", "/api/undo?action=\(action)").status == 200)
    #expect(try await scene.states(0) == ["oak predicted"])
  }

  @Test("two requests at once undo two answers")
  func undoesTwice() async throws {
    let scene = try await scene()
    let queue = try await queue(scene)
    for question in try await scene.get(queue)["questions"]?.array ?? [] {
      _ = try await answer(scene, queue, question, ["decision": "accept"])
    }
    let library = scene.server.state.library
    let hold = DispatchSemaphore(value: 0)
    async let held: Void = library.write(as: nil) { _, _ in hold.wait() }
    async let first = scene.request("POST", "/api/undo")
    async let second = scene.request("POST", "/api/undo")
    while library.waitingWrites < 3 { await Task.yield() }
    hold.signal()
    try await held
    let undone = try await [first, second].compactMap { $0.json["undone"]?["action"]?.string }
    #expect(undone.sorted() == ["a1", "a2"])
    #expect(try await scene.states(0) == ["oak predicted"])
    #expect(try await scene.states(1) == ["oak predicted"])
  }

  @Test(
    "ends a review that is not used, also for readers", .timeLimit(.minutes(5)),
    arguments: [false, true])
  func idle(isReadOnly: Bool) async throws {
    let scene = try await scene().restart { options, _ in options.isReadOnly = isReadOnly }
    let queue = try await queue(scene)
    #expect(try await scene.get(queue)["questions"]?.array?.count == 2)
    func isOpen() async throws -> Bool {
      try await scene.change { dataset in
        do throws(CairnError) {
          _ = try dataset.startReview()
          return false
        } catch {
          if error.kind == .locked { return true }
          throw error
        }
      }
    }
    while try await isOpen() { try await Task.sleep(for: .milliseconds(20)) }
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
    let progress = try await scene.get("/api/review/progress")
    #expect(progress["decided"]?.int == 0 && progress["left"]?.int == 2)
  }

  @Test("leaves photos out whose metadata was erased")
  func erased() async throws {
    let scene = try await ServerScene.start(prepare: { dataset, photos in
      try dataset.erase(.metadata, of: [photos[0]], reason: "asked for it")
    })
    let reply = try await scene.request("POST", "/api/review", ["kind": "unlabeled"])
    #expect(reply.status == 201 && reply.json["count"]?.int == 3, "\(reply.text)")
  }
}
