import Cairn
import CairnDocument
import TestSupport
import Testing

@Suite("Models", .serialized, .timeLimit(.minutes(10)))
struct ModelRouteTests {
  /// A labeler program that finds an oak on every photo.
  private static let program = """
    import json, sys
    print(json.dumps({"cairn": "labeler", "protocol": 1, "name": "net", "version": "7"}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        labels = [{"name": "oak", "score": 0.75}]
        print(json.dumps({"id": request["id"], "labels": labels}), flush=True)
    """

  private func scene() async throws -> ServerScene {
    let scene = try await ServerScene.start()
    let path = try scene.directory.write(Self.program, to: "net.py")
    try await scene.change { dataset in
      _ = try dataset.addLabeler([
        "kind": "program", "name": "net", "command": ["python3", .string(path.string)],
      ])
    }
    return scene
  }

  @Test("predicts as a job, and withdraws and restores the run")
  func predicts() async throws {
    let scene = try await scene()
    let labelers = try await scene.get("/api/labelers")["labelers"]?.array
    #expect(labelers?.map { $0["kind"]?.string } == ["program"])
    let set = try await scene.set(["photos": [.string(scene.photos[0].description)]])
    let one = try await scene.owner.finished(
      try await scene.request(
        "POST", "/api/predictions", ["labeler": "net", "set": .string(set)]))
    #expect(one["result"]?["photos"]?.int == 1, "\(one)")
    let reply = try await scene.request("POST", "/api/predictions", ["labeler": "net"])
    let job = try await scene.owner.finished(reply)
    #expect(job["state"]?.string == "done")
    #expect(job["result"]?["labels"]?.int == 3 && job["result"]?["skipped"]?.int == 1)
    #expect(job["result"]?["model"]?.string == "net@7")
    #expect(try await scene.states(3) == ["oak predicted"])
    let runs = try await scene.get("/api/runs")["runs"]?.array
    #expect(runs?.count == 2)
    let run = try #require(job["result"]?["run"]?.string)
    #expect(try await scene.request("POST", "/api/runs/\(run)/withdraw").status == 200)
    #expect(try await scene.states(3) == [])
    #expect(try await scene.request("POST", "/api/runs/\(run)/restore").status == 200)
    #expect(try await scene.states(3) == ["oak predicted"])
    for expected in [[], ["oak predicted"]] {
      #expect(try await scene.request("POST", "/api/undo").status == 200)
      #expect(try await scene.states(3) == expected)
    }
  }

  /// A labeler program that answers one photo, and the others when the file `go` is there.
  private static func waitingProgram(_ file: String) -> String {
    """
    import json, os, sys, time
    print(json.dumps({"cairn": "labeler", "protocol": 1, "name": "net", "version": "7"}), flush=True)
    for number, line in enumerate(sys.stdin):
        while number > 0 and not os.path.exists("\(file)"):
            time.sleep(0.01)
        if number > 0:
            time.sleep(0.2)
        request = json.loads(line)
        labels = [{"name": "oak", "score": 0.75}]
        print(json.dumps({"id": request["id"], "labels": labels}), flush=True)
    """
  }

  @Test("a canceled prediction reports how far it got, and keeps what it wrote")
  func cancels() async throws {
    let scene = try await ServerScene.start(photos: 30)
    let file = scene.directory.path("go")
    let path = try scene.directory.write(Self.waitingProgram(file.string), to: "net.py")
    try await scene.change { dataset in
      _ = try dataset.addLabeler([
        "kind": "program", "name": "net", "command": ["python3", .string(path.string)],
      ])
    }
    let reply = try await scene.request("POST", "/api/predictions", ["labeler": "net"])
    let job = "/api/jobs/\(try #require(reply.json["job"]?.string))"
    while try await scene.get(job)["result"]?["photos"]?.int == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await scene.request("DELETE", job).status == 202)
    try scene.directory.write("", to: "go")
    let end = try await scene.owner.finished(reply)
    #expect(end["state"]?.string == "cancelled", "\(end)")
    let done = try #require(end["result"]?["photos"]?.int)
    #expect(done > 0 && done < 30)
    let found = try await scene.change { try $0.find(PhotoQuery("label:oak")).count }
    #expect(found == done)
  }

  @Test("reports labelers, runs and jobs that do not exist")
  func refuses() async throws {
    let scene = try await ServerScene.start()
    let job = try await scene.owner.finished(
      try await scene.request("POST", "/api/predictions", ["labeler": "net"]))
    #expect(job["state"]?.string == "failed")
    #expect(job["error"]?["kind"]?.string == "not-found")
    #expect(try await scene.request("POST", "/api/predictions", [:]).status == 400)
    #expect(try await scene.request("POST", "/api/runs/x/withdraw").status == 400)
    let run = String(repeating: "0", count: RunID.digits)
    #expect(try await scene.request("POST", "/api/runs/\(run)/withdraw").status == 404)
    #expect(try await scene.request("GET", "/api/jobs/j99").status == 404)
    let jobs = try await scene.get("/api/jobs")["jobs"]?.array
    #expect(jobs?.map { $0["kind"]?.string } == ["predict"])
  }
}
