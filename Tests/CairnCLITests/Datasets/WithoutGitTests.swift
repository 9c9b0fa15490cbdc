import Foundation
import TestSupport
import Testing

@Suite("Without git")
struct WithoutGitTests {
  /// A sandbox whose `PATH` has neither git nor git-lfs.
  private func withoutGit() throws -> Sandbox {
    let box = try Sandbox(lfs: false)
    for name in try FileManager.default.contentsOfDirectory(atPath: box.url("home/bin").path)
    where name == "git" || name.hasPrefix("git-") {
      try box.remove("home/bin/\(name)")
    }
    #expect(try box.run("sh", ["-c", "command -v git"]).status != 0)
    return box
  }

  @Test("creates a dataset, labels, commits, merges and verifies on two devices")
  func mainJob() throws {
    let box = try withoutGit()
    let photo = try box.startDataset(photos: 3)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.cairn("config", "set", "user.name", "Bob", in: "b")
    try box.cairn("config", "set", "user.email", "bob@example.org", in: "b")
    try box.cairn("label", photo, "elm", in: "b")
    try box.cairn("label", photo, "ash", in: "a")
    for device in ["a", "b", "a"] { try box.cairn("sync", in: device) }
    for device in ["a", "b"] {
      #expect(
        try box.labels(of: photo, in: device)
          == ["ann: ash present", "ann: oak present", "bob: elm present"])
      try box.cairn("verify", "--with", "origin", "--content", in: device)
      try box.cairn("gc", in: device)
      try box.cairn("find", "label:oak", in: device)
      try box.cairn("report", "../report.html", in: device)
      try box.cairn("diff", "HEAD~1", "HEAD", in: device)
      try box.cairn("log", photo, in: device)
    }
    try box.cairn("export", "coco", "../coco", in: "a")
  }

  @Test("reports in cairn doctor what git is needed for")
  func doctor() throws {
    let box = try withoutGit()
    _ = try box.startDataset(photos: 1)
    let output = try box.json("doctor", in: "a")
    let git = try #require(output["findings"].elements.first { $0["check"].string == "git" })
    #expect(git["level"].string == "warning")
    #expect(git["message"].string.contains("credential helpers"))
  }

  @Test("refuses to push to a repository with hooks, which only git runs")
  func hooks() throws {
    let box = try withoutGit()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.write("#!/bin/sh\n", to: "x.git/hooks/post-receive")
    try box.cairn("push", in: "a")
    try box.sh("chmod +x x.git/hooks/post-receive")
    try box.cairn("label", box.listed(in: "a").first!, "oak", in: "a")
    try box.cairn("commit", in: "a")
    let push = try box.run("cairn", ["push"], in: "a")
    #expect(push.status == ExitStatus.permission, "\(push.stderr)")
    #expect(push.stderr.contains("need git, which is not installed"))
  }
}
