import Foundation
import TestSupport
import Testing

/// Clones that git made without the complete history, or without all files and trees.
@Suite("Shallow and partial clones made by git")
struct ShallowTests {
  private static let history = "fetching the history that this shallow clone left out"
  private static let files = "fetching the files that this partial clone left out"

  /// Makes a dataset with some history, pushed to X.git, and a clone B of that made by git.
  private func cloned(
    _ box: Sandbox, _ options: String..., location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let photo = try box.startDataset(photos: 2)[0]
    try box.cairn("commit", in: "a")
    for name in ["oak", "elm"] {
      try box.cairn("label", photo, name, in: "a")
      try box.cairn("commit", in: "a")
    }
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.git("config", "uploadpack.allowFilter", "true", in: "x.git")
    let url = "file://" + box.url("x.git").path
    try box.sh("git clone -q \(options.joined(separator: " ")) \(url) b")
    try box.setIdentity("Bob", in: "b")
    return photo
  }

  static let kinds = [
    "--depth 1", "--filter=blob:none", "--filter=tree:0", "--depth 1 --no-checkout",
    "--no-checkout --filter=blob:none", "--no-checkout --filter=tree:0",
    "--depth 1 --filter=blob:none --no-checkout",
  ]

  @Test("labels, commits, pulls and pushes in a clone of any kind", arguments: kinds)
  func exchange(kind: String) throws {
    let box = try Sandbox()
    let photo = try cloned(box, kind)
    try box.cairn("label", photo, "ash", in: "a")
    try box.cairn("sync", in: "a")

    try box.cairn("status", in: "b")
    try box.cairn("label", photo, "fir", in: "b")
    try box.cairn("commit", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "b", "x.git")
    #expect(try box.labels(of: photo, in: "b").contains("ann: ash present"))
    #expect(try box.json("log", in: "b").elements.count == box.json("log", in: "a").elements.count)
    try box.cairn("images", "fetch", "--all", in: "b")
    try box.cairn("gc", in: "b")
    try box.cairn("checkout", "none", in: "b")
    try box.cairn("checkout", "all", in: "b")
    try box.expectClean("b")
    try box.expectSound("b")
    // git finds nothing missing, and does not try to fetch anything.
    try box.git("repack", "-a", "-d", "-q", in: "b")
    try box.expectSound("b")
  }

  @Test("fetches the missing history of a shallow clone once and reports it")
  func reports() throws {
    let box = try Sandbox()
    let photo = try cloned(box, "--depth 1")
    try box.cairn("label", photo, "fir", in: "b")
    let first = try box.run("cairn", ["sync"], in: "b")
    #expect(first.status == 0)
    #expect(first.stderr.components(separatedBy: Self.history).count == 2, "\(first.stderr)")
    #expect(!box.exists("b/.git/shallow"))
    #expect(try box.run("cairn", ["log"], in: "b").stderr == "")
  }

  @Test("completes a partial clone when it needs a missing file")
  func partial() throws {
    let box = try Sandbox()
    _ = try cloned(box, "--filter=blob:none")
    let pull = try box.run("cairn", ["pull"], in: "b")
    #expect(pull.stderr.contains(Self.files), "\(pull.stderr)")
    #expect(try !box.text("b/.git/config").contains("partialclonefilter"))
    #expect(try box.run("cairn", ["pull"], in: "b").stderr == "")
  }

  @Test("labels in a shallow clone offline and names the command that completes it")
  func offline() throws {
    let box = try Sandbox()
    let photo = try cloned(box, "--depth 1")
    try FileManager.default.moveItem(at: box.url("x.git"), to: box.url("gone.git"))
    for command in [
      ["status"], ["photo", "list"], ["find", "oak"], ["label", photo, "fir"], ["commit"],
    ] {
      let output = try box.run("cairn", command, in: "b")
      #expect(output.status == 0, "\(command): \(output.stderr)")
    }
    // A mistyped revision is reported as such, without a hint to fetch more history.
    let mistyped = try box.run("cairn", ["diff", "mian"], in: "b")
    #expect(mistyped.status == ExitStatus.notFound && !mistyped.stderr.contains("fetch"))
    let log = try box.run("cairn", ["log"], in: "b")
    #expect(log.status == ExitStatus.unreachable)
    #expect(log.stderr.contains("git -C '\(box.url("b").path)' fetch --unshallow origin"))
    try FileManager.default.moveItem(at: box.url("gone.git"), to: box.url("x.git"))
    try box.git("fetch", "-q", "--unshallow", "origin", in: "b")
    try box.cairn("sync", in: "b")
  }

  @Test("keeps an edit of a version that a shallow clone lacks, and commits it once online")
  func unknownBase() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("photo", "edit", photo, "--title", "Mill", in: "a")
    try box.cairn("commit", in: "a")
    let path = "photos/\(photo.prefix(2))/\(photo.dropFirst(2).prefix(2))/\(photo).json"
    let edited = try box.text("a/\(path)").replacing("Mill", with: "Quarry")
    try box.cairn("photo", "edit", photo, "--title", "Weir", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.sh("git clone -q --depth 1 file://\(box.url("x.git").path) b")
    try box.setIdentity("Bob", in: "b")
    try box.cairn("checkout", "none", in: "b")

    try FileManager.default.moveItem(at: box.url("x.git"), to: box.url("gone.git"))
    try box.write(edited, to: "b/\(path)")
    let offline = try box.run("cairn", ["commit"], in: "b")
    let printed = offline.stdout + offline.stderr
    #expect(printed.contains("\(path): edited from a version"), "\(printed)")
    #expect(try box.text("b/\(path)") == edited)
    try FileManager.default.moveItem(at: box.url("gone.git"), to: box.url("x.git"))
    try box.cairn("commit", in: "b")
    #expect(try box.json("show", photo, in: "b")["photo"]["title"].string == "Quarry")
    try box.expectClean("b")
  }

  @Test(
    "runs no program that the configuration of an incomplete clone in a directory names",
    arguments: [
      ("--depth 1", "--unshallow"),
      ("--filter=blob:none --no-checkout", "--refetch --no-filter"),
    ])
  func incompleteRemote(kind: String, completion: String) throws {
    let box = try Sandbox()
    let photo = try cloned(box, kind)
    try box.git(
      "config", "remote.origin.uploadpack", "touch \(box.path("ran")); git-upload-pack", in: "b")
    let clone = try box.run("cairn", ["clone", "b", "c"])
    if kind == "--depth 1" {
      #expect(clone.status == 0 && clone.stderr.contains("is a shallow clone"), "\(clone.all)")
      try FileManager.default.removeItem(at: box.url("c"))
    } else {
      #expect(clone.status == ExitStatus.unreachable)
      #expect(clone.stderr.contains("is a partial clone"), "\(clone.stderr)")
    }
    try box.cairn("label", photo, "ash", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "b", "../b", in: "a")
    _ = try box.run("cairn", ["push", "b"], in: "a")
    _ = try box.run("cairn", ["pull", "b"], in: "a")
    #expect(!box.exists("ran"))

    try box.sh("git fetch -q \(completion) origin", in: "b")
    try box.cairn("clone", "b", "c")
    #expect(try box.labels(of: photo, in: "c") == box.labels(of: photo, in: "b"))
    try box.git("fsck", "--strict", in: "c")
  }

  @Test(
    "leaves `git gc` working if the remote has lost what a reflog names", arguments: [false, true])
  func reflog(isLost: Bool) throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    for title in ["Mill", "Weir"] {
      try box.cairn("photo", "edit", photo, "--title", title, in: "a")
      try box.cairn("commit", in: "a")
    }
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.git("config", "uploadpack.allowFilter", "true", in: "x.git")
    try box.git("clone", "-q", "--filter=blob:none", "file://\(box.path("x.git"))", "b")
    try box.setIdentity("Bob", in: "b")
    try box.sh(
      """
      commit=$(git -c user.name=A -c user.email=a commit-tree -m A main^{tree})
      git update-ref refs/heads/main $commit
      """, in: "x.git")
    if isLost { try box.git("gc", "-q", "--prune=now", in: "x.git") }
    try box.sh("git fetch -q && git reset -q --hard origin/main", in: "b")
    #expect(try box.cairn("pull", in: "b").stderr.contains(Self.files))
    // What the remote has lost is not asked for again.
    for command in ["pull", "push"] {
      let output = try box.cairn(command, in: "b")
      #expect(!output.stderr.contains(Self.files), "\(output.stderr)")
    }
    try box.git("gc", "-q", in: "b")
    try box.cairn("gc", in: "b")
    try box.git("gc", "-q", in: "b")
    try box.git("fsck", in: "b")
    let configuration = try box.text("b/.git/config")
    #expect(configuration.contains("promisor") == isLost)
    #expect(!configuration.contains("partialclonefilter"))
  }

  @Test("removes nothing with a commit in a clone made with --no-checkout")
  func noCheckout() throws {
    let box = try Sandbox()
    let photo = try cloned(box, "--no-checkout")
    #expect(try !box.cairn("status", in: "b").stdout.contains("removed"))
    try box.cairn("commit", in: "b")
    #expect(try box.labels(of: photo, in: "b").count == 2)
    try box.expectEqual("a", "b")
    try box.expectClean("b")
  }
}
