import Foundation
import SystemPackage
import TestSupport
import Testing

/// Remotes that lack part of the history, such as a bare repository made by `git clone --depth`.
@Suite("Shallow remotes", .serialized)
struct ShallowRemoteTests {
  /// Creates a dataset `a` with four pins, and its clone `b`, whose remote then keeps the last commit
  /// only.
  private func shallow(_ kind: RemoteKind) throws -> Served {
    let served = try Served(kind)
    try served.addDevices()
    let box = served.box
    for pin in 1...4 {
      try box.cairn("pin", "add", "\(pin)", "2", "--name", "pin \(pin)", in: "a")
      try box.cairn("sync", in: "a")
    }
    try box.cairn("sync", in: "b")
    let remote = box.root.appending(served.name).string
    try box.git("clone", "-q", "--bare", "--depth", "1", "file://\(remote)", "shallow.git")
    for name in ["objects", "shallow", "packed-refs"] {
      let (old, new) = (box.url("\(served.name)/\(name)"), box.url("shallow.git/\(name)"))
      if FileManager.default.fileExists(atPath: old.path) {
        try FileManager.default.removeItem(at: old)
      }
      try FileManager.default.moveItem(at: new, to: old)
    }
    try? FileManager.default.removeItem(at: box.url("\(served.name)/refs/heads"))
    try FileManager.default.createDirectory(
      at: box.url("\(served.name)/refs/heads"), withIntermediateDirectories: true)
    return served
  }

  private func commits(_ directory: String, _ box: Sandbox) throws -> Int {
    try #require(Int(box.git("rev-list", "--count", "HEAD", in: directory).word))
  }

  @Test("clones one, and syncs with it and with complete copies", arguments: RemoteKind.available)
  func exchange(kind: RemoteKind) throws {
    let served = try shallow(kind)
    let box = served.box
    #expect(try commits(served.name, box) == 1)
    let clone = try box.cairn("clone", served.publicAddress, "c")
    #expect(clone.stderr.contains("the remote is a shallow clone"), "\(clone.stderr)")
    try box.cairn("clone", served.publicAddress, "d")
    #expect(try commits("c", box) == 1)
    #expect(try box.cairn("log", in: "c").stderr == "")

    for (round, order) in [["c", "a", "d", "c"], ["d", "c", "b", "d"]].enumerated() {
      for device in ["a", "b", "c", "d"] {
        try box.cairn("pin", "add", "5", "\(round)", "--name", "\(device)\(round)", in: device)
      }
      for device in order + ["a", "b", "c", "d"] + ["a", "b", "c"] {
        try box.cairn("sync", in: device)
      }
      let directories = ["a", "b", "c", "d", served.name]
      let trees = try directories.map { try box.git("rev-parse", "main^{tree}", in: $0).word }
      #expect(Set(trees).count == 1)
    }
    let pins = try box.cairn("pin", "list", in: "c").stdout
    #expect(["pin 1", "a0", "b1", "c0", "d1"].allSatisfy { pins.contains($0) }, "\(pins)")
    for directory in ["a", "b", "c", "d"] {
      #expect(try box.git("status", "--porcelain", in: directory).stdout == "")
      try box.git("fsck", "--strict", "--no-dangling", in: directory)
    }
    try box.git("fsck", "--strict", "--no-dangling", in: served.name)
    try box.cairn("verify", in: "c")
    try box.cairn("gc", in: "c")
    try box.git("gc", "-q", in: "c")
    try box.cairn("log", in: "c")
  }

  @Test("gets the rest once the remote has it", arguments: RemoteKind.available)
  func completes(kind: RemoteKind) throws {
    let served = try shallow(kind)
    let box = served.box
    try box.cairn("clone", served.publicAddress, "c")
    let whole = "file://" + box.root.appending("a").string
    try box.git("fetch", "-q", "--unshallow", whole, "main", in: served.name)
    try box.git("fetch", "-q", "--unshallow", "origin", in: "c")
    try box.cairn("pin", "add", "7", "2", in: "c")
    try box.cairn("sync", in: "c")
    try box.cairn("sync", in: "a")
    #expect(try commits("c", box) == commits("a", box))
    try box.git("fsck", "--strict", "--no-dangling", in: "c")
  }

  @Test("sends no incomplete history to another remote, and takes none from one")
  func incomplete() throws {
    let served = try shallow(.directory)
    let box = served.box
    try box.cairn("clone", served.publicAddress, "c")
    try box.cairn("remote", "add", "other", "../other.git", "--create", in: "c")
    let push = try box.runCairn(["push", "other"], in: "c")
    #expect(push.status == 69, "\(push.all)")
    #expect(push.stderr.contains("The history here begins with"), "\(push.all)")
    #expect(try box.git("for-each-ref", in: "other.git").stdout == "")

    try box.cairn("init", "e")
    try box.cairn("pin", "add", "1", "2", in: "e")
    try box.cairn("commit", in: "e")
    try box.cairn("remote", "add", "origin", served.publicAddress, in: "e")
    let pull = try box.runCairn(["pull", "--allow-unrelated-histories"], in: "e")
    #expect(pull.status == 69, "\(pull.all)")
    #expect(pull.stderr.contains("is a shallow clone"), "\(pull.all)")
    try box.git("fsck", "--strict", "--no-dangling", in: "e")
  }
}
