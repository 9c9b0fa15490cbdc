import Foundation
import SystemPackage
import TestSupport
import Testing

/// Remotes that lack part of the history, such as a bare repository made by `git clone --depth`.
@Suite("Shallow remotes", .serialized)
struct ShallowRemoteTests {
  /// Creates a dataset `a` with three pins, and its clone `b`, whose remote then keeps the last commit
  /// only.
  private func shallow(_ kind: RemoteKind) throws -> Served {
    let served = try Served(kind)
    try served.addDevices()
    try addPins(served.box)
    try served.box.cairn("sync", in: "b")
    try makeShallow(served)
    return served
  }

  private func addPins(_ box: Sandbox) throws {
    for pin in 1...3 {
      try box.cairn("pin", "add", "\(pin)", "2", "--name", "pin \(pin)", in: "a")
      try box.cairn("commit", in: "a")
    }
    try box.cairn("sync", in: "a")
  }

  /// Makes the remote keep the last commit only.
  private func makeShallow(_ served: Served) throws {
    let box = served.box
    let remote = box.root.appending(served.name).string
    try box.git("clone", "-q", "--bare", "--depth", "1", "file://\(remote)", "shallow.git")
    let files = FileManager.default
    for name in ["objects", "shallow", "packed-refs", "refs"] {
      let (old, new) = (box.url("\(served.name)/\(name)"), box.url("shallow.git/\(name)"))
      if files.fileExists(atPath: old.path) { try files.removeItem(at: old) }
      if files.fileExists(atPath: new.path) { try files.moveItem(at: new, to: old) }
    }
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

    for device in ["a", "c", "d"] {
      try box.cairn("pin", "add", "5", "6", "--name", device, in: device)
    }
    for device in ["c", "a", "d", "c", "a"] { try box.cairn("sync", in: device) }
    let directories = ["a", "c", "d", served.name]
    let trees = try directories.map { try box.git("rev-parse", "main^{tree}", in: $0).word }
    #expect(Set(trees).count == 1)
    let pins = try box.cairn("pin", "list", in: "c").stdout
    #expect(["pin 1", "a", "c", "d"].allSatisfy { pins.contains($0) }, "\(pins)")
    for directory in ["a", "c", "d"] {
      #expect(try box.git("status", "--porcelain", in: directory).stdout == "")
      try box.git("fsck", "--strict", "--no-dangling", in: directory)
    }
    try box.git("fsck", "--strict", "--no-dangling", in: served.name)
    try box.cairn("verify", in: "c")
    try box.cairn("gc", in: "c")
    try box.git("gc", "-q", in: "c")
    try box.cairn("log", in: "c")
  }

  @Test(
    "merges work from before the remote's history begins, with complete remotes, too",
    arguments: RemoteKind.available)
  func older(kind: RemoteKind) throws {
    let served = try Served(kind)
    try served.addDevices()
    let box = served.box
    // B was offline since before the first commit that the remote keeps.
    try box.cairn("pin", "add", "8", "2", "--name", "older", in: "b")
    try box.cairn("commit", in: "b")
    try addPins(box)
    try makeShallow(served)
    try box.cairn("clone", served.publicAddress, "c")
    try box.git("clone", "-q", "--bare", "a", "whole.git")
    try box.git("config", "http.receivepack", "true", in: "whole.git")
    let whole = box.root.appending("whole.git").string
    try box.cairn("remote", "add", "whole", whole, in: "b")
    try box.cairn("sync", "whole", in: "b")

    // The remote gets the earlier commits that it needs now.
    try box.cairn("sync", "origin", in: "b")
    try box.git("fsck", "--strict", "--no-dangling", in: served.name)
    try box.git("fsck", "--strict", "--no-dangling", in: "b")
    try box.cairn("sync", in: "c")
    try box.git("fsck", "--strict", "--no-dangling", in: "c")
    #expect(try box.cairn("pin", "list", in: "c").stdout.contains("older"))

    // A complete remote completes the copy.
    let address = publicAddress(of: "whole.git", served)
    try box.cairn("remote", "add", "whole", address, in: "c")
    try box.cairn("pull", "whole", in: "c")
    #expect(try commits("c", box) > commits(served.name, box))
    #expect(!FileManager.default.fileExists(atPath: box.url("c/.git/shallow").path))
    try box.git("fsck", "--strict", "--no-dangling", in: "c")
    try box.cairn("sync", "whole", in: "c")
    try box.git("fsck", "--strict", "--no-dangling", in: "whole.git")
  }

  @Test("pulls into a clone that git made of one, once it is known where the remote's history ends")
  func clonedByGit() throws {
    let served = try shallow(.directory)
    let box = served.box
    let remote = "file://" + box.root.appending(served.name).string
    try box.git("clone", "-q", "--depth", "1", remote, "c")
    #expect(try box.runCairn(["log"], in: "c").status == 69)
    try box.cairn("pin", "add", "7", "2", in: "c")
    try box.cairn("sync", in: "c")
    try box.cairn("log", in: "c")
    try box.git("fsck", "--strict", "--no-dangling", in: "c")
  }

  @Test("completes nothing from a remote that is behind, and keeps what it knows")
  func behind() throws {
    let served = try Served(.directory)
    try served.addDevices()
    let box = served.box
    try box.git("clone", "-q", "--bare", "a", "backup.git")
    try addPins(box)
    try makeShallow(served)
    try box.cairn("clone", served.publicAddress, "c")
    try box.cairn("remote", "add", "backup", box.root.appending("backup.git").string, in: "c")
    let pull = try box.runCairn(["pull", "backup"], in: "c")
    #expect(pull.status == 69 && pull.stderr.contains("does not have it, either"), "\(pull.all)")
    try box.cairn("pin", "add", "7", "2", in: "c")
    try box.cairn("sync", in: "c")
    try box.cairn("log", in: "c")
  }

  private func publicAddress(of name: String, _ served: Served) -> String {
    switch served.kind {
    case .directory: served.box.root.appending(name).string
    case .ssh: served.ssh!.url(name)
    case .https: served.web!.url(name)
    }
  }

  @Test("pushes a new branch to the remote that was cloned", arguments: RemoteKind.available)
  func branch(kind: RemoteKind) throws {
    let served = try shallow(kind)
    let box = served.box
    try box.cairn("clone", served.publicAddress, "c")
    try box.git("switch", "-q", "-c", "topic", in: "c")
    try box.cairn("pin", "add", "7", "2", in: "c")
    try box.cairn("commit", in: "c")
    // Others move the branch from which this one starts.
    try box.cairn("pin", "add", "8", "2", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("push", in: "c")
    let tips = try ["c", served.name].map { try box.git("rev-parse", "topic", in: $0).word }
    #expect(tips[0] == tips[1])
    try box.git("fsck", "--strict", "--no-dangling", in: served.name)
  }

  @Test("erases nothing that the first commit of its history has")
  func erasure() throws {
    let served = try Served(.directory)
    try served.addDevices()
    let box = served.box
    try box.addOnePhoto()
    let file = try box.git("ls-files", "--others", "photos", in: "a").lines[0]
    let photo = String(file.split(separator: "/").last!.dropLast(5))
    try box.cairn("photo", "edit", photo, "--title", "Mill", in: "a")
    try box.cairn("sync", in: "a")
    try makeShallow(served)
    try box.cairn("clone", served.publicAddress, "c")
    let before = try box.git("rev-parse", "main", in: "c").word
    for options in [["-n"], ["--yes"]] {
      let erased = try box.runCairn(
        ["photo", "erase", photo, "--metadata", "--reason", "asked"] + options, in: "c")
      #expect(erased.status == 76, "\(erased.all)")
      #expect(erased.stderr.contains("with which the history here begins"), "\(erased.all)")
    }
    #expect(try box.git("rev-parse", "main", in: "c").word == before)
    try box.cairn("pin", "add", "7", "2", in: "c")
    try box.cairn("sync", in: "c")

    // Another copy erases it.
    try box.cairn("sync", in: "a")
    try box.cairn("photo", "erase", photo, "--metadata", "--reason", "asked", "--yes", in: "a")
    try box.cairn("sync", in: "a")
    let pull = try box.runCairn(["pull"], in: "c")
    #expect(pull.status == 76, "\(pull.all)")
    #expect(pull.stderr.contains("lone a complete copy"), "\(pull.all)")
    try box.cairn("pin", "add", "7", "3", in: "c")
    try box.cairn("commit", in: "c")
  }

  @Test("gets the rest once the remote has it", arguments: RemoteKind.available)
  func completes(kind: RemoteKind) throws {
    let served = try shallow(kind)
    let box = served.box
    try box.cairn("clone", served.publicAddress, "c")
    let whole = "file://" + box.root.appending("a").string
    try box.git("fetch", "-q", "--unshallow", whole, "main", in: served.name)
    try box.cairn("pull", in: "c")
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
    #expect(push.status == 76, "\(push.all)")
    #expect(push.stderr.contains("with which the history here begins"), "\(push.all)")
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
