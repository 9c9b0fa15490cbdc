import Foundation
import TestSupport
import Testing

@Suite("Missing, damaged and unsupported datasets")
struct BadDatasetTests {
  @Test(
    "suggests cairn init and changes nothing in a directory that is not a dataset",
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

  @Test("refuses init in a dataset, and clone to a path that is in use")
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

  @Test("leaves nothing behind when the source of a clone is empty, missing or not a dataset")
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
    try box.refuses("clone", "", "copy", with: ExitStatus.badData)
  }

  @Test("refuses to read or change a dataset of a newer format")
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

  @Test("refuses to pull or clone a dataset of a newer format")
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
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"])
    try box.expectClean("a")
    #expect(try box.run("cairn", ["clone", "x.git", "c"]).status == ExitStatus.newerOrUnrelated)
    #expect(!box.exists("c"))
  }

  @Test("reports missing and damaged documents and commits the others")
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
    // The history still has them.
    for path in bad { try box.git("cat-file", "-e", "HEAD:\(path)", in: "a") }

    try box.git("checkout", "-q", "--", "labels", in: "a")
    try box.expectClean("a")
    try box.expectSound("a")
    #expect(try box.run("cairn", ["commit"], in: "a").status == 0)
    #expect(try box.labels(of: photos[0], in: "a") == ["ann: oak present"])
  }

  @Test("names a damaged photo document and gives a command that restores it")
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
      #expect(hint.contains("`git checkout -- ':/\(Sandbox.photoPath(photo))'`"))
      if command[0] != "label" {
        #expect(try box.git("status", "--porcelain", in: "a").stdout == before)
      }
    }
    // In any directory of the dataset.
    try box.sh("git checkout -- ':/\(Sandbox.photoPath(photo))'", in: "a/images")
    try box.cairn("show", photo, in: "a")
  }

  @Test("reports a commit whose date no program can read, with the command that names it")
  func unreadableDate() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.sh(
      """
      git cat-file commit HEAD | sed -E 's/^(author .*>) [0-9]+/\\1 99999999999999999999/' |
        git hash-object -t commit -w --literally --stdin > ../commit
      git update-ref refs/heads/main $(cat ../commit)
      """, in: "a")
    let commit = try box.text("commit").trimmingCharacters(in: .whitespacesAndNewlines)
    let output = try box.run("cairn", ["log"], in: "a")
    #expect(output.status == ExitStatus.badData, "\(output.all)")
    #expect(output.stderr.contains("hint: Run `git fsck`."), "\(output.all)")
    #expect(try box.run("git", ["fsck"], in: "a").all.contains("error in commit \(commit)"))
    try box.cairn("label", photo, "oak", in: "a")
  }

  @Test(
    "reads, merges and clones a history with a commit of an impossible date",
    arguments: ["9223372036854775807", "-9223372036854775807", "-1"])
  func impossibleDate(date: String) throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    let added = try box.addPhotos(5..<6, to: "a")[0]
    try box.cairn("label", added, "elm", in: "a")
    try box.cairn("commit", in: "a")
    try box.sh(
      """
      commit=$(git cat-file commit HEAD | sed -E 's/^((author|committer) .*>) [0-9]+/\\1 \(date)/' |
        git hash-object -t commit -w --literally --stdin)
      git cat-file commit $commit | grep -q -e '> \(date) '
      git update-ref refs/heads/main $commit
      """, in: "a")
    try box.cairn("label", photo, "ash", in: "b")
    try box.cairn("commit", in: "b")
    for dataset in ["a", "b"] { try box.cairn("sync", in: dataset) }
    try box.cairn("clone", "x.git", "c")
    for arguments in [
      ["log"], ["log", added], ["why", added], ["show", added], ["status"], ["verify"],
      ["find", "--sort", "added"],
    ] {
      let output = try box.run("cairn", arguments, in: "c")
      #expect(output.status == 0, "\(arguments): \(output.stderr)")
    }
    #expect(try box.labels(of: added, in: "b") == ["ann: elm present"])
  }

  @Test("reports path and line of conflict markers and commits the other changes")
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
      let report = try #require(output.lines.first { $0.contains(path) && $0.contains("left out") })
      #expect(report.contains("line \(line)"), "\(report)")
    }
    #expect(try box.git("status", "--porcelain", in: "a").stdout == " M \(path)\n")
    #expect(try box.git("ls-tree", "-r", "--name-only", "HEAD", "photos", in: "a").lines.count == 2)
    #expect(try box.json("photo", "list", in: "a").elements.count == 2)

    // Once the markers are removed by hand, the document is committed as an edit.
    try box.sh("sed -i -e '/^<<<<<<</,/^=======/d' -e '/^>>>>>>>/d' \(path)", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.json("pin", "show", pin, in: "a")["pin"]["name"].string == "Abbey")
    try box.expectClean("a")
  }

  @Test("refuses to commit, pull and sync while git is merging")
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
      let message = try box.refuses(command, in: "a", with: ExitStatus.busy)
      #expect(message.contains("merge"))
    }
    try box.git("merge", "--abort", in: "a")
    try box.cairn("sync", in: "a")
    try box.expectClean("a")
  }

  @Test("reads, but refuses to init, label and commit without an identity")
  func noIdentity() throws {
    let box = try Sandbox(hasIdentity: false)
    let message = try box.refuses("init", "a", with: ExitStatus.noDatasetOrIdentity)
    #expect(message.contains("`cairn config set user.email you@example.org --global`"))
    try box.git("config", "--global", "user.name", "Ann")
    try box.git("config", "--global", "user.email", "ann@example.org")
    let photo = try box.startDataset(photos: 1)[0]
    try box.git("config", "--global", "--unset", "user.email")
    try box.refuses("commit", in: "a", with: ExitStatus.noDatasetOrIdentity)
    try box.refuses("label", photo, "oak", in: "a", with: ExitStatus.noDatasetOrIdentity)
    try box.cairn("show", photo, in: "a")
    try box.cairn("status", in: "a")
  }

  @Test("reports documents that are too large or unreadable and continues with the others")
  func unreadable() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 5)
    for photo in photos { try box.cairn("label", photo, "oak", in: "a") }
    try box.cairn("commit", in: "a")
    let large = Sandbox.photoPath(photos[0])
    try box.write(
      try box.text("a/\(large)").dropLast(2)
        + ",\n  \"zebra\": \"\(String(repeating: "y", count: 1 << 20))\"\n}\n",
      to: "a/\(large)")
    try box.git("commit", "-qam", "Large", in: "a")
    let directory = Sandbox.photoPath(photos[1])
    try box.sh("rm \(directory); mkdir \(directory); echo x > \(directory)/file", in: "a")
    // The index must not have read them yet.
    try box.cairn("label", photos[4], "elm", in: "a")
    let closed = Sandbox.photoPath(photos[2])
    let labels = "labels" + Sandbox.photoPath(photos[3]).dropFirst(6).dropLast(5)
    try box.sh("chmod 000 \(closed) \(labels)", in: "a")
    defer { _ = try? box.sh("chmod 755 \(labels)", in: "a") }

    let verify = try unprivileged(box, "verify", "--json")
    #expect(verify.status == ExitStatus.found)
    let paths = Set(try verify.json()["findings"].strings("path"))
    for path in [large, directory, directory + "/file"] { #expect(paths.contains(path), "\(path)") }
    if Programs.unprivileged != nil { #expect(paths.isSuperset(of: [closed, labels])) }
    for command in [
      ["status"], ["find", "label:oak"], ["photo", "list"], ["class", "list"],
      ["export", "documents"],
      ["label", photos[4], "ash"], ["show", photos[4]], ["show", photos[3]], ["review", "--count"],
      ["gc"], ["diff"], ["agreement"], ["commit"],
    ] {
      let output = try unprivileged(box, command)
      #expect([0, ExitStatus.found].contains(output.status), "\(command) \(output.stderr)")
    }
    #expect(try box.git("log", "-1", "--format=%s", in: "a").stdout.contains("label"))
    // Documents that become readable again are found again.
    try box.sh("chmod 644 \(closed); chmod 755 \(labels)", in: "a")
    #expect(try box.json("find", "label:oak", in: "a").elements.count >= 3)
    #expect(try box.labels(of: photos[3], in: "a") == ["ann: oak present"])
  }

  private func unprivileged(_ box: Sandbox, _ arguments: String...) throws -> ProgramOutput {
    try unprivileged(box, arguments)
  }

  private func unprivileged(_ box: Sandbox, _ arguments: [String]) throws -> ProgramOutput {
    try box.run("env", (Programs.unprivileged ?? []) + ["cairn"] + arguments, in: "a")
  }

  @Test("warns of stamps in the future in one line per device")
  func futureStamps() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 4)
    for photo in photos.dropFirst() { try box.cairn("label", photo, "oak", in: "a") }
    for label in try box.documents("labels", in: "a") {
      let stamp = "2999-01-02T00:00:00.000Z-0000-7f3a9c21"
      try box.sh("sed -i -E 's/(\"stamp\": \")[^\"]*/\\1\(stamp)/' '\(label)'")
    }
    try box.cairn("commit", in: "a")
    let verify = try box.cairn("verify", in: "a")
    #expect(
      verify.lines.first == "warning 3 documents by ann@example.org have stamps in the future, "
        + "up to 2999-01-02: the clock of the device 7f3a9c21 was fast (--json lists them)")
    #expect(verify.lines.count == 2)
    #expect(verify.lines.last?.hasSuffix("checked: no problems, 3 warnings.") == true)
    let report = try box.json("verify", in: "a")
    #expect(report["findings"].elements.isEmpty)
    #expect(report["warnings"].elements.count == 3)
    #expect(
      report["warnings"].strings("stamp")
        == Array(
          repeating: "2999-01-02T00:00:00.000Z-0000-7f3a9c21", count: 3))
  }

  @Test("prints the first problems and counts the others by kind")
  func manyProblems() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    for number in 0..<60 { try box.write("{", to: "a/classes/bad-\(number).json") }
    try box.write("x", to: "a/classes/zzz.txt")
    let commit = try box.run("cairn", ["commit"], in: "a")
    #expect(commit.status == ExitStatus.found)
    #expect(commit.lines.count { $0.contains("left out") } == 10)
    #expect(
      commit.lines.last == "  … and 51 more (50 × invalid document, 1 × unknown file): "
        + "`cairn status --json` lists them all")
    #expect(try box.cairn("status", in: "a").lines.count { $0.contains("left out") } == 50)
    let all = try box.run("cairn", ["commit", "--json"], in: "a")
    #expect(try all.json()["problems"].elements.count == 61)
  }
}
