import Foundation
import TestSupport
import Testing

@Suite("cairn review: near-duplicates", .enabled(if: Keyboard.isThere, Keyboard.missing))
struct ReviewDuplicateTests {
  @Test("asks once about each class on which the labels of near-duplicates differ")
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
      report({})
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
    #expect(Set(queue.map { $0["reason"].string }) == ["duplicates"])
    let asked = queue.map { "\($0["photo"]["id"].string) \($0["class"].string)" }
    #expect(asked == ["\(one) cat", "\(two) dog"].sorted())
    let result = try box.keyboard(
      #"""
      def answer(session):
          found, _ = photo(session)
          assert "duplicates: " in session.before
          session.send("r" if "\#(one)".startswith(found) else "a")
          return found
      session = review()
      first = answer(session)
      photo(session)
      session.send("q")
      ended(session)
      # Undone in a later session, the question is asked again with the same reason.
      session = review()
      photo(session)
      session.send("u")
      session.expect("Undone")
      assert answer(session) == first
      answer(session)
      report({"status": ended(session)})
      """#)
    #expect(result["status"].number == 0)
    #expect(try box.own("ann", on: one, in: "a") == ["ann: cat absent", "ann: dog present"])
    #expect(try box.own("ann", on: two, in: "a") == ["ann: cat present", "ann: dog present"])
    // The labels still differ, but Ann has decided so: she is not asked again on any device.
    #expect(try box.json("review", in: "a").elements.isEmpty)
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    func questions(_ person: String) throws -> [String] {
      try box.setIdentity(person, in: "b")
      return try box.json("review", in: "b").elements.map {
        "\($0["photo"]["id"].string) \($0["class"].string) \($0["reason"].string)"
      }
    }
    #expect(try questions("Ann").isEmpty)
    // Dan is asked: Ann may not have known of the other photo.
    #expect(try questions("Dan") == ["\(one) cat duplicates"])
    // A new label on the other photo makes cairn ask again.
    try box.cairn("label", two, "cat", in: "b")
    #expect(try questions("Ann") == ["\(one) cat duplicates"])
  }

  @Test("examines an image again that could not be decoded before")
  func decodedLater() throws {
    let box = try Sandbox(user: "Ann")
    try Textures.write(0..<1, to: "known", in: box)
    let bytes = try box.read("known/dots-00.bmp")
    let copy = Array(bytes.dropLast()) + [bytes[bytes.count - 1] ^ 1]
    try box.write(copy, to: "known/copy.bmp")
    try box.cairn("init", "a")
    try box.cairn("photo", "add", "../known/dots-00.bmp", "../known/copy.bmp", in: "a")
    try box.label([Textures.file("dots", 0)], "dots")
    try box.label(["../known/copy.bmp"], "checks")
    let id = try box.photoID("../known/copy.bmp")
    try box.replaceBlob(of: id, with: Array(copy.prefix(60)))
    try box.remove("a/.git/cairn/perceptual-hashes")
    func count() throws -> Int {
      let output = try box.cairn(
        "review", "--reason", "duplicates", "--count", "--json", in: "a")
      return Int(try output.json()["count"].number)
    }
    #expect(try count() == 0)
    try box.replaceBlob(of: id, with: copy)
    #expect(try count() == 2)
  }
}
