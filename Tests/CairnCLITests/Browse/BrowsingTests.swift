import Foundation
import TestSupport
import Testing

@Suite("cairn categories, favorite and show --open; photo selection")
struct BrowsingTests {
  @Test("counts the photos of each class by state, with a sample photo")
  func categories() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 5)
    try box.cairn("label", photos[0], photos[1], "Old oak", in: "a")
    try box.cairn("label", photos[0], "elm", "--as", "net@1", "--confidence", "0.7", in: "a")
    try box.cairn("label", photos[2], "elm", "--as", "net@1", "--confidence", "0.9", in: "a")
    try box.cairn("label", photos[4], "elm", in: "a")
    try box.cairn("photo", "remove", photos[4], in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[1], "old-oak", "--absent", in: "a")
    try box.cairn("reject", photos[0], "elm", in: "a")
    try box.cairn("favorite", photos[0], in: "a")

    let all = try box.json("categories", in: "a").elements
    #expect(all.map { $0["class"].string } == ["old-oak", "elm"])
    #expect(all.map { $0["name"].string } == ["Old oak", "elm"])
    func counts(_ row: JSONValue) -> [Double] {
      ["confirmed", "predicted", "disputed", "rejected"].map { row[$0].number }
    }
    #expect(counts(all[0]) == [1, 0, 1, 0] && counts(all[1]) == [0, 1, 0, 1])
    #expect(all.map { $0["sample"].string } == [photos[0], photos[2]])
    let some = try box.json("categories", "--find", "state:rejected", in: "a").elements
    #expect(some.map(counts) == [[1, 0, 0, 0], [0, 0, 0, 1]])
    let table = try box.cairn("categories", in: "a").lines
    #expect(
      table.map { $0.split(separator: " ").map(String.init) }[2].dropLast()
        == ["elm", "0", "1", "0", "1"])
    #expect(try box.json("categories", "--find", "is:unlabelled", in: "a").elements.isEmpty)
  }

  @Test("does not restore a removed photo that becomes a favorite")
  func removedFavorite() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("photo", "remove", photos[0], in: "a")
    try box.cairn("favorite", photos[0], in: "a")
    #expect(try box.listed(in: "a") == [photos[1]])
    func found(_ query: String) throws -> [String] {
      try box.json("find", query, in: "a").elements.map { $0["photo"]["id"].string }
    }
    #expect(try found("is:removed") == [photos[0]])
    #expect(try found("-by:me") == [photos[1]])
  }

  @Test("keeps favorites per person and out of the resolution")
  func favorites() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    func favorites() throws -> [String] {
      try box.json("find", "is:favorite", in: "a").elements.map { $0["photo"]["id"].string }
    }
    #expect(try favorites().isEmpty)
    let first = try box.json("favorite", photos[0], photos[1], in: "a").elements
    #expect(first.map { $0["changed"].isTrue } == [true, true])
    #expect(
      try box.json("favorite", photos[0], in: "a").elements.map { $0["changed"].isTrue } == [false])
    #expect(try favorites() == photos[0...1].sorted())

    try box.setIdentity("Bob", in: "a")
    #expect(try favorites().isEmpty)
    try box.cairn("favorite", photos[2], in: "a")
    #expect(try favorites() == [photos[2]])
    // The favorites of both addresses of one person count.
    try box.write("Ann <ann@example.org> <bob@example.org>\n", to: "a/.mailmap")
    #expect(try favorites() == photos.sorted())
    try box.cairn("favorite", photos[0], photos[2], "--remove", in: "a")
    #expect(try favorites() == [photos[1]])
    let none = try box.json("favorite", photos[0], "--remove", in: "a").elements
    #expect(none.map { $0["changed"].isTrue } == [false])

    #expect(try box.json("class", "list", in: "a").elements.isEmpty)
    #expect(try box.json("categories", in: "a").elements.isEmpty)
    #expect(try box.json("find", "is:unlabelled", in: "a").elements.count == 3)
    #expect(try box.json("show", photos[1], in: "a")["resolution"].elements.isEmpty)
    #expect(try box.json("show", photos[1], in: "a")["labels"].elements.count == 1)
    #expect(try box.json("export", "csv", "../out", in: "a")["labels"].number == 0)
    try box.cairn("verify", in: "a")
    try box.cairn("commit", in: "a")
    try box.refuses("find", "label:favorite", in: "a", with: ExitStatus.badData)
    try box.cairn("unlabel", photos[1], "favorite", in: "a")
    #expect(try favorites().isEmpty)
  }

  @Test("parses a negated term as part of the query, not as an option")
  func negations() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "oak", in: "a")
    for arguments in [
      ["-label:oak"], ["-conf:0.1..0.99"], ["-taken:2024", "-label:oak"],
      ["-IMG_2041", "-label:oak"],
      ["-Cat", "-label:oak"], ["-near:48.85,2.35,20km", "-label:oak"],
    ] {
      let plain = try box.run("cairn", ["find", "--json"] + arguments, in: "a").json().elements
        .map { $0["photo"]["id"].string }
      #expect(plain.contains(photos[1]), "\(arguments)")
      let count = try box.run(
        "cairn", ["find", "--count"] + arguments + ["--sort", "-taken"], in: "a"
      )
      .stdout
      #expect(count == "\(plain.count)\n", "\(arguments)")
    }
    #expect(try box.json("review", "--find", "-by:me", in: "a").elements.count == 0)
    try box.cairn("label", "elm", "--find", "-label:oak", in: "a")
    #expect(
      try box.json("find", "label:elm", in: "a").elements.map { $0["photo"]["id"].string }
        == [photos[1]])
  }

  @Test("keeps a label's text and confidence when it is accepted or given again")
  func words() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn(
      "label", photo, "oak", "--text", "an old one", "--confidence", "0.7", in: "a")
    try box.cairn("label", photo, "oak", "--as", "net@1", "--confidence", "0.9", in: "a")
    func own() throws -> JSONValue? {
      let file = try box.cairn("export", "documents", in: "a").lines.first {
        $0.contains("\"text\"") && $0.contains("human:")
      }
      return try file.map { try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8)) }
    }
    try box.cairn("accept", photo, "oak", in: "a")
    #expect(try own()?["text"].string == "an old one")
    #expect(try own()?["confidence"].number == 0.7)
    try box.cairn("label", photo, "oak", in: "a")
    #expect(try own()?["text"].string == "an old one")
    try box.cairn("label", photo, "oak", "--text", "a young one", in: "a")
    #expect(try own()?["text"].string == "a young one")
  }

  @Test("changes the photos that --find and --pin select")
  func selections() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 4)
    try box.cairn("pin", "add", "1", "2", "--name", "Mill", in: "a")
    for photo in photos[0...1] { try box.cairn("photo", "edit", photo, "--pin", "Mill", in: "a") }
    try box.cairn("label", "oak", "--as", "net@1", "--confidence", "0.9", "--pin", "Mill", in: "a")
    try box.cairn("label", photos[2], "oak", "--as", "net@1", "--confidence", "0.6", in: "a")
    func found(_ query: String) throws -> [String] {
      try box.json("find", query, in: "a").elements.map { $0["photo"]["id"].string }
    }
    let accepted = try box.json(
      "accept", "oak", "--find", "label:oak conf:0.8..", in: "a"
    ).elements
    #expect(accepted.count == 2)
    #expect(try found("label:oak state:confirmed") == photos[0...1].sorted())
    try box.cairn("reject", "oak", "--find", "state:predicted", in: "a")
    #expect(try found("state:rejected") == [photos[2]])
    // With both options, a photo must match both.
    try box.cairn("unlabel", "oak", "--find", "label:oak", "--pin", "Mill", "--yes", in: "a")
    #expect(try found("state:predicted") == photos[0...1].sorted())
    try box.cairn("photo", "remove", "--find", "is:unlabelled", in: "a")
    #expect(try found("is:removed") == [photos[3]])
    try box.cairn("photo", "restore", "--find", "is:removed", in: "a")
    #expect(try found("").count == 4)
    #expect(try box.json("photo", "list", "pin:Mill", in: "a").elements.count == 2)
    let table = try box.cairn("photo", "list", "label:oak", in: "a").stdout
    #expect(table.contains("oak? 0.9\n"))

    for command in [
      ["label", "elm"], ["accept", "oak"], ["unlabel", "oak"], ["photo", "remove"],
    ] {
      let none = try box.run("cairn", command + ["--find", "nothing"], in: "a")
      #expect(none.status == ExitStatus.notFound && none.stderr.contains("nothing was changed"))
    }
    for command in [
      ["photo", "remove"], ["photo", "remove", photos[0], "--find", "x"], ["accept", "oak"],
      ["accept", photos[0], "oak", "--find", "x"], ["label", "--find", "x"],
    ] {
      #expect(try box.run("cairn", command, in: "a").status == ExitStatus.usage, "\(command)")
    }
    try box.refuses("accept", photos[3], "oak", in: "a", with: ExitStatus.notFound)
  }

  @Test("opens an image with the system's viewer, without a shell")
  func opening() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    #if os(macOS)
      let program = "open"
    #else
      let program = "xdg-open"
    #endif
    try box.write(
      "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" > '\(box.url("opened").path)'\n",
      to: "home/bin/\(program)")
    try box.sh("chmod +x home/bin/\(program)")
    try box.cairn("show", photo, "--open", in: "a")
    let opened = try box.text("opened").split(separator: "\n").map(String.init)
    #expect(opened == ["1", box.url("a/\(Sandbox.imagePath(photo))").path])
    try box.write("#!/bin/sh\nexit 3\n", to: "home/bin/\(program)")
    let failed = try box.run("cairn", ["show", photo, "--open"], in: "a")
    #expect(failed.status == ExitStatus.notFound && failed.stderr.contains("hint: The image is "))
    #expect(failed.stderr.contains("CAIRN_VIEWER"))
    // CAIRN_VIEWER takes precedence.
    try box.write("#!/bin/sh\necho mine \"$1\" > ../opened\n", to: "viewer", isProgram: true)
    let own = try box.run(
      "cairn", ["show", photo, "--open"], in: "a",
      environment: ["CAIRN_VIEWER": box.url("viewer").path])
    #expect(own.status == 0, "\(own.stderr)")
    #expect(try box.text("opened").hasPrefix("mine "))
    // Without a file in the work tree, the image in .git/lfs/objects is opened.
    try box.sh("rm a/\(Sandbox.imagePath(photo))")
    try box.sh("printf '#!/bin/sh\\necho \"$1\" > ../opened' > home/bin/\(program)")
    try box.cairn("show", photo, "--open", in: "a")
    #expect(try box.text("opened").contains("/lfs/objects/"))
    try box.sh("rm -rf a/.git/lfs/objects/*")
    try box.refuses("show", photo, "--open", in: "a", with: ExitStatus.notFound)
  }
}
