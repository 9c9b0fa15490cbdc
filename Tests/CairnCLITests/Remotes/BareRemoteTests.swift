import Foundation
import TestSupport
import Testing

@Suite("Bare repository as a remote")
struct BareRemoteTests {
  /// Starts A with photos and pushes it to X.git; clones B from there.
  private func shared(_ box: Sandbox, photos: Int) throws -> [String] {
    let ids = try box.startDataset(photos: photos)
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
    return ids
  }

  @Test("makes two devices equal when both sync with it")
  func syncThroughBareRepository() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 3)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[0], "oak", "--absent", in: "b")
    try box.cairn("label", photos[2], "elm", in: "b")
    let more = try box.addPhotos(30..<31, to: "b")

    // A --> X <--> B, then A again.
    try box.cairn("sync", in: "a")
    #expect(try box.run("cairn", ["verify", "--with", "origin"], in: "a").status == 0)
    #expect(try box.run("cairn", ["verify", "--with", "origin"], in: "b").status == 1)
    try box.cairn("sync", in: "b")
    #expect(try box.run("cairn", ["verify", "--with", "origin"], in: "a").status == 1)
    let sync = try box.json("sync", in: "a")
    #expect(sync["pulls"].elements.map { $0["outcome"].string } == ["fast-forward"])

    try box.expectEqual("a", "b", "x.git")
    #expect(try box.json("verify", "--with", "origin", in: "a")["equal"].isTrue)
    for device in ["a", "b"] {
      #expect(try box.labels(of: photos[0], in: device) == ["ann: oak present", "bob: oak absent"])
      #expect(try box.state(of: "oak", on: photos[0], in: device) == "disputed")
      #expect(try box.listed(in: device) == Set(photos + more))
      try box.expectClean(device)
      try box.expectSound(device)
    }
    #expect(try box.read("a/\(Sandbox.imagePath(more[0]))") == PNG.bytes(seed: 30))
    try box.git("fsck", "--strict", in: "x.git")
  }

  @Test("leaves every directory writable for the group that shares the repository")
  func sharedByGroup() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 2)
    try box.git("init", "-q", "--bare", "--shared=group", "-b", "main", "x.git")
    try box.cairn("remote", "add", "origin", "../x.git", in: "a")
    // A push of few objects, too, writes a pack.
    try box.sh("umask 022 && cairn sync && cairn pin add 1 2 && cairn sync", in: "a")
    let locked = try box.sh("find x.git -type d ! -perm -020").lines
    #expect(locked == [])
    #expect(try box.sh("find x.git/objects -name '*.pack'").lines.count == 2)
    #expect(try box.sh("find x.git/lfs -type f").lines.count == 2)
  }

  @Test(
    "gives refs and reflogs of a shared repository the permissions that git gives them",
    arguments: [
      ("group", "022"), ("group", "077"), ("all", "077"), ("0640", "022"), ("umask", "027"),
    ])
  func sharedFiles(sharing: String, umask: String) throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    for name in ["x.git", "y.git"] {
      try box.git("init", "-q", "--bare", "--shared=\(sharing)", "-b", "main", name)
      try box.git("config", "core.logAllRefUpdates", "true", in: name)
    }
    try box.cairn("remote", "add", "origin", "../x.git", in: "a")
    try box.sh(
      "umask \(umask) && cairn push && git push -q --no-verify ../y.git main", in: "a")
    func modes(_ name: String) throws -> [String] {
      let paths = "refs/heads/main logs/refs logs/refs/heads logs/refs/heads/main"
      return try box.sh("stat -c '%a %n' \(paths)", in: name).lines
    }
    #expect(try modes("x.git") == modes("y.git"))
    if sharing != "umask" {
      #expect(try box.sh("find x.git/objects -type f ! -perm -040").lines == [])
    }
  }

  @Test("updates the linked work tree in which the branch is checked out")
  func linkedWorkTree() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 1)
    try box.git("worktree", "add", "-q", "../tree", "main", in: "x.git")
    try box.setIdentity("Cy", in: "tree")
    try box.cairn("label", photos[0], "elm", in: "tree")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("commit", in: "tree")
    #expect(try box.labels(of: photos[0], in: "tree") == ["ann: oak present", "cy: elm present"])
    try box.expectClean("tree")
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "tree", "x.git")

    // One that another program has left in the middle of a rebase stays as it is.
    let before = try box.git("rev-parse", "main", in: "x.git").word
    _ = try box.run("git", ["rebase", "-q", "-x", "false", "HEAD~1"], in: "tree")
    try box.cairn("label", photos[0], "ash", in: "a")
    try box.cairn("commit", in: "a")
    let push = try box.run("cairn", ["push"], in: "a")
    #expect(push.status != 0, "\(push.all)")
    #expect(try box.git("rev-parse", "main", in: "x.git").word == before)
    try box.git("rebase", "--abort", in: "tree")
    try box.cairn("push", in: "a")
    try box.expectEqual("a", "tree", "x.git")
    try box.expectClean("tree")
    // Another branch is free.
    try box.git("checkout", "-q", "-b", "side", in: "tree")
    try box.cairn("label", photos[0], "fir", in: "a")
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "x.git")
  }

  @Test("updates the work tree that has the branch checked out under another name")
  func symbolicBranch() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 1)
    try box.git("worktree", "add", "-q", "../tree", "main", in: "x.git")
    try box.setIdentity("Cy", in: "tree")
    try box.git("symbolic-ref", "refs/heads/alias", "refs/heads/main", in: "x.git")
    try box.git("symbolic-ref", "HEAD", "refs/heads/alias", in: "tree")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "tree", "x.git")
    try box.expectClean("tree")
  }

  @Test("refuses to move a branch that is checked out where there is no dataset")
  func otherWorkTree() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 1)
    try box.git("worktree", "add", "-q", "../tree", "main", in: "x.git")
    try box.git("worktree", "add", "-q", "-f", "../tree2", "main", in: "x.git")
    // Follows the hint.
    func free(_ name: String) throws {
      let push = try box.run("cairn", ["push"], in: "a")
      #expect(push.status == ExitStatus.busy)
      #expect(push.stderr.contains("is checked out in \(box.path(name)),"), "\(push.stderr)")
      let command = try #require(push.stderr.split(separator: "`").dropFirst().first)
      try box.sh(String(command), in: "a")
    }
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    // cairn cannot update two at once.
    try free("tree")
    try box.cairn("push", in: "a")
    try box.expectEqual("a", "tree2", "x.git")
    try box.cairn("label", photos[0], "elm", in: "a")
    try box.cairn("commit", in: "a")
    try box.remove("tree2")
    try free("tree2")
    try box.cairn("push", in: "a")
    try box.expectEqual("a", "x.git")
  }

  @Test("refuses a push that is behind until the device pulls")
  func behind() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 1)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("label", photos[0], "elm", in: "b")
    try box.cairn("commit", in: "b")
    let message = try box.refuses("push", in: "b", with: ExitStatus.busy)
    #expect(message.contains("cairn sync") || message.contains("cairn pull"))
    try box.cairn("pull", in: "b")
    try box.cairn("push", in: "b")
    #expect(try box.json("verify", "--with", "origin", in: "b")["equal"].isTrue)
  }

  @Test("completes the syncs of three devices that run at the same time")
  func syncAtTheSameMoment() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 2)
    try box.cairn("clone", "x.git", "c")
    try box.setIdentity("Cy", in: "c")
    let devices = ["a", "b", "c"]
    let rounds = 3
    for round in 0..<rounds {
      for (index, device) in devices.enumerated() {
        try box.cairn("label", photos[0], "class-\(round)-\(device)", in: device)
        try box.cairn("label", photos[1], "shared-\(round)", in: device)
        if index == round % 3 { _ = try box.addPhotos(100 + round..<101 + round, to: device) }
      }
      let running = try devices.map { try box.command("cairn", ["sync"], in: $0).start() }
      for sync in running {
        let output = try sync.wait()
        #expect(output.status == 0, "\(output.stderr)")
      }
    }
    // The device that was first in the last round has not fetched from the others yet.
    for device in devices { try box.cairn("sync", in: device) }
    try box.expectEqual("a", "b", "c", "x.git")
    for device in devices {
      #expect(try box.labels(of: photos[0], in: device).count == rounds * 3)
      #expect(try box.labels(of: photos[1], in: device).count == rounds * 3)
      #expect(try box.listed(in: device).count == 2 + rounds)
      try box.expectClean(device)
      try box.expectSound(device)
    }
  }

  @Test("loses no commit when two devices push at the same time")
  func pushAtTheSameMoment() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 1)
    var commits: [String] = []
    for round in 0..<3 {
      for device in ["a", "b"] {
        try box.cairn("label", photos[0], "class-\(round)", in: device)
        commits.append(try box.json("commit", in: device)["commit"].string)
      }
      let running = try ["a", "b"].map { try box.command("cairn", ["push"], in: $0).start() }
      let ends = try running.map { try $0.wait().status }
      #expect(ends.contains(0), "\(ends)")
      #expect(ends.allSatisfy { [0, ExitStatus.busy].contains($0) }, "\(ends)")
      for device in ["a", "b"] { try box.cairn("sync", in: device) }
      try box.cairn("pull", in: "a")
    }
    let history = Set(try box.git("rev-list", "main", in: "x.git").lines)
    #expect(commits.count == 6)
    #expect(history.isSuperset(of: commits))
    #expect(try box.labels(of: photos[0], in: "b").count == 6)
    try box.expectEqual("a", "b", "x.git")
    try box.git("fsck", "--strict", in: "x.git")
  }

  @Test("merges unrelated histories only with --allow-unrelated-histories")
  func startedApart() throws {
    let box = try Sandbox()
    let photos = try shared(box, photos: 1)
    let others = try box.startDataset("other", photos: 1, from: 70)
    try box.cairn("commit", in: "other")
    try box.cairn("remote", "add", "origin", "../x.git", in: "other")

    // Fetched objects may stay; the work tree and the history are unchanged.
    let before = try box.git("rev-parse", "HEAD", in: "other").word
    let pull = try box.run("cairn", ["pull"], in: "other")
    #expect(pull.status == ExitStatus.newerOrUnrelated)
    #expect(pull.stderr.contains("hint: ") && pull.stderr.contains("--allow-unrelated-histories"))
    #expect(try box.git("rev-parse", "HEAD", in: "other").word == before)
    #expect(try box.listed(in: "other") == Set(others))
    try box.expectClean("other")
    try box.refuses("push", in: "other", with: ExitStatus.busy)

    // Other <--> X --> A.
    try box.cairn("pull", "--allow-unrelated-histories", in: "other")
    try box.cairn("push", in: "other")
    try box.cairn("sync", in: "a")
    #expect(try box.listed(in: "a") == Set(photos + others))
    try box.expectEqual("a", "other", "x.git")
    try box.expectClean("a")
    try box.expectClean("other")
    try box.expectSound("other")
  }

  @Test("lets hooks refuse a push, and runs those that follow one")
  func hooks() throws {
    let box = try Sandbox()
    let photo = try shared(box, photos: 1)[0]
    func setHook(_ name: String, _ script: String) throws {
      try box.write("#!/bin/sh\n\(script)\n", to: "x.git/hooks/\(name)")
      try box.sh("chmod +x x.git/hooks/\(name)")
    }
    try setHook("pre-receive", "echo frozen until May; exit 1")
    let tip = try box.git("rev-parse", "main", in: "x.git").word
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    let refused = try box.run("cairn", ["push"], in: "a")
    #expect(refused.status == ExitStatus.permission, "\(refused.stderr)")
    #expect(refused.stderr.contains("frozen until May"))
    #expect(try box.git("rev-parse", "main", in: "x.git").word == tip)

    try box.remove("x.git/hooks/pre-receive")
    try setHook("post-receive", "cat > deployed; echo deployed")
    let pushed = try box.cairn("push", in: "a")
    #expect((pushed.stdout + pushed.stderr).contains("deployed"))
    let head = try box.git("rev-parse", "main", in: "a").word
    #expect(try box.text("x.git/deployed") == "\(tip) \(head) refs/heads/main\n")
    try box.expectEqual("a", "x.git")
    // The first push to a repository with hooks names its default branch.
    try box.git("init", "-q", "--bare", "-b", "other", "y.git")
    try box.sh("mv x.git/hooks/post-receive y.git/hooks/")
    try box.cairn("remote", "add", "y", "../y.git", in: "a")
    try box.cairn("push", "y", in: "a")
    try box.cairn("clone", "y.git", "c")
    try box.expectEqual("a", "c")
  }

  @Test("pushes to a bare repository whose configuration git has moved to config.worktree")
  func separateConfiguration() throws {
    let box = try Sandbox()
    let photo = try shared(box, photos: 1)[0]
    try box.git("config", "extensions.worktreeConfig", "true", in: "x.git")
    try box.git("config", "--unset", "core.bare", in: "x.git")
    try box.git("config", "--file", "x.git/config.worktree", "core.bare", "true")
    #expect(try box.git("rev-parse", "--is-bare-repository", in: "x.git").word == "true")
    try box.git("worktree", "add", "-q", "-b", "side", "../w", "main", in: "x.git")
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    try box.expectEqual("a", "b", "x.git")
    try box.cairn("label", photo, "oak", in: "w")
    try box.cairn("commit", in: "w")
    try box.expectClean("w")
  }
}
