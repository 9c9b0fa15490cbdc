import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "Image URLs of copies with other names for their remotes",
  .enabled(if: SSHServer.isInstalled, SSHServer.missing))
struct ImageURLTests {
  @Test("belongs to the repository, whatever a copy calls it")
  func otherNames() throws {
    let served = try Served(.ssh, name: "team/walk.git")
    let box = served.box
    let server = try #require(served.ssh)
    _ = try box.newRepository("team/other.git", bare: true)
    let shelf = box.root.appending("shelf").string
    _ = try box.run("mkdir", [shelf])
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", served.publicAddress, in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("remote", "images", "origin", shelf, in: "a")
    try box.cairn("sync", in: "a")

    // B calls the repository “cloud”, and another one “origin”.
    try box.cairn("clone", "--origin", "cloud", served.publicAddress, "b")
    try box.cairn("remote", "add", "origin", server.url("team/other.git"), in: "b")
    #expect(try box.cairn("remote", "images", "cloud", in: "b").stdout.contains(shelf))
    #expect(try box.cairn("remote", "images", "origin", in: "b").stdout.contains("by the remote"))
    let name = NSUserName()
    let same = served.publicAddress.replacing("\(name)@", with: "").replacing(".git", with: "")
    try box.cairn("remote", "set-url", "origin", same, in: "b")
    #expect(try box.cairn("remote", "images", "origin", in: "b").stdout.contains(shelf))
    // git-lfs finds it where it looks for it.
    #expect(try box.text("a/.lfsconfig").contains("[remote \"origin\"]"))

    try box.cairn("remote", "images", "cloud", "default", in: "b")
    #expect(try box.cairn("remote", "images", "origin", in: "b").stdout.contains(shelf) == false)
  }

  @Test("renames a remote with its branches and settings")
  func rename() throws {
    let served = try Served(.ssh, name: "team/walk.git")
    let box = served.box
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", served.publicAddress, in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", served.publicAddress, "b")
    try box.cairn("remote", "rename", "origin", "server", in: "b")
    #expect(try box.git("remote", in: "b").word == "server")
    #expect(try box.git("config", "branch.main.remote", in: "b").word == "server")
    #expect(try box.git("branch", "-r", in: "b").word == "server/main")
    try box.git("fetch", "-q", in: "b")
    try box.cairn("pin", "add", "1", "2", in: "b")
    try box.cairn("sync", in: "b")
    for (arguments, code) in [
      (["rename", "nowhere", "x"], 66), (["rename", "server", "a b"], 65),
      (["set-url", "nowhere", "x"], 66), (["set-url", "server", "git://x/y"], 65),
    ] as [([String], Int32)] {
      #expect(try box.runCairn(["remote"] + arguments, in: "b").status == code, "\(arguments)")
    }
  }
}
