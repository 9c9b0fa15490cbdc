import Foundation
import TestSupport
import Testing

@Suite("cairn review: terminal", .enabled(if: Keyboard.isThere, Keyboard.missing))
struct ReviewTerminalTests {
  @Test(
    "restores the terminal, no matter how the review ends",
    arguments: [
      "q", "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "ctrl-d", "while naming", "SIGABRT", "SIGSEGV",
      "SIGUSR1",
    ])
  func restored(way: String) throws {
    let box = try Sandbox()
    _ = try box.dispute(photos: 1)
    let result = try box.keyboard(
      #"""
      # A shell keeps the terminal open after the review. Swift's backtracer would wait for keys.
      session = shell("SWIFT_BACKTRACE=enable=no cairn review; echo status $?; read -r rest")
      before = settings(session)
      photo(session)
      during = settings(session)
      way = "\#(way)"
      pid = child(session)
      if way == "q":
          session.send("q")
      elif way == "ctrl-d":
          session.send("\x04")
      elif way == "while naming":
          session.send("c")
          session.expect("class: ")
          session.send("caf\u00e9\x1b[D")
          os.kill(pid, signal.SIGINT)
      else:
          os.kill(pid, getattr(signal, way))
      session.expect(r"status (\d+)")
      report({"changed": before != during, "restored": before == settings(session),
            "status": int(session.match[1])})
      """#)
    #expect(result["changed"].isTrue)
    #expect(result["restored"].isTrue)
    let status = [
      "SIGINT": 130, "while naming": 130, "SIGTERM": 143, "SIGHUP": 129, "SIGQUIT": 131,
      "SIGABRT": 134, "SIGSEGV": 139, "SIGUSR1": 138,
    ]
    #expect(result["status"].number == Double(status[way] ?? 0))
  }

  @Test("redraws when the window is resized, and restores the terminal while it is stopped")
  func window() throws {
    let box = try Sandbox()
    _ = try box.dispute(photos: 1)
    let result = try box.keyboard(
      #"""
      # A shell with job control: the kernel stops only processes that a shell can continue.
      session = shell("set -m; cairn review; read go; fg; echo over")
      before = settings(session)
      photo(session)
      during = settings(session)
      session.setwinsize(20, 50)
      session.expect("── 1 of 1 ─+")
      width = len(session.match[0])
      session.expect(PROMPT)
      pid = child(session)
      os.kill(pid, signal.SIGTSTP)
      while open(f"/proc/{pid}/stat").read().split(")")[1].split()[0] != "T":
          time.sleep(0.01)
      stopped = settings(session)
      session.send("\n")
      photo(session)
      again = settings(session)
      session.send("a")
      session.expect("1 accepted")
      session.expect("over")
      report({"width": width, "stopped": stopped == before, "again": again == during})
      """#)
    #expect(result["width"].number == 50)
    #expect(result["stopped"].isTrue)
    #expect(result["again"].isTrue)
  }

  @Test("asks about a photo whose pin is missing")
  func lostPin() throws {
    let box = try Sandbox()
    let photo = try box.dispute(photos: 1)[0]
    let facts = try box.json("show", photo, in: "a")["photo"]
    let image = ["bytes", "width", "height"].map { "\"\($0)\":\(Int(facts[$0].number))" }
    let pin = String(repeating: "c0ff", count: 5)
    try box.write(
      """
      {"id":"\(photo)","image":{"format":"png",\(image.joined(separator: ","))},"kind":"photo",\
      "pin":"\(pin)"}
      """, to: "lines")
    try box.cairn("import", "documents", "../lines", in: "a")
    let result = try box.keyboard(
      #"""
      session = review("--reason", "disputed")
      photo(session)
      session.send("a")
      session.expect("1 accepted")
      report({"ended": ended(session)})
      """#)
    #expect(result["ended"].number == 0)
  }

  @Test("reads answers as lines on a terminal without capabilities", arguments: ["dumb", ""])
  func dumb(term: String) throws {
    let box = try Sandbox()
    let photos = try box.dispute(photos: 5)
    let result = try box.keyboard(
      #"""
      terminal = {"TERM": "\#(term)"} if "\#(term)" else {}
      os.environ.pop("TERM")
      session = review("--via", "blocks", env=os.environ | terminal)
      log = session.logfile_read = io.StringIO()
      order = []
      for answer in ["accept", "r", "class", "skip", "c"]:
          session.expect(r"  ([0-9a-f]{12})  ")
          order.append(session.match[1])
          session.expect("quit: ")
          session.sendline(answer)
          if answer == "class":
              session.expect("class: ")
              session.sendline("new one")
              session.expect("y/n")
              session.sendline("y")
          # The start of a name is completed only after a confirmation.
          if answer == "c":
              for yes in [False, True]:
                  session.expect("class: ")
                  session.sendline("ne")
                  session.expect("Did you mean “new one”")
                  session.sendline("yes" if yes else "no")
                  if not yes:
                      session.expect("Create the class")
                      session.sendline("n")
                      session.expect("quit: ")
                      session.sendline("c")
      status = ended(session)
      shown = log.getvalue()
      report({"order": order, "status": status, "escapes": "\x1b" in shown,
            "whole": all(t in shown for t in ["1 of 5", "5 of 5", "1 accepted", "1 skipped"])})
      """#)
    #expect(result["status"].number == 0)
    #expect(result["escapes"] == .bool(false))
    #expect(result["whole"].isTrue)
    let order = try result["order"].elements.map { digits in
      try #require(photos.first { $0.hasPrefix(digits.string) })
    }
    #expect(try box.own("ann", on: order[0], in: "a") == ["ann: dog present"])
    #expect(try box.own("ann", on: order[1], in: "a") == ["ann: dog absent"])
    for index in [2, 4] {
      #expect(
        try box.own("ann", on: order[index], in: "a") == [
          "ann: dog absent", "ann: new-one present",
        ])
    }
    #expect(try box.own("ann", on: order[3], in: "a") == [])
    #expect(try box.json("review", in: "a").elements.isEmpty)
    #expect(try box.json("review", "--skipped", in: "a").elements.count == 1)
  }
  @Test("shows the photo above its question with --via")
  func picture() throws {
    let box = try Sandbox()
    _ = try box.dispute(photos: 2)
    let result = try box.keyboard(
      #"""
      shown = {}
      for way, mark in [("kitty", "\x1b_G"), ("blocks", "\u2580"), ("", None)]:
          session = review("--via " + way if way else "")
          log = session.logfile_read = io.StringIO()
          photo(session)
          session.send("s" if way else "q")
          if way:
              photo(session)
              session.send("u")
              photo(session)
              session.send("q")
          ended(session)
          text = log.getvalue()
          if way:
              # The photo is shown before each of the three questions.
              parts = text.split("── ")
              shown[way] = len(parts) == 4 and all(mark in part for part in parts[:3])
          else:
              shown["none"] = "\x1b_G" in text or "\u2580" in text
      report(shown)
      """#)
    #expect(result["kitty"].isTrue)
    #expect(result["blocks"].isTrue)
    #expect(result["none"] == .bool(false))
  }
}
