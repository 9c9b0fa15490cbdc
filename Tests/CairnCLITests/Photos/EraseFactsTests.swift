import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("cairn photo erase, of facts")
struct EraseFactsTests {
  private let box: Sandbox
  private let photos: [String]
  private let pin: String

  /// Ann's dataset a with two photos at a pin, a remote x.git, and Bob's clone b.
  init() throws {
    box = try Sandbox()
    photos = try box.startDataset(photos: 2)
    pin = try box.json("pin", "add", "1.5", "2.5", "--name", "Mill", in: "a")["id"].string
    for photo in photos {
      try box.cairn("photo", "edit", photo, "--pin", pin, "--title", "Secret", in: "a")
      try box.cairn("label", photo, "person", in: "a")
    }
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
  }

  private func text(of history: String, in dataset: String) throws -> String {
    try box.git("log", "--all", "-p", "-m", "--format=%an <%ae> %B", "--", history, in: dataset)
      .stdout
  }

  @Test("erases a position in all copies, and keeps the labels of an offline one")
  func position() throws {
    try box.cairn("label", photos[0], "hat", in: "b")
    let dry = try box.json("photo", "erase", photos[0], "--position", "--dry-run", in: "a")
    #expect(
      dry["dryRun"] == .bool(true) && dry["commits"].number > 0 && dry["documents"].number > 0)
    #expect(dry["recorded"].elements.map(\.string) == [photos[0]])
    let report = try box.json(
      "photo", "erase", photos[0], "--position", "--reason", "home address", "--yes", in: "a")
    #expect(report["recorded"].elements.map(\.string) == [photos[0]])
    #expect(report["commits"].number == dry["commits"].number + 1)
    let sync = try box.json("sync", in: "a")
    #expect(sync["push"]["replacedHistory"] == .bool(true))
    let pulled = try box.json("sync", in: "b")
    #expect(pulled["pulls"].elements[0]["redactions"]["commits"].number > 0)
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "b")
    for name in ["a", "b"] {
      try box.expectClean(name)
      try box.expectSound(name)
      #expect(
        try box.labels(of: photos[0], in: name)
          == (["ann: person present", "bob: hat present"]))
      let history = try text(of: Sandbox.photoPath(photos[0]), in: name)
      #expect(history.contains("Secret") && !history.contains(pin))
      let shown = try box.json("show", photos[0], in: name)
      #expect(shown["redacted"]["position"]["reason"].string == "home address")
      #expect(try box.json("show", photos[1], in: name)["redacted"] == .null)
      #expect(
        try box.cairn("show", photos[0], in: name).stdout.contains("from the history"))
      // Old objects are still on the disk, where nothing names them.
      let search = try box.run("cairn", ["verify", "--erased", "--json"], in: name)
      #expect(search.status == 1)
      let facts = try search.json()["facts"]
      #expect(facts["commits"].number > 0 && facts["reachable"] == .bool(false))
      try box.git("gc", "-q", "--prune=now", in: name)
      let clean = try box.json("verify", "--erased", in: name)
      #expect(clean["facts"]["commits"].number == 0 && clean["facts"]["subjects"].number == 1)
    }
    let found = try box.json("find", "pin:Mill", in: "b").elements
    #expect(found.count == 1)
  }

  @Test("leaves nothing of a position in three copies and the remote, once git has pruned")
  func nowhere() throws {
    let home = try box.json("pin", "add", "3.5", "4.5", "--name", "Home", in: "a")["id"].string
    try box.cairn("photo", "edit", photos[0], "--pin", home, in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    try box.cairn("clone", "x.git", "c")
    try box.setIdentity("Carol", in: "c")
    // Only the photo's document has this; the pin stays.
    let fact = [Data("\"value\": \"\(home)\"".utf8)]
    // c has commits of its own with the position, and an edit that is not committed.
    try box.cairn("photo", "edit", photos[0], "--caption", "Our door", in: "c")
    try box.cairn("commit", "-m", "door", in: "c")
    try box.cairn("label", photos[0], "hat", in: "c")
    func directories() throws -> Set<Substring> {
      Set(try box.places(of: fact).map { $0.prefix { $0 != "/" && $0 != ":" } })
    }
    #expect(try directories() == ["a", "b", "c", "x.git"])

    try box.cairn(
      "photo", "erase", photos[0], "--position", "--reason", "home address", "--yes", in: "a")
    for name in ["a", "b", "c", "a", "b"] { try box.cairn("sync", in: name) }
    for name in ["a", "b", "c", "x.git"] { try box.git("gc", "-q", "--prune=now", in: name) }
    #expect(try box.places(of: fact) == [])
    try box.expectEqual("a", "b", "c")
    for name in ["a", "b", "c"] {
      try box.expectClean(name)
      try box.expectSound(name)
      try box.cairn("verify", "--erased", in: name)
      let shown = try box.json("show", photos[0], in: name)
      #expect(shown["photo"]["pin"] == .null && shown["photo"]["caption"].string == "Our door")
      #expect(
        try box.labels(of: photos[0], in: name) == ["ann: person present", "carol: hat present"])
    }
    // Queries have built the index again.
    #expect(try box.places(of: fact) == [])
    #expect(try box.json("find", "pin:Mill", in: "c").elements.count == 1)
  }

  @Test("erases the metadata of a photo with its image and labels")
  func metadata() throws {
    let report = try box.json(
      "photo", "erase", photos[0], "--metadata", "--reason", "asked for it", "--yes", in: "a")
    #expect(report["images"]["recorded"].elements.map(\.string) == [photos[0]])
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    for name in ["a", "b"] {
      try box.expectClean(name)
      let shown = try box.json("show", photos[0], in: name)
      #expect(shown["labels"].elements.isEmpty)
      #expect(try !box.cairn("show", photos[0], in: name).stdout.contains("Secret"))
      #expect(try !text(of: Sandbox.photoPath(photos[0]), in: name).contains("Secret"))
      #expect(try text(of: Sandbox.photoPath(photos[1]), in: name).contains("Secret"))
      #expect(try box.labels(of: photos[1], in: name) == ["ann: person present"])
    }
    try box.expectEqual("a", "b")
  }

  @Test("replaces a person in labels, commits and reflogs")
  func person() throws {
    try box.cairn("label", photos[0], "hat", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    try box.refuses(
      "photo", "erase", "--person", "nobody@example.org", "--reason", "x", "--yes", in: "a",
      with: ExitStatus.notFound)
    try box.refuses(
      "photo", "erase", "--person", "bob", "--reason", "x", in: "a", with: ExitStatus.badData,
      hint: false)
    let report = try box.json(
      "photo", "erase", "--person", "Bob@example.org", "--reason", "asked for it", "--yes",
      in: "a")
    let opaque = try #require(report["recorded"].elements.first?.string)
    #expect(opaque.hasPrefix("human:erased-") && opaque.hasSuffix("@cairn.invalid"))
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    try box.expectEqual("a", "b")
    for name in ["a", "b"] {
      try box.expectClean(name)
      #expect(try !text(of: ".", in: name).contains("bob@"))
      #expect(
        try box.labels(of: photos[0], in: name).contains("\(opaque.dropFirst(6)): hat present"))
    }
    func filesWithBob(in dataset: String) throws -> String {
      try box.sh("grep -rl 'bob@' .git/logs .git/cairn || true", in: dataset).stdout
    }
    for name in ["a", "b"] { #expect(try filesWithBob(in: name) == "") }
    // Bob uses the address again.
    try box.cairn("label", photos[1], "hat", in: "b")
    try box.cairn("sync", in: "b")
    #expect(try !text(of: ".", in: "b").contains("bob@") && filesWithBob(in: "b") == "")
    try box.git("checkout", "-q", "-b", "topic", in: "b")
    try box.git("checkout", "-q", "main", in: "b")
    #expect(try filesWithBob(in: "b") != "")
    let found = try box.run("cairn", ["verify", "--erased"], in: "b")
    #expect(found.status == 1 && found.all.contains("`cairn commit` erases"), "\(found.all)")
    // What the message says.
    try box.cairn("commit", in: "b")
    try box.git("gc", "-q", "--prune=now", in: "b")
    try box.cairn("verify", "--erased", in: "b")
    // The opaque address is not erased again.
    try box.refuses(
      "photo", "erase", "--person", String(opaque.dropFirst(6)), "--reason", "x", in: "a",
      with: ExitStatus.badData, hint: false)
  }

  @Test("erases what only edits that are not committed have")
  func uncommitted() throws {
    let photo = try box.addPhotos(2..<3, to: "a")[0]
    try box.cairn("commit", in: "a")
    try box.cairn("photo", "edit", photo, "--pin", pin, in: "a")
    #expect(try box.json("find", "pin:Mill", in: "a").elements.count == 3)
    let position = try box.json(
      "photo", "erase", photo, "--position", "--reason", "home address", "--yes", in: "a")
    #expect(position["commits"].number == 0 && position["documents"].number == 1)
    #expect(try box.json("show", photo, in: "a")["photo"]["pin"] == .null)
    #expect(try box.json("find", "pin:Mill", in: "a").elements.count == 2)
    #expect(try box.json("operations", in: "a").elements.isEmpty)
    try box.cairn("verify", "--erased", in: "a")

    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photo, "hat", in: "a")
    try box.setIdentity("Ann", in: "a")
    let person = try box.cairn(
      "photo", "erase", "--person", "bob@example.org", "--reason", "asked for it", "--yes",
      in: "a")
    #expect(
      person.stdout.contains("Erased facts from 1 uncommitted document."),
      "\(person.stdout)")
    let labels = try box.labels(of: photo, in: "a")
    #expect(labels.count == 1 && labels[0].hasPrefix("erased-"), "\(labels)")
    try box.cairn("verify", "--erased", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try !text(of: Sandbox.photoPath(photo), in: "a").contains(pin))
    #expect(try !text(of: ".", in: "a").contains("bob@"))
  }

  @Test("searches the index and the operations for erased facts")
  func logs() throws {
    try box.cairn("find", "pin:Mill", in: "a")
    try box.sh(
      "mkdir ../old; cp .git/cairn/index.sqlite* ../old; cp -r .git/cairn/operations ../old",
      in: "a")
    try box.cairn(
      "photo", "erase", photos[0], "--position", "--reason", "x", "--yes", in: "a")
    // As a backup of this directory may restore them.
    try box.sh(
      """
      rm -f .git/cairn/index.sqlite*
      cp ../old/index.sqlite* .git/cairn
      cp ../old/operations/* .git/cairn/operations
      """, in: "a")
    let search = try box.run("cairn", ["verify", "--erased", "--json"], in: "a")
    #expect(search.status == 1)
    let files = try search.json()["facts"]["files"].elements.map(\.string)
    #expect(files.contains { $0.hasSuffix("/.git/cairn/index.sqlite") }, "\(files)")
    #expect(files.contains { $0.contains("/.git/cairn/operations/") }, "\(files)")
    let found = try box.run("cairn", ["verify", "--erased"], in: "a")
    #expect(found.all.contains("those in `.git/cairn` can be deleted"), "\(found.all)")
    try box.sh("rm .git/cairn/index.sqlite* .git/cairn/operations/*", in: "a")
    try box.git("gc", "-q", "--prune=now", in: "a")
    try box.cairn("verify", "--erased", in: "a")
  }

  @Test("erases a person from messages that git keeps in files, and finds them there")
  func messages() throws {
    let message = "note by bob@example.org"
    try box.git("commit", "-q", "--allow-empty", "-m", message, in: "a")
    try box.cairn(
      "photo", "erase", "--person", "bob@example.org", "--reason", "asked for it", "--yes", in: "a")
    #expect(try !box.text("a/.git/COMMIT_EDITMSG").contains("bob@"))
    try box.git("gc", "-q", "--prune=now", in: "a")
    try box.cairn("verify", "--erased", in: "a")
    try box.write(message, to: "a/.git/SQUASH_MSG")
    let search = try box.run("cairn", ["verify", "--erased"], in: "a")
    #expect(search.status == 1 && search.stdout.contains(".git/SQUASH_MSG"), "\(search.all)")
    try box.cairn("commit", in: "a")
    #expect(try box.text("a/.git/SQUASH_MSG") == "(a line was erased)")
    try box.cairn("verify", "--erased", in: "a")
  }

  @Test("finds an erased position in the image, and facts in another work tree")
  func located() throws {
    try box.write(PNG.bytes(seed: 40), to: "plain.png")
    let located = #"""
      import struct, zlib
      png = open("plain.png", "rb").read()
      xmp = b"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
        xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="57,30.0N"
        exif:GPSLongitude="12,6.0E"/></rdf:RDF></x:xmpmeta>"""
      data = b"iTXtXML:com.adobe.xmp" + bytes(5) + xmp
      chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
      open("located.png", "wb").write(png[:33] + chunk + png[33:])
      """#
    try box.succeed("python3", ["-c", located])
    let photo = try box.json("photo", "add", "../located.png", in: "a").elements[0]["id"].string
    try box.cairn("commit", in: "a")
    try box.git("worktree", "add", "-q", "../wt", in: "a")
    let report = try box.json(
      "photo", "erase", photo, "--position", "--reason", "home", "--yes", in: "a")
    #expect(report["locatedImages"].number == 1)
    try box.git("gc", "-q", "--prune=now", in: "a")
    let search = try box.run("cairn", ["verify", "--erased", "--json"], in: "a")
    #expect(search.status == 1)
    let facts = try search.json()["facts"]
    #expect(facts["locatedImages"].elements.map(\.string) == [photo])
    #expect(
      facts["files"].elements.map(\.string) == [box.url("wt/\(Sandbox.photoPath(photo))").path])
    try box.cairn("commit", in: "wt")
    try box.expectClean("wt")
    try box.cairn("photo", "erase", photo, "--reason", "home", "--yes", in: "a")
    try box.cairn("commit", in: "wt")
    try box.git("gc", "-q", "--prune=now", in: "a")
    try box.cairn("verify", "--erased", in: "a")
  }

  @Test("asks first, needs a reason, and cannot be undone")
  func confirmation() throws {
    let refused = try box.refuses(
      "photo", "erase", photos[0], "--position", "--reason", "x", in: "a", with: ExitStatus.usage)
    #expect(refused.contains("cannot be undone"), "\(refused)")
    try box.refuses(
      "photo", "erase", photos[0], "--position", "--yes", in: "a", with: ExitStatus.badData)
    for arguments in [
      [photos[0], "--position", "--metadata"], [photos[0], "--person", "x@y"],
      ["--person", "x@y", "--position"], [],
    ] {
      let output = try box.run("cairn", ["photo", "erase"] + arguments, in: "a")
      #expect(output.status == ExitStatus.usage, "\(arguments): \(output.all)")
    }
    try box.cairn(
      "photo", "erase", photos[0], "--position", "--reason", "x", "--yes", in: "a")
    let undone = try box.run("cairn", ["undo"], in: "a")
    #expect(!undone.all.contains("erase"), "\(undone.all)")
    #expect(try box.json("operations", in: "a").elements.isEmpty)
    let again = try box.json("photo", "erase", photos[0], "--position", in: "a")
    #expect(again["recorded"].elements.isEmpty && again["commits"].number == 0)
  }

  @Test("refuses to give a photo a pin, text or label again that was erased")
  func refusals() throws {
    try box.cairn(
      "photo", "erase", photos[0], "--position", "--reason", "x", "--yes", in: "a")
    try box.cairn(
      "photo", "erase", photos[1], "--metadata", "--reason", "x", "--yes", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    for name in ["a", "b"] {
      // What was not erased can be edited.
      try box.cairn("photo", "edit", photos[0], "--pin", "none", "--title", "New", in: name)
      try box.cairn("photo", "edit", photos[1], "--pin", "none", "--title", "", in: name)
      try box.cairn("label", photos[0], "hat", in: name)
      for photo in photos {
        let refused = try box.refuses(
          "photo", "edit", photo, "--pin", pin, "--title", "New", in: name,
          with: ExitStatus.notFound)
        #expect(
          refused.contains("The position of photo \(photo.prefix(12))… was erased for good"),
          "\(refused)")
        #expect(refused.contains("cairn show \(photo.prefix(12))"))
      }
      for arguments in [["--title", "New"], ["--caption", "New", "--pin", "none"]] {
        let output = try box.run("cairn", ["photo", "edit", photos[1]] + arguments, in: name)
        #expect(
          output.status == ExitStatus.notFound && output.stderr.contains("title or caption"),
          "\(output.all)")
      }
      let refused = try box.refuses(
        "label", photos[1], "person", in: name, with: ExitStatus.notFound)
      #expect(refused.contains("so it cannot get a label"), "\(refused)")
      // Of several photos, none is labeled.
      try box.refuses(
        "label", photos[0], photos[1], "--class", "person", "--absent", in: name,
        with: ExitStatus.notFound)
    }
  }

  @Test("reaches a person who uses plain git")
  func plainGit() throws {
    try box.git("clone", "-q", "x.git", "c")
    try box.setIdentity("Carol", in: "c")
    try box.write("mine\n", to: "c/notes.txt")
    try box.git("add", "notes.txt", in: "c")
    try box.git("commit", "-qm", "notes", in: "c")
    try box.cairn(
      "photo", "erase", photos[0], "--position", "--reason", "x", "--yes", in: "a")
    let sync = try box.cairn("sync", in: "a")
    #expect(sync.stdout.contains("git pull --rebase"))
    // What the message says.
    try box.git("pull", "-q", "--rebase", in: "c")
    try box.git("push", "-q", in: "c")
    try box.cairn("sync", in: "a")
    #expect(try box.text("a/notes.txt") == "mine\n")
    let pulled = try box.json("sync", in: "a")
    #expect(pulled["push"]["replacedHistory"] == .null)
    #expect(
      try !text(of: Sandbox.photoPath(photos[0]), in: "a").contains(pin))
  }
}
