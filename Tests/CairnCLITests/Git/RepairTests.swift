import Foundation
import TestSupport
import Testing

/// Mistakes that people make with plain git, and how the next cairn command repairs them.
@Suite(
  "Repairs of mistakes with plain git",
  .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct RepairTests {
  private let box: Sandbox
  private let photos: [String]

  /// Ann's dataset a, a remote, bob's clone b, and gil's clone g made by git.
  init() throws {
    box = try Sandbox()
    photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "柴犬", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
    try box.git("clone", "--quiet", "x.git", "g")
    try box.setIdentity("Gil", in: "g")
  }

  private func push(_ message: String) throws {
    try box.git("add", "--all", in: "g")
    try box.git("commit", "--quiet", "-m", message, in: "g")
    try box.git("push", "--quiet", in: "g")
  }

  /// Syncs all copies and checks that they are equal and sound.
  private func expectConverged(_ location: SourceLocation = #_sourceLocation) throws {
    for dataset in ["a", "b", "a"] { try box.cairn("sync", in: dataset, location: location) }
    if !box.exists("c") { try box.cairn("clone", "x.git", "c", location: location) }
    try box.expectEqual("a", "b", "c", location: location)
    for dataset in ["a", "b", "c"] {
      try box.expectClean(dataset, location: location)
      try box.expectSound(dataset, location: location)
    }
  }

  // MARK: Images

  @Test("restores the pointer of an image that was replaced by another image")
  func swappedImage() throws {
    let path = Sandbox.imagePath(photos[0])
    let right = try box.git("show", "HEAD:\(path)", in: "a").stdout
    try box.remove("g/\(path)")
    try box.write(PNG.bytes(seed: 77), to: "g/\(path)")
    try push("rotated")
    let report = try box.json("pull", in: "b")
    #expect(report["fixups"].strings("path") == [path])
    #expect(try box.git("show", "HEAD:\(path)", in: "b").stdout == right)
    try expectConverged()
    #expect(try box.read("c/\(path)") == PNG.bytes(seed: 0))
  }

  @Test("restores the image when git reverts the addition of a photo that was edited since")
  func revertedAddition() throws {
    let photo = try box.addPhotos(5..<6, to: "a")[0]
    try box.cairn("commit", in: "a")
    try box.cairn("photo", "edit", photo, "--title", "good one", in: "a")
    try box.cairn("sync", in: "a")
    // git stops because the photo was edited; the person keeps it.
    #expect(try box.run("git", ["revert", "--no-edit", "HEAD~1"], in: "a").status != 0)
    #expect(try box.run("cairn", ["commit"], in: "a").status == ExitStatus.busy)
    try box.git("-c", "core.editor=true", "revert", "--continue", in: "a")
    try expectConverged()
    for dataset in ["a", "b", "c"] {
      #expect(try box.read("\(dataset)/\(Sandbox.imagePath(photo))") == PNG.bytes(seed: 5))
    }
  }

  @Test("replaces an image that was committed without Git LFS by a pointer and keeps its bytes")
  func rawImage() throws {
    let photo = try box.addPhotos(8..<9, to: "b")[0]
    let unfiltered = [
      "-c", "filter.lfs.clean=cat", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false",
    ]
    #expect(try box.run("git", unfiltered + ["add", "--all"], in: "b").status == 0)
    try box.git("commit", "--quiet", "-m", "without the filter", in: "b")
    let path = Sandbox.imagePath(photo)
    #expect(try !box.git("show", "HEAD:\(path)", in: "b").stdout.hasPrefix("version "))
    try box.git("push", "--quiet", "origin", "main", in: "b")
    let report = try box.json("pull", in: "a")
    #expect(report["fixups"].strings("path").contains(path))
    #expect(try box.git("show", "HEAD:\(path)", in: "a").stdout.hasPrefix("version "))
    try expectConverged()
    #expect(try box.read("c/\(path)") == PNG.bytes(seed: 8))
  }

  @Test("sets up the filter and reports it before it adds an image in a clone made by git")
  func filterInPlainClone() throws {
    // Without git-lfs, and without the filter in the user's own configuration.
    let box = try Sandbox(lfs: false)
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.git("clone", "--quiet", "a", "g")
    try box.makeImages(3..<4, in: "from")
    let added = try box.cairn("photo", "add", box.url("from").path, "--json", in: "g")
    #expect(added.stderr.contains("configured git in this clone"))
    try box.git("add", "--all", in: "g")
    try box.git("commit", "--quiet", "-m", "by git", in: "g")
    let id = try added.json().elements[0]["id"].string
    let blob = try box.git("show", "HEAD:\(Sandbox.imagePath(id))", in: "g").stdout
    #expect(blob.hasPrefix("version https://git-lfs.github.com/spec/v1\noid sha256:\(id)\n"))
    // It is reported only once.
    let again = try box.cairn("label", id, "oak", in: "g")
    #expect(!again.stderr.contains("configured git"))
  }

  @Test("verify reports the pointer of another image, and commit --all restores the right one")
  func swappedImageHere() throws {
    let path = Sandbox.imagePath(photos[0])
    try box.remove("g/\(path)")
    try box.write(PNG.bytes(seed: 77), to: "g/\(path)")
    try box.git("commit", "--quiet", "-am", "rotated", in: "g")
    let findings = try box.run("cairn", ["verify", "--json"], in: "g").json()["findings"].elements
    let messages = findings.filter { $0["path"].string == path }.map { $0["message"].string }
    #expect(
      messages.contains { $0.contains("git has no pointer to this image here") }, "\(messages)")
    try box.cairn("commit", "--all", in: "g")
    try box.expectSound("g")
    #expect(try box.read("g/\(path)") == PNG.bytes(seed: 0))
  }

  /// How `.gitattributes` loses the lines that git needs in a dataset.
  enum Attributes: String, CaseIterable { case removed, edited, uncommitted }

  @Test(
    "verify reports missing lines of .gitattributes, and its command restores them",
    arguments: Attributes.allCases)
  func attributes(how: Attributes) throws {
    let path = "a/.gitattributes"
    let before = try box.text(path)
    switch how {
    case .removed: try box.sh("git rm -q .gitattributes; git commit -qm Remove", in: "a")
    case .edited:
      try box.write("*.txt text\n", to: path)
      try box.git("commit", "--quiet", "-am", "Edit", in: "a")
    case .uncommitted: try box.write("*.txt text\n", to: path)
    }
    let verify = try box.run("cairn", ["verify", "--json"], in: "a")
    #expect(verify.status == ExitStatus.found)
    let finding = try #require(try verify.json()["findings"].elements.first)
    #expect(finding["path"].string == ".gitattributes")
    let parts = finding["message"].string.components(separatedBy: "`")
    try box.sh(try #require(parts.count == 3 ? parts[1] : nil, "\(parts)"), in: "a/images")
    #expect(try box.text(path) == (how == .edited ? "*.txt text\n" : "") + before)
    // git reads an image that was touched through the filter.
    try box.sh("touch images/*/*/*", in: "a")
    try box.expectClean("a")
    try box.expectSound("a")
    try expectConverged()
  }

  // MARK: References between documents

  @Test("restores a class that git removed when another device labels a photo with it")
  func classOfNewLabel() throws {
    let key = try box.json("class", "list", in: "a").elements[0]["key"].string
    try box.sh("git rm -q classes/\(key).json labels/*/*/*/\(key)*", in: "g")
    try push("clean up")
    try box.cairn("label", photos[1], "柴犬", in: "a")
    try expectConverged()
    #expect(try box.state(of: key, on: photos[1], in: "c") == "confirmed")
    #expect(try box.json("class", "list", in: "c").elements.map { $0["name"].string } == ["柴犬"])
  }

  @Test("restores a class that a pull removed while an uncommitted label used it")
  func classOfUncommittedLabel() throws {
    let key = try box.json("class", "list", in: "a").elements[0]["key"].string
    try box.sh("git rm -q classes/\(key).json labels/*/*/*/\(key)*", in: "g")
    try push("clean up")
    try box.cairn("label", photos[1], "柴犬", in: "b")
    try box.cairn("pull", in: "b")
    try expectConverged()
    #expect(try box.state(of: key, on: photos[1], in: "c") == "confirmed")
  }

  @Test("restores a class that a pull removed while a label that git then commits used it")
  func classOfLabelCommittedByGit() throws {
    let key = try box.json("class", "list", in: "a").elements[0]["key"].string
    try box.sh("git rm -q classes/\(key).json labels/*/*/*/\(key)*", in: "g")
    try push("clean up")
    try box.cairn("label", photos[1], "柴犬", in: "b")
    try box.cairn("pull", in: "b")
    try box.git("add", "--all", in: "b")
    try box.git("commit", "--quiet", "-m", "by git", in: "b")
    try expectConverged()
    #expect(try box.state(of: key, on: photos[1], in: "c") == "confirmed")
  }

  enum Leaving: String, CaseIterable { case branch, commit, merge }

  @Test(
    "restores what an uncommitted label refers to when git leaves the commit that has it",
    arguments: Leaving.allCases)
  func leftCommit(leaving: Leaving) throws {
    if leaving != .commit { try box.git("switch", "--quiet", "-c", "topic", in: "a") }
    let photo = try box.addPhotos(20..<21, to: "a")[0]
    try box.cairn("label", photos[0], "lichen", in: "a")
    try box.cairn("commit", in: "a")
    if leaving == .merge {
      try box.git("switch", "--quiet", "main", in: "a")
      try box.cairn("label", photos[2], "elm", in: "a")
      try box.cairn("commit", in: "a")
      try box.git("merge", "--quiet", "--no-commit", "--no-ff", "topic", in: "a")
    }
    try box.cairn("label", photos[1], "lichen", in: "a")
    try box.cairn("label", photo, "elm", in: "a")
    switch leaving {
    case .branch: try box.git("switch", "--quiet", "main", in: "a")
    case .commit: try box.git("reset", "--quiet", "--hard", "HEAD~1", in: "a")
    case .merge: try box.git("merge", "--abort", in: "a")
    }
    try box.cairn("commit", in: "a")
    try expectConverged()
    #expect(try box.state(of: "lichen", on: photos[1], in: "c") == "confirmed")
    #expect(try box.state(of: "elm", on: photo, in: "c") == "confirmed")
  }

  @Test("restores the class of a label when a rebase leaves out the commit that created it")
  func droppedCommit() throws {
    for photo in photos[0...1] {
      try box.cairn("label", photo, "lichen", in: "a")
      try box.cairn("commit", in: "a")
    }
    try box.sh("GIT_SEQUENCE_EDITOR='sed -i 1d' git rebase --quiet -i HEAD~2", in: "a")
    try expectConverged()
    #expect(try box.state(of: "lichen", on: photos[1], in: "c") == "confirmed")
    #expect(try box.state(of: "lichen", on: photos[0], in: "c") == nil)
  }

  @Test("keeps documents that git has moved to where they are no documents")
  func movedFolder() throws {
    let path = try box.documents("labels", in: "a")[0].dropFirst(2)
    try box.git("mv", "labels", "old", in: "a")
    let sync = try box.run("cairn", ["sync"], in: "a")
    #expect(sync.status == ExitStatus.found)
    let moved = path.replacing("labels/", with: "old/")
    #expect(sync.all.contains("\(path): moved to \(moved)"), "\(sync.all)")
    try box.cairn("sync", in: "b")
    #expect(try box.labels(of: photos[0], in: "b").count == 1)
    for hint in ["git restore --staged -- :/\(path) ':/\(moved)'", "git checkout -- :/\(path)"] {
      #expect(sync.all.contains("`\(hint)`"), "\(sync.all)")
      try box.sh(hint, in: "a")
    }
    try box.sh("rm -r old", in: "a")
    try expectConverged()
  }

  @Test("commits the pointer of an added image whose file is gone")
  func deletedImage() throws {
    let photo = try box.addPhotos(20..<21, to: "a")[0]
    try box.remove("a/\(Sandbox.imagePath(photo))")
    try expectConverged()
    #expect(try box.read("c/\(Sandbox.imagePath(photo))") == PNG.bytes(seed: 20))
  }

  @Test("commit --all creates a class that has no document in any commit")
  func unknownClass() throws {
    let key = try box.json("class", "list", in: "a").elements[0]["key"].string
    try box.sh(
      """
      label=$(ls labels/*/*/*/\(key)~*)
      sed 's/"\(key)"/"moss"/' "$label" > "$(echo "$label" | sed 's/\(key)~/moss~/')"
      """, in: "g")
    try push("a label by hand")
    try box.cairn("sync", in: "a")
    let found = try box.run("cairn", ["verify"], in: "a").stdout
    #expect(found.contains("“moss” does not exist (`cairn commit --all` creates it)"))
    try box.cairn("commit", "--all", in: "a")
    try expectConverged()
    #expect(try box.state(of: "moss", on: photos[0], in: "c") == "confirmed")
  }

  @Test("restores a document that git replaced by a submodule")
  func submodule() throws {
    let path = try box.documents("labels", in: "g")[0].dropFirst(2)
    try box.sh(
      """
      git rm -q --cached \(path)
      git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),\(path)
      git commit -q -m "by git"; git push -q
      """, in: "g")
    try box.cairn("label", photos[1], "elm", in: "a")
    try expectConverged()
    #expect(try box.state(of: "elm", on: photos[1], in: "c") == "confirmed")
    #expect(try box.labels(of: photos[0], in: "c").count == 1)
  }

  @Test("restores a run that git removed when another device adds a label to it")
  func runOfNewLabel() throws {
    let run = try box.json("run", "start", "net@1", in: "a")["id"].string
    try box.cairn("label", photos[0], "oak", "--run", run, in: "a")
    try box.cairn("sync", in: "a")
    try box.git("pull", "--quiet", in: "g")
    try box.sh("git rm -q -r runs", in: "g")
    try push("no runs")
    try box.cairn("label", photos[2], "oak", "--run", run, in: "a")
    try expectConverged()
    #expect(try box.json("run", "list", in: "c").elements.map { $0["id"].string } == [run])
  }

  // MARK: The manifest

  enum Manifest: String, CaseIterable { case markers, empty, missing }

  @Test(
    "uses the last valid manifest when a broken one is committed",
    arguments: Manifest.allCases)
  func brokenManifest(how: Manifest) throws {
    switch how {
    case .markers:
      let text = try box.text("g/cairn.json")
      try box.write("<<<<<<< HEAD\n\(text)=======\n\(text)>>>>>>> x\n", to: "g/cairn.json")
    case .empty: try box.write("", to: "g/cairn.json")
    case .missing: try box.remove("g/cairn.json")
    }
    try push("merged")
    // In the clone that broke it, and in copies that clone, sync and pull from there.
    #expect(try box.json("show", photos[0], in: "g")["labels"].elements.count == 1)
    try box.cairn("clone", "x.git", "c")
    try box.cairn("label", photos[1], "elm", in: "b")
    let report = try box.json("sync", in: "b")
    #expect(report["pulls"].elements[0]["fixups"].strings("path") == ["cairn.json"])
    try box.cairn("sync", in: "c")
    try expectConverged()
    try box.cairn("sync", in: "g")
    try box.expectEqual("a", "g")
  }

  // MARK: Files in the work tree

  @Test("uses the committed version of a document whose file is empty")
  func emptyDocument() throws {
    let path = try box.documents("labels", in: "b")[0]
    let committed = try box.text(path)
    try box.write("", to: path)
    #expect(try box.labels(of: photos[0], in: "b").count == 1)
    #expect(try box.json("find", "label:柴犬", in: "b").elements.count == 1)
    #expect(
      try box.json("status", in: "b")["problems"].strings("path") == [String(path.dropFirst(2))])
    #expect(try box.run("cairn", ["commit"], in: "b").status == ExitStatus.found)
    let status = try box.cairn("status", in: "b").stdout
    let hint = "git checkout -- :/\(path.dropFirst(2))"
    #expect(status.contains("`\(hint)` restores it"), "\(status)")
    try box.sh(hint, in: "b/images")
    #expect(try box.text(path) == committed)
    try expectConverged()
  }
}
