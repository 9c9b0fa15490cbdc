import Foundation
import TestSupport
import Testing

@Suite("Invalid arguments")
struct BadArgumentTests {
  @Test("refuses photo ids that are unknown, too short or ambiguous")
  func photos() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    let absent = photo.hasPrefix("0000") ? "1111" : "0000"
    try box.refuses("show", absent, in: "a", with: ExitStatus.notFound)
    try box.refuses("show", "\(photo)0", in: "a", with: ExitStatus.notFound)
    try box.refuses("show", "no-such-file.png", in: "a", with: ExitStatus.notFound)
    try box.refuses("show", "", in: "a", with: ExitStatus.notFound)
    try box.refuses("show", ".", in: "a", with: ExitStatus.notFound)
    let short = try box.refuses("show", String(photo.prefix(3)), in: "a", with: ExitStatus.notFound)
    #expect(short.contains("too short"))
    try box.write(PNG.bytes(seed: 44), to: "stranger.png")
    try box.refuses("label", "../stranger.png", "oak", in: "a", with: ExitStatus.notFound)

    // A photo whose id differs from the first one's only after the eighth digit.
    let twin = String(photo.prefix(8)) + String(photo.dropFirst(8).reversed())
    try #require(twin != photo)
    let document = try box.text("a/\(Sandbox.photoPath(photo))")
    try box.write(document.replacing(photo, with: twin), to: "a/\(Sandbox.photoPath(twin))")
    for prefix in [String(photo.prefix(4)), String(photo.prefix(8))] {
      let message = try box.refuses("show", prefix, in: "a", with: ExitStatus.notFound)
      #expect(message.contains(photo.prefix(12)) && message.contains(twin.prefix(12)), "\(message)")
      #expect(message.contains("2 photos"))
      try box.refuses("label", prefix, "oak", in: "a", with: ExitStatus.notFound)
    }
    #expect(try box.json("show", photo.uppercased(), in: "a")["photo"]["id"].string == photo)
    #expect(try box.json("show", twin, in: "a")["photo"]["id"].string == twin)
  }

  @Test("finds a photo by the path of its image inside or outside of the dataset")
  func byFile() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    for path in ["../from/a-0/photo-0.png", Sandbox.imagePath(photo)] {
      #expect(try box.json("show", path, in: "a")["photo"]["id"].string == photo)
    }
    try box.cairn("label", String(photo.prefix(4)), "../from/a-0/photo-0.png", "oak", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"])
  }

  @Test("refuses labels with an invalid confidence, model, region or class")
  func labels() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    func refuses(
      _ arguments: [String], with status: Int32 = ExitStatus.badData, hint: Bool = true
    ) throws {
      let before = try box.listing()
      let output = try box.run("cairn", ["label", photo] + arguments, in: "a")
      #expect(output.status == status, "\(arguments): \(output.stderr)")
      #expect(output.stdout == "" && output.stderr.hasPrefix("cairn: "))
      #expect(output.stderr.contains("hint: ") == hint, "\(arguments): \(output.stderr)")
      #expect(try box.listing().differences(from: before).isEmpty, "\(arguments)")
    }
    for confidence in ["2", "1.0001", "-0.5", "inf", "nan"] {
      try refuses(["oak", "--confidence=\(confidence)"], hint: false)
    }
    for model in ["resnet", "resnet@", "@1", "", "re\u{7}snet@1"] {
      try refuses(["oak", "--as", model])
    }
    for region in [
      "0.5,0.5,0.6,0.2", "0,0,0,1", "0,0,1,1.5", "1,2,3", "a,b,c,d", "", "nan,0,1,1",
    ] {
      try refuses(["oak", "--region", region])
    }
    try refuses(["oak", "--region=-0.1,0,0.5,0.5"])
    for name in [
      "", "   ", "\u{3000}\u{A0}", "a\nb", "a\u{1B}[31mb", String(repeating: "é", count: 129),
    ] {
      try refuses([name])
    }
    try refuses([], with: ExitStatus.usage)
  }

  @Test("refuses invalid coordinates and accepts the limits")
  func places() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (latitude, longitude) in [("91", "0"), ("-90.5", "0"), ("0", "180.1"), ("0", "-181")] {
      try box.refuses("pin", "add", latitude, longitude, in: "a", with: ExitStatus.badData)
    }
    for word in ["north", "", "nan", "inf", "1,5"] {
      let output = try box.run("cairn", ["pin", "add", word, "0"], in: "a")
      #expect(output.status == ExitStatus.usage, "\(word): \(output.stderr)")
    }
    #expect(try box.json("pin", "list", in: "a").elements.isEmpty)
    for (latitude, longitude) in [
      ("90", "180"), ("-90", "-180"), ("-33.8", "151.2"), ("-0", "1e1"),
    ] {
      let pin = try box.json("pin", "add", latitude, longitude, in: "a")
      #expect(pin["latitude"].number == Double(latitude))
      #expect(pin["longitude"].number == Double(longitude))
    }
    // A name may be a negative number.
    let pin = try box.json("pin", "add", "48", "2", "--name", "-3", in: "a")
    #expect(pin["name"].string == "-3")
    try box.cairn("pin", "move", "-3", "-48", "2", in: "a")
    try box.cairn("pin", "show", "--", "-3", in: "a")
    try box.cairn("commit", in: "a")
    try box.expectSound("a")
  }

  @Test("refuses pins that are unknown or ambiguous")
  func pins() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let first = try box.json("pin", "add", "1", "1", "--name", "Mill", in: "a")["id"].string
    let second = try box.json("pin", "add", "2", "2", "--name", "Mill", in: "a")["id"].string
    let message = try box.refuses("pin", "show", "Mill", in: "a", with: ExitStatus.notFound)
    #expect(message.contains(first) && message.contains(second))
    try box.refuses("pin", "move", "Abbey", "1", "1", in: "a", with: ExitStatus.notFound)
    try box.refuses("photo", "list", "pin:Abbey", in: "a", with: ExitStatus.notFound)
    #expect(
      try box.json("pin", "show", String(first.prefix(8)), in: "a")["pin"]["id"].string == first)
    let long = String(repeating: "x", count: 16385)
    try box.refuses("pin", "rename", first, long, in: "a", with: ExitStatus.badData, hint: false)
  }

  @Test(
    "exits with the same code for every name that does not exist",
    arguments: [
      ["pull", "nowhere"], ["push", "nowhere"], ["sync", "nowhere"],
      ["verify", "--with", "nowhere"], ["remote", "remove", "nowhere"],
      ["remote", "images", "nowhere"],
      ["pin", "show", "nowhere"], ["find", "pin:nowhere"], ["show", "0000"],
      ["photo", "edit", "--find", "-is:removed", "--pin", "nowhere"], ["photo", "remove", "0000"],
      ["class", "rename", "nowhere", "x"], ["find", "label:nowhere"],
      ["agreement", "--class", "nowhere"], ["review", "--class", "nowhere"],
      ["run", "show", "0000"], ["find", "run:0000"], ["evaluate", "--model", "nowhere"],
      ["labeler", "show", "nowhere"], ["labeler", "remove", "nowhere"],
      ["predict", "--labeler", "nowhere"], ["labeler", "presets", "nowhere"],
      ["split", "remove", "nowhere"], ["export", "csv", "../x", "--split", "nowhere"],
      ["photo", "fetch", "--source", "nowhere"], ["source", "test", "nowhere"],
      ["source", "set", "nowhere", "--contact", "x"], ["diff", "nowhere"],
      ["checkout", "nowhere"],
    ])
  func unknownNames(arguments: [String]) throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    let output = try box.run("cairn", arguments + ["--json"], in: "a")
    #expect(output.status == ExitStatus.notFound, "\(output.stderr)")
    #expect(try output.json()["error"]["kind"].string == "not-found")
    #expect(output.stderr.contains("hint: "))
  }

  @Test("refuses to withdraw, accept or reject labels that do not exist")
  func classes() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "oak", in: "a")
    for verb in ["unlabel", "accept", "reject"] {
      try box.refuses(verb, photos[0], "elm", in: "a", with: ExitStatus.notFound)
      try box.refuses(verb, photos[1], "oak", in: "a", with: ExitStatus.notFound)
    }
    // A photo without one beside a photo with one is skipped, and reported.
    try box.cairn("label", photos[0], "oak", "--as", "net@1", in: "a")
    for (verb, reason) in [
      ("accept", "not predicted"), ("reject", "not predicted"), ("unlabel", "not labeled"),
    ] {
      let output = try box.cairn(verb, photos[1], photos[0], photos[1], "oak", in: "a")
      #expect(output.lines.count == 2, "\(output.lines)")
      #expect(output.lines.last?.hasSuffix(" oak: \(reason)") == true, "\(output.lines)")
      #expect(output.lines.last?.hasPrefix(photos[1].prefix(12)) == true, "\(output.lines)")
    }
    let quotes = try box.refuses(
      "accept", photos[1], "it's", in: "a", with: ExitStatus.notFound)
    #expect(!quotes.contains("cairn label"))
    try box.cairn("label", photos[0], "it's $1", in: "a")
    let hint = try box.refuses(
      "accept", photos[0], "it's $1", in: "a", with: ExitStatus.notFound)
    #expect(hint.hasSuffix(" 'it'\\''s $1'`.\n"), "\(hint)")
    let absent = try box.refuses(
      "reject", photos[0], "it's $1", in: "a", with: ExitStatus.notFound)
    #expect(absent.contains("To reject it yourself: ") && absent.hasSuffix(" --absent`.\n"))
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.refuses("unlabel", photos[0], "oak", in: "a", with: ExitStatus.notFound)
  }

  @Test(
    "refuses an image URL with a password and does not store it",
    arguments: ["sftp://me:hunter2@nas/x", "ssh://me:hunter2@nas/x", "https://me:hunter2@nas/x"])
  func passwordInImageURL(url: String) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    let message = try box.refuses(
      "remote", "images", "origin", url, in: "a", with: ExitStatus.badData)
    #expect(message.contains("The image URL contains a password"), "\(message)")
    #expect(!message.contains("hunter2"))
    #expect(!box.exists("a/.lfsconfig") && !box.exists("a/.git/cairn/image-url"))
  }

  @Test("refuses remotes that are unknown, missing, unsupported or badly named")
  func remotes() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    for verb in ["pull", "push", "sync"] {
      let message = try box.refuses(verb, in: "a", with: ExitStatus.notFound)
      #expect(message.contains("cairn remote add"))
      try box.refuses(verb, "elsewhere", in: "a", with: ExitStatus.notFound)
    }
    try box.refuses("remote", "remove", "elsewhere", in: "a", with: ExitStatus.notFound)
    try box.refuses("verify", "--with", "elsewhere", in: "a", with: ExitStatus.notFound)
    for address in ["git://x.invalid/y", "ext::sh -c x", "ssh://-oProxyCommand=x/y", "host:-y"] {
      try box.refuses("remote", "add", "web", address, in: "a", with: ExitStatus.badData)
    }
    try box.refuses(
      "remote", "add", "web", "https://me:secret@x.invalid/y", in: "a", with: ExitStatus.badData)
    try box.refuses(
      "remote", "add", "web", "me@host:y.git", "--create", in: "a", with: ExitStatus.badData)
    for name in ["a b", "", "../x", "a..b", "x.lock", "a~1"] {
      try box.refuses("remote", "add", name, "../y.git", in: "a", with: ExitStatus.badData)
    }

    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.refuses("remote", "add", "origin", "../z.git", in: "a", with: ExitStatus.existsOrFull)
    let hint = try box.refuses(
      "remote", "images", "origin", "gs://trees", in: "a", with: ExitStatus.badData)
    #expect(hint.contains("s3://bucket") && !hint.contains("you@host:path"), "\(hint)")
    let store = try box.refuses(
      "remote", "images", "origin", "../nowhere", in: "a", with: ExitStatus.unreachable)
    #expect(store.contains("The image store ../nowhere cannot be reached"), "\(store)")
    try box.cairn("push", in: "a")
    try box.sh("mv x.git moved.git")
    for verb in ["pull", "push"] {
      let message = try box.refuses(verb, in: "a", with: ExitStatus.unreachable)
      #expect(message.contains(box.url("x.git").path))
    }
    // The remote's disk is not mounted: sync commits, and pushes the commits later.
    for isThere in [false, true] {
      if isThere { try box.write("no repository", to: "x.git/file") }
      let output = try box.run("cairn", ["sync"], in: "a")
      #expect(output.status == ExitStatus.offline)
      #expect(output.stderr.contains(box.url("x.git").path))
    }
    try box.sh("rm -r x.git; mv moved.git x.git")
    try box.cairn("sync", in: "a")
  }
}
