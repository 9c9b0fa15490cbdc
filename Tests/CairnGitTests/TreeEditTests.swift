import CairnFiles
import CairnGit
import SystemPackage
import TestSupport
import Testing

@Suite("Editing trees")
struct TreeEditTests {
  @Test("makes the same tree as git for random edits", arguments: UInt64(0)..<20)
  func randomEdits(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var files = Files.random(30, using: &random)
    var tree = try sandbox.tree(files)
    for round in 0..<3 {
      let changes = files.change(Int.random(in: 1...12, using: &random), using: &random)
      let writer = AdaptiveObjectWriter(repository)
      tree = try repository.edit(tree, changes.shuffled(using: &random), writer: writer)
      try writer.finish()
      #expect(tree == (try sandbox.tree(files)), "round \(round), changes \(changes)")
    }
    #expect(try sandbox.files(of: tree) == files)
  }

  /// An edit in which files and directories of one name replace each other.
  struct Replacement: CustomTestStringConvertible, Sendable {
    let before: [String]
    let added: [String]
    let removed: [String]
    let after: [String]
    var testDescription: String { "\(before) + \(added) - \(removed)" }
  }

  @Test(
    "replaces files by directories and directories by files",
    arguments: [
      Replacement(before: ["a"], added: ["a/b"], removed: [], after: ["a/b"]),
      Replacement(before: ["a"], added: ["a/b"], removed: ["a"], after: ["a/b"]),
      Replacement(before: ["a/b", "a/c"], added: ["a"], removed: [], after: ["a"]),
      Replacement(before: ["a/b"], added: ["a"], removed: ["a/b"], after: ["a"]),
      Replacement(before: ["a/b", "a/c"], added: ["a"], removed: ["a/b", "a/c"], after: ["a"]),
      Replacement(before: ["a/b/c"], added: ["a/b"], removed: ["a/b/c"], after: ["a/b"]),
      Replacement(before: ["a"], added: [], removed: ["a/b"], after: ["a"]),
      Replacement(before: ["a/b"], added: [], removed: ["a"], after: ["a/b"]),
      Replacement(before: ["a/b"], added: ["a/c"], removed: ["a"], after: ["a/b", "a/c"]),
      Replacement(before: ["a/b/c", "d"], added: [], removed: ["a/b/c"], after: ["d"]),
      Replacement(before: ["a/b/c", "a/d"], added: [], removed: ["a/b/c"], after: ["a/d"]),
      Replacement(before: ["a/b/c"], added: [], removed: ["a/b/c"], after: []),
      Replacement(before: [], added: ["a", "a/b"], removed: [], after: ["a/b"]),
      Replacement(before: [], added: [], removed: ["x/y"], after: []),
    ])
  func replacement(_ replacement: Replacement) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var (before, after) = (Files(), Files())
    for path in replacement.before { before.set(path, .file("old")) }
    for path in replacement.after {
      after.set(path, .file(replacement.added.contains(path) ? "new" : "old"))
    }
    let writer = LooseObjectWriter(repository)
    let tree = try repository.edit(
      sandbox.tree(before),
      replacement.added.map { ($0, .file("new")) } + replacement.removed.map { ($0, nil) },
      writer: writer)
    #expect(try sandbox.files(of: tree) == after)
    #expect(tree == (try sandbox.tree(after)))
  }

  @Test("reads and writes only the directories on the path of an edit")
  func cost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var files = Files()
    for i in 0..<50 { for j in 0..<40 { files.set("d\(i)/e\(j)/f", .file("\(i) \(j)")) } }
    let tree = try sandbox.tree(files)
    let before = repository.objectsRead
    let writer = AdaptiveObjectWriter(repository)
    _ = try repository.edit(tree, [("d7/e7/f", .file("new"))], writer: writer)
    #expect(repository.objectsRead - before == 3)
    #expect(writer.count == 3)
  }

  @Test("edits without a base tree, and returns the empty tree when all files are removed")
  func emptyTrees() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = LooseObjectWriter(repository)
    let tree = try repository.edit(nil, [("a/b", .file("x"))], writer: writer)
    #expect(try sandbox.files(of: tree).paths == ["a/b"])
    #expect(try repository.edit(tree, [("a/b", nil)], writer: writer) == Tree.emptyID)
    #expect(try sandbox.git("cat-file", "-t", "\(Tree.emptyID)").lines == ["tree"])
  }
}
