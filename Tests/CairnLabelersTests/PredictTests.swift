import CairnDocument
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("cairn predict")
struct PredictTests {
  @Test("sends eight photos at once, records one run and skips the photos when run again")
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
    let confidences = try scene.confidences(of: scene.photos[0])
    #expect(Set(confidences.keys) == ["outdoor", "tree"])

    let again = try scene.json("predict")
    #expect(again["skipped"]?.int == 24 && again["photos"]?.int == 0)
    #expect(try scene.services.requests().count == 24)
    #expect(try scene.json("predict", "--again", scene.photos[0])["photos"]?.int == 1)
    try scene.box.cairn("run", "withdraw", runs[0]["id"]?.string ?? "", in: "a")
    #expect(try scene.json("predict")["photos"]?.int == 23)
    try scene.box.cairn("verify", in: "a")
  }

  @Test("limits the labels kept with --top and --min")
  func bounds() throws {
    let scene = try Scene(photos: 4)
    try scene.addPlain("ok")
    #expect(try scene.json("predict", "--top", "1")["labels"]?.int == 4)
    for photo in scene.photos {
      let confidences = try scene.confidences(of: photo)
      #expect(confidences.count == 1 && (confidences.values.first ?? 0) >= 0.5)
    }
    // Labels that the model no longer gives are withdrawn.
    let none = try scene.json("predict", "--again", "--min", "0.95")
    #expect(none["labels"]?.int == 0 && none["empty"]?.int == 4)
    #expect(try scene.confidences(of: scene.photos[0]).isEmpty)
    #expect(try scene.json("predict", "--min", "0.95")["skipped"]?.int == 4)
    let wrong = try scene.run("predict", "--min", "2")
    #expect(wrong.status == 65)
  }

  @Test("records the photos on which the model is silent, so that a clone does not ask again")
  func silent() throws {
    let scene = try Scene(photos: 5)
    try scene.addPlain("ok")
    #expect(try scene.json("predict", "--min", "0.95", scene.photos[0])["empty"]?.int == 1)
    #expect(try scene.json("predict", "--min", "0.95")["empty"]?.int == 4)
    let runs = try scene.json("run", "list").array ?? []
    #expect(runs.compactMap { $0["silent"]?.int }.sorted() == [1, 4])
    #expect(runs.allSatisfy { $0["labels"]?.int == 0 })
    try scene.box.cairn("verify", in: "a")
    try scene.box.cairn("commit", "--all", "-m", "predictions", in: "a")
    try scene.box.cairn("clone", "a", "b")
    try scene.box.cairn(
      "labeler", "add", "net", "--preset", "plain", "--url", scene.services.url("plain", "ok"),
      "--model", "net@1", in: "b")
    func predict(_ minimum: String) throws -> JSON {
      let output = try scene.box.runCairn(["predict", "--min", minimum, "--json"], in: "b")
      return try JSON(bytes: output.bytes)
    }
    let asked = try scene.services.requests().count
    #expect(try predict("0.95")["skipped"]?.int == 5)
    #expect(try predict("0.99")["skipped"]?.int == 5)
    #expect(try scene.services.requests().count == asked)
    // A withdrawn run counts as if it had not been made.
    for run in runs { try scene.box.cairn("run", "withdraw", run["id"]?.string ?? "", in: "b") }
    #expect(try predict("0.99")["skipped"]?.int == 0)
    // With a lower minimum, the model may have something to say.
    #expect(try predict("0.5")["skipped"]?.int == 0)
  }

  @Test(
    "asks again about the silent photos of a run that was withdrawn or undone",
    arguments: [false, true])
  func silentAgain(isUndone: Bool) throws {
    let scene = try Scene(photos: 3)
    try scene.addPlain("ok")
    let first = try scene.json("predict", "--min", "0.95")
    #expect(first["empty"]?.int == 3)
    if isUndone {
      try scene.box.cairn("undo", in: "a")
    } else {
      try scene.box.cairn("run", "withdraw", first["run"]?.string ?? "", in: "a")
    }
    let asked = try scene.services.requests().count
    let again = try scene.json("predict", "--min", "0.95")
    #expect(again["empty"]?.int == 3 && again["skipped"]?.int == 0, "\(again)")
    #expect(try scene.services.requests().count == asked + 3)
    let runs = (try scene.json("run", "list").array ?? []).filter { $0["withdrawn"] == false }
    #expect(runs.map { $0["silent"]?.int } == [3])
    #expect(try scene.json("predict", "--min", "0.95")["skipped"]?.int == 3)
  }

  @Test("maps a model's name to the class that has it as an alias, and creates the others")
  func aliases() throws {
    let scene = try Scene(photos: 2)
    try scene.box.write("name,aliases\nWoody plant,tree|arbor\n", to: "list.csv")
    try scene.box.cairn("class", "import", "../list.csv", in: "a")
    try scene.addPlain("ok")
    try scene.box.cairn("predict", in: "a")
    for photo in scene.photos {
      #expect(Set(try scene.confidences(of: photo).keys) == ["woody-plant", "outdoor"])
    }
  }

  @Test("reports a name that several classes have and leaves it out")
  func ambiguousName() throws {
    let scene = try Scene(photos: 1)
    try scene.box.write("elm\nash\n", to: "list.txt")
    try scene.box.cairn("class", "import", "../list.txt", in: "a")
    try scene.box.cairn("class", "rename", "elm", "Tree", in: "a")
    try scene.box.cairn("class", "rename", "ash", "tree", in: "a")
    try scene.addPlain("ok")
    let report = try scene.json("predict")
    #expect(report["ambiguous"]?.array?.compactMap(\.string) == ["tree"])
    #expect(Set(try scene.confidences(of: scene.photos[0]).keys) == ["outdoor"])
  }

  @Test("counts a photo as failed if all names of its labels are those of several classes")
  func ambiguousOnly() throws {
    let scene = try Scene(photos: 1)
    try scene.box.write("elm\nash\noak\nfir\n", to: "list.txt")
    try scene.box.cairn("class", "import", "../list.txt", in: "a")
    for (key, name) in [("elm", "Tree"), ("ash", "tree"), ("oak", "Outdoor"), ("fir", "outdoor")] {
      try scene.box.cairn("class", "rename", key, name, in: "a")
    }
    try scene.addPlain("ok")
    let output = try scene.run("predict", "--json")
    let report = try JSON(bytes: output.bytes)
    #expect(output.status == 65 && report["empty"]?.int == 0)
    let reason = report["failed"]?.array?.first?["reason"]?.string ?? ""
    #expect(reason.contains("matches 2 classes"), "\(reason)")
    // Nothing is recorded about the photo, so it is predicted again.
    #expect(try scene.json("run", "list").array?.isEmpty == true)
    try scene.box.cairn("class", "rename", "ash", "ash", in: "a")
    try scene.box.cairn("class", "rename", "fir", "fir", in: "a")
    let again = try scene.json("predict")
    #expect(again["photos"]?.int == 1 && again["labels"]?.int == 2, "\(again)")
    #expect(Set(try scene.confidences(of: scene.photos[0]).keys) == ["elm", "oak"])
  }

  @Test("labels classes as absent that only another version of the model finds")
  func newVersionIsSilent() throws {
    let scene = try Scene(photos: 4)
    try scene.addPlain("ok")
    try scene.box.cairn("predict", in: "a")
    func predictedCount() throws -> Int? { try scene.json("find", "state:predicted").array?.count }
    #expect(try predictedCount() == 4)
    let found = try scene.confidences(of: scene.photos[0])
    try scene.box.cairn(
      "labeler", "add", "net", "--preset", "plain", "--url", scene.services.url("plain", "ok"),
      "--model", "net@2", "--replace", in: "a")
    // No score is above 0.9.
    let silent = try scene.json("predict", "--min", "0.95")
    #expect(silent["photos"]?.int == 4 && silent["labels"]?.int == 8 && silent["empty"]?.int == 0)
    #expect(try predictedCount() == 0)
    let labels = try scene.json("show", scene.photos[0])["labels"]?.array ?? []
    let absent = labels.filter { $0["verdict"]?.string == "absent" }
    #expect(absent.count == 2)
    for label in absent {
      let score = try #require(found[label["class"]?.string ?? ""])
      #expect(abs((label["confidence"]?.double ?? 0) - (1 - score)) < 1e-5)
    }
    #expect(try scene.json("predict", "--min", "0.95")["skipped"]?.int == 4)
    #expect(try scene.json("predict", "--again")["labels"]?.int == 8)
    #expect(try predictedCount() == 4)
    try scene.box.cairn("verify", in: "a")
  }

  @Test("is silent although a withdrawn run of another version found classes")
  func otherVersionIsWithdrawn() throws {
    let scene = try Scene(photos: 2)
    try scene.addPlain("ok")
    try scene.box.cairn("predict", in: "a")
    let run = try #require(try scene.json("run", "list").array?.first?["id"]?.string)
    try scene.box.cairn("run", "withdraw", run, in: "a")
    try scene.box.cairn(
      "labeler", "add", "net", "--preset", "plain", "--url", scene.services.url("plain", "ok"),
      "--model", "net@2", "--replace", in: "a")
    // No score is above 0.9.
    let silent = try scene.json("predict", "--min", "0.95")
    #expect(silent["empty"]?.int == 2 && silent["labels"]?.int == 0, "\(silent)")
    // With a lower minimum, the photos are asked about again.
    #expect(try scene.json("predict")["photos"]?.int == 2)
  }

  @Test("keeps a class rejected by a person when the model runs again")
  func rejected() throws {
    let scene = try Scene(photos: 1)
    try scene.addPlain("ok")
    try scene.box.cairn("predict", in: "a")
    try scene.box.cairn("reject", scene.photos[0], "tree", in: "a")
    try scene.box.cairn("predict", "--again", in: "a")
    #expect(try scene.state(of: "tree", on: scene.photos[0]) == "rejected")
  }

  @Test("stores a caption as a label that people can correct, and stores the key nowhere")
  func caption() throws {
    let scene = try Scene(photos: 3)
    try scene.box.cairn(
      "labeler", "add", "azure", "--preset", "azure-image-analysis", "--url",
      scene.services.url("azure-image-analysis", "ok"), "--key-variable", "MY_KEY", in: "a")
    let without = try scene.run("predict")
    #expect(without.status == 65 && without.stderr.contains("MY_KEY"))
    let output = try scene.run("predict", environment: ["MY_KEY": Services.key])
    #expect(output.status == 0, "\(output.all)")
    let labels = try scene.json("show", scene.photos[0])["labels"]?.array ?? []
    let caption = labels.first { $0["class"]?.string == "description" }
    #expect(caption?["text"]?.string == "a tree in a park")
    #expect(caption?["confidence"]?.double == 0.7731)
    try scene.box.cairn(
      "label", scene.photos[0], "description", "--text", "an oak in spring", in: "a")
    #expect(try scene.state(of: "description", on: scene.photos[0]) == "confirmed")

    let test = try scene.run(
      "labeler", "test", "azure", scene.photos[0], environment: ["MY_KEY": "no"])
    #expect(test.status == 65)
    #expect(!output.all.contains(Services.key))
    let found = try scene.box.run("grep", ["-r", Services.key, "a"])
    #expect(found.status == 1, "\(found.stdout)")
  }

  @Test("lists photos that fail, predicts the rest, and repeats the failed ones with --retry")
  func retry() throws {
    let scene = try Scene(photos: 3)
    try scene.addPlain("error")
    let failed = try scene.run("predict")
    #expect(failed.status == 65)
    #expect(
      failed.stdout.components(separatedBy: "it reported “no image”").count == 4, "\(failed.stdout)"
    )
    #expect(try scene.json("run", "list").array?.isEmpty == true)
    #expect(try scene.json("predict", "--retry", "--dry-run")["photos"]?.int == 3)
    try scene.addPlain("ok")
    let retried = try scene.json("predict", "--retry")
    #expect(retried["photos"]?.int == 3 && retried["failed"]?.array?.isEmpty == true)
    #expect(try scene.json("predict", "--retry")["photos"]?.int == 0)
    #expect(try scene.json("predict", "--retry", "--dry-run")["photos"]?.int == 0)
  }

  @Test("stops after many unusable answers in a row and keeps what was finished")
  func manyFailures() throws {
    let scene = try Scene(photos: 40)
    // One at a time: with several, those that fail may finish before the last one that succeeds.
    try scene.addPlain("tires", atOnce: 1)
    let output = try scene.run("predict")
    #expect(output.status == 65)
    #expect(
      output.stderr.contains(
        "The labeler “net” failed: 16 photos in a row failed; the last error: "),
      "\(output.all)")
    #expect(scene.labeledCount() == 5)
    #expect(try scene.services.requests().count == 5 + 16)
    // Photos that failed come last, so that they do not block the others.
    let asked = try scene.services.requests().count
    let again = try scene.json("predict")
    #expect(again["photos"]?.int == 0 && again["skipped"]?.int == 5)
    let others = try scene.services.requests().dropFirst(asked).filter { $0.times == 1 }
    #expect(others.count >= min(15, 40 - asked))
    try scene.addPlain("ok")
    let rest = try scene.json("predict")
    #expect(rest["photos"]?.int == 35 && rest["failed"]?.array?.isEmpty == true)
    try scene.box.cairn("verify", in: "a")
  }

  @Test("uses the version that the service reports and starts a new run when it changes")
  func versions() throws {
    let scene = try Scene(photos: 12)
    try scene.box.write("tree\noutdoor\n", to: "names.txt")
    try scene.box.cairn(
      "labeler", "add", "net", "--preset", "kserve", "--url",
      scene.services.url("kserve", "updates"), "--setting", "model=trees", "--names",
      "../names.txt", "--at-once", "1", in: "a")
    let first = try scene.json("predict")
    #expect(first["model"]?.string == "trees@1" && first["photos"]?.int == 10)
    #expect(
      first["message"]?.string?.contains("its model changed from trees@1 to trees@2")
        == true)
    let second = try scene.json("predict")
    #expect(second["model"]?.string == "trees@2" && second["photos"]?.int == 12)
    // Nothing was requested twice, except for the answer from the other version.
    #expect(try scene.services.requests().count == 11 + 12)
    #expect(try scene.json("predict")["skipped"]?.int == 12)
    let runs = try scene.json("run", "list").array ?? []
    #expect(Set(runs.compactMap { $0["labels"]?.int }) == [20, 24])
  }

  @Test("stops after few refusals when the service has not reported its version")
  func refused() throws {
    let scene = try Scene(photos: 30)
    func add(_ behavior: String) throws {
      try scene.box.cairn(
        "labeler", "add", "net", "--preset", "triton", "--url",
        scene.services.url("triton", behavior), "--setting", "model=trees", "--replace", in: "a")
    }
    func count() throws -> Int { try scene.services.requests().count }
    try add("error")
    let output = try scene.run("predict")
    #expect(output.status == 65)
    #expect(
      output.stderr.contains("the first 4 photos failed; the last error: "),
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
    // If the version is known, four failures do not stop the command.
    try add("error")
    let five = try scene.run(
      "predict", "--again", scene.photos[0], scene.photos[1], scene.photos[2], scene.photos[3],
      scene.photos[4])
    #expect(five.status == 65, "\(five.all)")
    #expect(try count() == 43)
  }

  @Test("truncates a caption that is too long")
  func longCaption() throws {
    let scene = try Scene(photos: 1)
    try scene.addProgram("flags")
    try scene.box.cairn("predict", in: "a")
    let labels = try scene.json("show", scene.photos[0])["labels"]?.array ?? []
    let text = labels.first { $0["class"]?.string == "description" }?["text"]?.string
    #expect(text == String(repeating: "🇩🇪", count: 2048))
  }

  @Test("stops at once with exit code 69 when the service is unreachable")
  func unreachable() throws {
    let scene = try Scene(photos: 3)
    try scene.box.cairn(
      "labeler", "add", "net", "--preset", "plain", "--url", "http://127.0.0.1:1/", "--model",
      "net@1", in: "a")
    let output = try scene.run("predict")
    #expect(output.status == 69, "\(output.all)")
    #expect(output.stderr.contains("The labeler “net” failed: 127.0.0.1:1 refused the connection"))
    #expect(scene.labeledCount() == 0)
  }

  @Test("reports an image that is not on this device and how to fetch it")
  func notHere() throws {
    let scene = try Scene(photos: 2)
    try scene.addPlain("ok")
    let gone = scene.photos[0]
    for directory in ["a/images", "a/.git/lfs/objects"] {
      let output = try scene.box.run(
        "find", [directory, "-name", "\(gone)*", "-type", "f", "-delete"])
      #expect(output.status == 0)
    }
    let output = try scene.run("predict")
    #expect(output.status == 66 && output.stdout.contains("`cairn images fetch` fetches them"))
    #expect(try scene.confidences(of: scene.photos[1]).count == 2)
  }

  @Test("counts photos whose images were erased, and does not call them predicted")
  func erased() throws {
    let scene = try Scene(photos: 2)
    try scene.addPlain("ok")
    try scene.box.cairn("photo", "erase", scene.photos[0], "--reason", "a face", "--yes", in: "a")
    let report = try scene.json("predict")
    #expect(report["erasedImages"]?.int == 1 && report["skipped"]?.int == 0)
    #expect(report["photos"]?.int == 1)
    let again = try scene.run("predict", "--again").stdout
    #expect(again.contains("1 photo left out, whose image was erased."), "\(again)")
    #expect(!again.contains("already predicted"))
  }

  @Test("stores file arguments of a program as absolute paths, but not folders and modules")
  func words() throws {
    let scene = try Scene(photos: 1)
    for file in ["tool", "net.pt", "mylab/__init__.py"] {
      try scene.box.write("", to: "a/\(file)")
    }
    try scene.box.cairn(
      "labeler", "add", "net", "--program", "python3", "-m", "tool", "net.pt", "mylab", in: "a")
    let arguments = try scene.json("labeler", "show", "net")["command"]?.array?.compactMap(\.string)
    let file = scene.box.root.appending("a/net.pt").string
    #expect(arguments == ["python3", "-m", "tool", file, "mylab"])
  }

  @Test("lists, shows, copies and removes the labelers of this device")
  func labelers() throws {
    let scene = try Scene(photos: 1)
    try scene.addPlain("ok")
    let shown = try scene.box.cairn("labeler", "show", "net", in: "a").stdout
    try scene.box.write(shown, to: "net.json")
    try scene.box.cairn("labeler", "add", "other", "--from", "../net.json", in: "a")
    let names = try scene.json("labeler", "list").array?.compactMap { $0["name"]?.string }
    #expect(names == ["net", "other"])
    #expect(try scene.run("predict").status == 66)
    #expect(try scene.run("labeler", "add", "other", "--from", "../net.json").status == 73)
    try scene.box.cairn("labeler", "remove", "other", in: "a")
    #expect(try scene.run("labeler", "remove", "other").status == 66)
    #expect(try scene.run("labeler", "test", "net", "../in/photo-0.png").status == 0)
    // The dataset contains nothing of it.
    #expect(
      try scene.box.git("status", "--porcelain", "--ignored", in: "a").stdout.contains("labeler")
        == false)
    #expect(try scene.run("labeler", "add", "x").status == 64)
  }
}
