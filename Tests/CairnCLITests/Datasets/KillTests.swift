import Foundation
import TestSupport
import Testing

@Suite("Killed processes")
struct KillTests {
  @Test(
    "loses no label when a command is killed at any moment",
    arguments: UInt64(1)...4)
  func killed(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 2)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")

    var labels: Set<String> = []
    for (round, verb) in (["photo add", "commit", "pull", "sync"] + ["sync"]).enumerated() {
      // A <--> X: both sides always have new labels.
      for (device, name) in [("a", "ann"), ("b", "bob")] {
        try box.cairn("label", photo, "round-\(round)", "\(name)-\(round)", in: device)
        labels.formUnion(["\(name): round-\(round) present", "\(name): \(name)-\(round) present"])
      }
      try box.cairn("sync", in: "b")
      if verb == "pull" { try box.cairn("commit", in: "a") }
      try box.makeImages(100 * round + 20..<100 * round + 26, in: "new-\(round)")
      let arguments =
        verb == "photo add"
        ? ["photo", "add", box.url("new-\(round)").path] : [verb]

      let running = try box.command("cairn", arguments, in: "a").start()
      Thread.sleep(forTimeInterval: Double(random.next() % 200) / 1000)
      running.kill()
      _ = try running.wait()

      let fsck = try box.run("git", ["fsck", "--strict", "--no-dangling"], in: "a")
      #expect(fsck.status == 0, "\(verb): \(fsck.stderr)\(fsck.stdout)")
      let own = labels.filter { $0.hasPrefix("ann") }
      #expect(try Set(box.labels(of: photo, in: "a")).isSuperset(of: own), "after \(verb)")
      // The next edit completes or restarts what was interrupted.
      try box.cairn("pin", "add", "1", "\(round)", in: "a")
      let verify = try box.run("cairn", ["verify"], in: "a")
      #expect(verify.status == 0, "after \(verb): \(verify.stdout)\(verify.stderr)")
      if verb == "photo add" { try box.cairn(arguments[0], arguments[1], arguments[2], in: "a") }
    }

    for device in ["a", "b", "a"] { try box.cairn("sync", in: device) }
    try box.expectEqual("a", "b", "x.git")
    for device in ["a", "b"] {
      #expect(try Set(box.labels(of: photo, in: device)) == labels)
      #expect(try box.listed(in: device).count == 2 + 6)
      #expect(try box.json("pin", "list", in: device).elements.count == 5)
      try box.expectClean(device)
      try box.expectSound(device)
    }
  }

  /// Whether strace is installed and has permission to trace.
  static let canTrace =
    (try? Command("strace", ["-qq", "-o", "/dev/null", "true"], in: "/").run().status) == 0

  @Test(
    "completes a command that is repeated after it was killed before a system call",
    .enabled(if: canTrace, "strace cannot trace here"))
  func killedBeforeStep() throws {
    let cairn = try #require(Programs.cairn)
    let box = try Sandbox()
    let script = packageDirectory.appending(path: "Tests/Scripts/kill").path
    let output = try box.run(
      "python3",
      [
        script, cairn.path, "clone", "checkout-none", "remote-add", "--jobs", "1", "--count", "4",
        "--seed", "\(UInt32.random(in: 0...999))",
      ])
    #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
  }

  @Test("clones again after a clone was killed", arguments: [20, 60, 120])
  func killedClone(milliseconds: Int) throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 20)
    try box.cairn("commit", in: "a")
    let running = try box.command("cairn", ["clone", "a", "b"]).start()
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
    running.kill()
    _ = try running.wait()
    // It may have finished before.
    let repository = box.url("b/.git")
    let note = repository.appending(path: "cairn/cloning")
    if [repository, note].map(\.path).map(FileManager.default.fileExists) != [true, false] {
      try box.cairn("clone", "a", "b")
    }
    #expect(try box.listed(in: "b") == Set(photos))
    try box.expectSound("a")
    try box.expectSound("b")
    try box.expectClean("b")
  }
}
