import Foundation
import TestSupport
import Testing

@Suite("Image filter without git-lfs")
struct ImageFilterTests {
  private func start(_ box: Sandbox, photos: Int) throws -> [String] {
    let ids = try box.startDataset(photos: photos)
    try box.cairn("commit", in: "a")
    return ids
  }

  @Test("restores deleted and overwritten images with git checkout")
  func checkout() throws {
    let box = try Sandbox(lfs: false)
    let photos = try start(box, photos: 3)
    #expect(try box.run("git", ["lfs", "version"]).status != 0)
    try box.remove("a/\(Sandbox.imagePath(photos[0]))")
    try box.sh("chmod u+w a/\(Sandbox.imagePath(photos[1]))")
    try box.remove("a/\(Sandbox.imagePath(photos[1]))")
    try box.write(PNG.bytes(seed: 99), to: "a/\(Sandbox.imagePath(photos[1]))")
    let status = try box.git("status", "--porcelain", in: "a").lines.sorted()
    #expect(
      status
        == [" D \(Sandbox.imagePath(photos[0]))", " M \(Sandbox.imagePath(photos[1]))"].sorted())

    try box.git("checkout", "--", "images", in: "a")
    for (seed, id) in photos.enumerated() {
      #expect(try box.read("a/\(Sandbox.imagePath(id))") == PNG.bytes(seed: seed))
    }
    try box.expectClean("a")
    try box.expectSound("a", lfs: false)
  }

  @Test(
    "stores an image and commits a pointer with git add, at any size", arguments: [8, 300])
  func add(side: Int) throws {
    let box = try Sandbox(lfs: false)
    _ = try start(box, photos: 1)
    let image = PNG.bytes(seed: 7, width: side, height: side)
    try box.write(image, to: "a/images/new.png")
    try box.write("", to: "a/images/empty.png")
    try box.write("not much", to: "a/images/small.png")
    try box.git("add", "images", in: "a")

    let pointer = try box.git("show", ":images/new.png", in: "a").stdout
    let lines = pointer.split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    #expect(lines[0] == "version https://git-lfs.github.com/spec/v1")
    #expect(lines[2] == "size \(image.count)")
    let hash = try box.run("sha256sum", ["a/images/new.png"]).word
    #expect(lines[1] == "oid sha256:\(hash)")
    let stored = "a/.git/lfs/objects/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))/\(hash)"
    #expect(try box.read(stored) == image)
    #expect(try box.git("show", ":images/empty.png", in: "a").bytes.isEmpty)
    #expect(try box.git("show", ":images/small.png", in: "a").stdout.contains("size 8\n"))

    try box.sh("rm images/*.png; git checkout -- images", in: "a")
    #expect(try box.read("a/images/new.png") == image)
    #expect(try box.text("a/images/small.png") == "not much")
  }

  @Test("makes the same pointers as git-lfs", .enabled(if: Programs.hasLFS))
  func samePointers() throws {
    let box = try Sandbox(lfs: true)
    _ = try box.startDataset(photos: 1)
    let image = PNG.bytes(seed: 5, width: 300, height: 300)
    for bytes in [image, Data(), Data("short".utf8), Data(image.prefix(1024))] {
      let theirs = try box.run("git", ["lfs", "clean"], in: "a", stdin: bytes)
      let ours = try box.run("cairn", ["lfs", "clean"], in: "a", stdin: bytes)
      #expect(theirs.status == 0 && ours.status == 0, "\(ours.stderr)")
      #expect(ours.bytes == theirs.bytes)
      let back = try box.run("cairn", ["lfs", "smudge"], in: "a", stdin: theirs.bytes)
      #expect(back.bytes == bytes)
      // Cleaning a pointer does not change it.
      let again = try box.run("cairn", ["lfs", "clean"], in: "a", stdin: theirs.bytes)
      #expect(again.bytes == theirs.bytes)
    }
    // Smudging bytes that are not a pointer does not change them.
    let plain = try box.run("cairn", ["lfs", "smudge"], in: "a", stdin: image)
    #expect(plain.bytes == image)
  }

  @Test("checks out the images in a clone by git where it finds them, and pointers otherwise")
  func cloneByGit() throws {
    let box = try Sandbox(lfs: false)
    let photos = try start(box, photos: 3)
    let filter = [
      "-c", "filter.lfs.clean=cairn lfs clean -- %f",
      "-c", "filter.lfs.smudge=cairn lfs smudge -- %f",
      "-c", "filter.lfs.process=cairn lfs filter-process", "-c", "filter.lfs.required=true",
    ]
    let storage = ["-c", "lfs.storage=\(box.url("a/.git/lfs").path)"]
    for (name, options) in [("with", filter + storage), ("without", filter)] {
      let clone = try box.run("git", ["clone", "--quiet"] + options + ["a", name])
      #expect(clone.status == 0, "\(clone.stderr)")
      try box.expectClean(name)
    }
    for (seed, id) in photos.enumerated() {
      #expect(try box.read("with/\(Sandbox.imagePath(id))") == PNG.bytes(seed: seed))
      #expect(try box.text("without/\(Sandbox.imagePath(id))").contains("oid sha256:\(id)\n"))
    }

    // Overwrite one of them with another image, and reset.
    let path = Sandbox.imagePath(photos[2])
    try box.write(PNG.bytes(seed: 50), to: "with/\(path)")
    #expect(try box.git("status", "--porcelain", in: "with").stdout == " M \(path)\n")
    try box.git("add", path, in: "with")
    #expect(try box.git("status", "--porcelain", in: "with").stdout == "M  \(path)\n")
    try box.git("reset", "--quiet", "--hard", in: "with")
    #expect(try box.read("with/\(path)") == PNG.bytes(seed: 2))
    try box.expectClean("with")
  }

  @Test("reports an image that was changed in the work tree and does not commit it")
  func changedImage() throws {
    let box = try Sandbox(lfs: false)
    let photos = try start(box, photos: 2)
    let path = Sandbox.imagePath(photos[0])
    try box.remove("a/\(path)")
    try box.write(PNG.bytes(seed: 50), to: "a/\(path)")
    #expect(try box.json("status", in: "a")["problems"].strings("path") == [path])
    let commit = try box.run("cairn", ["commit"], in: "a")
    #expect(commit.status == ExitStatus.found)
    #expect(commit.stdout.contains(path))
    #expect(try box.run("cairn", ["verify"], in: "a").status == ExitStatus.found)
    #expect(try box.git("show", "HEAD:\(path)", in: "a").stdout.contains(photos[0]))
  }

  @Test("finds a corrupted stored image with verify")
  func rot() throws {
    let box = try Sandbox(lfs: false)
    let id = try start(box, photos: 1)[0]
    let stored = "a/.git/lfs/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
    var bytes = try box.read(stored)
    bytes[bytes.count / 2] ^= 1
    try box.remove(stored)
    try box.write(bytes, to: stored)
    let verify = try box.run("cairn", ["verify", "--json"], in: "a")
    #expect(verify.status == ExitStatus.found)
    #expect(try verify.json()["findings"].strings("path") == [Sandbox.imagePath(id)])
  }
}
