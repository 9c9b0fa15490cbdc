import Foundation
import TestSupport
import Testing

@Suite("Undo")
struct UndoTests {
  /// Returns what the documents of a dataset mean: labels by their verdicts, other documents by the
  /// values of their fields, without stamps. What is withdrawn or removed counts as absent.
  private func meaning(of dataset: String, _ box: Sandbox) throws -> [String: JSONValue] {
    var meaning: [String: JSONValue] = [:]
    for kind in ["cairn.json", "labels", "photos", "pins", "classes", "runs"] {
      for path in try box.documents(kind, in: dataset) where box.exists(path) {
        let json = try JSONDecoder().decode(JSONValue.self, from: box.read(path))
        let isGone =
          json["verdict"].string == "withdrawn" || json["removed"]["value"].isTrue
          || json["withdrawn"]["value"].isTrue
        if !isGone { meaning[String(path.dropFirst(dataset.count))] = values(json) }
      }
    }
    return meaning
  }

  private func values(_ json: JSONValue) -> JSONValue {
    guard case .object(var members) = json else { return json }
    if members["stamp"] != nil, let value = members["value"] { return values(value) }
    members["stamp"] = nil
    // A field that was cleared again means the same as one that was never set.
    let cleared: Set<JSONValue> = [.null, .object([:]), .array([]), .string("")]
    return .object(members.mapValues(values).filter { !cleared.contains($0.value) })
  }

  private func sync(_ box: Sandbox, _ datasets: String...) throws {
    for dataset in datasets { try box.cairn("sync", in: dataset) }
  }

  /// Makes three copies with the same photos, labels, classes and pin; returns the photos.
  private func threeCopies(_ box: Sandbox, photos count: Int) throws -> [String] {
    let photos = try box.startDataset(photos: count)
    let pin = try box.json("pin", "add", "1", "2", "--name", "Mill", in: "a")["id"].string
    try box.cairn("photo", "edit", photos[0], "--title", "A mill", "--pin", pin, in: "a")
    try box.cairn("label", "heather", "--absent", "--find", "-is:removed", "-qy", in: "a")
    try box.cairn("label", photos[1], "hemlok", in: "a")
    try box.cairn("label", photos[0], "hemlock", in: "a")
    try box.cairn("remote", "add", "origin", box.url("r.git").path, "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "r.git", "b")
    try box.cairn("clone", "r.git", "c")
    try box.setIdentity("Bob", in: "b")
    return photos
  }

  /// Runs a command on one of three copies, and undoes it there after the others know of it.
  private func runAndUndo(_ command: [String], _ box: Sandbox) throws {
    let before = try meaning(of: "a", box)
    if command == ["review"] {
      try reviewPredictions(box)
    } else {
      try box.succeed("cairn", command, in: "a")
    }
    #expect(try meaning(of: "a", box) != before, "\(command)")
    try sync(box, "a", "b", "c")
    for copy in ["b", "c"] { #expect(try meaning(of: copy, box) != before, "\(copy): \(command)") }
    let report = try box.json("undo", in: "a")
    #expect(report["kept"].elements.isEmpty, "\(command): \(report)")
    #expect(try meaning(of: "a", box) == before, "\(command)")
    try sync(box, "a", "b", "c")
    for copy in ["b", "c"] { #expect(try meaning(of: copy, box) == before, "\(copy): \(command)") }
  }

  /// Answers the questions about oak on four photos.
  private func reviewPredictions(_ box: Sandbox) throws {
    let status = try box.keyboard(
      #"""
      session = review("--class", "oak")
      for key in "arar":
          photo(session)
          session.send(key)
      report(ended(session))
      """#)
    #expect(status.number == 0)
  }

  @Test(
    "restores the state from before on all copies",
    arguments: [
      [
        ["label", "moss", "--find", "-is:removed"],
        ["label", "heather", "--as", "net@1", "--confidence", "0.9", "--find", "-is:removed"],
        ["unlabel", "heather", "--find", "-is:removed", "--yes"],
        ["import", "csv", "labels.csv", "--annotator", "eve@example.org"],
        ["photo", "remove", "--find", "-is:removed"], ["photo", "add", "from/more"],
        ["favorite", "--find", "-is:removed"], ["review"],
      ],
      [
        ["class", "merge", "hemlok", "hemlock"], ["class", "rename", "hemlok", "Hemlock fir"],
        ["class", "set", "trees", "hemlok", "hemlock"], ["class", "remove", "hemlok"],
        ["photo", "edit", "--find", "label:hemlock", "--title", "Slip"],
        ["pin", "add", "3", "4"], ["pin", "move", "Mill", "5", "6"], ["pin", "remove", "Mill"],
        ["policy", "set", "--people", "latest"],
      ],
      [
        ["class", "alias", "moss", "heather"], ["class", "import", "classes.txt"],
        ["pin", "rename", "Mill", "Weir"], ["split", "add", "field", "train=3,test=1"],
        ["accept", "PHOTO", "oak"], ["reject", "PHOTO", "oak"], ["run", "withdraw", "RUN"],
        ["import", "documents", "lines.jsonl"],
      ],
    ])
  func everywhere(commands: [[String]]) throws {
    let box = try Sandbox()
    let photos = try threeCopies(box, photos: 6)
    try box.makeImages(90..<92, in: "a/from/more")
    let rows = photos.map { "\($0),bracken,present\n" }
    try box.write("photo,label,verdict\n" + rows.joined(), to: "a/labels.csv")
    try box.write("Elm\nAsh\n", to: "a/classes.txt")
    let lines = [
      #"{"photo":"\#(photos[0])","class":"bracken"}"#, #"{"id":"\#(photos[1])","title":"Slip"}"#,
      #"{"location":{"latitude":1,"longitude":2},"name":"Harbor"}"#,
    ]
    try box.write(lines.joined(separator: "\n"), to: "a/lines.jsonl")
    let prediction = ["oak", "--as", "net@1", "--confidence", "0.4"]
    try box.succeed("cairn", ["label"] + Array(photos[2...]) + prediction, in: "c")
    var names = ["PHOTO": photos[2]]
    if commands.contains(["run", "withdraw", "RUN"]) {
      names["RUN"] = try box.json("run", "start", "net@2", in: "c")["id"].string
      try box.cairn("label", photos[3], "fir", "--run", names["RUN"]!, in: "c")
    }
    try sync(box, "c", "a")
    for command in commands { try runAndUndo(command.map { names[$0] ?? $0 }, box) }
    try box.expectEqual("a", "b", "c")
    try box.expectSound("b")
  }

  @Test("restores 500 verdicts that one command has changed")
  func slip() throws {
    let box = try Sandbox()
    _ = try threeCopies(box, photos: 500)
    try runAndUndo(["label", "heather", "--find", "-is:removed", "--yes"], box)
    try box.expectEqual("a", "b", "c")
  }

  @Test("leaves git no change when an edit was never committed")
  func uncommitted() throws {
    let box = try Sandbox()
    let photos = try threeCopies(box, photos: 3)
    try box.cairn("label", photos[0], "heather", in: "a")
    try box.cairn("photo", "edit", photos[0], "--title", "Slip", in: "a")
    try box.cairn("undo", in: "a")
    try box.cairn("undo", in: "a")
    try box.expectClean("a")
  }

  @Test("undoes one command after the other, and an undo")
  func repeated() throws {
    let box = try Sandbox()
    let photos = try threeCopies(box, photos: 2)
    let path = photos[0]
    for title in ["One", "Two", "Three"] {
      try box.cairn("photo", "edit", path, "--title", title, in: "a")
      try box.cairn("commit", in: "a")
    }
    func title() throws -> String {
      try box.json("show", path, in: "a")["photo"]["title"].string
    }
    try box.cairn("undo", in: "a")
    #expect(try title() == "Two")
    try box.cairn("commit", in: "a")
    try box.cairn("undo", in: "a")
    #expect(try title() == "One")
    let operations = try box.json("operations", in: "a").elements
    #expect(operations.prefix(4).map { $0["undone"].isTrue } == [false, false, true, true])
    #expect(operations[0]["undoes"].number == operations[3]["number"].number)
    #expect(operations[2]["command"].string.contains("Three"))
    // Undoing the last undo: “Two” again, and then it can be undone again.
    let last = Int(operations[0]["number"].number)
    try box.cairn("undo", "\(last)", in: "a")
    #expect(try title() == "Two")
    try box.cairn("undo", in: "a")
    #expect(try title() == "One")
    try box.cairn("undo", in: "a")
    #expect(try title() == "A mill")
    let twice = try box.refuses(
      "undo", "\(Int(operations[3]["number"].number))", in: "a", with: ExitStatus.badData)
    #expect(twice.contains("was undone already"), "\(twice)")
  }

  @Test("leaves what others changed or use since, and lists it")
  func changedSince() throws {
    let box = try Sandbox()
    let photos = try threeCopies(box, photos: 3)
    try box.cairn("label", photos[0], photos[1], photos[2], "ling", in: "a")
    try box.makeImages(50..<52, in: "from/new")
    let added = try box.json("photo", "add", box.url("from/new").path, in: "a").strings("id")
    try sync(box, "a", "b")
    try box.cairn("label", photos[0], "ling", in: "b")
    try box.cairn("label", added[0], "heather", in: "b")
    try sync(box, "b", "a")
    try box.cairn("label", photos[1], "ling", "--absent", in: "a")

    let photo = try box.json("undo", "--dry-run", in: "a")
    #expect(photo["operation"]["command"].string.contains("ling --absent"))
    let numbers = try box.json("operations", in: "a").elements.map { Int($0["number"].number) }
    let addition = try box.json("undo", "\(numbers[1])", in: "a")
    #expect(addition["kept"].elements == [.string(Sandbox.photoPath(added[0]))])
    #expect(try box.listed(in: "a").contains(added[0]))
    #expect(try !box.listed(in: "a").contains(added[1]))

    let labels = try box.json("undo", "\(numbers[2])", in: "a")
    // Ann's second verdict, and the class that Bob uses.
    #expect(labels["kept"].elements.count == 2, "\(labels)")
    #expect(labels["kept"].elements.contains(.string("classes/ling.json")))
    #expect(
      try box.labels(of: photos[1], in: "a").contains("ann: ling absent"))
    #expect(try box.labels(of: photos[0], in: "a").contains("bob: ling present"))
    #expect(try box.state(of: "ling", on: photos[2], in: "a") == nil)
  }

  @Test("leaves what others have edited since, also if the operation added it")
  func editedSince() throws {
    let box = try Sandbox()
    let photos = try threeCopies(box, photos: 2)
    let weir = try box.json("pin", "add", "3", "4", "--name", "Weir", in: "a")["id"].string
    try box.cairn("pin", "add", "5", "6", "--name", "Bank", in: "a")
    try box.write("Moss\nAsh\n", to: "a/classes.txt")
    try box.cairn("class", "import", "classes.txt", in: "a")
    try box.makeImages(50..<53, in: "from/new")
    let added = try box.json("photo", "add", box.url("from/new").path, in: "a").strings("id")
    try box.cairn("photo", "remove", photos[1], in: "a")
    try box.cairn("photo", "restore", photos[1], in: "a")
    try sync(box, "a", "b")
    try box.cairn("pin", "rename", "Weir", "Dam", in: "b")
    try box.cairn("class", "set", "plants", "Moss", in: "b")
    for photo in [added[0], photos[1]] {
      try box.cairn("photo", "edit", photo, "--title", "Kept", in: "b")
    }
    try box.cairn("photo", "edit", added[1], "--pin", weir, in: "b")
    try sync(box, "b", "a")

    let numbers = try box.json("operations", in: "a").elements.map { Int($0["number"].number) }
    func kept(_ index: Int) throws -> [String] {
      try box.json("undo", "\(numbers[index])", in: "a")["kept"].elements.map(\.string)
    }
    #expect(try kept(0) == [Sandbox.photoPath(photos[1])])
    #expect(try kept(2) == [added[0], added[1]].map { Sandbox.photoPath($0) }.sorted())
    #expect(try kept(3) == ["classes/moss.json"])
    #expect(try kept(4).isEmpty)
    #expect(try kept(5).count == 1)
    try sync(box, "a", "b")
    for copy in ["a", "b"] {
      let listed = try box.listed(in: copy)
      #expect(listed.contains(added[0]) && listed.contains(added[1]) && !listed.contains(added[2]))
      #expect(listed.contains(photos[1]))
      #expect(try box.json("pin", "list", in: copy).strings("name").sorted() == ["Dam", "Mill"])
      let classes = try box.cairn("class", "list", in: copy).stdout
      #expect(classes.contains("Moss") && !classes.contains("Ash"), "\(classes)")
    }
  }

  @Test("does not count an operation of another branch as undone")
  func otherBranch() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.git("checkout", "-q", "-b", "topic", in: "a")
    try box.cairn("label", photos[0], "moss", in: "a")
    try box.cairn("commit", in: "a")
    try box.git("checkout", "-q", "--detach", in: "a")
    try box.cairn("label", photos[0], "ivy", in: "a")
    try box.sh("git add -A; git commit -qm ivy", in: "a")
    try box.git("checkout", "-q", "main", in: "a")
    let numbers = try box.json("operations", in: "a").elements.map {
      String(Int($0["number"].number))
    }
    for (number, place) in zip(numbers, ["no branch was checked out", "the branch “topic”"]) {
      let refused = try box.refuses("undo", number, in: "a", with: ExitStatus.notFound)
      #expect(refused.contains(place), "\(refused)")
      try box.refuses("undo", number, "--dry-run", in: "a", with: ExitStatus.notFound)
    }
    // Without a number, they are skipped.
    try box.cairn("undo", in: "a")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == nil)
    try box.cairn("undo", in: "a")
    try box.refuses("undo", in: "a", with: ExitStatus.notFound)
    try box.cairn("commit", in: "a")
    try box.git("checkout", "-q", "topic", in: "a")
    try box.cairn("undo", in: "a")
    #expect(try box.state(of: "moss", on: photos[0], in: "a") == nil)
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    // What was merged can be undone on the other branch, also after that is gone.
    try box.cairn("label", photos[0], "fir", in: "a")
    try box.cairn("pin", "add", "1", "2", "--name", "Weir", in: "a")
    try box.cairn("commit", in: "a")
    try box.git("checkout", "-q", "main", in: "a")
    try box.git("merge", "-q", "topic", in: "a")
    try box.git("branch", "-q", "-D", "topic", in: "a")
    try box.cairn("pin", "rename", "Weir", "Dam", in: "a")
    let number = try box.json("operations", in: "a").elements[1]["number"].number
    let kept = try box.json("undo", String(Int(number)), in: "a")["kept"].elements
    #expect(kept.count == 1)
    try box.cairn("undo", in: "a")
    let next = try box.json("undo", in: "a")["operation"]["command"].string
    #expect(next.hasPrefix("label ") && next.hasSuffix(" fir"), "\(next)")
    #expect(try box.state(of: "fir", on: photos[0], in: "a") == nil)
  }

  @Test("reports what it would do, and refuses what it cannot")
  func dryRun() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "heather", in: "a")
    let before = try box.listing()
    let output = try box.cairn("undo", "--dry-run", in: "a").stdout
    #expect(
      output.hasPrefix("Would undo “label \(photos[0]) heather”: 1 label, 1 class."), "\(output)")
    #expect(try box.listing().differences(from: before).isEmpty)
    try box.refuses("undo", "99", in: "a", with: ExitStatus.notFound)
    try box.cairn("undo", in: "a")
    try box.cairn("undo", in: "a")
    try box.refuses("undo", in: "a", with: ExitStatus.notFound)
  }
}
