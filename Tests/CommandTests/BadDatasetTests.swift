import Foundation
import Testing

@Suite("Datasets that are not, or not whole")
struct BadDatasetTests {
  @Test(
    "a directory that is not a dataset",
    arguments: [
      ["status"], ["photo", "list"], ["commit"], ["sync"], ["label", "abcd", "oak"], ["verify"],
      ["log"], ["pin", "add", "1", "2"], ["remote", "list"],
    ])
  func notADataset(command: [String]) throws {
    let box = try Sandbox()
    try box.write("x", to: "plain/file")
    try box.git("init", "-q", "repository")
    for directory in ["plain", "repository"] {
      let before = try box.listing()
      let output = try box.run("cairn", command, in: directory)
      #expect(output.status == ExitStatus.noDatasetOrIdentity)
      let lines = output.stderr.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].hasPrefix("cairn: ") && lines[1].hasPrefix("hint: "))
      #expect(output.stderr.contains("cairn init"))
      #expect(try box.listing().differences(from: before).isEmpty)
    }
  }

  @Test("init where a dataset is, and clone where something is")
  func exists() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.refuses("init", "a", with: ExitStatus.existsOrFull)
    try box.refuses("init", in: "a", with: ExitStatus.existsOrFull)
    try box.write("mine", to: "full/notes")
    try box.refuses("clone", "a", "full", with: ExitStatus.existsOrFull)
    try box.write("a file", to: "file")
    let clone = try box.run("cairn", ["clone", "a", "file"])
    #expect(clone.status != 0)
    #expect(clone.stderr.hasPrefix("cairn: "))
    #expect(try box.text("file") == "a file")
  }

  @Test("a clone of what is no dataset, is empty, or is not there leaves nothing behind")
  func badClones() throws {
    let box = try Sandbox()
    try box.sh("git init -q --bare empty.git; git init -q plain; cd plain; echo x > f")
    try box.sh("git add f; git commit -q -m First", in: "plain")
    try box.write("x", to: "folder/file")
    try box.refuses("clone", "empty.git", "copy", with: ExitStatus.notFound)
    try box.refuses("clone", "plain", "copy", with: ExitStatus.noDatasetOrIdentity)
    try box.refuses("clone", "folder", "copy", with: ExitStatus.unreachable)
    try box.refuses("clone", "nowhere", "copy", with: ExitStatus.unreachable)
    try box.refuses("clone", "https://example.invalid/x.git", "copy", with: ExitStatus.unreachable)
    try box.refuses("clone", "host:x.git", "copy", with: ExitStatus.unreachable)
    try box.refuses("clone", "", "copy", with: ExitStatus.unreachable)
  }

  @Test("a dataset of a newer format is left alone, and says what to do")
  func newerFormat() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.replace("\"format\": 1", with: "\"format\": 2", in: "a/cairn.json")
    for command in [["status"], ["label", photo, "oak"], ["commit"], ["show", photo]] {
      let before = try box.listing()
      let output = try box.run("cairn", command, in: "a")
      #expect(output.status == ExitStatus.newerOrUnrelated)
      #expect(output.stderr.contains("hint: Install"))
      #expect(try box.listing().differences(from: before).isEmpty)
    }
  }

  @Test("a newer format does not come by a pull or a clone, and a push does not go over it")
  func newerFormatAtRemote() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.git("clone", "-q", "x.git", "plain")
    try box.replace("\"format\": 1", with: "\"format\": 2", in: "plain/cairn.json")
    try box.git("commit", "-q", "-a", "-m", "Format 2", in: "plain")
    try box.git("push", "-q", in: "plain")
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    let head = try box.git("rev-parse", "HEAD", in: "a").word
    #expect(try box.run("cairn", ["pull"], in: "a").status == ExitStatus.newerOrUnrelated)
    #expect(try box.git("rev-parse", "HEAD", in: "a").word == head)
    #expect(try box.said(of: photo, in: "a") == ["ann: oak present"])
    try box.expectClean("a")
    #expect(try box.run("cairn", ["clone", "x.git", "c"]).status == ExitStatus.newerOrUnrelated)
    #expect(!box.exists("c"))
  }

  @Test("a document that is gone or damaged is named, stops nothing else, and can be taken back")
  func missingAndDamaged() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[1], "elm", in: "a")
    try box.cairn("commit", in: "a")
    let labels = try box.documents("labels", in: "a")
    try box.remove(labels[0])
    try box.write(String(try box.text(labels[1]).dropLast(30)), to: labels[1])
    try box.cairn("pin", "add", "1", "2", in: "a")

    let bad = Set(labels.map { String($0.dropFirst(2)) })
    #expect(Set(try box.json("status", in: "a")["problems"].strings("path")) == bad)
    let commit = try box.run("cairn", ["commit", "--json"], in: "a")
    #expect(commit.status == ExitStatus.found)
    #expect(Set(try commit.json()["problems"].strings("path")) == bad)
    #expect(try commit.json()["changes"].elements.count == 1)
    let verify = try box.run("cairn", ["verify", "--json"], in: "a")
    #expect(verify.status == ExitStatus.found)
    #expect(Set(try verify.json()["findings"].strings("path")) == bad)
    // They are in the history still.
    for path in bad { try box.git("cat-file", "-e", "HEAD:\(path)", in: "a") }

    try box.git("checkout", "-q", "--", "labels", in: "a")
    try box.expectClean("a")
    try box.expectSound("a")
    #expect(try box.run("cairn", ["commit"], in: "a").status == 0)
    #expect(try box.said(of: photos[0], in: "a") == ["ann: oak present"])
  }

  @Test("a photo's own document that is damaged: the sentence names the file and the hint mends it")
  func damagedPhoto() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.write("{ \"kind\": \"photo\" ", to: "a/\(Sandbox.photoPath(photo))")
    for command in [["show", photo], ["label", photo, "oak"], ["photo", "remove", photo]] {
      let before = try box.git("status", "--porcelain", in: "a").stdout
      let output = try box.run("cairn", command, in: "a")
      #expect(output.status == ExitStatus.badData)
      #expect(output.stderr.contains(Sandbox.photoPath(photo)))
      let hint = try #require(output.stderr.split(separator: "\n").last)
      #expect(hint.contains("git checkout -- '\(Sandbox.photoPath(photo))'"))
      if command[0] != "label" {
        #expect(try box.git("status", "--porcelain", in: "a").stdout == before)
      }
    }
    try box.sh("git checkout -- '\(Sandbox.photoPath(photo))'", in: "a")
    try box.cairn("show", photo, in: "a")
  }

  @Test("conflict markers: status and commit name path and line, and the rest is committed")
  func conflictMarkers() throws {
    let box = try Sandbox()
    let pin =
      try box.startDataset(photos: 1).isEmpty
      ? ""
      : box.json(
        "pin", "add", "1", "2", "--name", "Mill", in: "a")["id"].string
    try box.cairn("commit", in: "a")
    let path = "pins/\(pin.prefix(2))/\(pin).json"
    try box.replace(
      "    \"value\": \"Mill\"\n",
      with: "<<<<<<< HEAD\n    \"value\": \"Mill\"\n=======\n    \"value\": \"Abbey\"\n>>>>>>> b\n",
      in: "a/\(path)")
    let lines = try box.text("a/\(path)").split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.hasPrefix("<<<<<<<") }) + 1
    _ = try box.addPhotos(10..<11, to: "a")

    let status = try box.run("cairn", ["status"], in: "a")
    #expect(status.status == 0)
    let commit = try box.run("cairn", ["commit"], in: "a")
    #expect(commit.status == ExitStatus.found)
    for output in [status, commit] {
      let told = try #require(output.lines.first { $0.contains(path) && $0.contains("left out") })
      #expect(told.contains("line \(line)"), "\(told)")
    }
    #expect(try box.git("status", "--porcelain", in: "a").stdout == " M \(path)\n")
    #expect(try box.git("ls-tree", "-r", "--name-only", "HEAD", "photos", in: "a").lines.count == 2)
    #expect(try box.json("photo", "list", in: "a").elements.count == 2)

    // Mended by hand, it is committed as an edit.
    try box.sh("sed -i -e '/^<<<<<<</,/^=======/d' -e '/^>>>>>>>/d' \(path)", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.json("pin", "show", pin, in: "a")["pin"]["name"].string == "Abbey")
    try box.expectClean("a")
  }

  @Test("in the middle of a git merge, nothing is committed, pulled or synced")
  func mergeInProgress() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.sh(
      """
      echo base > notes; git add notes; git commit -q -m Base
      git switch -q -c side; echo side > notes; git commit -q -a -m Side
      git switch -q main; echo main > notes; git commit -q -a -m Main
      ! git merge -q side 2>/dev/null
      """, in: "a")
    for command in ["commit", "pull", "sync"] {
      let said = try box.refuses(command, in: "a", with: ExitStatus.busy)
      #expect(said.contains("merge"))
    }
    try box.git("merge", "--abort", in: "a")
    try box.cairn("sync", in: "a")
    try box.expectClean("a")
  }

  @Test("without an identity nothing is started, labelled or committed, and reading goes on")
  func noIdentity() throws {
    let box = try Sandbox(hasIdentity: false)
    let said = try box.refuses("init", "a", with: ExitStatus.noDatasetOrIdentity)
    #expect(said.contains("git config --global user.email"))
    try box.git("config", "--global", "user.name", "Ann")
    try box.git("config", "--global", "user.email", "ann@example.org")
    let photo = try box.startDataset(photos: 1)[0]
    try box.git("config", "--global", "--unset", "user.email")
    try box.refuses("commit", in: "a", with: ExitStatus.noDatasetOrIdentity)
    try box.refuses("label", photo, "oak", in: "a", with: ExitStatus.noDatasetOrIdentity)
    try box.cairn("show", photo, in: "a")
    try box.cairn("status", in: "a")
  }
}
