import Foundation
import TestSupport
import Testing

@Suite("cairn review", .enabled(if: Keyboard.isThere, Keyboard.missing))
struct ReviewTests {
  @Test(
    "decides 20 photos in two shares, through undos, an interrupt and a kill"
  )
  func twentyPhotos() throws {
    let box = try Sandbox()
    let photos = try box.dispute(photos: 20)
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Dan", in: "b")

    func reviewShare(_ share: String, in dataset: String) throws -> JSONValue {
      try box.keyboard(
        #"""
        decided, asked = {}, []
        def decide(session, count=None):
            while count is None or count > 0:
                matched = session.expect([r"── (\d+) of (\d+) ", pexpect.EOF])
                if matched == 1:
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
            session.expect("Undone")
            found, _ = photo(session)
            key = decided.pop(found)
            return found, key
        session = review("--share", "\#(share)", "--reason", "disputed")
        decide(session, 3)
        # Undo twice, and answer the earlier question differently.
        first, key = back(session)
        session.send("u")
        session.expect("Undone")
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
        # Kill the review right after a key.
        session = review("--share", "\#(share)", "--reason", "disputed")
        decide(session, 2)
        session.expect(PROMPT)
        session.kill(signal.SIGKILL)
        ended(session)
        session = review("--share", "\#(share)", "--reason", "disputed")
        decide(session)
        assert ended(session) == 0
        report(decided)
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
      #expect(try box.own("ann", on: photo, in: "a").count == (ann[short] == nil ? 0 : 1))
    }
    for dataset in ["a", "b"] {
      #expect(try box.json("review", in: dataset).elements.isEmpty)
      try box.expectClean(dataset)
      try box.expectSound(dataset)
    }
  }

  @Test(
    "skips questions that a sync resolves during the review")
  func besideSync() throws {
    let box = try Sandbox()
    let photos = try box.dispute(photos: 3)
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Dan", in: "b")
    for photo in photos { try box.cairn("label", photo, "dog", in: "b") }
    try box.cairn("sync", in: "b")
    let result = try box.keyboard(
      #"""
      session = review()
      found, position = photo(session)
      assert position == (1, 3)
      code = os.system("cairn sync >sync.log 2>&1")
      session.send("r")
      session.expect("resolved by someone else")
      session.expect("dan@example.org")
      # The other two are resolved as well and are skipped.
      status = ended(session)
      report({"sync": code, "status": status, "text": session.before})
      """#)
    #expect(result["sync"].number == 0)
    #expect(result["status"].number == 0)
    #expect(result["text"].string.contains("Nothing was decided"))
    for photo in photos { #expect(try box.own("ann", on: photo, in: "a") == []) }
  }
}
