import Foundation
import TestSupport
import Testing

@Suite("Concurrent processes on one dataset")
struct ParallelTests {
  @Test("keeps fifty labels that are given at the same time")
  func fiftyLabels() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 5)
    let running = try (0..<50).map { index in
      try box.command(
        "cairn", ["label", photos[index % 5], "class-\(index / 5)", "--json"], in: "a"
      ).start()
    }
    var stamps = Set<String>()
    for label in running {
      let output = try label.wait()
      #expect(output.status == 0, "\(output.stderr)")
      stamps.insert(try output.json().elements[0]["label"]["stamp"].string)
    }
    #expect(stamps.count == 50, "two edits have the same stamp")

    let expected = (0..<10).map { "ann: class-\($0) present" }
    for photo in photos { #expect(try box.labels(of: photo, in: "a") == expected) }
    try box.cairn("commit", in: "a")
    for photo in photos { #expect(try box.labels(of: photo, in: "a") == expected) }
    #expect(
      try box.git("ls-tree", "-r", "--name-only", "HEAD", "labels/", in: "a").lines.count == 50)
    #expect(try box.json("class", "list", in: "a").elements.count == 10)
    try box.expectClean("a")
    try box.expectSound("a")
  }

  @Test("loses nothing when commits, edits, reads and syncs run at the same time")
  func everythingAtOnce() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.makeImages(50..<54, in: "late")
    var running: [RunningCommand] = []
    for round in 0..<4 {
      let late = box.url("late/photo-\(50 + round).png").path
      for arguments in [
        ["label", photos[0], "class-\(round)"], ["commit"], ["photo", "add", late],
        ["photo", "list"], ["status"], ["pin", "add", "\(round)", "0"],
      ] {
        running.append(try box.command("cairn", arguments, in: "a").start())
      }
      running.append(try box.command("cairn", ["sync"], in: "b").start())
    }
    for command in running {
      let output = try command.wait()
      #expect(output.status == 0, "\(output.stderr)\(output.stdout)")
    }
    try box.cairn("commit", in: "a")
    #expect(try box.labels(of: photos[0], in: "a").count == 4)
    #expect(try box.listed(in: "a").count == 6)
    #expect(try box.json("pin", "list", in: "a").elements.count == 4)
    try box.expectClean("a")
    try box.expectSound("a")
    try box.cairn("sync", in: "b")
    try box.expectEqual("a", "b")
  }

  @Test("loses no label when git commits at the same time")
  func besideGit() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    let labels = try (0..<10).map {
      try box.command("cairn", ["label", photo, "class-\($0)"], in: "a").start()
    }
    for round in 0..<3 {
      _ = try box.run("git", ["add", "."], in: "a")
      _ = try box.run("git", ["commit", "-q", "-m", "Round \(round)"], in: "a")
    }
    for label in labels { #expect(try label.wait().status == 0) }
    try box.cairn("commit", in: "a")
    #expect(try box.labels(of: photo, in: "a").count == 10)
    try box.expectClean("a")
    try box.expectSound("a")
  }
}
