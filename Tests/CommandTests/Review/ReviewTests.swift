import Foundation
import Testing

@Suite("review", .enabled(if: Keyboard.isThere, Keyboard.missing))
struct ReviewTests {
  /// Two people who disagree on every photo, with a remote that both know; returns the photos.
  private func dispute(_ box: Sandbox, photos count: Int) throws -> [String] {
    let photos = try box.startDataset(photos: count)
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    for name in ["Bob", "Cy"] {
      try box.setIdentity(name, in: "a")
      let verdict = name == "Bob" ? [] : ["--absent"]
      _ = try box.run("cairn", ["label"] + photos + ["--class", "dog"] + verdict, in: "a")
    }
    try box.cairn("sync", in: "a")
    try box.setIdentity("Ann", in: "a")
    return photos
  }

  /// Decisions as words: `a` present, `r` absent.
  private func own(_ name: String, on photo: String, in dataset: String, box: Sandbox) throws
    -> [String]
  {
    try box.said(of: photo, in: dataset).filter { $0.hasPrefix(name) }
  }

  @Test(
    "20 disputed photos: undone twice, interrupted and killed, resumed, and synced with another's share"
  )
  func twenty() throws {
    let box = try Sandbox()
    let photos = try dispute(box, photos: 20)
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Dan", in: "b")

    func reviewShare(_ share: String, in dataset: String) throws -> JSONValue {
      try box.keyboard(
        #"""
        decided, asked = {}, []
        def decide(session, count=None):
            while count is None or count > 0:
                place = session.expect([r"── (\d+) of (\d+) ", pexpect.EOF])
                if place == 1:
                    return
                session.expect(r"  ([0-9a-f]{12})  ")
                found = session.match[1]
                session.expect(PROMPT)
                assert found not in decided, f"{found} is asked twice"
                asked.append(found)
                key = "a" if int(found, 16) % 3 else "r"
                decided[found] = key
                session.send(key)
                if count is not None:
                    count -= 1
        def back(session):
            session.expect(PROMPT)
            session.send("u")
            session.expect("Taken back")
            found, _ = photo(session)
            key = decided.pop(found)
            return found, key
        session = review("--share", "\#(share)", "--reason", "disputed")
        decide(session, 3)
        # Twice back, and otherwise from there on.
        first, key = back(session)
        session.send("u")
        session.expect("Taken back")
        second, _ = photo(session)
        other = decided.pop(second)
        assert first != second
        session.send("r" if other == "a" else "a")
        decided[second] = "r" if other == "a" else "a"
        found, _ = photo(session)
        assert found == first, (found, first)
        session.send(key)
        decided[first] = key
        session.expect(PROMPT)
        session.sendintr()
        assert ended(session) == 130
        # Killed as a power cut would, right after a key.
        session = review("--share", "\#(share)", "--reason", "disputed")
        decide(session, 2)
        session.expect(PROMPT)
        session.kill(signal.SIGKILL)
        ended(session)
        session = review("--share", "\#(share)", "--reason", "disputed")
        decide(session)
        assert ended(session) == 0
        told(decided)
        """#, in: dataset)
    }
    let mine = try reviewShare("1/2", in: "a")
    let theirs = try reviewShare("2/2", in: "b")
    guard case .object(let ann) = mine, case .object(let dan) = theirs else {
      Issue.record("no decisions")
      return
    }
    #expect(ann.count + dan.count == 20)
    #expect(Set(ann.keys).isDisjoint(with: dan.keys))

    for dataset in ["a", "b", "a", "b"] { try box.cairn("sync", in: dataset) }
    try box.expectEqual("a", "b", "x.git")
    for photo in photos {
      let short = String(photo.prefix(12))
      let decision = try #require(ann[short] ?? dan[short])
      let wanted = decision == .string("a") ? "confirmed" : "rejected"
      for dataset in ["a", "b"] {
        #expect(try box.state(of: "dog", on: photo, in: dataset) == wanted)
      }
      #expect(try own("ann", on: photo, in: "a", box: box).count == (ann[short] == nil ? 0 : 1))
    }
    for dataset in ["a", "b"] {
      #expect(try box.json("review", in: dataset).elements.isEmpty)
      try box.expectClean(dataset)
      try box.expectSound(dataset)
    }
  }

  @Test(
    "another's word meanwhile is seen: a sync goes on beside, and what it settled is not written")
  func beside() throws {
    let box = try Sandbox()
    let photos = try dispute(box, photos: 3)
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Dan", in: "b")
    for photo in photos { try box.cairn("label", photo, "dog", in: "b") }
    try box.cairn("sync", in: "b")
    let result = try box.keyboard(
      #"""
      session = review()
      found, place = photo(session)
      assert place == (1, 3)
      code = os.system("cairn sync >sync.log 2>&1")
      session.send("r")
      session.expect("settled meanwhile")
      session.expect("dan@example.org")
      # All others were settled, too: they are passed over.
      status = ended(session)
      told({"sync": code, "status": status, "text": session.before})
      """#)
    #expect(result["sync"].number == 0)
    #expect(result["status"].number == 0)
    #expect(result["text"].string.contains("Nothing was decided"))
    for photo in photos { #expect(try own("ann", on: photo, in: "a", box: box) == []) }
  }

  @Test(
    "the terminal is as it was, however the review ends",
    arguments: ["q", "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "ctrl-d", "while naming"])
  func restored(way: String) throws {
    let box = try Sandbox()
    _ = try dispute(box, photos: 1)
    let result = try box.keyboard(
      #"""
      # A shell keeps the terminal open when the review has ended.
      session = shell("cairn review; echo status $?; read -r rest")
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
      told({"changed": before != during, "restored": before == settings(session),
            "status": int(session.match[1])})
      """#)
    #expect(result["changed"].isTrue)
    #expect(result["restored"].isTrue)
    let status = [
      "SIGINT": 130, "while naming": 130, "SIGTERM": 143, "SIGHUP": 129, "SIGQUIT": 131,
    ]
    #expect(result["status"].number == Double(status[way] ?? 0))
  }

  @Test("another class is typed with Tab, in any script; a new one is confirmed")
  func otherClass() throws {
    let box = try Sandbox()
    let photos = try dispute(box, photos: 3)
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
              session.expect("Add it")
              session.send("n")
              session.expect(PROMPT)
              session.send("c")
              session.expect("class: ")
              session.send("Caf\t\r")
          decided.append(found)
      status = ended(session)
      told({"decided": decided, "status": status})
      """#)
    #expect(result["status"].number == 0)
    let found = try result["decided"].elements.map { digits in
      try #require(photos.first { $0.hasPrefix(digits.string) })
    }
    for (photo, name) in zip(found, ["scots-pine", "犬", "Café"]) {
      let key = try box.json("class", "list", in: "a").elements
        .first { $0["name"].string == name || $0["key"].string == name }?["key"].string
      let own = try own("ann", on: photo, in: "a", box: box)
      #expect(own.contains("ann: \(key ?? "-") present"), "\(own)")
      #expect(own.contains("ann: dog absent"))
    }
    #expect(try !box.cairn("class", "list", in: "a").stdout.contains("neü"))
  }

  @Test("a window that changes its size is drawn anew, and stopping gives the terminal back")
  func window() throws {
    let box = try Sandbox()
    _ = try dispute(box, photos: 1)
    let result = try box.keyboard(
      #"""
      # With a shell that can continue it: the kernel stops none that nobody could.
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
      told({"width": width, "stopped": stopped == before, "again": again == during})
      """#)
    #expect(result["width"].number == 50)
    #expect(result["stopped"].isTrue)
    #expect(result["again"].isTrue)
  }

  @Test("a terminal that can do nothing is answered in lines")
  func dumb() throws {
    let box = try Sandbox()
    let photos = try dispute(box, photos: 4)
    let result = try box.keyboard(
      #"""
      session = review(env=os.environ | {"TERM": "dumb"})
      order = []
      for answer in ["accept", "r", "class", "skip"]:
          session.expect(r"  ([0-9a-f]{12})  ")
          order.append(session.match[1])
          session.expect("quit: ")
          session.sendline(answer)
          if answer == "class":
              session.expect("class: ")
              session.sendline("new one")
              session.expect("y/n")
              session.sendline("y")
      status = ended(session)
      told({"order": order, "status": status, "escapes": "\x1b" in session.before})
      """#)
    #expect(result["status"].number == 0)
    #expect(result["escapes"] == .bool(false))
    let order = try result["order"].elements.map { digits in
      try #require(photos.first { $0.hasPrefix(digits.string) })
    }
    #expect(try own("ann", on: order[0], in: "a", box: box) == ["ann: dog present"])
    #expect(try own("ann", on: order[1], in: "a", box: box) == ["ann: dog absent"])
    #expect(
      try own("ann", on: order[2], in: "a", box: box) == [
        "ann: dog absent", "ann: new-one present",
      ])
    #expect(try own("ann", on: order[3], in: "a", box: box) == [])
    #expect(try box.json("review", in: "a").elements.isEmpty)
    #expect(try box.json("review", "--skipped", in: "a").elements.count == 1)
  }

  @Test("photos that look the same are asked about where their labels differ, and once")
  func alike() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    _ = try box.keyboard(
      #"""
      from PIL import Image
      os.makedirs("../from")
      image = Image.radial_gradient("L").rotate(20).crop((30, 90, 200, 220))
      image.save("../from/one.png")
      image.convert("RGB").save("../from/two.jpg", quality=85)
      Image.linear_gradient("L").save("../from/other.png")
      told({})
      """#)
    var ids: [String: String] = [:]
    for added in try box.json("photo", "add", "../from", in: "a").elements {
      ids[added["file"].string.split(separator: "/").last.map(String.init) ?? ""] =
        added["id"].string
    }
    let (one, two) = (try #require(ids["one.png"]), try #require(ids["two.jpg"]))
    try box.cairn("label", one, try #require(ids["other.png"]), "dog", in: "a")
    try box.cairn("label", two, "cat", in: "a")
    let queue = try box.json("review", in: "a").elements
    #expect(Set(queue.strings("reason")) == ["duplicates"])
    let asked = queue.map { "\($0["photo"]["id"].string) \($0["class"].string)" }
    #expect(asked == ["\(one) cat", "\(two) dog"].sorted())
    let result = try box.keyboard(
      #"""
      session = review()
      for _ in range(2):
          found, _ = photo(session)
          session.send("r" if "\#(one)".startswith(found) else "a")
      told({"status": ended(session)})
      """#)
    #expect(result["status"].number == 0)
    #expect(try own("ann", on: one, in: "a", box: box) == ["ann: cat absent", "ann: dog present"])
    #expect(try own("ann", on: two, in: "a", box: box) == ["ann: cat present", "ann: dog present"])
    // They still differ, and that is so.
    #expect(try box.json("review", in: "a").elements.isEmpty)
  }

  @Test("a favourite, the viewer, and help leave the question; the end says what was decided")
  func asides() throws {
    let box = try Sandbox()
    let photos = try dispute(box, photos: 1)
    try box.write("#!/bin/sh\necho \"$1\" > \(box.url("seen").path)\n", to: "viewer")
    try box.sh("chmod +x viewer")
    let result = try box.keyboard(
      #"""
      session = review(env=os.environ | {"CAIRN_VIEWER": "\#(box.url("viewer").path)"})
      photo(session)
      for key, words in [("f", "favourite of yours"), ("o", "Opened"), ("?", "reject: it is not so")]:
          session.send(key)
          session.expect(words)
          session.expect(PROMPT)
      session.send("a")
      status = ended(session)
      told({"status": status, "text": session.before})
      """#)
    #expect(result["status"].number == 0)
    #expect(result["text"].string.contains("1 accepted."))
    #expect(result["text"].string.contains("not committed"))
    #expect(result["text"].string.contains("cairn sync"))
    #expect(
      try own("ann", on: photos[0], in: "a", box: box)
        == ["ann: dog present", "ann: favorite present"])
    // The viewer may still be starting.
    for _ in 0..<200 where !box.exists("seen") { Thread.sleep(forTimeInterval: 0.02) }
    #expect(try box.text("seen").hasSuffix("\(Sandbox.imagePath(photos[0]))\n"))
    #expect(try !box.git("status", "--porcelain", in: "a").stdout.isEmpty)
  }
}

@Suite("review for programs")
struct ReviewListTests {
  private func makeDataset(_ box: Sandbox) throws -> [String] {
    let photos = try box.startDataset(photos: 5)
    for (place, confidence) in ["0.95", "0.52"].enumerated() {
      try box.cairn(
        "label", photos[place], "cat", "--as", "net@1", "--confidence", confidence, in: "a")
    }
    try box.cairn("label", photos[2], "dog", in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[2], "dog", "--absent", in: "a")
    try box.setIdentity("Cy", in: "a")
    return photos
  }

  @Test("the queue as JSON, its count, and parts of it")
  func list() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    let all = try box.json("review", in: "a").elements
    #expect(all.map { $0["photo"]["id"].string } == [photos[2], photos[1], photos[0]])
    #expect(all.strings("reason") == ["disputed", "unsure", "rare"])
    #expect(all[0]["class"].string == "dog" && all[0]["state"].string == "disputed")
    #expect(all[0]["labels"].elements.count == 2)
    #expect(
      all[1]["reasons"].elements[0]["because"].string == "net@1 says 0.52, and counts from 0.5 on")
    #expect(try box.json("review", "--count", in: "a")["count"].number == 3)
    #expect(try box.cairn("review", "--count", "--class", "cat", in: "a").stdout == "2\n")
    #expect(try box.json("review", "--limit", "1", in: "a").elements.count == 1)
    for (options, count) in [
      (["--reason", "disputed,rare"], 3), (["--reason", "models"], 0),
      (["--find", "state:disputed"], 1), (["--class", "dog"], 1),
    ] {
      let output = try box.run("cairn", ["review", "--json"] + options, in: "a")
      #expect(try output.json().elements.count == count, "\(options)")
    }
  }

  @Test("without a terminal it says so, and how programs ask")
  func noTerminal() throws {
    let box = try Sandbox()
    _ = try makeDataset(box)
    let output = try box.run("cairn", ["review"], in: "a")
    #expect(output.status == ExitStatus.badData)
    #expect(output.stderr.contains("--json"))
  }

  @Test(
    "an option that means nothing is refused in one sentence",
    arguments: [
      ["--share", "4/3"], ["--share", "x"], ["--reason", "ugly"], ["--reason", ","],
      ["--limit", "0"], ["--find", "label:"], ["--class", "nothing"],
    ])
  func refused(options: [String]) throws {
    let box = try Sandbox()
    _ = try makeDataset(box)
    let output = try box.run("cairn", ["review", "--json"] + options, in: "a")
    #expect(output.status != 0)
    #expect(!output.stderr.isEmpty && !output.stderr.contains("Fatal"))
  }
}

extension [JSONValue] {
  fileprivate func strings(_ key: String) -> [String] { map { $0[key].string } }
}
