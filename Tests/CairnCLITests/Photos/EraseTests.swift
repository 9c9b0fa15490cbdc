import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("cairn photo erase")
struct EraseTests {
  private let box: Sandbox
  private let photos: [String]

  /// Ann's dataset a with three photos, a remote x.git, and the clones b and c.
  init() throws {
    box = try Sandbox()
    photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "person", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    for name in ["b", "c"] { try box.cairn("clone", "x.git", name) }
    try box.setIdentity("Bob", in: "b")
  }

  private func blob(_ id: String, in directory: String) -> String {
    "\(directory)/objects/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)"
  }

  /// Returns the files below a directory with the content of a photo's image.
  private func copies(of seed: Int, below directory: String) throws -> [String] {
    try box.write(PNG.bytes(seed: seed), to: "wanted")
    let found = try box.sh(
      "find \(directory) -type f -exec cmp -s {} wanted \\; -print; rm wanted")
    return found.lines.map { "\($0)" }
  }

  @Test("deletes the image in three copies and the remote, and keeps the labels of an offline copy")
  func threeCopies() throws {
    // Each copy has thumbnails and hashes; c is offline and labels.
    for name in ["a", "b", "c"] {
      try box.cairn("find", "similar:\(photos[0])", in: name)
      #expect(try copies(of: 0, below: name).count == 2)
    }
    try box.cairn("label", photos[0], "hat", in: "c")
    // Earlier versions had a directory for nearly every thumbnail; one was not finished.
    let thumbnails = ["", "\(photos[0].dropFirst(2).prefix(2))/"].map {
      "a/.git/cairn/thumbnails/\(photos[0].prefix(2))/\($0)\(photos[0]).jpg"
    }
    let others = [thumbnails[1], "\(thumbnails[0]).1234"]
    for other in others { try box.write(box.read(thumbnails[0]), to: other) }

    let dry = try box.json("photo", "erase", photos[0], "--dry-run", in: "a")
    #expect(dry["photos"].number == 1 && dry["remotes"].elements.map(\.string) == ["origin"])
    #expect(try copies(of: 0, below: "a").count == 2)
    let report = try box.json("photo", "erase", photos[0], "--reason", "a face", "--yes", in: "a")
    #expect(report["deletedHere"].elements.map(\.string) == [photos[0]])
    #expect(report["stores"].elements.map { $0["erased"].elements.count } == [1])
    #expect(try copies(of: 0, below: "a x.git").isEmpty)
    for thumbnail in thumbnails + others { #expect(!box.exists(thumbnail)) }
    try box.cairn("sync", in: "a")

    let sync = try box.json("sync", in: "b")
    #expect(
      sync["pulls"].elements[0]["erasures"]["deletedHere"].elements.map(\.string) == [photos[0]])
    try box.cairn("sync", in: "c")
    for name in ["b", "a", "b", "c"] { try box.cairn("sync", in: name) }
    #expect(try copies(of: 0, below: "a b c x.git").isEmpty)
    #expect(try copies(of: 1, below: "a b c x.git").count == 7)
    try box.expectEqual("a", "b", "c")
    for name in ["a", "b", "c"] {
      #expect(
        try box.labels(of: photos[0], in: name) == ["ann: hat present", "ann: person present"])
      try box.expectClean(name)
      let history = try box.json("log", photos[0], in: name).elements
      let changes = history.flatMap { $0["changes"].elements.compactMap(\.string) }
      #expect(changes.contains("image erased by ann@example.org: “a face”"))
      let shown = try box.json("show", photos[0], in: name)["erased"]
      #expect(shown["by"].string == "human:ann@example.org" && shown["reason"].string == "a face")
      let verify = try box.json("verify", in: name)
      #expect(verify["findings"].elements.isEmpty)
      #expect(verify["imagesErased"].number == 1 && verify["imagesElsewhere"].number == 0)
      let status = try box.json("images", "status", in: name)
      #expect(status["erased"].number == 1 && status["elsewhere"].number == 0)
      #expect(status["here"].number == 2)
      let search = try box.json("verify", "--erased", in: name)
      #expect(search["findings"].elements.isEmpty && search["images"].number == 1)
      #expect(search["objects"].number > 10)
    }
    #expect(try box.cairn("show", photos[0], in: "c").stdout.contains("erased"))
    try box.cairn("clone", "x.git", "d")
    #expect(try box.json("verify", in: "d")["imagesErased"].number == 1)
  }

  @Test("refuses to take the image in again, from anywhere")
  func refuses() throws {
    try box.cairn("photo", "erase", photos[0], "--reason", "a face", "--yes", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("pull", in: "b")
    try box.write(PNG.bytes(seed: 0), to: "again.png")
    let added = try box.run("cairn", ["photo", "add", "../again.png", "--json"], in: "b")
    #expect(
      added.status == ExitStatus.badData || added.status == ExitStatus.notFound, "\(added.all)")
    #expect(try added.json().elements[0]["status"].string == "failed")
    #expect(added.stdout.contains("was erased"), "\(added.stdout)")
    // An import of a folder.
    try box.sh("mkdir -p folder/face; cp again.png folder/face/x.png")
    let imported = try box.json(
      "import", "imagefolder", "../folder", "--annotator", "me@example.org", in: "b")
    #expect(imported["labels"].number == 1)
    #expect(try copies(of: 0, below: "b/.git").isEmpty)
    // git's own filters, git-lfs and cairn's.
    try box.sh("cp ../again.png \(Sandbox.imagePath(photos[0]))", in: "b")
    try box.cairn("images", "fetch", in: "b")
    try box.cairn("pull", in: "b")
    #expect(try copies(of: 0, below: "b/.git").isEmpty)
    #expect(try box.json("images", "status", in: "b")["here"].number == 2)
    let filtered = try box.command(
      "cairn", ["lfs", "clean"], in: "b", stdin: Data(PNG.bytes(seed: 0))
    ).run()
    #expect(filtered.status == 0 && filtered.stdout.contains(photos[0]))
    #expect(filtered.stderr.contains("was erased"))
    #expect(try copies(of: 0, below: "b/.git").isEmpty)
    // What the work tree has is found, and deleted when it is asked for.
    let search = try box.run("cairn", ["verify", "--erased", "--json"], in: "b")
    #expect(search.status == 1)
    #expect(try search.json()["findings"].elements.map { $0["kind"].string } == ["file"])
    try box.cairn("photo", "erase", photos[0], in: "b")
    try box.cairn("verify", "--erased", in: "b")
  }

  @Test(
    "finds the image in git’s objects, stashes, reflogs and packs, and anywhere in the directory")
  func search() throws {
    // Somebody has committed the image itself, also under another name, and removed it again.
    try box.sh(
      """
      cp \(Sandbox.imagePath(photos[0])) copy.bin
      git add copy.bin && git stash -q
      cp \(Sandbox.imagePath(photos[0])) notes.bin
      git add notes.bin && git commit -qm notes && git reset -q --hard HEAD~
      git repack -adq --keep-unreachable
      """, in: "a")
    try box.cairn("photo", "erase", photos[0], "--reason", "a face", "--yes", in: "a")
    try box.sh("mkdir backup; cp ../from/a-0/photo-0.png backup/", in: "a")
    let search = try box.run("cairn", ["verify", "--erased", "--json"], in: "a")
    #expect(search.status == 1)
    let findings = try search.json()["findings"].elements
    #expect(findings.map { $0["kind"].string }.sorted() == ["file", "object"])
    #expect(findings.allSatisfy { $0["photo"].string == photos[0] })
    let text = try box.run("cairn", ["verify", "--erased"], in: "a")
    #expect(text.all.contains("git log --all --reflog") && text.all.contains("backup/photo-0.png"))

    // What the hints say.
    try box.sh(
      """
      rm -r backup
      git stash drop -q
      git reflog expire --expire=now --all && git gc -q --prune=now
      """, in: "a")
    try box.cairn("verify", "--erased", in: "a")
  }

  @Test("erases a photo that was pruned, given by its id or its file")
  func pruned() throws {
    try box.cairn("photo", "edit", photos[1], "--title", "Our door", in: "a")
    try box.cairn("find", "similar:\(photos[0])", in: "a")
    try box.cairn("photo", "remove", photos[0], photos[1], in: "a")
    try box.cairn("gc", "--days", "0", in: "a")
    for name in ["a", "b"] { try box.cairn("sync", in: name) }
    #expect(!box.exists("a/\(Sandbox.photoPath(photos[0]))"))
    #expect(try copies(of: 0, below: "a x.git").count > 1)

    let refused = try box.refuses(
      "photo", "erase", String(photos[0].prefix(12)), "--reason", "a face", in: "a",
      with: ExitStatus.usage)
    #expect(refused.contains("erase 1 image ("), "\(refused)")
    let report = try box.json(
      "photo", "erase", String(photos[0].prefix(12)), "--reason", "a face", "--yes", in: "a")
    #expect(report["recorded"].elements.map(\.string) == [photos[0]])
    #expect(try copies(of: 0, below: "a x.git").isEmpty)
    let thumbnail = "a/.git/cairn/thumbnails/\(photos[0].prefix(2))/\(photos[0]).jpg"
    #expect(!box.exists(thumbnail))
    let again = try box.json("photo", "erase", photos[0], in: "a")
    #expect(again["recorded"].elements.isEmpty && again["deletedHere"].elements.isEmpty)

    try box.write(PNG.bytes(seed: 1), to: "door.png")
    try box.cairn(
      "photo", "erase", "../door.png", "--metadata", "--reason", "asked", "--yes", in: "a")
    for name in ["a", "b"] { try box.cairn("sync", in: name) }
    for name in ["a", "b", "x.git"] {
      for seed in [0, 1] { #expect(try copies(of: seed, below: name).isEmpty, "\(name)") }
      #expect(try !box.git("log", "main", "-p", in: name).stdout.contains("Our door"), "\(name)")
    }
    // Even without its image, a whole id is enough.
    try box.cairn("photo", "remove", photos[2], in: "b")
    try box.cairn("gc", "--days", "0", in: "b")
    try box.sh("rm -f \(blob(photos[2], in: "b/.git/lfs"))")
    try box.refuses(
      "photo", "erase", String(photos[2].prefix(12)), "--reason", "x", in: "b",
      with: ExitStatus.notFound)
    let last = try box.json("photo", "erase", photos[2], "--reason", "x", "--yes", in: "b")
    #expect(last["stores"].elements.map { $0["erased"].elements.count } == [1])
    #expect(try copies(of: 2, below: "x.git").isEmpty)
    try box.refuses(
      "photo", "erase", String(repeating: "f", count: 64), "--reason", "x", in: "b",
      with: ExitStatus.notFound)
    // Not every file in the store is a photo.
    let other = String(repeating: "ee", count: 32)
    try box.write(Data("an other file".utf8), to: blob(other, in: "b/.git/lfs"))
    for text in [other, String(other.prefix(4))] {
      try box.refuses(
        "photo", "erase", text, "--reason", "x", in: "b", with: ExitStatus.notFound)
    }
  }

  @Test("searches the image store to which images are only sent")
  func pushStore() throws {
    try box.git("clone", "-q", "--bare", "x.git", "p.git")
    try box.git("config", "remote.origin.pushurl", box.url("p.git").path, in: "a")
    try box.cairn("images", "push", "--all", in: "a")
    #expect(try copies(of: 0, below: "p.git").count == 1)
    try box.sh("mv p.git away")
    let output = try box.run(
      "cairn", ["photo", "erase", photos[0], "--reason", "a face", "--yes"], in: "a")
    #expect(output.status != 0, "\(output.all)")
    try box.sh("mv away p.git")
    let search = try box.run("cairn", ["verify", "--erased", "--json"], in: "a")
    #expect(search.status == 1)
    let findings = try search.json()["findings"].elements
    #expect(findings.map { $0["kind"].string } == ["remote"])
    #expect(findings[0]["path"].string.contains("p.git"))
    try box.cairn("photo", "erase", photos[0], in: "a")
    try box.cairn("verify", "--erased", in: "a")
    #expect(try copies(of: 0, below: "a p.git x.git").isEmpty)
  }

  @Test("searches other work trees of the repository")
  func otherWorkTree() throws {
    try box.git("worktree", "add", "-q", "../wt", in: "a")
    #expect(try copies(of: 0, below: "wt").count == 1)
    try box.cairn("find", "similar:\(photos[0])", in: "wt")
    try box.cairn("photo", "erase", photos[0], "--reason", "a face", "--yes", in: "a")
    let search = try box.run("cairn", ["verify", "--erased"], in: "a")
    #expect(search.status == 1)
    #expect(search.all.contains("wt/images/") && search.all.contains("Run `cairn commit` in"))
    #expect(search.all.contains("worktrees/wt/cairn/perceptual-hashes"))
    try box.cairn("commit", in: "wt")
    #expect(try copies(of: 0, below: "wt").isEmpty)
    try box.cairn("verify", "--erased", in: "a")
  }

  @Test("asks before it erases, and needs a reason")
  func confirmation() throws {
    let one = try box.refuses(
      "photo", "erase", photos[0], "--reason", "x", in: "a", with: ExitStatus.usage)
    #expect(one.contains("This would erase 1 image") && one.contains("--yes"), "\(one)")
    try box.refuses("photo", "erase", photos[0], in: "a", with: ExitStatus.badData)
    try box.refuses("photo", "erase", photos[0], "--reason", " ", in: "a", with: ExitStatus.badData)
    let refused = try box.refuses(
      "photo", "erase", "--find", "label:person", "--reason", "x", in: "a",
      with: ExitStatus.usage)
    #expect(refused.contains("1 image") && refused.contains("cannot be undone"), "\(refused)")
    try box.refuses(
      "photo", "erase", "--find", "", "--reason", "x", in: "a", with: ExitStatus.badData)
    let report = try box.json(
      "photo", "erase", "--find", "label:person", "--reason", "x", "--yes", in: "a")
    #expect(report["recorded"].elements.map(\.string) == [photos[0]])
    // It is no operation that could be undone.
    let undone = try box.run("cairn", ["undo"], in: "a")
    #expect(!undone.all.contains("erase"), "\(undone.all)")
    #expect(try box.json("images", "status", in: "a")["erased"].number == 1)
  }

  @Test("reports an image store that cannot be reached, and asks it at the next push")
  func unreachable() throws {
    try box.sh("mv x.git away.git")
    let output = try box.run(
      "cairn", ["photo", "erase", photos[0], "--reason", "a face", "--yes", "--json"], in: "a")
    #expect(
      output.status == ExitStatus.unreachable || output.status == ExitStatus.notFound,
      "\(output.all)")
    #expect(try output.json()["stores"].elements.map { $0["failed"].elements.count } == [1])
    #expect(try copies(of: 0, below: "a").isEmpty)
    let search = try box.run("cairn", ["verify", "--erased", "--json"], in: "a")
    #expect(search.status == output.status)
    #expect(try search.json()["unreached"].elements.count == 1)
    try box.sh("mv away.git x.git")
    #expect(try copies(of: 0, below: "x.git").count == 1)
    let push = try box.json("push", in: "a")
    #expect(push["erasures"].elements.map { $0["erased"].elements.count } == [1])
    #expect(try copies(of: 0, below: "x.git").isEmpty)
    #expect(try box.cairn("show", photos[0], in: "a").stdout.contains("nothing left of it"))
    #expect(try box.json("push", in: "a")["erasures"].elements.isEmpty)
  }

  @Test("reports what the administrator of a Git LFS server has to delete")
  func lfsServer() throws {
    let lfs = try StrictLFSServer(box.root.appending("lfs"))
    try box.cairn("remote", "images", "origin", lfs.url, in: "a")
    try box.cairn("images", "push", in: "a")
    let output = try box.run(
      "cairn", ["photo", "erase", photos[0], "--reason", "a face", "--yes"], in: "a")
    #expect(output.status == 0, "\(output.all)")
    #expect(output.stdout.contains("administrator") && output.stdout.contains(photos[0]))
    let search = try box.run("cairn", ["verify", "--erased", "--json"], in: "a")
    #expect(search.status == 1)
    #expect(try search.json()["findings"].elements.map { $0["kind"].string } == ["remote"])
    try box.cairn("sync", in: "a")
    #expect(
      try box.cairn("show", photos[0], in: "a").stdout.contains("\(lfs.url): cannot delete it"))

    try box.sh("rm lfs/objects/\(photos[0])")
    try box.cairn("photo", "erase", photos[0], in: "a")
    try box.cairn("verify", "--erased", in: "a")
    #expect(
      try box.cairn("show", photos[0], in: "a").stdout.contains("\(lfs.url): nothing left of it"))
  }

  @Test("deletes the image from a bucket with versions")
  func bucket() throws {
    let account = [
      "bucket": "walk", "region": "eu-west-1", "keyID": "AKIA", "secret": "secret",
    ]
    let expected =
      "{\"versioned\": true, "
      + String(decoding: try JSONEncoder().encode(account), as: UTF8.self).dropFirst()
    let bucket = try PythonServer("CairnImagesTests/Programs/strict_s3.py", [expected])
    defer { withExtendedLifetime(bucket) {} }
    let keys = ["AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "secret"]
    func run(_ arguments: String...) throws -> ProgramOutput {
      let output = try box.run("cairn", arguments, in: "a", environment: keys)
      #expect(output.status == 0, "\(arguments): \(output.all)")
      return output
    }
    _ = try run(
      "remote", "images", "origin",
      "s3://walk/x?region=eu-west-1&endpoint=http://127.0.0.1:\(bucket.port)")
    _ = try run("images", "push")
    let report = try run("photo", "erase", photos[0], "--reason", "a face", "--yes", "--json")
      .json()
    #expect(report["stores"].elements.map { $0["erased"].elements.count } == [1])
    _ = try run("verify", "--erased")
    _ = try run("sync")
    _ = try run("verify", "--with", "origin", "--with-images")
  }

  @Test("treats the missing image as intended in exports, predictions and counts")
  func intended() throws {
    try box.cairn("photo", "erase", photos[0], "--reason", "a face", "--yes", in: "a")
    let table = try box.json("export", "csv", "../table", "--images", "none", in: "a")
    #expect(table["photos"].number == 3)
    let coco = try box.json("export", "coco", "../coco", in: "a")
    #expect(coco["photos"].number == 3 && coco["images"].number == 2)
    #expect(coco["leftOut"] == .object(["erased-image": .number(1)]))
    #expect(
      coco["leftOutSentences"].elements.map(\.string)
        == ["1 photo without its image, which was erased"])
    let folder = try box.json("export", "huggingface", "../folder", in: "a")
    #expect(folder["photos"].number == 2 && folder["leftOut"]["erased-image"].number == 1)
    #expect(try box.run("cairn", ["doctor"], in: "a").all.contains("none is missing"))
    let open = try box.run("cairn", ["find", "similar:\(photos[0])"], in: "a")
    #expect(open.status == ExitStatus.notFound && open.stderr.contains("was erased"), "\(open.all)")
    try box.cairn("photo", "remove", photos[0], in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("gc", "--days", "0", in: "a")
    // The erasure outlives the photo.
    try box.write(PNG.bytes(seed: 0), to: "again.png")
    let added = try box.run("cairn", ["photo", "add", "../again.png"], in: "a")
    #expect(added.status != 0 && added.all.contains("was erased"), "\(added.all)")
  }
}
