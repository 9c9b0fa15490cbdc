import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

/// Changes of a few entries of git's index, which leave the others as they are.
@Suite("Patching git's index")
struct IndexPatchTests {
  /// Returns a patch's result; nil if there is none.
  private func patched(
    _ bytes: [UInt8], _ changes: IndexFile.Changes, stale: Set<String> = []
  ) throws -> (bytes: [UInt8], isChanged: Bool)? {
    try bytes.withUnsafeBytes { old in
      let patch = IndexPatch(
        old, changes, writtenAt: 0, isStale: { path, _ in stale.contains(path) })
      guard let patch else { return nil }
      var new: [UInt8] = []
      try patch.write(from: old) { new += $0 }
      return (new, patch.isChanged)
    }
  }

  private func entry(_ random: inout SeededGenerator) -> IndexFile.Entry {
    var entry = IndexFile.Entry(
      path: Files.randomPath(using: &random), node: .file("\(random.below(5))"), status: .unknown)
    entry.status.size = UInt32(random.below(3))
    return entry
  }

  private func index(_ random: inout SeededGenerator) -> IndexFile {
    var index = IndexFile()
    for _ in 0..<random.below(60) {
      let new = entry(&random)
      if index.entries.allSatisfy({ $0.path != new.path }) { index.entries.append(new) }
    }
    index.entries = index.entries.sortedByPath()
    return index
  }

  @Test("writes the same bytes as writing all entries", arguments: UInt64(0)..<64)
  func sameBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let old = index(&random)
    var changes = IndexFile.Changes()
    for _ in 0..<random.below(6) {
      let new = entry(&random)
      if changes.entries.allSatisfy({ $0.path != new.path }) { changes.entries.append(new) }
      changes.removed.append(Files.randomPath(using: &random))
    }
    let stale = Set(old.entries.map(\.path).filter { _ in random.chance(20) })
    var expected = old
    for position in old.entries.indices where stale.contains(old.entries[position].path) {
      expected.entries[position].status.size = 0
    }
    expected.updateAll(changes)
    let result = try #require(try patched(old.bytes, changes, stale: stale))
    #expect(try result.bytes == expected.bytes)
    var changed = old
    changed.updateAll(changes)
    #expect(result.isChanged == (changed.entries != old.entries))
    #expect(try patched(result.bytes, changes)?.isChanged == false)
  }

  @Test("leaves conflicts, refused paths and other formats to the full index")
  func unusual() throws {
    var changes = IndexFile.Changes()
    changes.removed = ["nothing"]
    var index = IndexFile()
    index.entries = ["a", "b/c"].map {
      IndexFile.Entry(path: $0, node: .file("1"), status: .unknown)
    }
    #expect(try patched(index.bytes, changes)?.bytes == index.bytes)
    #expect(try patched(index.bytes, changes)?.isChanged == false)
    var other = index
    other.entries[0].stage = 2
    #expect(try patched(other.bytes, changes) == nil)
    other = index
    other.entries[1].path = "b/.git"
    #expect(try patched(other.bytes, changes) == nil)
    other = index
    other.entries[1] = IndexFile.Entry(collapsed: "b", ObjectID(hashing: .tree, []))
    #expect(try patched(other.bytes, changes) == nil)
    changes.entries = [
      IndexFile.Entry(path: "../x", node: .file("1"), status: .unknown)
    ]
    #expect(try patched(index.bytes, changes) == nil)
    changes.entries[0] = IndexFile.Entry(path: "x", node: .file("1"), status: .unknown)
    changes.entries[0].isSkipped = true
    #expect(try patched(index.bytes, changes) == nil)
  }

  @Test("reads no damaged index beyond its end", arguments: UInt64(0)..<32)
  func damaged(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var bytes = try index(&random).bytes
    for _ in 0..<4 { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
    if random.chance(50) { bytes.removeLast(random.below(bytes.count)) }
    var changes = IndexFile.Changes()
    changes.entries = [entry(&random)]
    _ = try patched(bytes, changes)
  }

  @Test("changes the index so that git sees only that change")
  func git() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    for name in ["a", "b/c", "b/d", "é"] { try sandbox.write("text", to: "repo/" + name) }
    try sandbox.git("add", "-A")
    try sandbox.git("commit", "-q", "-m", "start")
    var changes = IndexFile.Changes()
    changes.removed = ["b/c"]
    let node = try #require(try repository.readIndex()["a"]).node
    changes.entries = [IndexFile.Entry(path: "b/cc", node: node, status: .unknown)]
    let read = repository.indexEntriesRead
    try repository.updateIndex(changes, in: nil)
    #expect(repository.indexEntriesRead == read)
    #expect(
      try sandbox.git("status", "--porcelain", "--no-renames").lines
        == ["D  b/c", "AD b/cc", "?? b/c"])
    try sandbox.git("fsck", "--strict")
  }

  @Test("copies the other entries when a few wait in a list of added ones")
  func added() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    try sandbox.write("text", to: "repo/a")
    try sandbox.git("add", "-A")
    try sandbox.git("commit", "-q", "-m", "start")
    let node = try #require(try repository.readIndex()["a"]).node
    let added = SpilledEntries(in: sandbox.root, files: FileSystem())
    #expect(try added.append(IndexFile.Entry(path: "b", node: node, status: .unknown)))
    var changes = IndexFile.Changes()
    changes.removed = ["a"]
    let read = repository.indexEntriesRead
    try repository.updateIndex(changes, adding: added, in: nil)
    #expect(repository.indexEntriesRead == read)
    #expect(
      try sandbox.git("status", "--porcelain", "--no-renames").lines == ["D  a", "AD b", "?? a"])
  }

  @Test("leaves the file unchanged when any step fails")
  func atomic() throws {
    let sandbox = try Sandbox()
    _ = try sandbox.newRepository()
    try sandbox.commit(["a": "1", "b": "2"], in: "repo")
    let before = try sandbox.read("repo/.git/index")
    var changes = IndexFile.Changes()
    changes.removed = ["a"]
    let counting = FileFaultPlan()
    try sandbox.openRepository(files: counting.files).updateIndex(changes, in: nil)
    // The last step removes the lock; if it fails, the next writer does that.
    for step in 0..<counting.stepsSeen - 1 {
      try FileSystem().write(
        before, to: sandbox.root.pushing("repo/.git/index"), temporary: sandbox.root.appending("t"))
      #expect(throws: FileError.self) {
        try sandbox.openRepository(files: FileFaultPlan(failing: step).files)
          .updateIndex(changes, in: nil)
      }
      #expect(try sandbox.read("repo/.git/index") == before, "step \(step)")
      let names = try sandbox.names(in: "repo/.git")
      #expect(!names.contains { $0 == "index.lock" || $0.hasPrefix("cairn-") }, "step \(step)")
    }
  }
}
