import Foundation
import TestSupport
import Testing

@Suite("cairn review: unlabeled photos and predictions")
struct UnlabeledCommandTests {
  @Test(
    "asks what an unlabeled photo is, and number keys choose the most likely class",
    .enabled(if: Keyboard.isThere, Keyboard.missing))
  func numbers() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 4)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[1], "elm", "--as", "net@1", "--confidence", "0.3", in: "a")
    let result = try box.keyboard(
      #"""
      session = review("--find", "is:unlabeled")
      texts = []
      decided = {}
      for position in range(3):
          found, _ = photo(session)
          texts.append(session.before)
          first = re.search(r"1 (\w+)", session.before)[1]
          session.send("1" if position < 2 else "s")
          if position < 2:
              decided[found] = first
      session.expect("2 labeled, 1 skipped")
      report({"decided": decided, "asked": sum("What is it?" in text for text in texts),
            "status": ended(session)})
      """#)
    #expect(result["status"].number == 0 && result["asked"].number == 3)
    var labeled = 0
    for photo in photos[1...] {
      let name = result["decided"][String(photo.prefix(12))]
      guard name != .null else { continue }
      labeled += 1
      #expect(try box.own("ann", on: photo, in: "a") == ["ann: \(name.string) present"])
      if photo == photos[1] { #expect(name.string == "elm") }
    }
    #expect(labeled == 2)
    #expect(try box.json("review", "--find", "is:unlabeled", in: "a").elements.count == 1)
    try box.cairn("review", "--undo", in: "a")
    #expect(
      try box.json("review", "--find", "is:unlabeled", "--count", in: "a")["count"].number == 2)
  }

  @Test(
    "returns to a skipped photo before it undoes the label before it",
    .enabled(if: Keyboard.isThere, Keyboard.missing))
  func undoSkip() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 4)
    try box.cairn("label", photos[0], "oak", in: "a")
    let result = try box.keyboard(
      #"""
      session = review("--find", "is:unlabeled")
      asked = []
      for key in ["1", "s", "u", "s", "u", "u"]:
          asked.append(photo(session)[0])
          session.send(key)
          if key == "u":
              session.expect("Undone")
      asked.append(photo(session)[0])
      session.send("q")
      session.expect("Nothing was decided")
      report({"asked": asked, "status": ended(session)})
      """#)
    #expect(result["status"].number == 0)
    let asked = result["asked"].elements.map(\.string)
    let order = asked.map { asked.firstIndex(of: $0) ?? -1 }
    #expect(order == [0, 1, 2, 1, 2, 1, 0], "\(asked)")
    #expect(
      try box.json("review", "--find", "is:unlabeled", "--count", in: "a")["count"].number == 3)
  }

  @Test("confirms sure predictions at once, after a dry run that changes nothing")
  func allPredicted() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 4)
    for (photo, confidence) in zip(photos, ["0.99", "0.93", "0.8", "0.95"]) {
      let name = photo == photos[3] ? "elm" : "oak"
      try box.cairn(
        "label", photo, name, "--as", "net@1", "--confidence", confidence, in: "a")
    }
    let before = try box.listing()
    let dry = try box.json("review", "--all-predicted", "--dry-run", in: "a")
    #expect(dry["labels"].number == 3 && dry["classes"]["oak"].number == 2)
    #expect(try box.listing().differences(from: before).isEmpty)
    let none = try box.cairn("review", "--all-predicted", "--min", "1", "--dry-run", in: "a").stdout
    #expect(none == "Would confirm 0 predictions on 0 photos.\n")
    let error = try box.refuses("review", "--all-predicted", in: "a", with: ExitStatus.usage)
    #expect(error.contains("3 predictions on 3 photos: 2 oak, 1 elm."), "\(error)")
    try box.refuses(
      "review", "--all-predicted", "--yes", "--find", "", in: "a", with: ExitStatus.badData)
    let oaks = try box.json("review", "--all-predicted", "--class", "oak", "--yes", in: "a")
    #expect(oaks["confirmed"].number == 2)
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    #expect(try box.state(of: "oak", on: photos[2], in: "a") == "predicted")
    #expect(try box.state(of: "elm", on: photos[3], in: "a") == "predicted")
    let rest = try box.json("review", "--all-predicted", "--min", "0.5", "--yes", in: "a")
    #expect(rest["confirmed"].number == 2)
    for arguments in [["--min", "0.5"], ["--yes"], ["--all-predicted", "--min", "2"]] {
      #expect(try box.run("cairn", ["review"] + arguments, in: "a").status == ExitStatus.usage)
    }
  }

  @Test(
    "confirms predictions page by page", .enabled(if: Keyboard.isThere, Keyboard.missing))
  func pages() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 23)
    _ = try box.run(
      "cairn", ["label"] + photos + ["--class", "oak", "--as", "net@1", "--confidence", "0.95"],
      in: "a")
    let result = try box.keyboard(
      #"""
      session = review("--all-predicted")
      session.expect("23 predictions on 23 photos: 23 oak")
      session.expect("Confirm these 20")
      session.sendline("n")
      session.expect("Confirm these 3")
      session.sendline("y")
      session.expect("Confirmed 3 predictions")
      report({"status": ended(session)})
      """#)
    #expect(result["status"].number == 0)
    #expect(try box.json("find", "--count", "state:confirmed", in: "a")["count"].number == 3)
  }
}
