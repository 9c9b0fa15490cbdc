import Cairn
import CairnDocument
import SystemPackage
import TestSupport
import Testing

@Suite("Sync", .serialized, .timeLimit(.minutes(10)))
struct SyncRouteTests {
  @Test("syncs with a remote, and reports what came")
  func syncs() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      let remote = dataset.root.removingLastComponent().appending("remote.git")
      try dataset.addRemote("origin", remote.string, creating: true, relativeTo: "/")
    }
    _ = try await scene.label(0, "oak")
    let status = try await scene.get("/api/status")
    #expect(status["remotes"]?.array?.first?["name"]?.string == "origin")
    #expect((status["uncommitted"]?.int ?? 0) > 0)
    let first = try await scene.owner.finished(try await scene.request("POST", "/api/sync", [:]))
    #expect(first["state"]?.string == "done", "\(first)")
    #expect(first["result"]?["sent"]?["images"]?.int == 4)
    let synced = try await scene.get("/api/status")
    #expect(synced["images"]?["here"]?.int == 4)
    #expect(synced["remotes"]?.array?.first?["ahead"]?.int == 0)
    #expect(status["remotes"]?.array?.first?["ahead"] == .null)

    let (root, photo) = (scene.dataset.removingLastComponent(), scene.photos[0])
    try await onThread {
      let bob = Author(name: "Bob", email: "bob@example.org")
      let other = try Dataset.clone(
        root.appending("remote.git").string, to: root.appending("b"), author: bob
      ).dataset
      _ = try other.label([photo], ["oak"], LabelAssertion(.absent))
      _ = try other.sync()
    }
    let stream = try await scene.owner.openEvents()
    let second = try await scene.owner.finished(try await scene.request("POST", "/api/sync", [:]))
    #expect(second["result"]?["pulled"]?.string == "fastForward", "\(second)")
    #expect(second["result"]?["received"]?["label"]?.int == 1)
    let text = try #require(second["result"]?["text"]?.string)
    #expect(text.hasPrefix("Nothing to commit; fast-forwarded to origin: 1 label"), "\(text)")
    #expect(text.hasSuffix("."))
    let dispute = second["result"]?["disagreements"]?.array?.first
    #expect(dispute?["photo"]?.string == photo.description && dispute?["class"]?.string == "oak")
    _ = try await stream.receive(until: "\"reason\":\"pull\"")
    #expect(try await scene.states(0) == ["oak disputed"])
    let review = try await scene.request("POST", "/api/review", ["reasons": ["disputed"]])
    #expect(review.json["count"]?.int == 1)
  }

  @Test("fails with what was committed when the remote cannot be reached")
  func unreachable() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, photos in
      try dataset.addRemote("origin", "http://127.0.0.1:9/x", relativeTo: "/")
    }
    _ = try await scene.label(0, "oak")
    let job = try await scene.owner.finished(try await scene.request("POST", "/api/sync", [:]))
    #expect(job["state"]?.string == "failed")
    #expect(job["error"]?["message"]?.string != nil)
    #expect(job["result"]?["commit"]?.string != nil)
    #expect(try await scene.get("/api/status")["uncommitted"]?.int == 0)
  }

  @Test("commits, and says when there is nothing to commit")
  func commits() async throws {
    let scene = try await ServerScene.start()
    _ = try await scene.label(0, "oak")
    let reply = try await scene.request("POST", "/api/commit", ["message": "Oaks"])
    #expect(reply.json["commit"]?.string?.count == 40)
    #expect(try await scene.request("POST", "/api/commit", [:]).json["commit"]?.isNull == true)
    let dataset = try await scene.get("/api/session")["dataset"]
    #expect(dataset?["commit"] == reply.json["commit"] && dataset?["branch"]?.string == "main")
  }

  @Test("fetches images that are not on this disk")
  func images() async throws {
    let scene = try await ServerScene.start { _, _ in
    } prepare: { dataset, _ in
      let remote = dataset.root.removingLastComponent().appending("remote.git")
      try dataset.addRemote("origin", remote.string, creating: true, relativeTo: "/")
      _ = try dataset.sync()
      _ = try dataset.dropImages()
    }
    #expect(try await scene.get("/api/status")["images"]?["missing"]?.int == 4)
    let set = try await scene.set()
    let row = try await scene.get("/api/sets/\(set)/photos")["photos"]?.array?.first
    #expect(row?["local"]?.bool == false)
    let job = try await scene.owner.finished(
      try await scene.request(
        "POST", "/api/images", ["target": ["set": .string(set), "range": [0, 3]]]))
    #expect(job["result"]?["fetched"]?.int == 3, "\(job)")
    #expect(try await scene.get("/api/status")["images"]?["missing"]?.int == 1)
  }
}
