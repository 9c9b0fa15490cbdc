import Foundation
import TestSupport
import Testing

@Suite("Fetches that go wrong half-way")
struct FetchFaultTests {
  private typealias Scene = FetchScene

  private static let slow =
    #"{"match": "/images/", "times": 999, "do": "slow", "milliseconds": 40}"#

  @Test("Ctrl-C stops what is fetched from addresses or services; what came is told and stays")
  func interrupted() throws {
    let scene = try Scene(#"{"total": 99, "faults": [\#(Self.slow)]}"#)
    let list = (0..<60).map { "\(scene.services.base)/images/list-\($0).png" }
    let fetch = ["photo", "fetch", "--source", "openverse", "--text", "t", "--count", "60"]
    for words in [["photo", "add"] + list, fetch] {
      let before = try scene.box.listed(in: "a").count
      let asked = scene.services.requests("/images/").count
      let running = try scene.box.command("cairn", words, in: "a", environment: scene.environment)
        .start()
      while scene.services.requests("/images/").count < asked + 8 { usleep(1000) }
      running.interrupt()
      let output = try running.wait()
      #expect(output.status == 130, "\(output.stdout)\(output.stderr)")
      #expect(output.stderr == "cairn: stopped; the same command goes on where it was.\n")
      #expect(!output.stdout.contains("not added"))
      let came = try scene.box.listed(in: "a").count - before
      #expect(came > 0 && came < 60)
      #expect(output.lines.count { $0.hasPrefix("added ") } == came)
    }
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
  }

  @Test("a network that is lost half-way is told in a sentence, and what came stays")
  func networkLost() throws {
    let scene = try Scene(#"{"total": 99, "faults": [\#(Self.slow)]}"#)
    let words = ["photo", "fetch", "--source", "openverse", "--text", "t", "--count", "60"]
    let running = try scene.box.command("cairn", words, in: "a", environment: scene.environment)
      .start()
    while try scene.box.run("sh", ["-c", "ls photos/*/* 2>/dev/null | wc -l"], in: "a").word == "0"
    {
      usleep(1000)
    }
    scene.services.stop()
    let output = try running.wait()
    #expect(output.status == 69, "\(output.stderr)")
    #expect(output.stderr.split(separator: "\n").count == 2, "\(output.stderr)")
    let came = try scene.box.listed(in: "a").count
    #expect(came > 0 && output.lines.count { $0.hasPrefix("added ") } == came)
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
  }

  @Test("a name of a class that means several is told of its photo, and the fetch goes on")
  func ambiguousClass() throws {
    let scene = try Scene(#"{"total": 4}"#)
    let box = scene.box
    let other = try box.addPhotos(900..<901, to: "a")[0]
    for name in ["oak", "elm"] {
      try box.cairn("label", other, name, in: "a")
      try box.cairn("class", "rename", name, "Cairn terrier", in: "a")
    }
    let fetch = [
      "photo", "fetch", "--source", "dog.ceo", "--text", "cairn terrier", "--count", "2",
    ]
    let output = try box.run("cairn", fetch, in: "a", environment: scene.environment)
    #expect(output.status == 0, "\(output.stderr)")
    #expect(output.lines.last == "2 photos added.")
    let told = "no label: “cairn terrier” means 2 classes: elm, oak."
    #expect(output.lines.count { $0 == told } == 2, "\(output.stdout)")
    // Another of its names may be one that the dataset knows.
    try box.cairn("class", "alias", "n02096177", "oak", in: "a")
    let known = try box.run("cairn", fetch, in: "a", environment: scene.environment)
    #expect(known.lines.last == "2 photos added, 2 known already.", "\(known.stdout)")
    #expect(!known.stdout.contains("no label"))
  }

  @Test("a photo that came before its labels did gets them when it is met again")
  func labelsOfInterrupted() throws {
    let scene = try Scene(#"{"total": 1}"#)
    let fetch = [
      "photo", "fetch", "--source", "dog.ceo", "--text", "cairn terrier", "--count", "1",
    ]
    let photo = try scene.json(fetch)["added"].strings("id")[0]
    // As a process leaves it that is killed between the photo and what is said of it.
    let path = scene.box.url("a").appending(path: Sandbox.photoPath(photo))
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: path))
    var members = try #require(document as? [String: Any])
    members["credit"] = nil
    try JSONSerialization.data(withJSONObject: members).write(to: path)
    try scene.box.sh("rm -r labels", in: "a")
    #expect(try scene.box.said(of: photo, in: "a") == [])
    #expect(try scene.json(fetch)["known"].number == 1)
    #expect(
      try scene.box.said(of: photo, in: "a") == ["model:dog.ceo@1: cairn-terrier present"])
    #expect(
      try scene.box.json("show", photo, in: "a")["photo"]["credit"]["service"].string == "dog.ceo")
    // With its credit it is left alone.
    #expect(try scene.json(fetch)["known"].number == 1)
    #expect(scene.services.requests("/images/").count == 2)
  }

  @Test("an address that is given twice, in other words, is told once")
  func addressTwice() throws {
    let scene = try Scene()
    let url = "\(scene.services.base)/images/list-1.png"
    let added = try scene.json(["photo", "add", url, url + "/", url]).elements
    #expect(added.map { $0["status"].string } == ["added"])
    let other = "\(scene.services.base)/images/list-2.png"
    let signed = ["1", "2"].map { "\(other)?X-Amz-Signature=\($0)&token=s3cret" }
    let new = try scene.json(["photo", "add"] + signed).elements
    #expect(new.map { $0["status"].string } == ["added"])
    let credit = try scene.box.json("show", new[0]["id"].string, in: "a")["photo"]["credit"]
    #expect(credit["url"].string == other)
    #expect(try scene.box.run("grep", ["-r", "s3cret", "photos"], in: "a").status == 1)
  }

  @Test("what is replaced from one source is told, whatever becomes of another")
  func replacesFromTwo() throws {
    let scene = try Scene(#"{"total": 6}"#)
    var photos: [String] = []
    for words in [
      ["openverse", "--text", "t"], ["flickr", "--pin", "harbour", "--licence", "any"],
    ] {
      let added = try scene.json(["photo", "fetch", "--count", "1", "--source"] + words)
      photos += added["added"].strings("id")
    }
    var environment = scene.environment
    environment["CAIRN_FLICKR_KEY"] = nil
    for isReversed in [false, true] {
      let order = isReversed ? photos.reversed() : photos
      let words = ["photo", "replace"] + order + ["--text", "t", "--json"]
      let output = try scene.box.run("cairn", words, in: "a", environment: environment)
      #expect(output.status == ExitStatus.permission, "\(output.stderr)")
      let told = try output.json()
      #expect(told["added"].elements.count == 1)
      #expect(told["removed"].elements.map(\.string) == [photos[0]])
      #expect(told["trouble"].string == "Flickr answers only those who have a key.")
      photos[0] = try #require(told["added"].strings("id").first)
    }
  }

  @Test("to remove a source forgets its mirror, the mirror's key and its own")
  func removesSource() throws {
    let scene = try Scene(key: nil)
    let box = scene.box
    try box.git("config", "--global", "credential.helper", "store")
    var environment = scene.environment
    environment["CAIRN_FLICKR_URL"] = nil
    func run(_ words: String..., stdin: String = "") throws -> Output {
      try box.run(
        "cairn", ["source"] + words, in: "a", stdin: Data(stdin.utf8), environment: environment)
    }
    #expect(try run("set", "flickr", "--key", stdin: "own-key\n").status == 0)
    #expect(try run("set", "flickr", "--url", scene.services.url("flickr")).status == 0)
    #expect(try run("set", "flickr", "--key", stdin: "mirror-key\n").status == 0)
    #expect(try run("list").stdout.contains(scene.services.base))
    #expect(try run("remove", "flickr").stdout == "What was set of Flickr is forgotten.\n")
    let list = try run("list").stdout
    #expect(list.contains("https://api.flickr.com/services/rest/") && list.contains("no key yet"))
    #expect(try box.sh("cat ~/.git-credentials").stdout == "")
    #expect(try run("remove", "flickr").stdout == "Flickr had nothing set.\n")
    // What cannot be an address can be forgotten, too.
    try box.git("config", "cairnsource.flickr.url", "file:///x", in: "a")
    #expect(try run("remove", "flickr").status == 0)
    // What others set is told.
    environment["CAIRN_FLICKR_URL"] = scene.services.url("flickr")
    #expect(try run("remove", "flickr").stdout.contains("CAIRN_FLICKR_URL"))
  }

  @Test("a key that is typed is not shown", .enabled(if: Keyboard.isThere, Keyboard.missing))
  func typedKey() throws {
    let scene = try Scene(key: nil)
    try scene.box.git("config", "--global", "credential.helper", "store")
    let long = String(repeating: "0123456789", count: 60)
    let told = try scene.box.keyboard(
      """
      session = shell("exec cairn source set flickr --key")
      before = settings(session)
      session.expect("then Return:")
      session.send("wrong\\x15\(long)x\\x7f\\r")
      status = ended(session)
      shown = session.before
      quit = shell("exec cairn source set flickr --key")
      quit.expect("then Return:")
      quit.sendintr()
      told([status, "0123" in shown or "wrong" in shown, ended(quit)])
      """)
    #expect(told.elements[0].number == 0)
    #expect(told.elements[1] == .bool(false))
    #expect(told.elements[2].number == 130)
    #expect(try scene.box.sh("cat ~/.git-credentials").stdout.contains(":\(long)@"))
  }
}
