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
    var edit =
      seed % 2 == 0
      ? BulkTreeEdit()
      : BulkTreeEdit(spillingInto: sandbox.root, files: FileSystem(), limit: 7)
    for (index, change) in changes.enumerated() {
      try edit.set(change.path, to: change.node!.id, tag: index)
    }
    #expect(try edit.finish(on: base, of: repository, to: writer) == expected)
    // It holds no memory afterwards.
    #expect(edit.count == 0)
    try edit.forEach { path, _, _ in Issue.record("\(path) is left") }
  }

  @Test(
    "lets the caller resolve a path that is set several times, in memory or in a file",
    arguments: [Int.max, 1, 2, 3])
  func settled(limit: Int) throws {
    let ids = (0..<4).map { ObjectID(hashing: .blob, [UInt8($0)]) }
    let sandbox = try Sandbox()
    var edit = BulkTreeEdit(spillingInto: sandbox.root, files: FileSystem(), limit: limit)
    for (tag, path) in ["a/b/c", "a/b/d", "a/b/c", "x"].enumerated() {
      try edit.set(path, to: ids[tag], tag: tag)
    }
    try edit.deduplicate { path, found in
      #expect(path == "a/b/c")
      #expect(found == [ids[0], ids[2]])
      return found[1]
    }
    #expect(edit.count == 3)
    #expect(try edit.counts { $0 < 2 } == ["a": 2, "": 0])
    try edit.removeAll { path, tag in path == "x" && tag == 3 }
    try edit.replace { _, id in id == ids[2] ? ids[3] : nil }
    var left: [String: ObjectID] = [:]
    try edit.forEach { path, id, _ in left[path] = id }
    #expect(left == ["a/b/c": ids[3], "a/b/d": ids[1]])
  }

  @Test("holds no more files in memory than its limit, however many it has")
  func held() throws {
    let sandbox = try Sandbox()
    let directory = sandbox.root.appending("spill")
    let ids = (0..<2).map { ObjectID(hashing: .blob, [UInt8($0)]) }
    for count in [500, 4000] {
      var edit = BulkTreeEdit(spillingInto: directory, files: FileSystem(), limit: 64)
      var held = 0
      // Each path twice: all groups change, and return to the file.
      for (tag, number) in (Array(0..<count) + Array(0..<count)).enumerated() {
        try edit.set("labels/\(number % 16)/\(number)", to: ids[tag / count], tag: tag)
        held = max(held, edit.heldCount)
      }
      try edit.deduplicate { $1[1] }
      #expect(max(held, edit.heldCount) < 64)
      #expect(edit.count == count)
      #expect(try edit.counts { $0 < count } == ["labels": count])
      var found: Set<ObjectID> = []
      try edit.forEach { _, id, _ in found.insert(id) }
      #expect(found == [ids[1]])
      // Nothing is left in the directory, even while the file is used.
      #expect(try FileSystem().list(directory)?.isEmpty == true)
    }
  }

  @Test("allocates no more memory for more files, also when they come group by group")
  func capacity() throws {
    let sandbox = try Sandbox()
    let id = ObjectID(hashing: .blob, [])
    func peak(groups: Int) throws -> Int {
      var edit = BulkTreeEdit(
        spillingInto: sandbox.root.appending("spill"), files: FileSystem(), limit: 64)
      var peak = 0
      for number in 0..<groups * 100 {
        try edit.set("labels/\(number / 100)/\(number)", to: id, tag: number)
        peak = max(peak, edit.capacity)
      }
      // All groups change, and return to the file.
      for number in 0..<groups * 100 {
        try edit.set("labels/\(number / 100)/\(number)", to: id, tag: groups * 100 + number)
      }
      try edit.deduplicate { $1[1] }
      return max(peak, edit.capacity)
    }
    #expect(try peak(groups: 100) <= 2 * peak(groups: 4))
  }

  @Test("stores only the part of a path that differs from the previous path")
  func pathSize() throws {
    var edit = BulkTreeEdit()
    var length = 0
    for photo in 0..<100 {
      let id = String(repeating: "\(photo % 10)", count: 60) + "\(1000 + photo)"
      for label in 0..<10 {
        let path = "labels/3f/a9/\(id)/class-\(label)~net-1-0123abcd~\(label)2345678.json"
        try edit.set(path, to: ObjectID(hashing: .blob, []), tag: label)
        length += path.utf8.count
      }
    }
    #expect(edit.count == 1000)
    // Of the other nine labels of a photo, the number of the class and what follows.
    #expect(edit.pathSize < 1000 * 45 && edit.pathSize < length / 2)
    var paths: [String] = []
    try edit.forEach { path, _, _ in paths.append(path) }
    #expect(Set(paths).count == 1000)
    #expect(paths[11].hasSuffix("1001/class-1~net-1-0123abcd~12345678.json"))
  }

  @Test("reads and writes only the directories that change")
  func cost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    func make(_ paths: [String], on base: ObjectID?) throws -> (tree: ObjectID, written: Int) {
      var edit = BulkTreeEdit()
      for path in paths {
        try edit.set(path, to: ObjectID(hashing: .blob, Array(path.utf8)), tag: 0)
      }
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
  fileprivate mutating func set(_ path: String, to id: ObjectID, tag: Int) throws {
    try Array(path.utf8).withUnsafeBufferPointer { try set($0, to: id, tag: UInt32(tag)) }
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
