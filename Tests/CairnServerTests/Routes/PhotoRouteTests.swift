import Cairn
import CairnDocument
import Testing

@Suite("Photos", .serialized)
struct PhotoRouteTests {
  @Test("shows a photo with its labels, and why they count")
  func detail() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      try dataset.label(
        [photos[0]], ["oak"], LabelAssertion(.present, by: model, confidence: 0.9))
      try dataset.label([photos[0]], ["oak"], LabelAssertion(.absent))
      _ = try dataset.commit(message: "Two labels")
    }
    let path = "/api/photos/\(scene.photos[0])"
    let detail = try await scene.get(path)
    #expect(detail["photo"]?["width"]?.int == 12 && detail["format"]?.string == "png")
    #expect(detail["photo"]?["local"]?.bool == true)
    let oak = detail["classes"]?.array?.first
    #expect(oak?["state"]?.string == "rejected" && oak?["mine"]?.string == "absent")
    let kinds = oak?["evidence"]?.array?.compactMap { $0["annotator"]?["kind"]?.string }
    #expect(kinds?.sorted() == ["model", "person"])
    let why = try await scene.get("\(path)/why?class=oak")
    #expect(why["classes"]?.array?.count == 1)
    let commits = why["commits"]?.object?.members.map { $0.value["summary"]?.string }
    #expect(commits == ["Two labels", "Two labels"])
    #expect(try await scene.request("GET", "\(path)/why?class=elm").status == 404)
  }

  @Test("shows the history, with what is not committed yet")
  func history() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    _ = try await scene.request("POST", "/api/commit", ["message": "An oak"])
    _ = try await scene.label(0, "elm")
    let json = try await scene.get("/api/photos/\(scene.photos[0])/history")
    let entry = json["entries"]?.array?.first
    #expect(entry?["summary"]?.string == "An oak" && entry?["author"]?.string == "Ann")
    #expect(
      entry?["changes"]?.array?.contains { $0["text"]?.string?.contains("oak") == true } == true)
    #expect(json["uncommitted"]?.array?.contains { $0.string?.contains("elm") == true } == true)
  }

  @Test("finds photos that look the same")
  func similar() async throws {
    let scene = try await ServerScene.start()
    let json = try await scene.get("/api/photos/\(scene.photos[0])/similar?distance=64")
    #expect(json["photos"]?.array?.count == 3)
    #expect(json["photos"]?.array?.allSatisfy { $0["photo"]?["id"]?.string != nil } == true)
    let none = try await scene.request("GET", "/api/photos/\(scene.photos[0])/similar?distance=65")
    #expect(none.status == 400)
  }

  @Test("lists rejected classes last, and rows leave out classes that no label decides")
  func order() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let model = try #require(Annotator(model: "net@1"))
      try dataset.label(
        [photos[0]], ["oak"], LabelAssertion(.present, by: model, confidence: 0.6))
      try dataset.label([photos[0]], ["ash"], LabelAssertion(.absent))
      try dataset.label([photos[0]], ["yew"])
      try dataset.label([photos[0]], ["yew"], LabelAssertion(.withdrawn))
    }
    let photo = scene.photos[0]
    let detail = try await scene.get("/api/photos/\(photo)")
    let row = detail["photo"]?["classes"]?.array ?? []
    #expect(row.map { $0["class"]?.string } == ["oak", "ash"], "\(row)")
    #expect(row.map { $0["state"]?.string } == ["predicted", "rejected"])
    let classes = detail["classes"]?.array ?? []
    #expect(classes.last?["class"]?.string == "ash", "\(classes)")
  }

  @Test(
    "reports ids that belong to no photo",
    arguments: ["", "/why", "/history", "/similar", "/thumbnail", "/preview", "/image"])
  func unknown(path: String) async throws {
    let scene = try await ServerScene.start()
    let id = String(repeating: "0", count: 64)
    let reply = try await scene.request("GET", "/api/photos/\(id)\(path)")
    #expect(reply.status == 404, "\(reply.text)")
    #expect(try await scene.request("GET", "/api/photos/3fa9\(path)").status == 400)
  }
}
