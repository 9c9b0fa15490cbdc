import CairnFiles
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Bulk tree edits")
struct BulkTreeEditTests {
  @Test("makes the same tree as single edits, on any base", arguments: UInt64(0)..<20)
  func sameAsSingleEdits(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let base = seed % 4 == 0 ? nil : try sandbox.tree(Files.random(40, using: &random))
    var files = Files()
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      files.set(Files.randomPath(using: &random), .file("new \(random.next() % 5)"))
    }
    // Also add files in directories deeper than the groups.
    for index in 0..<40 { files.set("deep/\(index % 3)/\(index % 7)/\(index)", .file("\(index)")) }
    let changes = files.paths.map { (path: $0, node: files[$0]) }.shuffled(using: &random)

    let single = AdaptiveObjectWriter(repository)
    let expected = try repository.edit(base, changes, writer: single)
    let writer = PackWriter(
      objectsDirectory: repository.commonDirectory.appending("objects"), files: FileSystem())
    var edit = BulkTreeEdit()
    for (index, change) in changes.enumerated() {
      edit.set(change.path, to: change.node!.id, tag: index)
    }
    #expect(try edit.finish(on: base, of: repository, to: writer) == expected)
    // It holds no memory afterwards.
    #expect(edit.count == 0)
    edit.forEach { path, _, _ in Issue.record("\(path) is left") }
  }

  @Test("lets the caller resolve a path that is set several times")
  func settled() throws {
    let ids = (0..<4).map { ObjectID(hashing: .blob, [UInt8($0)]) }
    var edit = BulkTreeEdit()
    for (tag, path) in ["a/b/c", "a/b/d", "a/b/c", "x"].enumerated() {
      edit.set(path, to: ids[tag], tag: tag)
    }
    try edit.deduplicate { path, found in
      #expect(path == "a/b/c")
      #expect(found == [ids[0], ids[2]])
      return found[1]
    }
    #expect(edit.count == 3)
    #expect(edit.counts { $0 < 2 } == ["a": 2, "": 0])
    edit.removeAll { path, tag in path == "x" && tag == 3 }
    edit.replace { _, id in id == ids[2] ? ids[3] : nil }
    var left: [String: ObjectID] = [:]
    edit.forEach { path, id, _ in left[path] = id }
    #expect(left == ["a/b/c": ids[3], "a/b/d": ids[1]])
  }

  @Test("stores of a path only what differs from the path before it")
  func pathSize() throws {
    var edit = BulkTreeEdit()
    var length = 0
    for photo in 0..<100 {
      let id = String(repeating: "\(photo % 10)", count: 60) + "\(1000 + photo)"
      for label in 0..<10 {
        let path = "labels/3f/a9/\(id)/class-\(label)~net-1-0123abcd~\(label)2345678.json"
        edit.set(path, to: ObjectID(hashing: .blob, []), tag: label)
        length += path.utf8.count
      }
    }
    #expect(edit.count == 1000)
    // Of the other nine labels of a photo, the number of the class and what follows.
    #expect(edit.pathSize < 1000 * 45 && edit.pathSize < length / 2)
    var paths: [String] = []
    edit.forEach { path, _, _ in paths.append(path) }
    #expect(Set(paths).count == 1000)
    #expect(paths[11].hasSuffix("1001/class-1~net-1-0123abcd~12345678.json"))
  }

  @Test("reads and writes only the directories that change")
  func cost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    func make(_ paths: [String], on base: ObjectID?) throws -> (tree: ObjectID, written: Int) {
      var edit = BulkTreeEdit()
      for path in paths { edit.set(path, to: ObjectID(hashing: .blob, Array(path.utf8)), tag: 0) }
      let writer = PackWriter(repository)
      let tree = try edit.finish(on: base, of: repository, to: writer)
      let count = writer.count
      try writer.finish()
      try repository.refreshObjects()
      return (tree, count)
    }
    var tree: ObjectID?
    var reads: [Int] = []
    for size in [30, 300] {
      tree = try make((0..<size).map { "l/\($0 % 10)/\($0 % 10)/\($0)/x" }, on: nil).tree
      let before = repository.objectsRead
      let (_, written) = try make(["l/1/1/1/y", "l/2/2/new/y"], on: tree)
      reads.append(repository.objectsRead - before)
      #expect(written == 8)
    }
    #expect(reads[0] == reads[1])
  }
}

extension BulkTreeEdit {
  fileprivate mutating func set(_ path: String, to id: ObjectID, tag: Int) {
    Array(path.utf8).withUnsafeBufferPointer { set($0, to: id, tag: UInt32(tag)) }
  }
}

@Suite("Tree cursors")
struct TreeCursorTests {
  @Test("finds existing paths in any order of lookups", arguments: UInt64(0)..<8)
  func finds(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let files = Files.random(40, using: &random)
    let tree = try sandbox.tree(files)
    let cursor = try TreeCursor(repository, tree: tree)
    var paths = files.paths + files.paths.map { $0 + "/x" } + ["", "nowhere", "nowhere/at/all"]
    if seed % 2 == 0 { paths.shuffle(using: &random) }
    for path in paths {
      let found = try Array(path.utf8).withUnsafeBufferPointer { try cursor.node(at: $0) }
      #expect(found == files[path], "\(path)")
    }
  }

  @Test("reads each directory once when paths are looked up in order")
  func readsOnce() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    var files = Files()
    for index in 0..<200 { files.set("\(index / 50)/\(index)", .file("\(index)")) }
    let tree = try sandbox.tree(files)
    let before = repository.objectsRead
    let cursor = try TreeCursor(repository, tree: tree)
    for path in files.paths {
      _ = try Array(path.utf8).withUnsafeBufferPointer { try cursor.node(at: $0) }
    }
    #expect(repository.objectsRead - before == 5)
  }
}
