import CairnDocument
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("cairn predict")
struct PredictTests {
  @Test("eight photos at once become labels of one run, sorted, and are not asked about again")
  func predict() throws {
    let scene = try Scene(photos: 24)
    try scene.addPlain("together")
    let report = try scene.json("predict")
    #expect(report["photos"]?.int == 24 && report["labels"]?.int == 48)
    #expect(report["model"]?.string == "net@1")
    let requests = try scene.services.requests()
    #expect(requests.count == 24 && requests.compactMap(\.atOnce).max() == 8)
    let runs = try scene.json("run", "list").array ?? []
    #expect(runs.count == 1 && runs[0]["labels"]?.int == 48)
    #expect(runs[0]["parameters"]?["labeler"]?.string == "net")
    let said = try scene.said(of: scene.photos[0])
    #expect(Set(said.keys) == ["outdoor", "tree"])

    let again = try scene.json("predict")
    #expect(again["skipped"]?.int == 24 && again["photos"]?.int == 0)
    #expect(try scene.services.requests().count == 24)
    #expect(try scene.json("predict", "--again", scene.photos[0])["photos"]?.int == 1)
    try scene.place.cairn("run", "withdraw", runs[0]["id"]?.string ?? "", in: "a")
    #expect(try scene.json("predict")["photos"]?.int == 23)
    try scene.place.cairn("verify", in: "a")
  }

  @Test("--top and --min bound what is kept")
  func bounds() throws {
    let scene = try Scene(photos: 4)
    try scene.addPlain("ok")
    #expect(try scene.json("predict", "--top", "1")["labels"]?.int == 4)
    for photo in scene.photos {
      let said = try scene.said(of: photo)
      #expect(said.count == 1 && (said.values.first ?? 0) >= 0.5)
    }
    // What the model does not say any more is taken back.
    let none = try scene.json("predict", "--again", "--min", "0.95")
    #expect(none["labels"]?.int == 0 && none["empty"]?.int == 4)
    #expect(try scene.said(of: scene.photos[0]).isEmpty)
    #expect(try scene.json("predict", "--min", "0.95")["skipped"]?.int == 4)
    let wrong = try scene.run("predict", "--min", "2")
    #expect(wrong.status == 65)
  }

  @Test("a name of the model's means the class that has it as an alias; others become classes")
  func aliases() throws {
    let scene = try Scene(photos: 2)
    try scene.place.write("name,aliases\nWoody plant,tree|arbor\n", to: "list.csv")
    try scene.place.cairn("class", "import", "../list.csv", in: "a")
    try scene.addPlain("ok")
    try scene.place.cairn("predict", in: "a")
    for photo in scene.photos {
      #expect(Set(try scene.said(of: photo).keys) == ["woody-plant", "outdoor"])
    }
  }

  @Test("what a person rejected stays rejected when the model runs again")
  func rejected() throws {
    let scene = try Scene(photos: 1)
    try scene.addPlain("ok")
    try scene.place.cairn("predict", in: "a")
    try scene.place.cairn("reject", scene.photos[0], "tree", in: "a")
    try scene.place.cairn("predict", "--again", in: "a")
    #expect(try scene.state(of: "tree", on: scene.photos[0]) == "rejected")
  }

  @Test("a caption is a label of words, which people correct; the key is nowhere")
  func caption() throws {
    let scene = try Scene(photos: 3)
    try scene.place.cairn(
      "labeler", "add", "azure", "--preset", "azure-image-analysis", "--url",
      scene.services.url("azure-image-analysis", "ok"), "--key", "MY_KEY", in: "a")
    let without = try scene.run("predict")
    #expect(without.status == 65 && without.errors.contains("MY_KEY"))
    let output = try scene.run("predict", environment: ["MY_KEY": Services.key])
    #expect(output.status == 0, "\(output.all)")
    let labels = try scene.json("show", scene.photos[0])["labels"]?.array ?? []
    let caption = labels.first { $0["class"]?.string == "description" }
    #expect(caption?["text"]?.string == "a tree in a park")
    #expect(caption?["confidence"]?.double == 0.7731)
    try scene.place.cairn(
      "label", scene.photos[0], "description", "--text", "an oak in spring", in: "a")
    #expect(try scene.state(of: "description", on: scene.photos[0]) == "confirmed")

    let test = try scene.run(
      "labeler", "test", "azure", scene.photos[0], environment: ["MY_KEY": "no"])
    #expect(test.status == 65)
    #expect(!output.all.contains(Services.key))
    let found = try scene.place.run("grep", ["-r", Services.key, "a"])
    #expect(found.status == 1, "\(found.text)")
  }

  @Test("photos that fail are listed, the rest goes on, and --retry asks about them")
  func retry() throws {
    let scene = try Scene(photos: 3)
    try scene.addPlain("error")
    let failed = try scene.run("predict")
    #expect(failed.status == 1)
    #expect(failed.text.components(separatedBy: "it says “no image”").count == 4, "\(failed.text)")
    #expect(try scene.json("run", "list").array?.isEmpty == true)
    try scene.addPlain("ok")
    let retried = try scene.json("predict", "--retry")
    #expect(retried["photos"]?.int == 3 && retried["failed"]?.array?.isEmpty == true)
    #expect(try scene.json("predict", "--retry")["photos"]?.int == 0)
  }

  @Test("answers that are of no use end it after many in a row; what was finished stays")
  func tires() throws {
    let scene = try Scene(photos: 40)
    try scene.addPlain("tires")
    let output = try scene.run("predict")
    #expect(output.status == 65)
    #expect(
      output.errors.contains(
        "The labeler “net” does not work: 16 photos in a row failed, the last of them because "),
      "\(output.all)")
    #expect(scene.labeledCount() == 5)
    // Eight are asked at once: seven may fail before the last that does not, and seven after the end.
    #expect(try scene.services.requests().count <= 5 + 7 + 16 + 7)
    // Those that failed come last, so that they keep no other from being asked.
    let asked = try scene.services.requests().count
    let again = try scene.json("predict")
    #expect(again["photos"]?.int == 0 && again["skipped"]?.int == 5)
    let others = try scene.services.requests().dropFirst(asked).filter { $0.times == 1 }
    #expect(others.count >= min(15, 40 - asked))
    try scene.addPlain("ok")
    let rest = try scene.json("predict")
    #expect(rest["photos"]?.int == 35 && rest["failed"]?.array?.isEmpty == true)
    try scene.place.cairn("verify", in: "a")
  }

  @Test("the version that a service states is the model's; another one begins another run")
  func versions() throws {
    let scene = try Scene(photos: 12)
    try scene.place.write("tree\noutdoor\n", to: "names.txt")
    try scene.place.cairn(
      "labeler", "add", "net", "--preset", "kserve", "--url",
      scene.services.url("kserve", "updates"), "--set", "model=trees", "--names", "../names.txt",
      "--at-once", "1", in: "a")
    let first = try scene.json("predict")
    #expect(first["model"]?.string == "trees@1" && first["photos"]?.int == 10)
    #expect(
      first["message"]?.string?.contains("it answers as trees@2 now, and no more as trees@1")
        == true)
    let second = try scene.json("predict")
    #expect(second["model"]?.string == "trees@2" && second["photos"]?.int == 12)
    // Nothing was asked twice, but for what came as another version.
    #expect(try scene.services.requests().count == 11 + 12)
    #expect(try scene.json("predict")["skipped"]?.int == 12)
    let runs = try scene.json("run", "list").array ?? []
    #expect(Set(runs.compactMap { $0["labels"]?.int }) == [20, 24])
  }

  @Test(
    "a service that refuses every photo before it states its version is asked about few, each once")
  func refused() throws {
    let scene = try Scene(photos: 30)
    func add(_ deed: String) throws {
      try scene.place.cairn(
        "labeler", "add", "net", "--preset", "triton", "--url", scene.services.url("triton", deed),
        "--set", "model=trees", "--replace", in: "a")
    }
    func count() throws -> Int { try scene.services.requests().count }
    try add("error")
    let output = try scene.run("predict")
    #expect(output.status == 65)
    #expect(
      output.errors.contains("the first 4 photos failed, the last of them because "),
      "\(output.all)")
    #expect(try count() == 4)
    #expect(try scene.json("predict")["failed"]?.array?.count == 4)
    #expect(try scene.services.requests().allSatisfy { $0.times == 1 })
    try add("ok")
    #expect(try scene.json("predict", "--retry")["photos"]?.int == 8)
    #expect(try count() == 16)
    let rest = try scene.json("predict")
    #expect(rest["photos"]?.int == 22 && rest["model"]?.string == "trees@1")
    #expect(try count() == 38)
    #expect(try scene.json("predict")["skipped"]?.int == 30)
    #expect(try scene.json("predict", "--retry")["photos"]?.int == 0)
    #expect(try count() == 38)
    // Where a version is known, four photos alone do not end it.
    try add("error")
    let five = try scene.run(
      "predict", "--again", scene.photos[0], scene.photos[1], scene.photos[2], scene.photos[3],
      scene.photos[4])
    #expect(five.status == 1, "\(five.all)")
    #expect(try count() == 43)
  }

  @Test("a caption of any length becomes the beginning of it")
  func longCaption() throws {
    let scene = try Scene(photos: 1)
    try scene.addProgram("flags")
    try scene.place.cairn("predict", in: "a")
    let labels = try scene.json("show", scene.photos[0])["labels"]?.array ?? []
    let text = labels.first { $0["class"]?.string == "description" }?["text"]?.string
    #expect(text == String(repeating: "🇩🇪", count: 2048))
  }

  @Test("a service that nobody runs ends it at once, with its own exit code")
  func unreachable() throws {
    let scene = try Scene(photos: 3)
    try scene.place.cairn(
      "labeler", "add", "net", "--preset", "plain", "--url", "http://127.0.0.1:1/", "--model",
      "net@1", in: "a")
    let output = try scene.run("predict")
    #expect(output.status == 69, "\(output.all)")
    #expect(output.errors.contains("The labeler “net” does not work: 127.0.0.1:1 does not accept"))
    #expect(scene.labeledCount() == 0)
  }

  @Test("an image that is not on this disk is told, with how to fetch it")
  func notHere() throws {
    let scene = try Scene(photos: 2)
    try scene.addPlain("ok")
    let gone = scene.photos[0]
    for directory in ["a/images", "a/.git/lfs/objects"] {
      let output = try scene.place.run(
        "find", [directory, "-name", "\(gone)*", "-type", "f", "-delete"])
      #expect(output.status == 0)
    }
    let output = try scene.run("predict")
    #expect(output.status == 66 && output.text.contains("`cairn images fetch` brings them"))
    #expect(try scene.said(of: scene.photos[1]).count == 2)
  }

  @Test("a co-process that is killed again and again loses nothing")
  func coprocessDies() throws {
    let scene = try Scene(photos: 23)
    try scene.addProgram("dies-often")
    let report = try scene.json("predict")
    #expect(report["photos"]?.int == 23, "\(report)")
    #expect(report["failed"]?.array?.isEmpty == true)
    #expect(report["model"]?.string == "net@7")
    #expect(scene.labeledCount() == 23)
  }

  @Test("a cairn that is killed keeps what was finished, and goes on in the same run")
  func killed() throws {
    let scene = try Scene(photos: 20)
    try scene.addProgram("stalls")
    let process = Process()
    process.executableURL = URL(filePath: try #require(Place.cairnProgram))
    process.currentDirectoryURL = URL(filePath: scene.place.root.appending("a").string)
    process.arguments = ["predict"]
    process.environment = ProcessInfo.processInfo.environment.merging(scene.place.environment) {
      $1
    }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The labels of the last photo may be on the disk before cairn has noted that they are all of them.
    while scene.predictedCount() < 6, process.isRunning { usleep(20_000) }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(scene.labeledCount() == 6 && scene.predictedCount() == 6)

    try? FileManager.default.removeItem(atPath: scene.place.root.appending("state").string)
    try scene.addProgram("counts")
    let report = try scene.json("predict")
    #expect(report["photos"]?.int == 14 && report["skipped"]?.int == 6)
    // One start, and fourteen questions.
    #expect(try scene.place.read("state").count == 15)
    let runs = try scene.json("run", "list").array ?? []
    #expect(runs.count == 1 && runs[0]["labels"]?.int == 60)
    try scene.place.cairn("verify", in: "a")
  }

  @Test("a photo whose labels were being written when cairn was killed is asked about again")
  func killedWhileWriting() throws {
    let scene = try Scene(photos: 3)
    try scene.addProgram("counts")
    try scene.place.cairn("predict", in: "a")
    let file = try FileHandle(forWritingTo: scene.predictionLog)
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"begun\":true,\"photo\":\"\(scene.photos[1])\"}\n".utf8))
    try file.close()
    let report = try scene.json("predict")
    #expect(report["photos"]?.int == 1 && report["skipped"]?.int == 2)
    #expect(try scene.json("predict")["skipped"]?.int == 3)
    try scene.place.cairn("verify", in: "a")
  }

  @Test("words of a program that name files are kept whole; folders and modules are not")
  func words() throws {
    let scene = try Scene(photos: 1)
    for file in ["tool", "net.pt", "mylab/__init__.py"] {
      try scene.place.write("", to: "a/\(file)")
    }
    try scene.place.cairn(
      "labeler", "add", "net", "--program", "python3", "-m", "tool", "net.pt", "mylab", in: "a")
    let words = try scene.json("labeler", "show", "net")["command"]?.array?.compactMap(\.string)
    let file = scene.place.root.appending("a/net.pt").string
    #expect(words == ["python3", "-m", "tool", file, "mylab"])
  }

  @Test("labelers are of this device: listed, shown for another one, removed")
  func labelers() throws {
    let scene = try Scene(photos: 1)
    try scene.addPlain("ok")
    let shown = try scene.place.cairn("labeler", "show", "net", in: "a")
    try scene.place.write(shown, to: "net.json")
    try scene.place.cairn("labeler", "add", "other", "--from", "../net.json", in: "a")
    let names = try scene.json("labeler", "list").array?.compactMap { $0["name"]?.string }
    #expect(names == ["net", "other"])
    #expect(try scene.run("predict").status == 66)
    #expect(try scene.run("labeler", "add", "other", "--from", "../net.json").status == 73)
    try scene.place.cairn("labeler", "remove", "other", in: "a")
    #expect(try scene.run("labeler", "remove", "other").status == 66)
    #expect(try scene.run("labeler", "test", "net", "../in/photo-0.png").status == 0)
    // Nothing of it is in the dataset.
    #expect(
      try scene.place.git("status", "--porcelain", "--ignored", in: "a").contains("labeler")
        == false)
    #expect(try scene.run("labeler", "add", "x").status == 64)
  }
}
