import Foundation
import TestSupport
import Testing

/// The merge button of a hosting site runs no merge driver: git merges the branches line by line.
@Suite("Merge button of a hosting site")
struct MergeButtonTests {
  /// The commands that Ann and Bob each run, from the same commit. P0, P1 and P2 stand for photos,
  /// PIN for a pin, and NEW and OTHER for folders with a new photo.
  struct Case: CustomTestStringConvertible {
    let name: String
    let ann: [String]
    let bob: [String]

    var testDescription: String { name }

    init(_ name: String, _ ann: String..., bob: [String]? = nil) {
      (self.name, self.ann, self.bob) = (name, ann, bob ?? ann)
    }
  }

  static let cases = [
    // Equal edits on both sides write equal bytes.
    Case("create the same class", "label P0 elm", bob: ["label P1 elm"]),
    Case("create the same class in other scripts", "label P0 柴犬", bob: ["label P1 柴犬"]),
    Case("create the same alias", "class alias quercus oak"),
    Case("add the same photo", "photo add NEW"),
    Case("add the same photo at the same pin", "photo add NEW --pin PIN"),
    Case("add and label the same photo", "photo add NEW", "label P2 elm"),
    Case("set the same policy", "policy set --people unanimous"),
    Case("set the same threshold", "policy set --threshold 0.7"),
    Case("set the same threshold of a model", "policy set --model-threshold net=0.9"),
    Case("give the same label for a model", "label P0 oak --as net@2 --confidence 0.9"),
    Case(
      "give the same label for a new version of a model",
      "label P1 oak --as net@2 --confidence 0.8"),
    // Different edits change different files, or lines with an unchanged line between them.
    Case("label the same photo with one class", "label P0 oak", bob: ["label P0 oak --absent"]),
    Case("label and edit the title", "label P0 oak", bob: ["photo edit P0 --title x"]),
    Case(
      "edit the title and the caption", "photo edit P0 --title x",
      bob: ["photo edit P0 --caption y"]),
    Case("rename and move a pin", "pin rename PIN Mill", bob: ["pin move PIN 3 4"]),
    Case("add different photos", "photo add NEW", bob: ["photo add OTHER"]),
    Case("label and remove a photo", "label P1 elm", bob: ["photo remove P1"]),
    Case("rename a class and use it", "class rename oak Eiche", bob: ["label P1 oak"]),
    Case("confirm and label for a model", "accept P1 oak", bob: ["label P0 oak --as net@3"]),
    Case("favor the same photo", "favorite P0"),
    Case(
      "set the policy and the threshold", "policy set --people latest",
      bob: ["policy set --threshold 0.6"]),
  ]

  @Test(
    "merges two people's edits without conflict into the tree that cairn makes", arguments: cases)
  func merges(what: Case) throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 3)
    let pin = try box.json("pin", "add", "1", "2", "--name", "Weir", in: "a")["id"].string
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[1], "oak", "--as", "net@1", "--confidence", "0.7", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    try box.makeImages(8..<9, in: "new")
    try box.makeImages(9..<10, in: "other")
    for (dataset, commands) in [("a", what.ann), ("b", what.bob)] {
      for command in commands {
        let arguments = command.split(separator: " ").map { word in
          switch word {
          case "P0", "P1", "P2": photos[Int(word.dropFirst())!]
          case "PIN": pin
          case "NEW", "OTHER": box.url(word.lowercased()).path
          default: String(word)
          }
        }
        let output = try box.run("cairn", arguments, in: dataset)
        try #require(output.status == 0, "\(command): \(output.stderr)")
      }
      try box.cairn("commit", in: dataset)
    }
    // A hosting site has neither the merge driver nor the filter.
    try box.sh("git init -q --bare site.git")
    try box.git("push", "-q", "../site.git", "main:ann", in: "a")
    try box.git("push", "-q", "../site.git", "main:bob", in: "b")
    let merged = try box.run("git", ["merge-tree", "--write-tree", "ann", "bob"], in: "site.git")
    #expect(merged.status == 0, "\(merged.stdout)")
    try box.cairn("clone", "a", "pulled")
    try box.cairn("remote", "add", "bob", "../b", in: "pulled")
    try box.cairn("pull", "bob", in: "pulled")
    #expect(try box.tree(of: "pulled") == merged.word)
  }
}
