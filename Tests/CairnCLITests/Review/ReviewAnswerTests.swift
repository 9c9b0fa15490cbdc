import Foundation
import TestSupport
import Testing

@Suite("cairn review: answers", .enabled(if: Keyboard.isThere, Keyboard.missing))
struct ReviewAnswerTests {
  @Test("completes another class with Tab, in any script, and asks before it adds a new one")
  func otherClass() throws {
    let box = try Sandbox()
    let photos = try box.dispute(photos: 3)
    try box.cairn("label", photos[0], "Scots pine", "犬", "Café", in: "a")
    try box.cairn("commit", in: "a")
    let result = try box.keyboard(
      #"""
      session = review(columns=40)
      decided = []
      for typed in ["sc\t\r", "犬\r", "neü\u7f32\x7f犬\r"]:
          found, _ = photo(session)
          session.send("c")
          session.expect("class: ")
          session.send(typed)
          if "ne" in typed:
              session.expect("Create the class")
              session.send("n")
              session.expect(PROMPT)
              session.send("c")
              session.expect("class: ")
              session.send("Caf\t\r")
          decided.append(found)
      status = ended(session)
      report({"decided": decided, "status": status})
      """#)
    #expect(result["status"].number == 0)
    let found = try result["decided"].elements.map { digits in
      try #require(photos.first { $0.hasPrefix(digits.string) })
    }
    for (photo, name) in zip(found, ["scots-pine", "犬", "Café"]) {
      let key = try box.json("class", "list", in: "a").elements
        .first { $0["name"].string == name || $0["key"].string == name }?["key"].string
      let own = try box.own("ann", on: photo, in: "a")
      #expect(own.contains("ann: \(key ?? "-") present"), "\(own)")
      #expect(own.contains("ann: dog absent"))
    }
    #expect(try !box.cairn("class", "list", in: "a").stdout.contains("neü"))
  }

  @Test("returns to the question after favorite, viewer and help, and sums up at the end")
  func asides() throws {
    let box = try Sandbox()
    let photos = try box.dispute(photos: 1)
    try box.write("#!/bin/sh\necho \"$1\" > \(box.url("seen").path)\n", to: "viewer")
    try box.sh("chmod +x viewer")
    let result = try box.keyboard(
      #"""
      session = review(env=os.environ | {"CAIRN_VIEWER": "\#(box.url("viewer").path)"})
      photo(session)
      for key, text in [("f", "Added to your favorites"), ("o", "Opened"), ("?", "r n  reject")]:
          session.send(key)
          session.expect(text)
          session.expect(PROMPT)
      session.send("a")
      status = ended(session)
      report({"status": status, "text": session.before})
      """#)
    #expect(result["status"].number == 0)
    #expect(result["text"].string.contains("1 accepted."))
    #expect(result["text"].string.contains("not committed"))
    #expect(result["text"].string.contains("cairn sync"))
    #expect(
      try box.own("ann", on: photos[0], in: "a")
        == ["ann: dog present", "ann: favorite present"])
    // The viewer may still be starting.
    wait { (try? box.text("seen"))?.hasSuffix("\n") == true }
    #expect(try box.text("seen").hasSuffix("\(Sandbox.imagePath(photos[0]))\n"))
    #expect(try !box.git("status", "--porcelain", in: "a").stdout.isEmpty)
  }
  @Test("undoes the last answer of a finished review")
  func undoneAtTheEnd() throws {
    let box = try Sandbox()
    let photos = try box.dispute(photos: 1)
    #expect(try box.run("cairn", ["review", "--undo"], in: "a").status == ExitStatus.notFound)
    let result = try box.keyboard(
      #"""
      session = review()
      photo(session)
      session.send("a")
      ended(session)
      session = review()
      session.expect("Nothing to review")
      session.expect("review --undo")
      report({"status": ended(session)})
      """#)
    #expect(result["status"].number == 0)
    let undone = try box.json("review", "--undo", in: "a")
    #expect(undone["photo"].string == photos[0] && undone["class"].string == "dog")
    #expect(try box.own("ann", on: photos[0], in: "a") == [])
    #expect(try box.json("review", "--count", in: "a")["count"].number == 1)
    try box.expectClean("a")
  }
  @Test("undoes an answer on every device after it was synced")
  func undoneAfterSync() throws {
    let box = try Sandbox()
    let photo = try box.dispute(photos: 1)[0]
    try box.cairn("label", photo, "dog", "--confidence", "0.7", in: "a")
    try box.setIdentity("Dan", in: "a")
    try box.cairn("label", photo, "dog", "--absent", in: "a")
    try box.setIdentity("Ann", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    _ = try box.keyboard(
      #"""
      session = review()
      photo(session)
      session.send("r")
      report({"status": ended(session)})
      """#)
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    #expect(try box.state(of: "dog", on: photo, in: "b") == "rejected")
    try box.cairn("review", "--undo", in: "a")
    for device in ["a", "b"] {
      try box.cairn("sync", in: device)
      #expect(try box.state(of: "dog", on: photo, in: device) == "disputed")
      let label = try box.json("show", photo, in: device)["labels"].elements
        .first { $0["annotator"].string == "human:ann@example.org" }
      #expect(label?["verdict"].string == "present" && label?["confidence"].number == 0.7)
    }
    try box.expectEqual("a", "b", "x.git")
    #expect(try box.json("review", "--count", in: "a")["count"].number == 1)
  }
}
