import Foundation
import TestSupport
import Testing

@Suite("cairn photo fetch and add: faults")
struct FetchFaultTests {
  private typealias Scene = FetchScene

  private static let slow =
    #"{"match": "/images/", "times": 999, "do": "slow", "milliseconds": 40}"#

  @Test("stops at Ctrl-C, keeps the photos added so far and reports them")
  func interrupted() throws {
    let scene = try Scene(#"{"total": 99, "faults": [\#(Self.slow)]}"#)
    let list = (0..<60).map { "\(scene.services.base)/images/list-\($0).png" }
    let fetch = ["photo", "fetch", "--source", "openverse", "--text", "t", "--limit", "60"]
    for arguments in [["photo", "add"] + list, fetch] {
      let before = try scene.box.listed(in: "a").count
      let requested = scene.services.requests("/images/").count
      let running = try scene.box.command(
        "cairn", arguments, in: "a", environment: scene.environment
      ).start()
      while scene.services.requests("/images/").count < requested + 8 { usleep(1000) }
      running.interrupt()
      let output = try running.wait()
      #expect(output.status == 130, "\(output.stdout)\(output.stderr)")
      #expect(output.stderr == "cairn: stopped; run the same command again to continue.\n")
      #expect(!output.stdout.contains("not added"))
      let added = try scene.box.listed(in: "a").count - before
      #expect(added > 0 && added < 60)
      #expect(output.lines.count { $0.hasPrefix("added ") } == added)
    }
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
  }

  @Test("reports a lost network in one sentence and keeps the photos added so far")
  func networkLost() throws {
    let scene = try Scene(#"{"total": 99, "faults": [\#(Self.slow)]}"#)
    let arguments = ["photo", "fetch", "--source", "openverse", "--text", "t", "--limit", "60"]
    let running = try scene.box.command("cairn", arguments, in: "a", environment: scene.environment)
      .start()
    while try scene.box.run("sh", ["-c", "ls photos/*/* 2>/dev/null | wc -l"], in: "a").word == "0"
    {
      usleep(1000)
    }
    scene.services.stop()
    let output = try running.wait()
    #expect(output.status == 69, "\(output.stderr)")
    #expect(output.stderr.split(separator: "\n").count == 2, "\(output.stderr)")
    let added = try scene.box.listed(in: "a").count
    #expect(added > 0 && output.lines.count { $0.hasPrefix("added ") } == added)
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
  }

  @Test("reports an ambiguous class name and adds the photo without that label")
  func ambiguousClass() throws {
    let scene = try Scene(#"{"total": 4}"#)
    let box = scene.box
    let other = try box.addPhotos(900..<901, to: "a")[0]
    for name in ["oak", "elm"] {
      try box.cairn("label", other, name, in: "a")
      try box.cairn("class", "rename", name, "Cairn terrier", in: "a")
    }
    let fetch = [
      "photo", "fetch", "--source", "dog.ceo", "--text", "cairn terrier", "--limit", "2",
    ]
    let output = try box.run("cairn", fetch, in: "a", environment: scene.environment)
    #expect(output.status == 0, "\(output.stderr)")
    #expect(output.lines.last == "2 photos added.")
    let warning = "no label: “cairn terrier” matches 2 classes: elm, oak."
    #expect(output.lines.count { $0 == warning } == 2, "\(output.stdout)")
    // With an alias for the source's class id, the name is no longer ambiguous.
    try box.cairn("class", "alias", "n02096177", "oak", in: "a")
    let known = try box.run("cairn", fetch, in: "a", environment: scene.environment)
    #expect(known.lines.last == "2 photos added, 2 already known.", "\(known.stdout)")
    #expect(!known.stdout.contains("no label"))
  }

  @Test("adds the missing labels and credit of a photo when it is fetched again")
  func labelsOfInterrupted() throws {
    let scene = try Scene(#"{"total": 1}"#)
    let fetch = [
      "photo", "fetch", "--source", "dog.ceo", "--text", "cairn terrier", "--limit", "1",
    ]
    let photo = try scene.json(fetch)["added"].strings("id")[0]
    // The state after a process was killed between writing the photo and its labels.
    let path = scene.box.url("a").appending(path: Sandbox.photoPath(photo))
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: path))
    var members = try #require(document as? [String: Any])
    members["credit"] = nil
    try JSONSerialization.data(withJSONObject: members).write(to: path)
    try scene.box.sh("rm -r labels", in: "a")
    #expect(try scene.box.labels(of: photo, in: "a") == [])
    #expect(try scene.json(fetch)["known"].number == 1)
    #expect(
      try scene.box.labels(of: photo, in: "a") == ["model:dog.ceo@1: cairn-terrier present"])
    #expect(
      try scene.box.json("show", photo, in: "a")["photo"]["credit"]["service"].string == "dog.ceo")
    // A photo with a credit is not downloaded again.
    #expect(try scene.json(fetch)["known"].number == 1)
    #expect(scene.services.requests("/images/").count == 2)
  }

  @Test("adds one photo when an address is given twice in different forms")
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

  @Test("reports the photos replaced from one source when another source fails")
  func replacesFromTwo() throws {
    let scene = try Scene(#"{"total": 6}"#)
    var photos: [String] = []
    for arguments in [
      ["openverse", "--text", "t"], ["flickr", "--pin", "harbor", "--licence", "any"],
    ] {
      let added = try scene.json(["photo", "fetch", "--limit", "1", "--source"] + arguments)
      photos += added["added"].strings("id")
    }
    var environment = scene.environment
    environment["CAIRN_FLICKR_KEY"] = nil
    for isReversed in [false, true] {
      let order = isReversed ? photos.reversed() : photos
      let arguments = ["photo", "replace"] + order + ["--text", "t", "--json"]
      let output = try scene.box.run("cairn", arguments, in: "a", environment: environment)
      #expect(output.status == ExitStatus.permission, "\(output.stderr)")
      let report = try output.json()
      #expect(report["added"].elements.count == 1)
      #expect(report["removed"].elements.map(\.string) == [photos[0]])
      #expect(report["failure"].string == "Flickr requires a key.")
      photos[0] = try #require(report["added"].strings("id").first)
    }
  }

  @Test("forgets a removed source's mirror and the keys of both")
  func removesSource() throws {
    let scene = try Scene(key: nil)
    let box = scene.box
    try box.git("config", "--global", "credential.helper", "store")
    var environment = scene.environment
    environment["CAIRN_FLICKR_URL"] = nil
    func run(_ arguments: String..., stdin: String = "") throws -> ProgramOutput {
      try box.run(
        "cairn", ["source"] + arguments, in: "a", stdin: Data(stdin.utf8), environment: environment)
    }
    #expect(try run("set", "flickr", "--key", stdin: "own-key\n").status == 0)
    #expect(try run("set", "flickr", "--url", scene.services.url("flickr")).status == 0)
    #expect(try run("set", "flickr", "--key", stdin: "mirror-key\n").status == 0)
    #expect(try run("list").stdout.contains(scene.services.base))
    #expect(try run("remove", "flickr").stdout == "Removed the settings of Flickr.\n")
    let list = try run("list").stdout
    #expect(list.contains("https://api.flickr.com/services/rest/") && list.contains("no key yet"))
    #expect(try box.sh("cat ~/.git-credentials").stdout == "")
    #expect(try run("remove", "flickr").stdout == "Flickr had no settings.\n")
    // An invalid address can be removed, too.
    try box.git("config", "cairnsource.flickr.url", "file:///x", in: "a")
    #expect(try run("remove", "flickr").status == 0)
    // A setting in the environment is reported.
    environment["CAIRN_FLICKR_URL"] = scene.services.url("flickr")
    #expect(try run("remove", "flickr").stdout.contains("CAIRN_FLICKR_URL"))
  }

  @Test("does not show a key while it is typed", .enabled(if: Keyboard.isThere, Keyboard.missing))
  func typedKey() throws {
    let scene = try Scene(key: nil)
    try scene.box.git("config", "--global", "credential.helper", "store")
    let long = String(repeating: "0123456789", count: 60)
    let result = try scene.box.keyboard(
      """
      session = shell("exec cairn source set flickr --key")
      before = settings(session)
      session.expect("then press Return:")
      session.send("wrong\\x15\(long)x\\x7f\\r")
      status = ended(session)
      shown = session.before
      quit = shell("exec cairn source set flickr --key")
      quit.expect("then press Return:")
      quit.sendintr()
      report([status, "0123" in shown or "wrong" in shown, ended(quit)])
      """)
    #expect(result.elements[0].number == 0)
    #expect(result.elements[1] == .bool(false))
    #expect(result.elements[2].number == 130)
    #expect(try scene.box.sh("cat ~/.git-credentials").stdout.contains(":\(long)@"))
  }
}
