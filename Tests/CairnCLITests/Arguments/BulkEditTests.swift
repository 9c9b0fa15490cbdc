import Foundation
import TestSupport
import Testing

@Suite("Bulk edits with --find and --pin")
struct BulkEditTests {
  /// Makes three photos at one pin. Ann labeled oak absent on two of them and present on the third.
  private func mixed(_ box: Sandbox) throws -> [String] {
    let photos = try box.startDataset(photos: 3)
    let pin = try box.json("pin", "add", "1", "2", "--name", "Mill", in: "a")["id"].string
    try box.cairn("photo", "edit", "--find", "-is:removed", "--pin", pin, in: "a")
    try box.cairn("label", photos[0], photos[1], "Oak", "--absent", in: "a")
    try box.cairn("label", photos[2], "oak", in: "a")
    return photos
  }

  /// Runs the command that a hint suggests, exactly as printed.
  private func runHint(of errors: String, in box: Sandbox) throws {
    let command = try #require(errors.split(separator: "`").dropFirst().first, "\(errors)")
    try box.sh(String(command), in: "a")
  }

  @Test(
    "reverses the annotator's own earlier verdicts only with --yes",
    arguments: [["--find", "-is:removed"], ["--pin", "Mill"]])
  func reversal(selection: [String]) throws {
    let box = try Sandbox()
    let photos = try mixed(box)
    let before = try box.listing()
    let output = try box.run("cairn", ["label", "oak"] + selection, in: "a")
    #expect(output.status == ExitStatus.usage)
    #expect(
      output.stderr.hasPrefix(
        "cairn: This would change 2 of your earlier verdicts on “Oak” from absent to present.\n"),
      "\(output.stderr)")
    #expect(try box.listing().differences(from: before).isEmpty)
    let json = try box.run("cairn", ["label", "oak", "--json"] + selection, in: "a")
    #expect(json.status == ExitStatus.usage)
    #expect(try json.json()["error"]["kind"].string == "unconfirmed")
    #expect(try box.listing().differences(from: before).isEmpty)

    try runHint(of: output.stderr, in: box)
    for photo in photos { #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"]) }
    // Now there is nothing left to reverse.
    try box.cairn("label", "oak", "--find", "-is:removed", in: "a")
  }

  @Test("needs no confirmation for single photos and first verdicts")
  func unasked() throws {
    let box = try Sandbox()
    let photos = try mixed(box)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("unlabel", "oak", "--find", "label:oak", "--yes", in: "a")
    try box.cairn("label", "oak", "--absent", "--find", "-is:removed", in: "a")
    try box.cairn("label", "oak", "--as", "net@1", "--find", "-is:removed", in: "a")
    // Ann's verdicts are not Bob's.
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", "oak", "--find", "-is:removed", in: "a")
    try box.cairn("favorite", "--find", "-is:removed", in: "a")
    try box.cairn("favorite", "--remove", "--find", "-is:removed", in: "a")
    try box.cairn("favorite", "--find", "-is:removed", in: "a")
  }

  @Test("asks before it changes many photos, and prints one line for each class")
  func many() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 22)
    try box.cairn("label", photos[0], "moss", in: "a")
    for (command, text) in [
      (["label", "moss"], "label 22 photos: 21 new labels, 1 already there."),
      (["label", "moss", "fir"], "label 22 photos: 43 new labels, 1 already there."),
      (["label", "moss", "--absent"], "label 22 photos: 21 new labels, 1 changed."),
      (["label", "moss", "--as", "net@1"], "label 22 photos: 22 new labels."),
      (["photo", "remove"], "remove 22 photos."),
    ] {
      let before = try box.listing()
      let output = try box.run("cairn", command + ["--find", "-is:removed"], in: "a")
      #expect(output.status == ExitStatus.usage)
      #expect(output.stderr.hasPrefix("cairn: This would \(text)"), "\(output.stderr)")
      #expect(try box.listing().differences(from: before).isEmpty)
    }
    let labeled = try box.cairn("label", "moss", "--find", "-is:removed", "--yes", in: "a")
    #expect(labeled.stdout == "moss present: 21 photos, 1 already labeled\n")
    let known = Array(photos[1...])
    // Only photos with a label of the model count.
    try box.cairn("label", photos[0], "fern", "--as", "net@1", in: "a")
    try box.cairn("unlabel", "fern", "--as", "net@1", "--find", "-is:removed", in: "a")
    try box.succeed("cairn", ["label"] + photos + ["fern", "--as", "net@1"], in: "a")
    let model = ["unlabel", "fern", "--as", "net@1", "--find", "-is:removed"]
    let unlabel = try box.run("cairn", model, in: "a")
    #expect(unlabel.status == ExitStatus.usage)
    #expect(unlabel.stderr.hasPrefix("cairn: This would unlabel 22 photos.\n"))
    // Photos that are named one by one are meant.
    try box.succeed("cairn", ["label"] + known + ["oak"], in: "a")
    try box.cairn("photo", "remove", "--find", "-is:removed", "-y", in: "a")
    #expect(try box.listed(in: "a").isEmpty)
    try box.cairn("undo", in: "a")
    #expect(try box.listed(in: "a") == Set(photos))
  }

  @Test("counts the verdicts that accept and reject would reverse")
  func judging() throws {
    let box = try Sandbox()
    let photos = try mixed(box)
    try box.cairn("label", photos[0], photos[2], "oak", "--as", "net@1", in: "a")
    try box.cairn("label", photos[1], "oak", "--absent", "--as", "net@1", in: "a")
    let accept = try box.refuses("accept", "oak", "--pin", "Mill", in: "a", with: ExitStatus.usage)
    #expect(accept.contains("change 1 of your earlier verdicts on “Oak” from absent to present."))
    let reject = try box.refuses("reject", "oak", "--pin", "Mill", in: "a", with: ExitStatus.usage)
    #expect(
      reject.contains(
        "This would change 2 of your earlier verdicts: 1 on “Oak” from absent to present, "
          + "1 on “Oak” from present to absent."), "\(reject)")
    try runHint(of: accept, in: box)
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    #expect(try box.state(of: "oak", on: photos[1], in: "a") == "rejected")
  }

  @Test("confirms a prediction although another model labeled the class as absent")
  func judgingModels() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    let low = ["oak", "--confidence", "0.3"]
    try box.succeed(
      "cairn", ["label"] + photos + ["oak", "--as", "a@1", "--confidence", "0.95"], in: "a")
    try box.succeed("cairn", ["label"] + photos + low + ["--absent", "--as", "b@1"], in: "a")
    try box.succeed("cairn", ["label"] + photos + low + ["--as", "c@1"], in: "a")
    try box.cairn("accept", photos[0], "oak", in: "a")
    try box.cairn("reject", photos[1], "oak", in: "a")
    try box.cairn("review", "--all-predicted", "--yes", in: "a")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    #expect(try box.state(of: "oak", on: photos[1], in: "a") == "rejected")
    #expect(try box.state(of: "oak", on: photos[2], in: "a") == "confirmed")
    // The prediction is the same once people have labeled the class.
    try box.cairn("reject", photos[0], "oak", in: "a")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "rejected")
  }

  @Test("counts verdicts under another address, on a region and in an exclusive set")
  func otherNames() throws {
    let box = try Sandbox()
    let photos = try mixed(box)
    try box.write("Ann <ann@example.org> <ann@home.example>\n", to: "a/.mailmap")
    try box.git("config", "user.email", "ann@home.example", in: "a")
    let pin = ["--pin", "Mill"]
    func refused(_ arguments: [String]) throws -> String {
      let output = try box.run("cairn", ["label"] + arguments + pin, in: "a")
      #expect(output.status == ExitStatus.usage, "\(arguments) \(output.stderr)")
      return output.stderr
    }
    #expect(try refused(["oak"]).contains("change 2 of your"))
    #expect(try refused(["oak", "--region", "0,0,1,1"]).contains("change 2 of your"))
    #expect(try refused(["oak", "--absent"]).contains("change 1 of your"))
    try box.cairn("label", photos[0], "fir", "--region", "0,0,0.5,0.5", in: "a")
    #expect(
      try refused(["fir", "--absent"]).contains("1 of your earlier verdicts on “fir” from present"))
    try box.cairn("label", photos[0], "elm", in: "a")
    try box.cairn("label", photos[1], "ash", in: "a")
    try box.cairn("class", "set", "tree", "elm", "ash", in: "a")
    #expect(try refused(["ash"]).contains("1 of your earlier verdicts on “elm” from present to"))
  }

  @Test("counts labels of merged classes and under other addresses of the same person")
  func mergedClasses() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 5)
    try box.write(
      """
      Ann <ann@example.org> <ann@home.example>
      Bob <bob@example.org> <bob@home.example>

      """, to: "a/.mailmap")
    try box.cairn("label", photos[0], "pup", in: "a")
    try box.git("config", "user.email", "ann@home.example", in: "a")
    try box.cairn("label", photos[1], "Dog", in: "a")
    // Bob says that photos 2 and 3 show no dog, and has changed his mind about photo 4.
    try box.git("config", "user.email", "bob@home.example", in: "a")
    try box.cairn("label", photos[4], "dog", "--absent", in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[4], "dog", in: "a")
    try box.cairn("label", photos[2], photos[3], "pup", "--absent", in: "a")
    try box.setIdentity("Ann", in: "a")
    try box.cairn("class", "merge", "pup", "dog", in: "a")
    let json = try box.json("label", "dog", "--find", "-is:removed", "-n", in: "a")
    #expect(json["newLabels"].number == 3 && json["changedLabels"].number == 2)
    #expect(json["knownLabels"].number == 0 && json["contradictions"].number == 2)
    try box.cairn("label", "dog", "--find", "-is:removed", in: "a")
    let again = try box.json("label", "pup", "--find", "-is:removed", "-n", in: "a")
    #expect(again["newLabels"].number == 0 && again["changedLabels"].number == 0)
    #expect(again["knownLabels"].number == 5 && again["contradictions"].number == 0)
  }

  @Test("asks before it withdraws labels of an alias or of a region, and counts photos")
  func withdrawing() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 22)
    let (pups, boxes) = (Array(photos[..<2]), Array(photos[2...]))
    try box.succeed("cairn", ["label"] + pups + ["pup"], in: "a")
    try box.succeed("cairn", ["label"] + boxes + ["Dog", "--region", "0,0,0.5,0.5"], in: "a")
    try box.succeed("cairn", ["label"] + boxes + ["dog", "--region", "0.5,0,0.5,0.5"], in: "a")
    try box.cairn("class", "merge", "pup", "dog", in: "a")
    let selection = ["--find", "label:dog"]
    let dry = try box.run("cairn", ["unlabel", "dog", "-n"] + selection, in: "a").stdout
    #expect(dry == "Would unlabel 22 photos.\n")
    let output = try box.run("cairn", ["unlabel", "dog"] + selection, in: "a")
    #expect(output.status == ExitStatus.usage)
    #expect(
      output.stderr.contains(
        "unlabel 22 photos. This would change 22 of your earlier verdicts on “Dog” from present"),
      "\(output.stderr)")
    let done = try box.run("cairn", ["unlabel", "dog", "-y"] + selection, in: "a").stdout
    #expect(done == "Dog withdrawn: 20 photos\npup withdrawn: 2 photos\n", "\(done)")
  }

  @Test(
    "refuses an empty --find in all commands",
    arguments: [
      ["label", "oak"], ["unlabel", "oak"], ["accept", "oak"], ["reject", "oak"], ["favorite"],
      ["photo", "edit", "--title", "x"], ["photo", "remove"], ["photo", "restore"],
      ["photo", "replace"], ["photo", "erase", "--reason", "x"], ["predict"], ["images", "drop"],
      ["images", "fetch"], ["images", "push"], ["images", "status"], ["checkout"], ["pull"],
      ["sync"], ["review"], ["review", "--all-predicted", "--yes"], ["categories"],
      ["train", "trees"], ["evaluate"], ["agreement"], ["export", "coco", "../out"],
      ["export", "features", "../out"],
    ])
  func emptyQuery(command: [String]) throws {
    let box = try Sandbox()
    _ = try mixed(box)
    let before = try box.listing()
    for query in ["", " \t\n"] {
      var commands = [command + ["--find", query]]
      let takesPin = !["review", "train", "evaluate", "agreement"].contains(command[0])
      if takesPin, command != ["photo", "edit", "--title", "x"] {
        commands.append(command + ["--pin", "Mill", "--find", query])
      }
      for arguments in commands {
        let output = try box.run("cairn", arguments, in: "a")
        #expect(output.status == ExitStatus.badData, "\(arguments) \(output.stderr)")
        #expect(output.stderr.contains("query is empty"), "\(output.stderr)")
        #expect(output.stderr.contains("`--find -is:removed`"))
      }
    }
    #expect(try box.listing().differences(from: before).isEmpty)
  }

  @Test("refuses an empty name of a pin, which is that of all pins without a name")
  func emptyPin() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    let pin = try box.json("pin", "add", "1", "2", in: "a")["id"].string
    try box.cairn("photo", "edit", photos[0], "--pin", pin, in: "a")
    for arguments in [
      ["label", "oak", "--pin", ""], ["photo", "edit", photos[0], "--pin", ""],
      ["photo", "add", "../from", "--pin", ""], ["pin", "remove", ""], ["pin", "show", ""],
    ] {
      let before = try box.listing()
      let output = try box.run("cairn", arguments, in: "a")
      #expect(output.status == ExitStatus.notFound, "\(arguments) \(output.stderr)")
      #expect(try box.listing().differences(from: before).isEmpty, "\(arguments)")
    }
    #expect(try box.json("find", "pin:\(pin.prefix(8))", in: "a").elements.count == 1)
  }

  @Test("lists every photo without a query, which find and photo list do not need")
  func emptyQueryReads() throws {
    let box = try Sandbox()
    _ = try mixed(box)
    #expect(try box.json("find", "", in: "a").elements.count == 3)
    #expect(try box.json("photo", "list", "", in: "a").elements.count == 3)
    #expect(try box.json("find", "-is:removed", in: "a").elements.count == 3)
  }

  @Test(
    "asks on a terminal and reverses verdicts only after yes",
    .enabled(if: Keyboard.isThere, Keyboard.missing))
  func terminal() throws {
    let box = try Sandbox()
    let photos = try mixed(box)
    let result = try box.keyboard(
      """
      statuses = []
      for answer in ["", "n", "y"]:
          session = shell("exec cairn label oak --find -is:removed")
          session.expect("change 2 of your earlier verdicts on “Oak” from absent to present.")
          session.expect(r"\\[y/N\\] ")
          session.send(answer + "\\r")
          statuses.append(ended(session))
      report(statuses)
      """)
    #expect(result.elements.map(\.number) == [64, 64, 0])
    #expect(try box.labels(of: photos[0], in: "a") == ["ann: oak present"])
  }
}
