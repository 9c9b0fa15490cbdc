import Foundation
import TestSupport
import Testing

@Suite("Index database")
struct IndexTests {
  /// Returns the output of the commands that read the index.
  private func answers(_ box: Sandbox) throws -> [JSONValue] {
    [
      try box.json("photo", "list", "is:removed OR -is:removed", in: "a"),
      try box.json("pin", "list", "--removed", in: "a"), try box.json("class", "list", in: "a"),
      try box.json("photo", "list", "pin:Mill", in: "a"), try box.json("status", in: "a"),
      try box.json("run", "list", in: "a"),
    ]
  }

  /// Makes a dataset of two photos, whose last commit adds its only label and class, and reads its
  /// index.
  private func commitLabel() throws -> Sandbox {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.json("class", "list", in: "a").strings("key") == ["oak"])
    return box
  }

  /// Makes a dataset with all kinds of documents: committed, uncommitted and edited since.
  private func makeDataset(_ box: Sandbox) throws {
    let photos = try box.startDataset(photos: 4)
    try box.cairn("pin", "add", "1", "2", "--name", "Mill", in: "a")
    try box.makeImages(40..<42, in: "mill")
    try box.cairn("photo", "add", "../mill", "--pin", "Mill", in: "a")
    try box.cairn("pin", "add", "3", "4", "--name", "Gone", in: "a")
    try box.cairn("label", photos[0], photos[1], "oak", in: "a")
    try box.cairn("label", photos[2], "elm", "--as", "net@1", "--confidence", "0.75", in: "a")
    try box.cairn("photo", "remove", photos[3], in: "a")
    let run = try box.json("run", "start", "net@2", in: "a")["id"].string
    try box.cairn("label", photos[2], "yew", "--run", run, in: "a")
    try box.cairn("class", "alias", "Quercus", "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("run", "withdraw", run, in: "a")
    try box.cairn("class", "set", "genus", "oak", "elm", in: "a")
    try box.cairn("pin", "remove", "Gone", in: "a")
    try box.cairn("label", photos[1], "oak", "--absent", in: "a")
    try box.cairn("label", photos[0], "ash", "--region", "0.1,0.1,0.5,0.5", in: "a")
    _ = try box.addPhotos(60..<61, to: "a")
  }

  @Test("rebuilds the index with the same answers after it was deleted or overwritten")
  func damaged() throws {
    let box = try Sandbox()
    try makeDataset(box)
    let before = try answers(box)
    #expect(before[0].elements.count == 7)
    for script in [
      "rm -f index.sqlite*", "rm -f index.sqlite",
      "for f in index.sqlite*; do echo junk > $f; done", ": > index.sqlite",
      "head -c 20000 /dev/urandom > index.sqlite",
      "head -c 4096 index.sqlite > x; mv x index.sqlite",
      // Overwrites pages in the middle; the header stays valid.
      "dd if=/dev/urandom of=index.sqlite bs=4096 seek=1 count=3 conv=notrunc status=none",
    ] {
      try box.sh(script, in: "a/.git/cairn")
      let list = try box.run("cairn", ["photo", "list"], in: "a")
      #expect(list.status == 0, "after \(script): \(list.stderr)")
      if list.status == 0 { #expect(try answers(box) == before, "after \(script)") }
    }
  }

  @Test("follows git reset and git gc")
  func behindItsBack() throws {
    let box = try commitLabel()

    try box.git("reset", "--quiet", "--hard", "HEAD~1", in: "a")
    #expect(try box.json("class", "list", in: "a").elements.isEmpty)
    #expect(try box.json("status", in: "a")["labels"].number == 0)
    try box.git("reset", "--quiet", "--hard", "ORIG_HEAD", in: "a")
    #expect(try box.json("status", in: "a")["labels"].number == 1)

    // The commit that the index has read no longer exists.
    try box.sh(
      "git reset -q --hard HEAD~1; git reflog expire --expire=now --all; rm -f .git/ORIG_HEAD;"
        + "git gc -q --prune=now", in: "a")
    #expect(try box.json("class", "list", in: "a").elements.isEmpty)
    #expect(try box.json("photo", "list", in: "a").elements.count == 2)
    try box.expectSound("a")
  }

  @Test("rebuilds the index when a tree of the commit that it was made from is missing")
  func halfPruned() throws {
    let box = try commitLabel()
    let labels = try box.git("rev-parse", "HEAD:labels", in: "a").word
    try box.git("reset", "--quiet", "--hard", "HEAD~1", in: "a")
    try box.sh(
      "mv .git/objects/pack ../packs; mkdir .git/objects/pack;"
        + "for pack in ../packs/*.pack; do git unpack-objects -q < $pack; done", in: "a")
    try box.remove("a/.git/objects/\(labels.prefix(2))/\(labels.dropFirst(2))")
    #expect(try box.json("class", "list", in: "a").elements.isEmpty)
    #expect(try box.json("photo", "list", in: "a").elements.count == 2)
    #expect(try box.json("find", in: "a").elements.count == 2)
  }

  @Test("reports an unreadable document instead of treating it as removed")
  func unreadable() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    let label = try #require(try box.documents("labels", in: "a").first)
    try box.sh("chmod 000 \(label)")
    // The superuser reads everything.
    if try box.run("cat", [label]).status == 0 { return }
    #expect(try box.run("cairn", ["find", "label:oak"], in: "a").status == ExitStatus.permission)
    try box.sh("chmod 644 \(label)")
    #expect(try box.json("find", "label:oak", in: "a").elements.count == 1)
  }

  @Test("rebuilds an index that was copied from another dataset")
  func ofAnotherDataset() throws {
    let box = try Sandbox()
    try makeDataset(box)
    let before = try answers(box)
    _ = try box.startDataset("other", photos: 3, from: 80)
    try box.cairn("commit", in: "other")
    try box.cairn("photo", "list", in: "other")
    try box.sh("rm -f a/.git/cairn/index.sqlite*; cp other/.git/cairn/index.sqlite* a/.git/cairn/")
    #expect(try answers(box) == before)
  }
}
