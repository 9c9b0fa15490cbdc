import CairnFiles
import SystemPackage
import Testing

@testable import CairnGit

@Suite("Comparing trees")
struct TreeDiffTests {
  @Test("random pairs differ as `git diff-tree -r` says, in its order", arguments: UInt64(0)..<20)
  func randomPairs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.repository()
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

  @Test("a difference applied to the first tree gives the second", arguments: UInt64(0)..<20)
  func applied(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.repository()
    let trees = try (0..<2).map { _ in try sandbox.tree(Files.random(25, using: &random)) }
    let changes = try repository.diff(trees[0], trees[1]).map { ($0.path, $0.new) }
    let writer = AdaptiveObjectWriter(repository)
    #expect(try repository.edit(trees[0], merged(changes), writer: writer) == trees[1])
  }

  @Test("equal subtrees are not read")
  func cost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.repository()
    var files = Files()
    for i in 0..<50 { for j in 0..<40 { files.set("d\(i)/e\(j)/f", .file("\(i) \(j)")) } }
    let old = try sandbox.tree(files)
    files.set("d7/e7/f", .file("new"))
    let new = try sandbox.tree(files)
    let before = repository.objectsRead
    #expect(try repository.diff(old, new).map(\.path) == ["d7/e7/f"])
    #expect(repository.objectsRead - before == 6)
  }

  /// Where a file gives way to a directory far from it in the order, a path comes once as removed
  /// and never as added; an edit takes each path once.
  private func merged(_ changes: [(String, TreeNode?)]) -> [Repository.TreeChange] {
    #expect(Set(changes.map { Array($0.0.utf8) }).count == changes.count)
    return changes.map { (path: $0.0, node: $0.1) }
  }
}

extension Sandbox {
  fileprivate func diffTree(_ old: ObjectID, _ new: ObjectID) throws -> [TreeDifference] {
    let records = try git("diff-tree", "-r", "-z", "--no-renames", "\(old)", "\(new)")
      .text.utf8.split(separator: 0).map { String(Substring($0)) }
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
