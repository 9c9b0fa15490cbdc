// Images that a copy drops, and the checks of what a remote has of them.

import Foundation
import TestSupport
import Testing

extension ImageExchangeTests {
  @Test("drops no image unless another copy has it intact")
  func dropsNothing() throws {
    let served = try served(.directory)
    let box = served.box
    let path = try addPhoto(1, to: "a", box)
    try box.cairn("sync", in: "a")
    try box.git("config", "remote.origin.lfsurl", "\(box.root)/a", in: "a")
    let output = try box.runCairn(["images", "drop", "--all"], in: "a")
    #expect(output.status == 65 && output.stderr.contains("nothing was dropped"), "\(output.all)")
    // Nor from a store that is this copy's own by another path.
    try box.sh(
      "mkdir store && mv a/.git/lfs/objects store && ln -s ../../../store/objects a/.git/lfs")
    try box.git("config", "remote.origin.lfsurl", "\(box.root)/store", in: "a")
    let linked = try box.runCairn(["images", "drop", "--all"], in: "a")
    #expect(linked.status == 65 && linked.stderr.contains("nothing was dropped"), "\(linked.all)")
    // Nor an image of which the remote has a damaged copy.
    try box.git("config", "--unset", "remote.origin.lfsurl", in: "a")
    let id = path.split(separator: "/").last!.prefix(64)
    let kept = "\(served.name)/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    let size = PNG.bytes(1).count
    _ = try box.run("sh", ["-c", "chmod u+w \(kept) && head -c \(size) /dev/zero > \(kept)"])
    #expect(try box.cairn("images", "drop", "--all", in: "a").stdout.contains("1 image kept"))
    #expect(bytes("a/\(path)", box) == PNG.bytes(1))
  }

  @Test(
    "drops no image from a store that is also this copy's own, seen over sftp",
    .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func dropsNothingOverSFTP() throws {
    let served = try served(.ssh, hasLFS: false)
    let box = served.box
    let path = try addPhoto(1, to: "a", box)
    try box.cairn("sync", in: "a")
    try box.git("config", "lfs.storage", "\(box.root)/\(served.name)/lfs", in: "a")
    let output = try box.runCairn(["images", "drop", "--all"], in: "a")
    #expect(output.status == 65 && output.stderr.contains("nothing was dropped"), "\(output.all)")
    let id = path.split(separator: "/").last!.prefix(64)
    let objects = "\(served.name)/lfs/objects"
    let kept = "\(objects)/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    #expect(bytes(kept, box) == PNG.bytes(1))
    let files = try box.sh("find '\(objects)' -type f").stdout.split(separator: "\n")
    #expect(files.count == 1, "\(files)")
  }

  @Test(
    "verifies the images of a backup, repairs them, and drops only what is intact there",
    arguments: RemoteKind.available.filter { $0 != .https })
  func backup(_ kind: RemoteKind) throws {
    let served = try served(kind, hasLFS: false)
    let box = served.box
    let paths = try [1, 2].map { try addPhoto($0, to: "a", box) }
    try box.cairn("sync", in: "a")
    func verify(_ option: String) throws -> (status: Int32, all: String) {
      let output = try box.runCairn(["verify", "--with", "origin", option], in: "a")
      return (output.status, output.all)
    }
    #expect(try verify("--with-images").all.contains("2 images, all on origin."))
    #expect(try verify("--content").all.contains("2 images on origin, all intact."))
    // A disk that lost the contents of a file: its size is as before.
    let id = paths[0].split(separator: "/").last!.prefix(64)
    let kept = "\(served.name)/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    let size = PNG.bytes(1).count
    _ = try box.run("sh", ["-c", "chmod u+w \(kept) && head -c \(size) /dev/zero > \(kept)"])
    #expect(try verify("--with-images").status == 0)
    let found = try verify("--content")
    #expect(found.status == 1 && found.all.contains("\(id): its image on origin is damaged"))
    let pull = try box.runCairn(["pull"], in: "b")
    #expect(pull.status == 65 && pull.stderr.contains("is damaged"), "\(pull.all)")
    #expect(pull.stderr.contains("`cairn images push --repair`"), "\(pull.all)")
    let dropped = try box.cairn("images", "drop", "--all", in: "a").stdout
    #expect(dropped.contains("1 image dropped") && dropped.contains("1 image kept, damaged"))
    #expect(bytes("a/\(paths[0])", box) == PNG.bytes(1))

    try box.cairn("images", "push", "--repair", in: "a")
    #expect(try verify("--content").status == 0)
    #expect(try box.cairn("images", "drop", "--all", in: "a").stdout.contains("1 image dropped"))
    _ = try box.run("rm", [kept])
    let lost = try verify("--with-images")
    #expect(lost.status == 1 && lost.all.contains("\(id): its image on origin is missing"))
  }

  @Test("drops an image that has only the right size on the remote if that is to be trusted")
  func trustsSize() throws {
    let served = try served(.directory)
    let box = served.box
    let paths = try [1, 2].map { try addPhoto($0, to: "a", box) }
    try box.cairn("sync", in: "a")
    // The first is damaged, the second is truncated.
    for (path, size) in zip(paths, [PNG.bytes(1).count, 10]) {
      let id = path.split(separator: "/").last!.prefix(64)
      let kept = "\(served.name)/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
      try box.sh("chmod u+w '\(kept)' && head -c \(size) /dev/zero > '\(kept)'")
    }
    let careful = try box.cairn("images", "drop", "--all", in: "a").stdout
    #expect(careful.contains("1 image kept, damaged on the remote"), "\(careful)")
    #expect(careful.contains("1 image kept, not on the remote"), "\(careful)")
    let trusting = try box.cairn("images", "drop", "--all", "--trust-size", in: "a").stdout
    #expect(
      trusting.contains("1 image dropped") && trusting.contains("1 image kept"), "\(trusting)")
    #expect(bytes("a/\(paths[1])", box) == PNG.bytes(2))
  }

  @Test("fetches and drops images on request in a copy made without images")
  func lazily() throws {
    let served = try served(.directory)
    let box = served.box
    let path = try addPhoto(1, to: "a", box)
    let other = try addPhoto(2, to: "a", box)
    try box.cairn("sync", in: "a")
    try box.cairn("clone", served.publicAddress, "lazy", "--no-images")
    try box.cairn("pull", in: "lazy")
    #expect(try box.text("lazy/\(path)").hasPrefix("version https://git-lfs"))
    #expect(try box.cairn("images", "status", in: "lazy").stdout.contains("2 elsewhere"))

    let id = String(path.split(separator: "/").last!.prefix(64))
    try box.cairn("images", "fetch", id, in: "lazy")
    #expect(bytes("lazy/\(path)", box) == PNG.bytes(1))
    #expect(try box.text("lazy/\(other)").hasPrefix("version https://git-lfs"))
    try box.cairn("pull", "--images", "all", in: "lazy")
    #expect(bytes("lazy/\(other)", box) == PNG.bytes(2))
    #expect(try box.git("status", "--porcelain", in: "lazy").stdout == "")

    // An image that only this copy has is not dropped.
    let mine = try addPhoto(3, to: "lazy", box)
    try box.cairn("commit", in: "lazy")
    let output = try box.cairn("images", "drop", "--all", in: "lazy").stdout
    #expect(output.contains("2 images dropped") && output.contains("1 image kept"))
    #expect(bytes("lazy/\(mine)", box) == PNG.bytes(3))
    #expect(try box.text("lazy/\(path)").hasPrefix("version https://git-lfs"))
    #expect(try box.git("status", "--porcelain", in: "lazy").stdout == "")
    try box.git("lfs", "fsck", "--pointers", in: "lazy")

    // In a copy that fetches images, a dropped image also stays away until it is requested.
    try box.cairn("images", "drop", "--all", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("images", "drop", "--all", in: "b")
    try box.cairn("pull", in: "b")
    #expect(try box.text("b/\(path)").hasPrefix("version https://git-lfs"))
    try box.cairn("images", "fetch", in: "b")
    #expect(bytes("b/\(path)", box) == PNG.bytes(1))
    #expect(try box.git("status", "--porcelain", in: "b").stdout == "")
  }
}
