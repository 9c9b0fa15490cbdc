import Foundation
import TestSupport
import Testing

@Suite("cairn checkout")
struct CheckoutTests {
  private func makeDataset(_ box: Sandbox) throws -> [String] {
    let photos = try box.startDataset(photos: 4)
    try box.cairn("pin", "add", "48.85", "2.35", "--name", "Harbor", in: "a")
    try box.cairn("photo", "edit", photos[0], "--pin", "Harbor", in: "a")
    try box.cairn("label", photos[1], "oak", in: "a")
    try box.cairn("commit", in: "a")
    return photos
  }

  /// Returns the photos whose documents are checked out.
  private func checkedOut(
    _ photos: [String], _ box: Sandbox, in dataset: String = "a"
  ) -> [String] {
    photos.filter { box.exists("\(dataset)/\(Sandbox.photoPath($0))") }
  }

  @Test("checks out the selected documents and leaves git's status clean")
  func parts() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    for (arguments, wanted) in [
      (["none"], []), (["--pin", "Harbor"], [photos[0]]), (["--find", "label:oak"], [photos[1]]),
      ([String(photos[2].prefix(4))], [photos[2]]), (["all"], photos),
    ] {
      let output = try box.run("cairn", ["checkout"] + arguments, in: "a")
      #expect(output.status == 0, "\(output.stderr)")
      #expect(checkedOut(photos, box) == wanted, "\(arguments)")
      #expect(try box.git("status", "--porcelain", in: "a").stdout.isEmpty)
      #expect(try box.json("find", in: "a").elements.count == photos.count)
    }
    try box.cairn("checkout", "none", in: "a")
    try box.cairn("checkout", "--find", "label:oak", in: "a")
    try box.cairn("checkout", "--add", "--pin", "Harbor", in: "a")
    #expect(checkedOut(photos, box) == Array(photos.prefix(2)))
  }

  @Test("refuses a selection that matches nothing, or two kinds of selection")
  func refused() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    try box.refuses("checkout", "--pin", "Nowhere", in: "a", with: ExitStatus.notFound)
    try box.refuses("checkout", "nothing-here", in: "a", with: ExitStatus.notFound)
    try box.refuses("checkout", "--find", "label:", in: "a", with: ExitStatus.badData)
    try box.refuses(
      "checkout", "--find", "label:oak -label:oak", in: "a", with: ExitStatus.notFound)
    try box.refuses("checkout", "/", in: "a", with: ExitStatus.notFound)
    let both = try box.run("cairn", ["checkout", "--find", "label:oak", "labels"], in: "a")
    #expect(both.status == ExitStatus.usage)
    #expect(checkedOut(photos, box) == photos)
    try box.cairn("checkout", "/labels//", in: "a")
    #expect(try box.json("checkout", in: "a")["directories"].elements.map(\.string) == ["labels"])
  }

  @Test("syncs in a clone without documents and checks them out later")
  func clone() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    try box.cairn("clone", "a", "b", "--documents", "none")
    #expect(checkedOut(photos, box, in: "b").isEmpty)
    let prefix = String(photos[2].prefix(4))
    try box.cairn("clone", "a", "c", "--documents", prefix)
    #expect(checkedOut(photos, box, in: "c") == [photos[2]])
    try box.refuses(
      "clone", "a", "d", "--documents", "nonsense", with: ExitStatus.notFound)
    try box.cairn("label", photos[0], "elm", in: "b")
    try box.cairn("sync", in: "b")
    #expect(try box.json("find", "label:elm", in: "a").elements.count == 1)
    try box.cairn("checkout", "all", in: "b")
    #expect(checkedOut(photos, box, in: "b") == photos)
    #expect(try box.git("status", "--porcelain", in: "b").stdout.isEmpty)
  }
}
