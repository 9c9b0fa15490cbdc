import Foundation
import TestSupport
import Testing

@Suite("Branches and remotes that changed")
struct RemoteChoiceTests {
  private let box: Sandbox

  /// Ann's dataset a, a remote, and bob's clone b.
  init() throws {
    box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
  }

  @Test(
    "does not recreate a branch that the remote has renamed",
    arguments: ["pull", "push", "sync"])
  func renamed(verb: String) throws {
    try box.git("branch", "-m", "main", "trunk", in: "x.git")
    try box.cairn("pin", "add", "1", "2", in: "b")
    try box.cairn("commit", in: "b")
    let output = try box.run("cairn", [verb], in: "b")
    #expect(output.status == ExitStatus.notFound)
    #expect(
      output.stderr.contains("no longer has the branch main; its default branch is trunk."),
      "\(output.stderr)")
    #expect(output.stderr.contains("`git branch -m main trunk`, then `cairn sync`"))
    #expect(try box.git("branch", in: "x.git").stdout == "* trunk\n")

    try box.git("branch", "-m", "main", "trunk", in: "b")
    try box.cairn("sync", in: "b")
    try box.expectEqual("b", "x.git")
    #expect(try box.git("branch", in: "x.git").stdout == "* trunk\n")
  }

  @Test("does not recreate it after `git fetch --prune` in a clone")
  func renamedAndPruned() throws {
    try box.git("branch", "-m", "main", "trunk", in: "x.git")
    try box.git("fetch", "-q", "--prune", in: "b")
    #expect(try !box.git("branch", "-r", in: "b").stdout.contains("origin/main"))
    try box.cairn("pin", "add", "1", "2", in: "b")
    for verb in ["pull", "push", "sync"] {
      let output = try box.run("cairn", [verb], in: "b")
      #expect(output.status == ExitStatus.notFound, "\(verb): \(output.all)")
      #expect(
        output.stderr.contains("no longer has the branch main; its default branch is trunk."),
        "\(output.stderr)")
    }
    #expect(try box.git("branch", in: "x.git").stdout == "* trunk\n")
  }

  @Test("status says why the remotes are not shown, and shows the rest")
  func invalidImageURLs() throws {
    try box.write("[remote\n", to: "b/.lfsconfig")
    try box.git("add", ".lfsconfig", in: "b")
    try box.git("commit", "-qm", "broken", in: "b")
    let output = try box.run("cairn", ["status"], in: "b")
    #expect(output.status == 0, "\(output.all)")
    #expect(output.stderr.hasPrefix("cairn: The remotes are not shown. "), "\(output.stderr)")
    #expect(output.stdout.contains("origin: 1 commit to push."), "\(output.stdout)")
  }

  @Test("pushes a new branch, and everything to a remote that is empty again")
  func newBranch() throws {
    try box.git("switch", "-q", "-c", "north", in: "b")
    try box.cairn("pin", "add", "1", "2", in: "b")
    try box.cairn("sync", in: "b")
    #expect(try box.git("branch", in: "x.git").lines.count == 2)
    try box.sh("rm -r x.git; git init -q --bare x.git")
    try box.cairn("sync", in: "b")
    try box.expectEqual("b", "x.git")
  }

  @Test(
    "names the remotes when none of several is called origin", arguments: ["pull", "push", "sync"])
  func several(verb: String) throws {
    try box.git("remote", "rename", "origin", "server", in: "a")
    try box.git("remote", "add", "disk", "../y.git", in: "a")
    let message = try box.refuses(verb, in: "a", with: ExitStatus.notFound)
    #expect(message.contains("several remotes") && message.contains("disk, server"), "\(message)")
    try box.cairn("sync", "server", in: "a")
    try box.git("switch", "-q", "-c", "north", in: "a")
    let hint = try box.refuses(verb, in: "a", with: ExitStatus.notFound)
    #expect(hint.contains("`cairn config set branch.north.remote disk`"), "\(hint)")
    try box.cairn("config", "set", "branch.north.remote", "server", in: "a")
    try box.cairn("sync", in: "a")
  }

  @Test("reports the commit of a sync whose push fails")
  func failedSync() throws {
    try box.cairn("pin", "add", "1", "2", in: "a")
    try box.sh("touch x.git/refs/heads/main.lock")
    let output = try box.run("cairn", ["sync", "--json"], in: "a")
    let json = try output.json()
    let commit = try box.git("rev-parse", "HEAD", in: "a").word
    #expect(output.status != 0 && output.status == Int32(json["error"]["exitCode"].number))
    #expect(json["committed"]["commit"].string == commit)
    #expect(json["push"] == .null && json["unreachable"] == .null)
    #expect(!json["error"]["kind"].string.isEmpty)
    #expect(
      output.stderr.contains("Your changes are committed here as \(commit.prefix(10))"),
      "\(output.stderr)")
    #expect(try box.run("cairn", ["sync"], in: "a").status == output.status)
  }

  @Test("clones the only branch, and names several if HEAD names none of them")
  func cloneWithoutHead() throws {
    try box.git("init", "-q", "--bare", "-b", "nobody", "y.git")
    try box.git("push", "-q", "../y.git", "main:trunk", in: "a")
    try box.cairn("clone", "y.git", "c")
    #expect(try box.git("branch", "--show-current", in: "c").word == "trunk")
    try box.git("push", "-q", "../y.git", "main:other", in: "a")
    let message = try box.refuses("clone", "y.git", "d", with: ExitStatus.notFound)
    #expect(message.contains("no default branch. Its branches: other, trunk"), "\(message)")
    #expect(message.contains("git clone --branch other"), "\(message)")
  }

  @Test("copies the packs of a directory that are symbolic links")
  func linkedPacks() throws {
    try box.git("clone", "-q", "--bare", "a", "y.git")
    try box.sh(
      """
      git repack -a -d -q && mv objects/pack store && mkdir objects/pack
      for file in store/*; do ln -s ../../$file objects/pack; done
      """, in: "y.git")
    try box.cairn("clone", "y.git", "c", "--no-images")
    try box.remove("y.git")
    #expect(try box.listed(in: "c").count == 1)
    try box.git("fsck", "--strict", in: "c")
  }

  @Test("syncs with all remotes and lists how far they are")
  func all() throws {
    try box.cairn("remote", "add", "usb", "../y.git", "--create", in: "a")
    try box.cairn("remote", "images", "usb", "none", in: "a")
    #expect(
      try box.cairn("remote", "list", in: "a").stdout.contains("not exchanged yet, no images"))
    try box.cairn("pin", "add", "1", "2", in: "a")
    let json = try box.json("sync", "--all", in: "a")
    #expect(json.strings("remote") == ["origin", "usb"])
    try box.expectEqual("a", "x.git", "y.git")

    // What the second remote brings reaches the first one, too.
    try box.cairn("clone", "y.git", "c")
    try box.cairn("pin", "add", "3", "4", in: "c")
    try box.cairn("sync", in: "c")
    try box.cairn("sync", "--all", in: "a")
    try box.expectEqual("a", "x.git", "y.git")
    try box.cairn("pin", "add", "5", "6", in: "a")
    try box.cairn("commit", in: "a")
    let states = try box.json("remote", "list", in: "a").elements
    #expect(states.map { $0["ahead"].number } == [1, 1])
    #expect(states.map { $0["images"] } == [.null, .string("none")])

    let status = try box.json("status", in: "a")
    #expect(status["remotes"].strings("name") == ["origin", "usb"])
    #expect(status["remotes"].elements.map { $0["ahead"].number } == [1, 1])
    #expect(status["remote"].string == "origin" && status["ahead"].number == 1)
    try box.cairn("remote", "add", "web", "https://example.org/walk.git", in: "a")
    let lines = try box.cairn("status", in: "a").stdout
    for line in [
      "origin: 1 commit to push.\n", "usb: 1 commit to push.\n",
      "web: the branch main was not exchanged yet.\n",
    ] {
      #expect(lines.contains(line), "\(lines)")
    }
    let list = try box.cairn("remote", "list", in: "a").stdout
    #expect(list.contains("images at https://example.org/walk.git/info/lfs"), "\(list)")
    try box.cairn("remote", "remove", "web", in: "a")

    // One that is not there keeps nothing from the others.
    try box.sh("mv x.git moved.git")
    try box.cairn("pin", "add", "7", "8", in: "a")
    let offline = try box.run("cairn", ["sync", "origin"], in: "a")
    let commit = try box.git("rev-parse", "HEAD", in: "a").word
    #expect(offline.status == ExitStatus.offline, "\(offline.all)")
    #expect(
      offline.stderr.contains(
        "Your changes are committed here as \(commit.prefix(10)); the next `cairn sync`"),
      "\(offline.stderr)")
    let output = try box.run("cairn", ["sync", "--all", "--json"], in: "a")
    #expect(output.status == ExitStatus.offline)
    let failed = try output.json().elements
    #expect(failed.map { $0["error"]["kind"].string } == ["offline", ""])
    try box.expectEqual("a", "y.git")
    let both = try box.run("cairn", ["sync", "origin", "--all"], in: "a")
    #expect(both.status == ExitStatus.usage)
  }
}
