import CairnFiles
import TestSupport
import Testing

@testable import CairnGit

@Suite("Trees of an index")
struct IndexFileTreeTests {
  @Test("finds the directories that hold the files of a tree", arguments: UInt64(0)..<20)
  func directories(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let old = Files.random(40, using: &random)
    let index = IndexFile(old)
    var files = old
    _ = files.change(Int.random(in: 0...5, using: &random), using: &random)
    let tree = try sandbox.tree(files)
    for directory in Set(files.paths.flatMap { SparseCone.ancestors(of: $0).dropFirst() }) {
      let node = try #require(try repository.node(at: directory, in: tree))
      let found = index.entries(below: directory, matching: node.id)
      let inside = files.nodes.filter { $0.key.hasPrefix(directory + "/") }
      let isSame = old.nodes.filter { $0.key.hasPrefix(directory + "/") } == inside
      #expect((found != nil) == isSame, "\(directory)")
      if let found {
        #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.path, $0.node) }) == inside)
      }
    }
  }

  @Test("finds no directory with a conflict, a collapsed directory or a name that is not UTF-8")
  func unusual() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var files = Files()
    for path in ["d/a", "d/e/b", "f/a"] { files.set(path, .file(path)) }
    let tree = try sandbox.tree(files)
    let node = try #require(try repository.node(at: "d", in: tree))
    let index = IndexFile(files)
    #expect(index.entries(below: "d", matching: node.id)?.map(\.path) == ["d/a", "d/e/b"])
    #expect(index.entries(below: "f", matching: node.id) == nil)
    #expect(index.entries(below: "none", matching: node.id) == nil)

    var conflict = index
    conflict.entries[0].stage = 2
    #expect(conflict.entries(below: "d", matching: node.id) == nil)

    let inner = try #require(try repository.node(at: "d/e", in: tree))
    var collapsed = index
    collapsed.entries[1] = IndexFile.Entry(collapsed: "d/e", inner.id)
    #expect(collapsed.entries(below: "d", matching: node.id) == nil)

    let name: [UInt8] = [0xFF]
    let file = TreeNode.file("x")
    var bytes: [UInt8] = []
    Tree.append(file.mode, name, file.id, to: &bytes)
    var other = IndexFile()
    other.entries = [IndexFile.Entry(path: "d/" + GitName.text(name), node: file, status: .unknown)]
    #expect(other.entries(below: "d", matching: ObjectID(hashing: .tree, bytes)) == nil)
  }
}

extension IndexFile {
  /// Creates the index of files.
  fileprivate init(_ files: Files) {
    self.init()
    entries = files.nodes.map { Entry(path: $0.key, node: $0.value, status: .unknown) }
      .sortedByPath()
  }
}
