import Foundation
import TestSupport
import Testing

@Suite("Plain git with git-lfs", .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct PlainGitTests {
  /// Starts A, pushes it to X.git and clones that with plain git and git-lfs.
  private func shared(_ box: Sandbox, photos: Int) throws -> (photos: [String], pin: String) {
    let ids = try box.startDataset(photos: photos)
    let pin = try box.json("pin", "add", "48.85", "2.29", "--name", "Mill", in: "a")["id"].string
    try box.cairn("label", ids[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.git("clone", "--quiet", "x.git", "plain")
    try box.setIdentity("Gil", in: "plain")
    return (ids, pin)
  }

  @Test("clones images byte for byte and documents as readable text")
  func clone() throws {
    let box = try Sandbox()
    let (photos, pin) = try shared(box, photos: 3)
    for (seed, id) in photos.enumerated() {
      #expect(try box.read("plain/\(Sandbox.imagePath(id))") == PNG.bytes(seed: seed))
      let pointer = try box.git("show", "HEAD:\(Sandbox.imagePath(id))", in: "plain").stdout
      #expect(pointer.hasPrefix("version https://git-lfs.github.com/spec/v1\noid sha256:\(id)\n"))
    }
    let document = try box.text("plain/pins/\(pin.prefix(2))/\(pin).json")
    #expect(document.contains("\"value\": \"Mill\"\n"))
    #expect(document.hasSuffix("}\n"))
    #expect(try box.git("lfs", "fsck", in: "plain").stdout.contains("OK"))
    try box.expectClean("plain")
    // cairn works in the clone.
    #expect(try box.labels(of: photos[0], in: "plain") == ["ann: oak present"])
    try box.expectClean("plain")
  }

  @Test("keeps an unstamped edit when cairn merges it", arguments: ["Abbey", "Zoo"])
  func editByHand(name: String) throws {
    let box = try Sandbox()
    let (photos, pin) = try shared(box, photos: 1)
    let path = "pins/\(pin.prefix(2))/\(pin).json"

    // Plain git --> X, while A moves the same pin and labels.
    try box.replace("\"Mill\"", with: "\"\(name)\"", in: "plain/\(path)")
    try box.git("commit", "--quiet", "-a", "-m", "Rename the mill", in: "plain")
    try box.git("push", "--quiet", in: "plain")
    try box.cairn("pin", "move", pin, "48.9", "2.3", in: "a")
    try box.cairn("label", photos[0], "elm", in: "a")
    try box.cairn("sync", in: "a")

    let shown = try box.json("pin", "show", pin, in: "a")["pin"]
    #expect(shown["name"].string == name)
    #expect(shown["latitude"].number == 48.9)
    try box.expectClean("a")
    try box.expectSound("a")

    // X --> plain git.
    try box.git("pull", "--quiet", in: "plain")
    #expect(try box.tree(of: "plain") == box.tree(of: "a"))
    try box.expectClean("plain")
  }

  @Test(
    "pulls an unstamped edit by fast-forward and overrides it with a later edit")
  func fastForward() throws {
    let box = try Sandbox()
    let (_, pin) = try shared(box, photos: 1)
    let path = "pins/\(pin.prefix(2))/\(pin).json"
    try box.replace("\"Mill\"", with: "\"Abbey\"", in: "plain/\(path)")
    try box.git("commit", "--quiet", "-a", "-m", "Rename the mill", in: "plain")
    try box.git("push", "--quiet", in: "plain")
    #expect(try box.json("pull", in: "a")["outcome"].string == "fast-forward")
    #expect(try box.json("pin", "list", in: "a").strings("name") == ["Abbey"])

    try box.cairn("pin", "rename", pin, "Mill again", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    #expect(try box.json("pin", "list", in: "b").strings("name") == ["Mill again"])
  }

  @Test("stamps an unstamped edit in the work tree at the commit")
  func editInWorkTree() throws {
    let box = try Sandbox()
    let (photos, _) = try shared(box, photos: 1)
    try box.cairn("clone", "x.git", "b")
    let label = try #require(try box.documents("labels", in: "b").first)
    let before = try box.json("show", photos[0], in: "b")["labels"].elements[0]
    try box.replace("\"present\"", with: "\"absent\"", in: label)
    #expect(try box.json("status", in: "b")["changes"].strings("change") == ["modified"])
    try box.cairn("commit", in: "b")
    let after = try box.json("show", photos[0], in: "b")["labels"].elements[0]
    #expect(after["verdict"].string == "absent")
    #expect(after["stamp"].string > before["stamp"].string)
    try box.expectClean("b")
    try box.cairn("push", in: "b")
    try box.cairn("sync", in: "a")
    #expect(try box.labels(of: photos[0], in: "a") == ["ann: oak absent"])
  }

  @Test("removes a document that git removed, but keeps it if it was edited meanwhile")
  func removalByGit() throws {
    let box = try Sandbox()
    let (photos, pin) = try shared(box, photos: 1)
    try box.cairn("label", photos[0], "elm", in: "a")
    let mill = "pins/\(pin.prefix(2))/\(pin).json"
    let label = try #require(try box.documents("labels", in: "plain").first)
      .dropFirst("plain/".count)
    try box.git("rm", "--quiet", mill, String(label), in: "plain")
    try box.git("commit", "--quiet", "-m", "Tidy up", in: "plain")
    try box.git("push", "--quiet", in: "plain")

    try box.cairn("pin", "rename", pin, "Old mill", in: "a")
    let pull = try #require(try box.json("sync", in: "a")["pulls"].elements.first)
    #expect(pull["kept"].elements.map(\.string) == [mill])
    #expect(try box.labels(of: photos[0], in: "a") == ["ann: elm present"])
    #expect(try box.json("pin", "list", in: "a").strings("name") == ["Old mill"])
    try box.expectClean("a")
  }

  @Test("pulls files that are not documents")
  func otherFiles() throws {
    let box = try Sandbox()
    _ = try shared(box, photos: 1)
    try box.write("# Trees\n", to: "plain/README.md")
    try box.write("#!/bin/sh\necho hi\n", to: "plain/tools/hello")
    try box.sh("chmod +x plain/tools/hello; ln -s README.md plain/LIESMICH")
    try box.git("add", ".", in: "plain")
    try box.git("commit", "--quiet", "-m", "Explain", in: "plain")
    try box.git("push", "--quiet", in: "plain")
    try box.cairn("pull", in: "a")
    #expect(try box.text("a/README.md") == "# Trees\n")
    #expect(try box.run("a/tools/hello", []).stdout == "hi\n")
    #expect(try box.sh("readlink a/LIESMICH").stdout == "README.md\n")
    try box.expectClean("a")
    #expect(try box.tree(of: "a") == box.tree(of: "plain"))
  }

  @Test("leaves links, submodules and executables to git, with clean copies after a sync")
  func otherFileModes() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    for photo in photos { try box.cairn("label", photo, "oak", in: "a") }
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../r.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "r.git", "b")
    try box.sh("git init -q sub; cd sub; git commit -q --allow-empty -m First")
    let (document, image) = (Sandbox.photoPath(photos[0]), Sandbox.imagePath(photos[1]))
    try box.sh(
      """
      chmod +x \(document); git update-index --chmod=+x \(image); chmod +x \(image)
      ln -s /etc/passwd labels/link; ln -s cairn.json link; echo x > images/note.txt
      for path in labels/sub images/sub sub; do git submodule --quiet add ../sub $path; done
      printf '#!/bin/sh\n' > tool; chmod +x tool classes/oak.json
      git add -A; git commit -q -m "By git"
      """, in: "a")
    try box.cairn("sync", in: "a")
    try box.expectClean("a")
    let first = try box.cairn("sync", in: "b")
    #expect(first.lines.count { $0.contains("a submodule, which cairn leaves to git") } == 3)
    try box.expectClean("b")
    #expect(try !box.cairn("sync", in: "b").stdout.contains("submodule"))
    #expect(try box.run("cairn", ["commit"], in: "a").status == 0)
    try box.expectEqual("a", "b")
    let modes = try box.git("ls-tree", "-r", "HEAD", in: "b").lines
    #expect(modes.contains { $0.hasPrefix("100755") && $0.hasSuffix("\ttool") })
    #expect(modes.count { $0.hasPrefix("100755") } == 1)
    try box.cairn("clone", "r.git", "c")
    try box.expectClean("c")
    #expect(try box.run("cairn", ["verify"], in: "c").status == 0)

    try box.sh("git rm -q -r --cached sub labels/sub images/sub; git rm -q .gitmodules", in: "b")
    try box.sh("rmdir sub labels/sub images/sub; git commit -q -m Without", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "c")
    try box.expectClean("c")
    #expect(!box.exists("c/labels/sub") && !box.exists("c/sub"))
  }
}
