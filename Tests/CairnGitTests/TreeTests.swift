import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Trees")
struct TreeTests {
  @Test("reads and writes every file mode as git does")
  func everyMode() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let blob = ObjectID(hashing: .blob, Array("x".utf8))
    let modes: [(CairnGit.FileMode, String)] = [
      (.file, "file"), (.executable, "tool"), (.symlink, "link"), (.submodule, "module"),
      (.file, "directory/inside"),
    ]
    var files = Files()
    for (mode, path) in modes { files.set(path, TreeNode(mode, blob)) }
    let id = try sandbox.tree(files)
    let tree = try repository.tree(id)
    #expect(tree.entries.map(\.name) == ["directory", "file", "link", "module", "tool"])
    #expect(
      tree.entries.map(\.node.mode) == [.directory, .file, .symlink, .submodule, .executable])
    #expect(try tree.bytes == Array(sandbox.git("cat-file", "tree", "\(id)").bytes))
    #expect(ObjectID(hashing: .tree, tree.bytes) == id)
  }

  @Test("sorts, writes and hashes random trees as git does", arguments: UInt64(0)..<12)
  func randomTrees(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let files = Files.random(40, using: &random)
    let id = try sandbox.tree(files)
    let read = try repository.tree(id)
    let shuffled = Tree(entries: read.entries.shuffled(using: &random).sorted())
    #expect(shuffled.bytes == read.bytes)
    #expect(ObjectID(hashing: .tree, shuffled.bytes) == id)
    for path in files.paths { #expect(try repository.node(at: path, in: id) == files[path]) }
    #expect(try repository.node(at: "no/such/path", in: id) == nil)
  }

  @Test("sorts a directory as if its name ended in a slash")
  func order() {
    let node = TreeNode.file("x")
    let directory = TreeNode(.directory, node.id)
    let entries = [
      Tree.Entry(name: "a", node: node), Tree.Entry(name: "a-b", node: node),
      Tree.Entry(name: "a.b", node: node), Tree.Entry(name: "a", node: directory),
      Tree.Entry(name: "a0", node: node), Tree.Entry(name: "ab", node: directory),
    ]
    for (i, x) in entries.enumerated() {
      for (j, y) in entries.enumerated() { #expect((x < y) == (i < j), "\(x.name) \(y.name)") }
    }
  }

  @Test("distinguishes names that are canonically equivalent")
  func canonicallyEquivalentNames() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let nodes = (TreeNode.file("1"), TreeNode.file("2"))
    let input =
      "100644 blob \(nodes.0.id)\t\(composed)\0" + "100644 blob \(nodes.1.id)\t\(decomposed)\0"
    let output = try sandbox.git("mktree", "--missing", "-z", stdin: Data(input.utf8))
    let id = try #require(ObjectID(output.lines[0]))
    #expect(try repository.node(at: composed, in: id) == nodes.0)
    #expect(try repository.node(at: decomposed, in: id) == nodes.1)

    let writer = LooseObjectWriter(repository)
    let without = try repository.edit(id, [(composed, nil)], writer: writer)
    #expect(try repository.tree(without).entries.map(\.node) == [nodes.1])
    let moved = try repository.edit(
      without, [(composed, nodes.1), (decomposed, nil)], writer: writer)
    #expect(try repository.diff(without, moved).count == 2)
  }

  @Test("reads the group-writable modes of old tools as ordinary modes")
  func oldModes() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let blob = ObjectID(hashing: .blob, Array("x".utf8))
    let bytes = Array("100664 f\0".utf8) + blob.bytes + Array("100775 x\0".utf8) + blob.bytes
    let id = try #require(
      ObjectID(
        try sandbox.git(
          "hash-object", "-w", "--literally", "-t", "tree", "--stdin", stdin: Data(bytes)
        ).lines[0]))
    #expect(try repository.tree(id).entries.map(\.node.mode) == [.file, .executable])
  }

  @Test("removes a name with a slash, and each entry of a name that a tree has several times")
  func damagedTree() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let blobs = ["1", "2"].map { TreeNode.file($0) }
    let names = ["b", "../a", "a", "..", "a", "\u{EF2F}"]
    var bytes: [UInt8] = []
    for (number, name) in names.enumerated() {
      Tree.append(.file, name.utf8, blobs[number % 2].id, to: &bytes)
    }
    let writer = LooseObjectWriter(repository)
    let id = try writer.write(.tree, bytes)
    let read = try repository.tree(id)
    #expect(read.bytes == bytes)
    #expect(Set(read.entries.map(\.name)).count == 5)
    let refused = read.entries.map(\.name).filter { GitName.isRefused($0[...]) }
    #expect(refused == ["..\u{EF2F}a", ".."])
    let edited = try repository.edit(id, (refused + ["a"]).map { ($0, nil) }, writer: writer)
    #expect(
      try repository.tree(edited).entries.map { GitName.bytes($0.name) } == [
        Array("b".utf8), Array("\u{EF2F}".utf8),
      ])
  }

  @Test("loses nothing of a directory that a tree has several times")
  func directoryTwice() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = LooseObjectWriter(repository)
    let node = TreeNode.file("1")
    let parts = try [["a", "c"], ["b", "c"]].map { names in
      try writer.write(treeOf: names.map { Tree.Entry(name: $0, node: node) })
    }
    var bytes: [UInt8] = []
    for id in parts { Tree.append(.directory, "d".utf8, id, to: &bytes) }
    let id = try writer.write(.tree, bytes)
    let edited = try repository.edit(id, [("d/x", node), ("d/c", nil)], writer: writer)
    var paths: [String] = []
    try repository.diff(nil, edited) { paths.append($0.path) }
    #expect(paths.sorted() == ["d/a", "d/b", "d/x"])
  }

  /// Names that are not UTF-8, names with the characters that represent such bytes, and names that sort
  /// next to these.
  private static let namesOfBytes: [[UInt8]] = [
    [0x61, 0xE9], [0x61, 0xFF], Array("aé".utf8), Array("a\u{EF3F}".utf8), Array("a\u{EF80}".utf8),
    Array("a\u{EFE9}b".utf8), Array("a\u{F000}".utf8), [0x61, 0xEE, 0xBE], [0x80], [0xC3, 0x28],
    [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF],
  ]

  @Test("keeps the bytes and the order of names that are not UTF-8")
  func notUTF8() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let node = TreeNode.file("1")
    let input = Self.namesOfBytes.reduce(into: Data()) {
      $0 += "100644 blob \(node.id)\t".utf8
      $0 += $1 + [0]
    }
    let id = try #require(
      ObjectID(try sandbox.git("mktree", "--missing", "-z", stdin: input).lines[0]))
    let tree = try repository.tree(id)
    #expect(tree.entries.count == Self.namesOfBytes.count)
    #expect(Set(tree.entries.map { GitName.bytes($0.name) }) == Set(Self.namesOfBytes))
    #expect(Set(tree.entries.map(\.name)).count == tree.entries.count)
    #expect(ObjectID(hashing: .tree, tree.bytes) == id)

    // Added one by one, in another order.
    let writer = LooseObjectWriter(repository)
    var edited: ObjectID?
    for entry in tree.entries.reversed() {
      edited = try repository.edit(edited, [(entry.name, entry.node)], writer: writer)
      #expect(try repository.node(at: entry.name, in: edited) == node)
    }
    #expect(edited == id)
  }

  @Test("gives each name its own text", arguments: UInt64(0)..<64)
  func texts(seed: UInt64) {
    var random = SeededGenerator(seed)
    for _ in 0..<100 {
      let pieces = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        Self.namesOfBytes.randomElement(using: &random)!
      }
      var bytes = pieces.flatMap(\.self)
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      #expect(GitName.bytes(GitName.text(bytes)) == bytes)
      let isText = String(validating: bytes, as: UTF8.self) != nil
      #expect(isText || GitName.hasOtherBytes(GitName.text(bytes)[...]))
    }
  }

  @Test("rejects or reads damaged trees without crashing", arguments: UInt64(0)..<64)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let entries = ["a", "bc", "def"].map { Tree.Entry(name: $0, node: .random(using: &random)) }
    let whole = Tree(entries: entries).bytes
    for length in 0..<whole.count {
      whole[..<length].withUnsafeBytes { bytes in
        let tree = try? Tree(bytes: bytes)
        // Only a cut between two entries leaves a tree.
        #expect((tree?.entries ?? entries) == Array(entries.prefix(tree?.entries.count ?? 3)))
      }
    }
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = random.bytes(1)[0]
      }
      bytes.withUnsafeBytes { bytes in
        // Any tree that was read can be written.
        if let tree = try? Tree(bytes: bytes) { #expect(tree.bytes.count <= whole.count) }
      }
    }
  }

  @Test("accepts only ids of forty hexadecimal digits")
  func ids() throws {
    let text = "0123456789abcdef0123456789abcdef01234567"
    let id = try #require(ObjectID(text))
    #expect(id.description == text)
    #expect(id.bytes.count == 20 && id.bytes[0] == 0x01 && id.bytes[19] == 0x67)
    #expect(ObjectID(String(repeating: "0", count: 40)) == .zero)
    for wrong in [
      "", "0", String(text.dropLast()), text + "0", "+" + text.dropFirst(),
      "-0" + text.dropFirst(2),
      "g" + text.dropFirst(), " " + text.dropFirst(), "é" + text.dropFirst(2),
    ] { #expect(ObjectID(wrong) == nil, "\(wrong)") }
    #expect(ObjectID(hashing: .tree, []) == Tree.emptyID)
    #expect("\(Tree.emptyID)" == "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
  }
}
