import Foundation
import TestSupport
import Testing

@Suite("cairn photo fetch")
struct FetchTests {
  private typealias Scene = FetchScene

  @Test(
    "fetches photos with their credit from each service",
    arguments: ["flickr", "commons", "inaturalist", "openverse", "dog.ceo"])
  func fetches(source: String) throws {
    let scene = try Scene(#"{"total": 8}"#)
    let text =
      ["openverse": "tree", "dog.ceo": "cairn terrier"][source].map { ["--text", $0] } ?? []
    let arguments =
      ["photo", "fetch", "--source", source, "--pin", "harbor", "--limit", "3"] + text
    let output = try scene.box.run(
      "cairn", arguments + ["--json"], in: "a", environment: scene.environment)
    #expect(output.status == 0, "\(output.stderr)")
    let added = try output.json()["added"].elements
    #expect(added.count == 3)
    #expect(try scene.collection == Set(added.map { $0["id"].string }))
    let shown = try scene.box.json("show", added[0]["id"].string, in: "a")
    let credit = shown["photo"]["credit"]
    #expect(credit["service"].string == source && credit["url"].string.hasPrefix("http"))
    if source != "dog.ceo" {
      #expect(!credit["author"].string.isEmpty && !credit["licence"].string.isEmpty)
      #expect(credit["page"].string.hasPrefix("https://"))
      let seen = try scene.box.cairn("show", added[0]["id"].string, in: "a").stdout
      #expect(seen.contains(credit["author"].string) && seen.contains(credit["licence"].string))
    }
    #expect(
      scene.services.requests().allSatisfy {
        $0.headers["user-agent"] == "cairn/0.1 (ann@example.org)"
      })
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
  }

  @Test("records when and where a photo was taken according to its service, and finds it by both")
  func reportedCapture() throws {
    let scene = try Scene(#"{"total": 8}"#)
    let report = try scene.json(
      "photo", "fetch", "--source", "inaturalist", "--text", "Pinus sylvestris")
    let ids = report["added"].elements.map { $0["id"].string }
    try #require(ids.count == 4)
    let credits = try ids.map { try scene.box.json("show", $0, in: "a")["photo"]["credit"] }
    let hidden = try #require(credits.firstIndex { $0["place"]["obscured"].isTrue })
    #expect(credits[hidden]["place"]["accuracy"].number == 28206)
    #expect(credits[hidden]["taken"].string == "2019-06")
    let seen = try scene.box.cairn("show", ids[hidden], in: "a").stdout
    #expect(seen.contains("near 52.3114, 4.9421 according to iNaturalist"))
    #expect(seen.contains("accurate to 28206 m"))
    let others = Set(ids).subtracting([ids[hidden]])
    func found(_ query: String) throws -> Set<String> {
      let photos = try scene.box.json("find", query, in: "a").elements
      return Set(photos.map { $0["photo"]["id"].string })
    }
    #expect(try found("near:52.37,4.89,100m") == others)
    #expect(try found("near:52.34,4.9,50km") == others, "an obscured location is not a location")
    #expect(try found("taken:2019-06-01") == others)
    #expect(try found("has:location") == others)
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
  }

  @Test("records a service's labels as predictions, under an alias that the dataset knows")
  func labels() throws {
    let scene = try Scene(#"{"total": 6}"#)
    try scene.box.startClasses(in: "a")
    let added = try scene.json(
      "photo", "fetch", "--source", "dog.ceo", "--text", "cairn terrier", "--limit", "2")
    let photo = added["added"].elements[0]["id"].string
    #expect(try scene.box.labels(of: photo, in: "a") == ["model:dog.ceo@1: cairn present"])
    #expect(try scene.box.state(of: "cairn", on: photo, in: "a") == "predicted")
    try scene.box.cairn("reject", photo, "Cairn", in: "a")
    #expect(try scene.box.state(of: "cairn", on: photo, in: "a") == "rejected")
    let runs = try scene.box.json("run", "list", in: "a").elements
    #expect(runs.count == 1 && runs[0]["labels"].number == 2)
    let bare = try scene.json(
      "photo", "fetch", "--source", "dog.ceo", "--text", "cairn terrier", "--limit", "1",
      "--no-labels")
    #expect(try scene.box.labels(of: bare["added"].elements[0]["id"].string, in: "a") == [])
  }

  @Test("fetches other photos the next time, and none that were removed")
  func others() throws {
    let scene = try Scene(#"{"total": 8}"#)
    func fetch(_ count: String) throws -> JSONValue {
      try scene.json(
        "photo", "fetch", "--pin", "harbor", "--source", "openverse", "--text", "t", "--limit",
        count)
    }
    let first = try fetch("3")["added"].strings("id")
    try scene.box.cairn("photo", "remove", first[0], in: "a")
    let second = try fetch("3")
    #expect(second["added"].elements.count == 3 && second["known"].number == 3)
    let third = try fetch("9")
    #expect(third["added"].elements.count == 2 && third["known"].number == 6)
    #expect(try scene.collection.count == 7)
    #expect(try !scene.collection.contains(first[0]))
    let images = scene.services.requests("/images/").map(\.path)
    #expect(images.count == 8 && Set(images).count == 8)
    #expect(try fetch("1")["added"].elements.isEmpty)
  }

  @Test("replaces a pin's photos with a new collection of photos it never had")
  func newCollection() throws {
    let scene = try Scene(#"{"total": 10}"#)
    func renew() throws -> JSONValue {
      try scene.json(
        "photo", "fetch", "--pin", "harbor", "--source", "openverse", "--text", "t", "--limit",
        "4",
        "--new-collection")
    }
    let first = Set(try renew()["added"].strings("id"))
    #expect(try scene.collection == first)
    let renewed = try renew()
    let second = Set(renewed["added"].strings("id"))
    #expect(second.count == 4 && second.isDisjoint(with: first))
    #expect(Set(renewed["removed"].elements.map(\.string)) == first)
    #expect(try scene.collection == second)
    // Two photos are left. After them there are none, and the pin keeps its photos.
    let third = Set(try renew()["added"].strings("id"))
    #expect(third.count == 2)
    #expect(try scene.collection == third)
    #expect(try renew()["removed"].elements.isEmpty)
    #expect(try scene.collection == third)
  }

  @Test(
    "keeps the old collection when the new one cannot be fetched",
    arguments: [
      #"{"match": "/openverse", "do": "status", "status": 403, "times": 99}"#,
      #"{"match": "/openverse", "do": "bytes", "type": "text/html", "body": "<html>", "times": 99}"#,
      #"{"match": "/images/openverse", "do": "status", "status": 429, "headers": {"Retry-After": "9999"}, "times": 99, "skip": 3}"#,
      #"{"match": "/images/openverse", "do": "status", "status": 404, "times": 99, "skip": 3}"#,
    ])
  func collectionFails(fault: String) throws {
    // The first fetch meets none of the faults of the second.
    let healthy = fault.contains("skip") ? "" : #", "faults": []"#
    let scene = try Scene(
      #"{"total": 10\#(healthy)\#(healthy.isEmpty ? ", \"faults\": [\(fault)]" : "")}"#)
    try scene.json(
      "photo", "fetch", "--pin", "harbor", "--source", "openverse", "--text", "t", "--limit", "3")
    let before = try scene.collection
    #expect(before.count == 3)
    let broken =
      fault.contains("skip") ? scene.services : try PhotoServices(#"{"faults": [\#(fault)]}"#)
    var environment = scene.environment
    environment["CAIRN_OPENVERSE_URL"] = broken.url("openverse")
    let output = try scene.box.run(
      "cairn",
      [
        "photo", "fetch", "--pin", "harbor", "--source", "openverse", "--text", "t", "--limit",
        "4",
      ]
        + ["--new-collection"], in: "a", environment: environment)
    #expect(try scene.collection == before, "\(output.stdout)\(output.stderr)")
    #expect(output.lines.last == "The pin keeps its previous photos.")
    if !fault.contains("404") {
      #expect(output.status == 69 || output.status == 77, "\(output.stderr)")
      #expect(output.stderr.contains("cairn: "))
    }
  }

  @Test("replaces a photo with another one of its source, and keeps it if there is none")
  func replaces() throws {
    let scene = try Scene(#"{"total": 4}"#)
    let first = try scene.json(
      "photo", "fetch", "--pin", "harbor", "--source", "flickr", "--limit", "2", "--licence", "any"
    )["added"].strings("id")
    let replaced = try scene.json("photo", "replace", first[0], "--licence", "any")
    #expect(replaced["removed"].elements.map(\.string) == [first[0]])
    let next = replaced["added"].strings("id")
    #expect(next.count == 1 && !first.contains(next[0]))
    #expect(try scene.collection == Set([first[1], next[0]]))
    #expect(
      try scene.box.json("show", next[0], in: "a")["photo"]["credit"]["service"].string == "flickr")
    // Only one photo is left to replace two.
    let both = try scene.json("photo", "replace", first[1], next[0], "--licence", "any")
    #expect(both["added"].elements.count == 1 && both["removed"].elements.count == 1)
    #expect(try scene.collection.count == 2)
    scene.services.stop()
    let kept = try scene.collection
    try scene.json("photo", "replace", try #require(kept.first), status: 69)
    #expect(try scene.collection == kept)
    let own = try scene.box.addPhotos(0..<1, to: "a")[0]
    try scene.box.refuses("photo", "replace", own, in: "a", with: ExitStatus.badData)
    try scene.box.refuses("photo", "replace", first[0], in: "a", with: ExitStatus.badData)
  }

  @Test("undo removes the photos of a fetch, and restores the one that was replaced")
  func undo() throws {
    let scene = try Scene(#"{"total": 4}"#)
    let first = try scene.json(
      "photo", "fetch", "--pin", "harbor", "--source", "flickr", "--limit", "2", "--licence", "any"
    )["added"].strings("id")
    #expect(first.count == 2)
    try scene.json("photo", "replace", first[0], "--licence", "any")
    #expect(try !scene.collection.contains(first[0]))
    try scene.box.cairn("undo", in: "a")
    #expect(try scene.collection == Set(first))
    try scene.box.cairn("undo", in: "a")
    #expect(try scene.collection.isEmpty)
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
  }

  @Test(
    "reports each unusable image in one sentence and fetches another one instead")
  func brokenImages() throws {
    let scene = try Scene(
      #"{"total": 9, "faults": [{"match": "openverse-0", "times": 9, "do": "bytes", "body": "GIF89a of no use"}, {"match": "openverse-1.png", "times": 9, "do": "status", "status": 404}, {"match": "openverse-2", "times": 9, "do": "bytes", "type": "text/html", "body": "<html>"}]}"#
    )
    let output = try scene.run(
      "photo", "fetch", "--pin", "harbor", "--source", "openverse", "--text", "t", "--limit", "4")
    #expect(output.status == 0, "\(output.stderr)")
    let failures = output.lines.filter { $0.hasPrefix("not added: ") }
    #expect(
      failures.count == 3
        && failures.allSatisfy { $0.hasSuffix(".") && $0.contains("127.0.0.1") },
      "\(failures)")
    #expect(!output.stdout.contains(".git"))
    #expect(output.lines.last == "4 photos added, 3 failed.")
    #expect(try scene.collection.count == 4)
    #expect(try scene.box.sh("ls .git/cairn/fetch | wc -l", in: "a").word == "0")
  }

  @Test("fetches from a list of addresses, from stdin and from a folder, each photo once")
  func lists() throws {
    let scene = try Scene()
    let list = (0..<3).map { "\(scene.services.base)/images/list-\($0).png" }.joined(
      separator: "\n")
    try scene.box.write("# mine\n\(list)\n", to: "list.txt")
    let added = try scene.json("photo", "fetch", "--source", "urls", "--from", "../list.txt")
    #expect(added["added"].elements.count == 3)
    #expect(
      try scene.box.json("show", added["added"].strings("id")[0], in: "a")["photo"]["credit"]["url"]
        .string.hasSuffix(".png"))
    let piped = try scene.run("photo", "fetch", "--source", "urls", "--from", "-", stdin: list)
    #expect(piped.stdout == "0 photos added, 3 already known.\n")
    #expect(scene.services.requests("/images/").count == 3)
    let wrong = try scene.run(
      "photo", "fetch", "--source", "urls", "--from", "-", stdin: "file:///etc/passwd\n")
    #expect(wrong.status == ExitStatus.badData && wrong.stderr.contains("line 1"))
    try scene.box.makeImages(0..<3, in: "folder/sub")
    let folder = try scene.json(
      "photo", "fetch", "--source", "folder", "--from", "../folder", "--pin", "harbor", "--limit",
      "2")
    #expect(folder["added"].elements.count == 2)
    #expect(
      try scene.json("photo", "fetch", "--source", "folder", "--from", "../folder")["added"]
        .elements.count == 1)
    // A path on this machine is not recorded as a credit.
    #expect(
      try scene.box.json("show", folder["added"].strings("id")[0], in: "a")["photo"]["credit"]
        == .null)
  }

  @Test("reports skipped files of a folder, and notes about its photos")
  func folderNotes() throws {
    let scene = try Scene()
    try scene.box.makeImages(0..<2, in: "folder")
    try scene.box.write("notes", to: "folder/notes.txt")
    let first = try scene.json("photo", "fetch", "--source", "folder", "--from", "../folder")
    #expect(first["added"].elements.count == 2 && first["notes"].elements.isEmpty)
    #expect(first["skipped"] == .object(["TXT": .number(1)]))
    let again = try scene.run(
      "photo", "fetch", "--source", "folder", "--from", "../folder", "--pin", "harbor")
    #expect(again.status == 0 && again.lines.last == "1 file skipped: 1 TXT.", "\(again.all)")
    let notes = again.lines.filter { $0.hasPrefix("note: ") }
    #expect(notes.count == 2 && notes.allSatisfy { $0.hasSuffix("its pin was left unchanged") })
  }

  @Test(
    "adds the readable photos of a folder with an unreadable one",
    .enabled(if: Programs.unprivileged != nil, "root can read every folder"))
  func unreadableFolder() throws {
    let scene = try Scene()
    let box = scene.box
    try box.makeImages(0..<2, in: "folder")
    for name in ["lost+found", "private"] {
      try box.makeImages(2..<3, in: "folder/\(name)")
      try box.sh("chmod 000 folder/\(name)")
    }
    defer { _ = try? box.sh("chmod 700 folder/lost+found folder/private") }
    let fetch = ["cairn", "photo", "fetch", "--source", "folder", "--from", "../folder"]
    let output = try box.run("env", (Programs.unprivileged ?? []) + fetch, in: "a")
    #expect(output.status == ExitStatus.permission, "\(output.all)")
    #expect(output.stdout.contains("2 photos added, 2 failed."))
    #expect(output.stdout.contains("lost+found") && output.stdout.contains("private"))
    #expect(output.stderr.contains("lost+found"))
  }

  @Test(
    "refuses options of photo add that do not apply to URLs",
    arguments: [
      ["--skip-similar"], ["--keywords"], ["--pin", "auto:1km"], ["--pin", "nearest:1km"],
    ])
  func optionsForLocations(options: [String]) throws {
    let scene = try Scene()
    let url = "\(scene.services.base)/images/list-0.png"
    let output = try scene.box.run(
      "cairn", ["photo", "add", url] + options, in: "a", environment: scene.environment)
    #expect(output.status == ExitStatus.usage && output.stderr.contains(options[0]))
    #expect(scene.services.requests().isEmpty)
  }

  @Test("adds photos from addresses and paths with one photo add")
  func addsLocations() throws {
    let scene = try Scene(
      #"{"faults": [{"match": "list-1", "times": 9, "do": "status", "status": 404}]}"#)
    let urls = (0..<2).map { "\(scene.services.base)/images/list-\($0).png" }
    try scene.box.makeImages(0..<1, in: "folder")
    let added = try scene.json(
      "photo", "add", "../folder", urls[0], urls[1], urls[0], "--pin", "harbor",
      status: ExitStatus.badData
    ).elements
    #expect(added.map { $0["status"].string } == ["added", "added", "failed"])
    #expect(added.map { $0["file"].string }.dropFirst() == urls[...])
    #expect(added[2]["note"].string.contains("404") && added[2]["id"] == .null)
    #expect(try scene.collection == Set(added.prefix(2).map { $0["id"].string }))
    let again = try scene.json("photo", "add", urls[0]).elements
    #expect(again.map { $0["status"].string } == ["known"])
    #expect(again[0]["id"] == added[1]["id"])
    #expect(scene.services.requests("/images/list-0").count == 1)
    for address in [
      "file:///etc/passwd", "ftp://example.org/a.jpg", "https://ann:secret@example.org/a",
    ] {
      let message = try scene.box.refuses(
        "photo", "add", address, in: "a", with: ExitStatus.badData)
      #expect(!message.contains("There is no file"))
    }
  }

  @Test("keeps the photos added before the process was killed, and fetches the rest later")
  func killed() throws {
    let scene = try Scene(
      #"{"total": 40, "faults": [{"match": "/images/", "times": 99, "do": "slow", "milliseconds": 20}]}"#
    )
    let arguments = ["photo", "fetch", "--pin", "harbor", "--source", "flickr", "--limit", "20"]
    let running = try scene.box.command("cairn", arguments, in: "a", environment: scene.environment)
      .start()
    while scene.services.requests("/images/").count < 6 { usleep(1000) }
    running.kill()
    _ = try running.wait()
    let added = try scene.collection.count
    #expect(added < 20)
    try scene.json(
      "photo", "fetch", "--pin", "harbor", "--source", "flickr", "--limit", "\(20 - added)")
    #expect(try scene.collection.count == 20)
    try scene.box.cairn("commit", in: "a")
    try scene.box.expectSound("a")
    let photos = try scene.box.json("photo", "list", in: "a").elements
    #expect(
      photos.count { $0["photo"]["credit"] == .null } <= 1, "at most one photo may lack its credit")
  }

  @Test("keeps a key only in git's credential helper, until the source is removed")
  func keys() throws {
    let scene = try Scene(key: nil)
    let missing = try scene.run("photo", "fetch", "--pin", "harbor", "--source", "flickr")
    #expect(
      missing.status == ExitStatus.permission
        && missing.stderr.contains("cairn source set flickr --key"))
    let homeless = try scene.run("source", "set", "flickr", "--key", stdin: "good-key\n")
    #expect(homeless.status == ExitStatus.noDatasetOrIdentity)
    #expect(homeless.stderr.contains("CAIRN_FLICKR_KEY"))
    try scene.box.git("config", "--global", "credential.helper", "store")
    let kept = try scene.run("source", "set", "flickr", "--key", stdin: "good-key\n")
    #expect(kept.status == 0 && !(kept.stdout + kept.stderr).contains("good-key"))
    #expect(try scene.json("source", "test", "flickr")["offered"].number == 30)
    let state = try scene.json("source", "list").elements.first { $0["name"].string == "flickr" }
    #expect(state?["key"].string == "credential-helper")
    #expect(try scene.box.run("grep", ["-r", "good-key", "."], in: "a").status == 1)
    #expect(try scene.json("source", "remove", "flickr")["changed"].isTrue)
    #expect(try scene.json("source", "remove", "flickr")["changed"] == .bool(false))
    #expect(try scene.run("source", "test", "flickr").status == ExitStatus.permission)
  }

  @Test("keeps a custom address and contact in this copy only")
  func settings() throws {
    let scene = try Scene()
    var environment = scene.environment
    environment["CAIRN_COMMONS_URL"] = nil
    environment["CAIRN_CONTACT"] = nil
    func run(_ arguments: String...) throws -> ProgramOutput {
      let command = scene.box.command("cairn", arguments, in: "a")
      return try command.run()
    }
    let set = try run(
      "source", "set", "commons", "--url", scene.services.url("commons"), "--contact",
      "me@example.org")
    #expect(set.status == 0, "\(set.stderr)")
    #expect(try run("source", "test", "commons").status == 0)
    #expect(scene.services.requests().last?.headers["user-agent"] == "cairn/0.1 (me@example.org)")
    for arguments in [
      ["--url", "file:///etc/passwd"], ["--url", "https://ann:secret@example.org/"],
      ["--contact", "a\nb"], ["--contact", "a) (b"],
    ] {
      let output = try scene.box.run("cairn", ["source", "set", "commons"] + arguments, in: "a")
      #expect(output.status == ExitStatus.badData, "\(arguments)")
    }
    try scene.box.refuses("source", "set", "commons", in: "a", with: ExitStatus.usage)
    try scene.box.expectClean("a", ignoringNew: true)
    #expect(try run("source", "remove", "commons").status == 0)
    #expect(try run("source", "list").stdout.contains("https://commons.wikimedia.org/w/api.php"))
  }

  @Test(
    "refuses invalid requests before it sends anything",
    arguments: [
      ["--source", "commons"], ["--source", "commons", "--near", "95,2,1km"],
      ["--source", "commons", "--near", "1,2,far"], ["--source", "commons", "--near", "1,2,20km"],
      ["--source", "flickr", "--near", "1,2,40km"], ["--source", "openverse"],
      ["--source", "openverse", "--text", "x", "--near", "1,2,1km"],
      ["--source", "commons", "--text", "x", "--limit", "0"],
      ["--source", "dog.ceo", "--licence", "cc0"],
      ["--source", "commons", "--text", "x", "--new-collection"],
    ])
  func nonsense(arguments: [String]) throws { try refused(arguments, ExitStatus.badData) }

  @Test(
    "refuses options that do not fit together, unknown licenses and unknown sources",
    arguments: [
      (["--source", "urls"], ExitStatus.usage),
      (["--source", "commons", "--from", "x"], ExitStatus.usage),
      (["--source", "commons", "--text", "x", "--licence", "mine"], ExitStatus.usage),
      (["--source", "nowhere"], ExitStatus.notFound),
    ])
  func misused(arguments: [String], status: Int32) throws { try refused(arguments, status) }

  private func refused(_ arguments: [String], _ status: Int32) throws {
    let scene = try Scene()
    let output = try scene.box.run(
      "cairn", ["photo", "fetch"] + arguments, in: "a", environment: scene.environment)
    #expect(output.status == status, "\(output.stderr)")
    #expect(output.stderr.split(separator: "\n").count == 2, "\(output.stderr)")
    #expect(scene.services.requests().isEmpty)
  }
}

extension Sandbox {
  /// Makes a class “Cairn” with the alias “terrier-cairn”.
  fileprivate func startClasses(in dataset: String) throws {
    let other = try addPhotos(900..<901, to: dataset)[0]
    try cairn("label", other, "Cairn", in: dataset)
    try cairn("class", "alias", "terrier-cairn", "Cairn", in: dataset)
  }

  fileprivate func expectClean(_ dataset: String, ignoringNew: Bool) throws {
    let status = try git("status", "--porcelain", "--untracked-files=no", in: dataset)
    #expect(status.stdout == "")
  }
}
