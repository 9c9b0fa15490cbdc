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
    try served.addDevices()
    return served
  }

  private func tree(_ directory: String, _ box: Sandbox) throws -> String {
    try box.git("rev-parse", "main^{tree}", in: directory).word
  }

  @Test(
    "ends with equal trees after syncs in both orders, also in plain git",
    arguments: RemoteKind.servers)
  func twoDevices(kind: RemoteKind) throws {
    let served = try served(kind)
    let box = served.box
    for (round, order) in [["a", "b", "a"], ["b", "a", "b"]].enumerated() {
      for device in ["a", "b"] {
        try box.cairn("pin", "add", "\(round)", "2", "--name", "\(device)\(round)", in: device)
      }
      for device in order { try box.cairn("sync", in: device) }
      let trees = Set(try ["a", "b", served.name].map { try tree($0, box) })
      #expect(trees.count == 1)
      #expect(try box.cairn("pin", "list", in: "b").stdout.contains("a\(round)"))
    }
    #expect(try box.cairn("verify", "--with", "origin", in: "a").stdout.hasPrefix("Equal"))
    for device in ["a", "b"] {
      #expect(try box.git("status", "--porcelain", in: device).stdout == "")
      try box.git("fsck", "--strict", "--no-dangling", in: device)
    }
    // C has only git and adds a file; B, created by cairn, also works with git.
    try box.git("clone", "-q", served.publicAddress, "c")
    #expect(try tree("c", box) == tree("a", box))
    try box.write("hello\n", to: "c/notes.txt")
    try box.git("add", "-A", in: "c")
    try box.git("commit", "-qm", "notes", in: "c")
    try box.git("push", "-q", "origin", "main", in: "c")
    try box.cairn("sync", in: "a")
    #expect(try box.text("a/notes.txt") == "hello\n")
    try box.git("pull", "-q", in: "b")
    #expect(try tree("b", box) == tree("a", box))
  }

  @Test("keeps every commit when several devices push at once", arguments: RemoteKind.servers)
  func races(kind: RemoteKind) throws {
    let served = try served(kind)
    let box = served.box
    try box.cairn("clone", served.publicAddress, "c")
    let devices = ["a", "b", "c"]
    for device in devices { try box.cairn("pin", "add", "1", "2", "--name", device, in: device) }
    let script = devices.map { "cairn -C \($0) sync & pids=\"$pids $!\";" }.joined(separator: " ")
    let bin = try #require(Programs.cairn).deletingLastPathComponent().path
    let output = try box.run(
      "sh", ["-c", "PATH=\(bin):$PATH; \(script) for p in $pids; do wait $p || exit 1; done"])
    #expect(output.status == 0, "\(output.all)")
    for device in devices + devices { try box.cairn("sync", in: device) }
    #expect(Set(try (devices + [served.name]).map { try tree($0, box) }).count == 1)
    let names = try box.cairn("pin", "list", in: "a").stdout
    #expect(devices.allSatisfy { names.contains($0) })
  }

  @Test(
    "leaves both sides valid when a push is killed, and completes the next one",
    arguments: RemoteKind.servers)
  func killed(kind: RemoteKind) throws {
    let served = try served(kind)
    let box = served.box
    try served.addHook("update", "sleep 0.1")
    let program = try box.cairnProgram()
    var random = SeededGenerator(11)
    for _ in 0..<5 {
      let before = try box.git("rev-parse", "main", in: served.name).word
      // Incompressible bytes, so that both sides work for a while.
      let noise = (0..<100_000).map { _ in String(random.next(), radix: 36) }
      let after = try box.commit(["noise": noise.joined(separator: "\n")], in: "a")
      let seconds = Double.random(in: 0.02..<0.8, using: &random)
      let output = try box.run("timeout", ["-s", "KILL", "\(seconds)", program, "push"], in: "a")
      #expect([0, 137, -9].contains(output.status), "\(output.all)")
      // The server finishes what it has started.
      wait { !served.isAtWork }
      let now = try box.git("rev-parse", "main", in: served.name).word
      #expect(now == "\(after)" || (now == before && output.status != 0))
      try box.git("fsck", "--strict", "--no-dangling", in: served.name)
    }
    try box.cairn("sync", in: "a")
    #expect(try tree("a", box) == tree(served.name, box))
  }

  @Test(
    "shows the message of a hook that rejects a push, and moves nothing",
    arguments: RemoteKind.servers)
  func hook(kind: RemoteKind) throws {
    let served = try served(kind)
    let box = served.box
    try served.addHook(
      "pre-receive", "printf 'main is for \\033[31mreviewers\\033[0m\\n' >&2; exit 1")
    let before = try box.git("rev-parse", "main", in: served.name).word
    try box.cairn("pin", "add", "1", "2", in: "a")
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 77)
    #expect(output.stderr.contains("refused the push (pre-receive hook declined)"))
    #expect(output.stderr.contains("main is for reviewers"), "\(output.stderr)")
    #expect(try box.git("rev-parse", "main", in: served.name).word == before)
    let json = try box.runCairn(["push", "--json"], in: "a")
    #expect(json.stdout.contains("\"refused\""))

    try served.addHook("pre-receive", "echo thank you >&2")
    #expect(try box.cairn("push", in: "a").stdout.contains("origin: thank you"))
  }

  @Test("connects once unless there is something to pull as well as to push")
  func connections() throws {
    let served = try served(.ssh)
    let (box, ssh) = (served.box, try #require(served.ssh))
    try box.write(
      "#!/bin/sh\necho >> '\(box.root)/calls'\nexec \(ssh.command()) \"$@\"\n", to: "counting/ssh",
      isProgram: true)
    try box.configure("core.sshCommand", box.root.appending("counting/ssh").string)
    func sync() throws -> Int {
      try box.write("", to: "calls")
      try box.cairn("sync", in: "a")
      return try box.text("calls").split(separator: "\n", omittingEmptySubsequences: false).count
        - 1
    }
    #expect(try sync() == 1)
    try box.cairn("pin", "add", "1", "2", in: "a")
    #expect(try sync() == 1)
    #expect(try tree("a", box) == tree(served.name, box))
    // Somebody else has pushed.
    try box.cairn("pin", "add", "3", "4", in: "b")
    try box.cairn("sync", in: "b")
    #expect(try sync() == 1)
    try box.cairn("pin", "add", "5", "6", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("pin", "add", "7", "8", in: "a")
    #expect(try sync() == 3)
    #expect(try tree("a", box) == tree(served.name, box))
    try box.cairn("sync", in: "b")
    #expect(try tree("a", box) == tree("b", box))
    // Another address may lack what this one has.
    try box.git("init", "-q", "--bare", "-b", "main", "other.git")
    try box.git("config", "remote.origin.pushurl", ssh.url("other.git"), in: "a")
    #expect(try sync() == 2)
    #expect(try tree("a", box) == tree("other.git", box))
  }

  @Test(
    "replaces the history of a server when a person is erased, and keeps the work of another device",
    arguments: RemoteKind.servers)
  func erasedPerson(kind: RemoteKind) throws {
    let served = try served(kind)
    let box = served.box
    try box.git("config", "user.email", "bob@example.org", in: "b")
    try box.cairn("pin", "add", "1", "2", "--name", "old", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    try box.cairn("pin", "add", "3", "4", "--name", "new", in: "b")
    try box.cairn(
      "photo", "erase", "--person", "bob@example.org", "--reason", "asked for it", "--yes", in: "a")
    for device in ["a", "b", "a"] { try box.cairn("sync", in: device) }
    let heads = try ["a", "b", served.name].map { try box.git("rev-parse", "main", in: $0).word }
    #expect(Set(heads).count == 1)
    let people = try box.git("log", "--format=%ae %ce", "main", in: served.name).stdout
    #expect(!people.contains("bob@") && people.contains("@cairn.invalid"), "\(people)")
    let pins = try box.cairn("pin", "list", in: "a").stdout
    #expect(pins.contains("old") && pins.contains("new"))
  }

  @Test("shows the server's message when a branch stays locked")
  func locked() throws {
    let served = try served(.ssh)
    let box = served.box
    try box.cairn("pin", "add", "1", "2", in: "a")
    try box.write("", to: "\(served.name)/refs/heads/main.lock")
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 77, "\(output.all)")
    #expect(output.stderr.contains("cannot lock ref"), "\(output.stderr)")
    _ = try box.run("rm", ["refs/heads/main.lock"], in: served.name)
    try box.cairn("sync", in: "a")
    #expect(try tree("a", box) == tree(served.name, box))
  }

  @Test(
    "commits and exits with code 68 when the server is unreachable", arguments: RemoteKind.servers)
  func offline(kind: RemoteKind) throws {
    let served = try served(kind)
    let box = served.box
    try box.git(
      "config", "remote.origin.url",
      kind == .ssh ? "ssh://x@127.0.0.1:\(freePort())/x" : "https://127.0.0.1:\(freePort())/x",
      in: "a")
    try box.cairn("pin", "add", "1", "2", in: "a")
    let output = try box.runCairn(["sync", "--json"], in: "a")
    #expect(output.status == 68, "\(output.all)")
    #expect(output.stdout.contains("\"push\": null"))
    #expect(output.stdout.contains("cannot be reached"))
    #expect(output.stderr.split(separator: "\n").count == 2)
    #expect(try box.git("status", "--porcelain", in: "a").stdout == "")
    for verb in ["pull", "push"] {
      #expect(try box.runCairn([verb], in: "a").status == 69)
    }
  }
}
