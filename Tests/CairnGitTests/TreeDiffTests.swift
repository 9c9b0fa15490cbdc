import CairnFiles
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Comparing trees")
struct TreeDiffTests {
  @Test(
    "lists the same changes as `git diff-tree -r`, in the same order", arguments: UInt64(0)..<20)
  func randomPairs(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var files = Files.random(30, using: &random)
    let old = try sandbox.tree(files)
    _ = files.change(Int.random(in: 0...15, using: &random), using: &random)
    let new = try sandbox.tree(files)
    #expect(try repository.diff(old, new) == sandbox.diffTree(old, new))
    #expect(try repository.diff(new, old) == sandbox.diffTree(new, old))
    #expect(try repository.diff(nil, new) == sandbox.diffTree(Tree.emptyID, new))
    #expect(try repository.diff(new, nil) == sandbox.diffTree(new, Tree.emptyID))
    #expect(try repository.diff(new, new).isEmpty)
  }

  @Test("lists changes that turn the first tree into the second", arguments: UInt64(0)..<20)
  func applied(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let trees = try (0..<2).map { _ in try sandbox.tree(Files.random(25, using: &random)) }
    let changes = try repository.diff(trees[0], trees[1]).map { ($0.path, $0.new) }
    let writer = AdaptiveObjectWriter(repository)
    #expect(try repository.edit(trees[0], merged(changes), writer: writer) == trees[1])
  }

  @Test("compares a file and a directory of one name that sort apart")
  func apart() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var (file, directory) = (Files(), Files())
    file.set("a", .file("1"))
    directory.set("a/x", .file("1"))
    for name in ["a-b", "a.b", "a0", "b"] {
      file.set(name, .file(name))
      directory.set(name, .file(name))
    }
    let (old, new) = (try sandbox.tree(file), try sandbox.tree(directory))
    #expect(try repository.diff(old, new) == sandbox.diffTree(old, new))
    #expect(try repository.diff(new, old) == sandbox.diffTree(new, old))
  }

  @Test("compares entries whose names are not UTF-8")
  func notUTF8() throws {
    let sandbox = try Sandbox()
    defer { withExtendedLifetime(sandbox) {} }
    let repository = try sandbox.newRepository()
    func tree(_ a: UInt8, _ other: UInt8) throws -> ObjectID {
      try LooseObjectWriter(repository).write(
        .tree,
        Array("100644 a\0".utf8) + [UInt8](repeating: a, count: 20) + Array("100644 ".utf8)
          + [0xFF, 0] + [UInt8](repeating: other, count: 20))
    }
    #expect(try repository.diff(tree(1, 1), tree(2, 1)).map(\.path) == ["a"])
    #expect(try repository.diff(tree(1, 1), tree(1, 2)).map(\.path) == ["\u{EFFF}"])
  }

  @Test("rejects or compares damaged trees without crashing", arguments: UInt64(0)..<32)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    defer { withExtendedLifetime(sandbox) {} }
    let repository = try sandbox.newRepository()
    let writer = LooseObjectWriter(repository)
    let whole = Tree(
      entries: ["a", "bc", "def", "g"].map { Tree.Entry(name: $0, node: .random(using: &random)) }
    ).bytes
    func damaged() throws -> ObjectID {
      var bytes = whole
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      return try writer.write(
        .tree, Array(bytes.prefix(.random(in: 0...bytes.count, using: &random))))
    }
    for _ in 0..<50 {
      // The objects that the entries name do not exist, so directories cause errors, too.
      do { _ = try repository.diff(damaged(), damaged()) } catch is GitError {}
    }
  }

  @Test("rejects an empty name as damage")
  func emptyName() throws {
    let sandbox = try Sandbox()
    defer { withExtendedLifetime(sandbox) {} }
    let repository = try sandbox.newRepository()
    let id = try LooseObjectWriter(repository).write(
      .tree, Array("100644 \0".utf8) + [UInt8](repeating: 7, count: 20))
    #expect(throws: GitError(.corrupt, "a tree object is damaged")) { try repository.tree(id) }
    #expect(throws: GitError(.corrupt, "a tree object is damaged")) { try repository.diff(nil, id) }
  }

  @Test("does not read equal subtrees")
  func cost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var files = Files()
    for i in 0..<50 { for j in 0..<40 { files.set("d\(i)/e\(j)/f", .file("\(i) \(j)")) } }
    let old = try sandbox.tree(files)
    files.set("d7/e7/f", .file("new"))
    let new = try sandbox.tree(files)
    let before = repository.objectsRead
    #expect(try repository.diff(old, new).map(\.path) == ["d7/e7/f"])
    #expect(repository.objectsRead - before == 6)
  }

  /// Checks that each path occurs once, as an edit requires, even where a directory replaces a file
  /// that sorts far from it.
  private func merged(_ changes: [(String, TreeNode?)]) -> [Repository.TreeChange] {
    #expect(Set(changes.map { Array($0.0.utf8) }).count == changes.count)
    return changes.map { (path: $0.0, node: $0.1) }
  }
}

extension Sandbox {
  fileprivate func diffTree(_ old: ObjectID, _ new: ObjectID) throws -> [TreeDifference] {
    let records = try git("diff-tree", "-r", "-z", "--no-renames", "\(old)", "\(new)")
      .stdout.utf8.split(separator: 0).map { String(Substring($0)) }
    return try stride(from: 0, to: records.count, by: 2).map { index in
      let fields = records[index].dropFirst().split(separator: " ")
      func node(_ mode: Substring, _ id: Substring) throws -> TreeNode? {
        let mode = try #require(UInt32(mode, radix: 8))
        if mode == 0 { return nil }
        return TreeNode(try #require(FileMode(rawValue: mode)), try #require(ObjectID(id)))
      }
      return TreeDifference(
        path: records[index + 1], old: try node(fields[0], fields[2]),
        new: try node(fields[1], fields[3]))
    }
  }
}
