import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Exchange between devices", .serialized)
struct ExchangeTests {
  /// Creates a served dataset with two devices.
  private func served(_ kind: RemoteKind) throws -> Served {
    let served = try Served(kind)
    try served.web?.addHelper()
    let place = served.place
    try place.cairn("init", "a")
    try place.cairn("remote", "add", "origin", served.publicAddress, in: "a")
    try place.cairn("sync", in: "a")
    try place.cairn("clone", served.publicAddress, "b")
    return served
  }

  private func tree(_ directory: String, _ place: Place) throws -> String {
    try place.git("rev-parse", "main^{tree}", in: directory)
  }

  @Test(
    "ends with equal trees after syncs in both orders, also in plain git",
    arguments: RemoteKind.servers)
  func twoDevices(kind: RemoteKind) throws {
    let served = try served(kind)
    let place = served.place
    for (round, order) in [["a", "b", "a"], ["b", "a", "b"]].enumerated() {
      for device in ["a", "b"] {
        try place.cairn("pin", "add", "\(round)", "2", "--name", "\(device)\(round)", in: device)
      }
      for device in order { try place.cairn("sync", in: device) }
      let trees = Set(try ["a", "b", served.name].map { try tree($0, place) })
      #expect(trees.count == 1)
      #expect(try place.cairn("pin", "list", in: "b").contains("a\(round)"))
    }
    #expect(try place.cairn("verify", "--with", "origin", in: "a").hasPrefix("Equal"))
    for device in ["a", "b"] {
      #expect(try place.git("status", "--porcelain", in: device) == "")
      try place.git("fsck", "--strict", "--no-dangling", in: device)
    }
    // C has only git and adds a file; B, created by cairn, also works with git.
    try place.git("clone", "-q", served.publicAddress, "c")
    #expect(try tree("c", place) == tree("a", place))
    try place.write("hello\n", to: "c/notes.txt")
    try place.git("add", "-A", in: "c")
    try place.git("commit", "-qm", "notes", in: "c")
    try place.git("push", "-q", "origin", "main", in: "c")
    try place.cairn("sync", in: "a")
    #expect(try place.read("a/notes.txt") == "hello\n")
    try place.git("pull", "-q", in: "b")
    #expect(try tree("b", place) == tree("a", place))
  }

  @Test("keeps every commit when several devices push at once", arguments: RemoteKind.servers)
  func races(kind: RemoteKind) throws {
    let served = try served(kind)
    let place = served.place
    try place.cairn("clone", served.publicAddress, "c")
    let devices = ["a", "b", "c"]
    for device in devices { try place.cairn("pin", "add", "1", "2", "--name", device, in: device) }
    let script = devices.map { "cairn -C \($0) sync & pids=\"$pids $!\";" }.joined(separator: " ")
    let bin = URL(filePath: try #require(Place.cairnProgram)).deletingLastPathComponent().path
    let output = try place.run(
      "sh", ["-c", "PATH=\(bin):$PATH; \(script) for p in $pids; do wait $p || exit 1; done"])
    #expect(output.status == 0, "\(output.all)")
    for device in devices + devices { try place.cairn("sync", in: device) }
    #expect(Set(try (devices + [served.name]).map { try tree($0, place) }).count == 1)
    let names = try place.cairn("pin", "list", in: "a")
    #expect(devices.allSatisfy { names.contains($0) })
  }

  @Test(
    "leaves both sides valid when a push is killed, and completes the next one",
    arguments: RemoteKind.servers)
  func killed(kind: RemoteKind) throws {
    let served = try served(kind)
    let place = served.place
    try served.addHook("update", "sleep 0.1")
    let program = try #require(Place.cairnProgram)
    var random = SeededGenerator(11)
    for _ in 0..<5 {
      let before = try place.git("rev-parse", "main", in: served.name)
      // Incompressible bytes, so that both sides work for a while.
      let noise = (0..<100_000).map { _ in String(random.next(), radix: 36) }
      let after = try place.commit(["noise": noise.joined(separator: "\n")], in: "a")
      let seconds = Double.random(in: 0.02..<0.8, using: &random)
      let output = try place.run("timeout", ["-s", "KILL", "\(seconds)", program, "push"], in: "a")
      #expect([0, 137, -9].contains(output.status), "\(output.all)")
      // The server finishes what it has started.
      wait { !served.isAtWork }
      let now = try place.git("rev-parse", "main", in: served.name)
      #expect(now == "\(after)" || (now == before && output.status != 0))
      try place.git("fsck", "--strict", "--no-dangling", in: served.name)
    }
    try place.cairn("sync", in: "a")
    #expect(try tree("a", place) == tree(served.name, place))
  }

  @Test(
    "shows the message of a hook that rejects a push, and moves nothing",
    arguments: RemoteKind.servers)
  func hook(kind: RemoteKind) throws {
    let served = try served(kind)
    let place = served.place
    try served.addHook(
      "pre-receive", "printf 'main is for \\033[31mreviewers\\033[0m\\n' >&2; exit 1")
    let before = try place.git("rev-parse", "main", in: served.name)
    try place.cairn("pin", "add", "1", "2", in: "a")
    let output = try place.cairn(["sync"], in: "a")
    #expect(output.status == 77)
    #expect(output.errors.contains("refused the push (pre-receive hook declined)"))
    #expect(output.errors.contains("main is for reviewers"), "\(output.errors)")
    #expect(try place.git("rev-parse", "main", in: served.name) == before)
    let json = try place.cairn(["push", "--json"], in: "a")
    #expect(json.text.contains("\"refused\""))

    try served.addHook("pre-receive", "echo thank you >&2")
    #expect(try place.cairn("push", in: "a").contains("origin: thank you"))
  }

  @Test("shows the server's message when a branch stays locked")
  func locked() throws {
    let served = try served(.ssh)
    let place = served.place
    try place.cairn("pin", "add", "1", "2", in: "a")
    try place.write("", to: "\(served.name)/refs/heads/main.lock")
    let output = try place.cairn(["sync"], in: "a")
    #expect(output.status == 77, "\(output.all)")
    #expect(output.errors.contains("cannot lock ref"), "\(output.errors)")
    _ = try place.run("rm", ["refs/heads/main.lock"], in: served.name)
    try place.cairn("sync", in: "a")
    #expect(try tree("a", place) == tree(served.name, place))
  }

  @Test(
    "commits and exits with code 68 when the server is unreachable", arguments: RemoteKind.servers)
  func offline(kind: RemoteKind) throws {
    let served = try served(kind)
    let place = served.place
    try place.git(
      "config", "remote.origin.url",
      kind == .ssh ? "ssh://x@127.0.0.1:\(freePort())/x" : "https://127.0.0.1:\(freePort())/x",
      in: "a")
    try place.cairn("pin", "add", "1", "2", in: "a")
    let output = try place.cairn(["sync", "--json"], in: "a")
    #expect(output.status == 68, "\(output.all)")
    #expect(output.text.contains("\"push\": null"))
    #expect(output.text.contains("cannot be reached"))
    #expect(output.errors.split(separator: "\n").count == 2)
    #expect(try place.git("status", "--porcelain", in: "a") == "")
    for verb in ["pull", "push"] {
      #expect(try place.cairn([verb], in: "a").status == 69)
    }
  }
}
