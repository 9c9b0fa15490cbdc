import Foundation
import TestSupport
import Testing

@Suite("Invalid images, full and read-only disks")
struct BadImageTests {
  @Test("reports each invalid file in one sentence and leaves nothing of it behind")
  func badFiles() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.write("just text", to: "bad/text.jpg")
    try box.write("", to: "bad/empty.png")
    try box.write(PNG.bytes(seed: 1).dropLast(12), to: "bad/short.png")
    try box.write(PNG.bytes(seed: 1).prefix(20), to: "bad/shorter.png")
    var flipped = PNG.bytes(seed: 1)
    flipped[50] ^= 0xFF
    try box.write(flipped, to: "bad/flipped.png")
    try box.write("%PDF-1.7\n", to: "bad/paper.png")
    try box.sh("ln -s nowhere dangling.png; mkdir folder.png; mkfifo pipe.png", in: "bad")

    let before = try box.listing()
    for name in ["text.jpg", "empty.png", "short.png", "shorter.png", "flipped.png", "paper.png"] {
      let output = try box.run("cairn", ["photo", "add", "../bad/\(name)", "--json"], in: "a")
      #expect(output.status == ExitStatus.badData, "\(name)")
      let photo = try #require(try output.json().elements.first)
      #expect(photo["status"].string == "failed")
      #expect(
        photo["note"].string.contains(name) && photo["note"].string.hasSuffix("."), "\(photo)")
    }
    for name in ["dangling.png", "nothing.png", "pipe.png"] {
      // cairn must not wait for a pipe that nobody writes to.
      let output = try box.run(
        "timeout", ["-s", "KILL", "5", "cairn", "photo", "add", "../bad/\(name)"], in: "a")
      #expect(output.status != 137 && output.status != -9, "\(name) took too long")
      #expect(output.status != 0, "\(name)")
      #expect((output.stdout + output.stderr).contains(name))
    }
    #expect(try box.listing().differences(from: before).isEmpty)
    // All of them at once, with one good image among them.
    try box.write(PNG.bytes(seed: 2), to: "bad/good.PNG")
    let all = try box.run("cairn", ["photo", "add", "../bad"], in: "a")
    #expect(all.status == ExitStatus.badData)
    #expect(try box.listed(in: "a").count == 1)
    try box.cairn("commit", in: "a")
    try box.expectSound("a")
  }

  @Test("adds one photo when the same image is given twice")
  func twice() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.write(PNG.bytes(seed: 1), to: "in/one.png")
    try box.write(PNG.bytes(seed: 1), to: "in/sub/other.png")
    try box.write(PNG.bytes(seed: 1), to: "in/wrong-name.jpg")
    let added = try box.json("photo", "add", "../in", in: "a").elements
    #expect(added.map { $0["status"].string }.sorted() == ["added", "known", "known"])
    #expect(Set(added.map { $0["id"].string }).count == 1)
    let again = try box.json("photo", "add", "../in/one.png", in: "a")
    #expect(again.strings("status") == ["known"])
    try box.cairn("commit", in: "a")
    try box.expectSound("a")
  }

  @Test("changes nothing when images are added from the dataset's own work tree")
  func ownFiles() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    let before = try box.listing()
    let added = try box.json("photo", "add", "images", in: "a")
    #expect(added.strings("status") == ["known"])
    #expect(try box.listing().differences(from: before).isEmpty)
    #expect(try box.read("a/\(Sandbox.imagePath(photo))") == PNG.bytes(seed: 0))
  }

  @Test(
    "writes nothing incomplete on a full disk and continues when there is room again",
    .enabled(if: Programs.canMount, "file systems cannot be mounted here"))
  func noSpace() throws {
    let box = try Sandbox()
    try box.write(PNG.bytes(seed: 1, width: 1000, height: 1100), to: "big.png")
    try box.sh("mkdir disk; mount -t tmpfs -o size=1m none disk")
    defer { _ = try? box.sh("umount -l disk") }
    let photo = try box.startDataset("disk/a", photos: 1)[0]
    try box.cairn("commit", in: "disk/a")
    let message = try box.refuses(
      "photo", "add", "../../big.png", in: "disk/a", with: ExitStatus.existsOrFull)
    #expect(message.contains("full"))
    try box.expectClean("disk/a")

    // Now without a single free byte.
    try box.sh("dd if=/dev/zero of=filler bs=4096 2>/dev/null || true", in: "disk")
    for command in [["label", photo, "oak"], ["pin", "add", "1", "2"], ["init", "../b"]] {
      let output = try box.run("cairn", command, in: "disk/a")
      #expect(output.status == ExitStatus.existsOrFull, "\(command) \(output.stderr)")
      #expect(output.stderr.hasPrefix("cairn: The disk is full"))
    }
    #expect(try box.run("cairn", ["show", photo], in: "disk/a").status == 0)
    try box.remove("disk/filler")
    try box.cairn("label", photo, "oak", in: "disk/a")
    try box.sh("dd if=/dev/zero of=filler bs=4096 2>/dev/null || true", in: "disk")
    #expect(try box.run("cairn", ["commit"], in: "disk/a").status == ExitStatus.existsOrFull)
    try box.remove("disk/filler")
    try box.cairn("commit", in: "disk/a")
    #expect(try box.labels(of: photo, in: "disk/a") == ["ann: oak present"])
    try box.expectClean("disk/a")
    try box.expectSound("disk/a")
  }

  @Test(
    "reads, but refuses edits on a read-only disk",
    .enabled(if: Programs.canMount, "file systems cannot be mounted here"))
  func readOnly() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.makeImages(5..<6, in: "more")
    try box.sh("mount --bind a a; mount -o remount,ro,bind a")
    defer { _ = try? box.sh("umount -l a") }
    try box.refuses("label", photo, "elm", in: "a", with: ExitStatus.permission)
    try box.refuses("photo", "add", "../more", in: "a", with: ExitStatus.permission)
    try box.refuses("commit", in: "a", with: ExitStatus.permission)
    try box.refuses("init", "a/b", with: ExitStatus.permission)
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"])
    #expect(try box.run("cairn", ["status"], in: "a").status == 0)
    #expect(try box.run("cairn", ["photo", "list"], in: "a").status == 0)
    #expect(try box.run("cairn", ["verify"], in: "a").status == 0)
    // It can still be cloned.
    try box.cairn("clone", "a", "b")
    #expect(try box.labels(of: photo, in: "b") == ["ann: oak present"])
  }

  @Test("does not commit an image without a photo document and says how to add it")
  func imageOfNoPhoto() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    let image = PNG.bytes(seed: 9)
    try box.write(image, to: "a/image.png")
    let id = try box.sh("sha256sum image.png | cut -c1-64", in: "a").word
    let path = Sandbox.imagePath(id)
    try box.sh("mkdir -p \"$(dirname \(path))\"; mv image.png \(path)", in: "a")
    let commit = try box.run("cairn", ["commit"], in: "a")
    #expect(commit.status == ExitStatus.found)
    #expect(commit.stdout.contains("left out \(path): no photo document names this image"))
    #expect(commit.stderr.contains("cairn photo add \(path)"))
    #expect(try box.json("status", in: "a")["problems"].strings("path") == [path])
    #expect(try box.git("ls-tree", "-r", "--name-only", "HEAD", "images", in: "a").lines.count == 1)

    try box.cairn("photo", "add", path, in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.listed(in: "a").contains(id))
    try box.expectClean("a")
    try box.expectSound("a")
  }
}
