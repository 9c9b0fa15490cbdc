import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Git index files")
struct IndexFileTests {
  private let sandbox: Sandbox
  private let repository: Repository

  init() throws {
    sandbox = try Sandbox()
    repository = try sandbox.newRepository()
    let names = ["a", "a.b", "aa/b", "a-b", "é", "dir/sub/x", "dir/sub/y", "dir/z", "empty"]
    for name in names {
      try sandbox.write(name == "empty" ? "" : "text of \(name)", to: "repo/" + name)
    }
    try sandbox.write("text", to: "repo/" + String(repeating: "long/", count: 30) + "name")
    try FileSystem().createSymlink(sandbox.root.pushing("repo/link"), to: "a")
    #expect(chmod(sandbox.root.pushing("repo/dir/z").string, 0o755) == 0)
    try sandbox.git("add", "-A")
    try sandbox.git("commit", "-q", "-m", "start")
  }

  /// Returns everything that git lists about its index.
  private func listing() throws -> String {
    try sandbox.git("ls-files", "--stage", "--debug", "-v").stdout
  }

  /// Reads git's index and replaces the file with the bytes that cairn writes.
  private func rewrite() throws {
    let bytes = try repository.readIndex().bytes
    try FileSystem().write(
      bytes, to: sandbox.root.pushing("repo/.git/index"), temporary: sandbox.root.appending("index")
    )
  }

  private func version() throws -> UInt8 { try sandbox.read("repo/.git/index")[7] }

  @Test(
    "reads versions 2 to 4 and rewrites them so that git sees no difference", arguments: [2, 3, 4])
  func versions(version: UInt8) throws {
    if version == 3 { try sandbox.git("update-index", "--skip-worktree", "a") }
    try sandbox.git("update-index", "--index-version", "\(version)")
    try sandbox.git("update-index", "--assume-unchanged", "dir/sub/y")
    // Git writes version 2 unless an entry needs version 3.
    #expect(try self.version() == version)
    let before = try listing()
    let index = try repository.readIndex()
    #expect(index.entries.count == 11)
    #expect(index.entries.map { Array($0.path.utf8) }.isSorted)
    #expect(index["dir/z"]?.node.mode == .executable)
    #expect(index["link"]?.node.mode == .symlink)
    #expect(index["nothing"] == nil)
    try rewrite()
    #expect(try self.version() == (version == 3 ? 3 : 2))
    #expect(try listing() == before)
    #expect(try sandbox.git("status", "--porcelain").stdout == "")
    #expect(try repository.readIndex().entries == index.entries)
    try sandbox.git("fsck", "--strict")
  }

  @Test("writes the same bytes as git, except for extensions")
  func sameBytes() throws {
    try sandbox.git("update-index", "--index-version", "2")
    let git = try sandbox.read("repo/.git/index")
    let ours = try repository.readIndex().bytes
    #expect(ours.dropLast(20).elementsEqual(git.prefix(ours.count - 20)))
  }

  @Test("keeps the intent-to-add and skip-worktree flags", arguments: [3, 4])
  func extendedFlags(version: Int) throws {
    try sandbox.write("new", to: "repo/new")
    try sandbox.git("add", "-N", "new")
    try sandbox.git("update-index", "--skip-worktree", "dir/sub/x")
    try sandbox.git("update-index", "--index-version", "\(version)")
    try FileSystem().remove(sandbox.root.pushing("repo/dir/sub/x"))
    let (before, status) = (try listing(), try sandbox.git("status", "--porcelain").stdout)
    #expect(status == " A new\n")
    try rewrite()
    #expect(try listing() == before)
    #expect(try sandbox.git("status", "--porcelain").stdout == status)
  }

  @Test("keeps the sides of a conflict until one entry replaces them", arguments: [2, 4])
  func conflicts(version: Int) throws {
    try sandbox.git("checkout", "-q", "-b", "side")
    try sandbox.write("theirs", to: "repo/a")
    try sandbox.git("commit", "-q", "-a", "-m", "theirs")
    try sandbox.git("checkout", "-q", "main")
    try sandbox.write("ours", to: "repo/a")
    try sandbox.git("commit", "-q", "-a", "-m", "ours")
    #expect(try sandbox.run("git", ["merge", "-q", "side"]).status == 1)
    try sandbox.git("update-index", "--index-version", "\(version)")
    let before = try listing()
    let index = try repository.readIndex()
    #expect(index.entries.filter { $0.path == "a" }.map(\.stage) == [1, 2, 3])
    try rewrite()
    #expect(try listing() == before)
    #expect(try sandbox.git("status", "--porcelain").stdout == "UU a\n")

    // One entry for the path ends the conflict.
    let ours = try #require(index.entries.first { $0.path == "a" && $0.stage == 2 })
    try repository.updateIndex {
      $0.update(["a": IndexFile.Entry(path: "a", node: ours.node, status: .unknown)])
    }
    #expect(try sandbox.git("ls-files", "--unmerged").stdout == "")
  }

  @Test("adds and removes entries in git's order")
  func update() throws {
    var changes: [String: IndexFile.Entry?] = ["a.b": nil, "nothing": nil]
    for path in ["0", "a.a", "b/c", "zz"] {
      try sandbox.write("new", to: "repo/" + path)
      let id = try LooseObjectWriter(repository).write(.blob, Array("new".utf8))
      let status = try #require(
        try FileSystem().status(sandbox.root.pushing(FilePath("repo/" + path))))
      changes[path] = IndexFile.Entry(
        path: path, node: TreeNode(.file, id), status: IndexStatus(status))
    }
    try repository.updateIndex { $0.update(changes) }
    let status = try sandbox.git("status", "--porcelain").lines
    #expect(status == ["A  0", "A  a.a", "D  a.b", "A  b/c", "A  zz", "?? a.b"])
    #expect(try sandbox.git("diff-files").stdout == "")
    try sandbox.git("commit", "-q", "-m", "next")
    try sandbox.git("fsck", "--strict")
  }

  @Test("looks up a few changes with the same result as comparing all", arguments: UInt64(0)..<32)
  func fewChanges(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    func entry() -> IndexFile.Entry {
      IndexFile.Entry(
        path: Files.randomPath(using: &random), node: .file("\(random.below(5))"),
        status: .unknown)
    }
    var index = IndexFile()
    var known: Set<String> = []
    for _ in 0..<random.below(60) {
      let new = entry()
      guard known.insert(new.path).inserted else { continue }
      let stages: [UInt8] = random.chance(10) ? [1, 2, 3] : [0]
      index.entries += stages.map { stage in
        var entry = new
        entry.stage = stage
        return entry
      }
    }
    index.entries = index.entries.sortedByPath()
    for _ in 0..<8 {
      var changes = IndexFile.Changes()
      var paths: Set<String> = []
      for _ in 0..<random.below(6) {
        let new = entry()
        if paths.insert(new.path).inserted { changes.entries.append(new) }
        changes.removed.append(Files.randomPath(using: &random))
      }
      var other = index
      index.updateEach(changes)
      other.updateAll(changes)
      #expect(index.entries == other.entries)
      #expect(index.entries == index.entries.sortedByPath())
    }
  }

  @Test(
    "writes entries from a file like those in memory, however many there are",
    arguments: UInt64(0)..<16)
  func spilled(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    func entries(_ count: Int) -> [IndexFile.Entry] {
      let paths = Set((0..<count).map { _ in Files.randomPath(using: &random) })
      return paths.sorted().map {
        IndexFile.Entry(path: $0, node: .file("\(random.below(5))"), status: .unknown)
      }.sortedByPath()
    }
    var index = IndexFile()
    index.entries = entries(60)
    if random.chance(50), !index.entries.isEmpty { index.entries[0].stage = 2 }
    var changes = IndexFile.Changes()
    let spilled = SpilledEntries(
      in: sandbox.root.appending("spill"), files: FileSystem(), limit: 500)
    for entry in entries(200) {
      #expect(try spilled.append(entry))
      changes.entries.append(entry)
      #expect(spilled.heldSize <= 500)
    }
    #expect(spilled.count == changes.entries.count)
    var bytes: [UInt8] = []
    try index.write(adding: spilled) { bytes += $0 }
    index.updateAll(changes)
    #expect(try bytes == index.bytes)
    // Neither an entry that does not follow the last one, nor one that git refuses.
    for path in [changes.entries.last!.path, "~/.git/x"] {
      let entry = IndexFile.Entry(path: path, node: .file("1"), status: .unknown)
      #expect(try !spilled.append(entry))
    }
    #expect(spilled.count == changes.entries.count)
  }

  @Test(
    "adds entries from a file to the index, also in a sparse checkout; few without reading it",
    arguments: [0, 1000])
  func addSpilled(count: Int) throws {
    let tree = try repository.tree(ofCommit: repository.head())
    let others = (0..<count).map { "aa/e\(10_000 + $0)" }
    for isSparse in [false, true] {
      if isSparse { try sandbox.git("sparse-checkout", "set", "--cone", "--sparse-index", "aa") }
      let id = try LooseObjectWriter(repository).write(.blob, Array("new".utf8))
      let spilled = SpilledEntries(in: sandbox.root.appending("spill"), files: FileSystem())
      for path in ["aa/b", isSparse ? "aa/d" : "aa/c"] + others {
        let entry = IndexFile.Entry(path: path, node: TreeNode(.file, id), status: .unknown)
        #expect(try spilled.append(entry))
      }
      let read = repository.indexEntriesRead
      try repository.updateIndex(IndexFile.Changes(), adding: spilled, in: tree)
      let readsNone = repository.indexEntriesRead == read
      #expect(readsNone == (count == 0 && !isSparse))
      let changed = try sandbox.git("diff", "--cached", "--name-status").lines
      #expect(
        changed == ["M\taa/b", "A\taa/c"] + (isSparse ? ["A\taa/d"] : [])
          + others.map { "A\t" + $0 })
    }
  }

  @Test("leaves the file unchanged when nothing changes or any step fails")
  func atomic() throws {
    let before = try sandbox.read("repo/.git/index")
    try repository.updateIndex { _ in }
    #expect(try sandbox.read("repo/.git/index") == before)
    let change: (inout IndexFile) throws -> Void = { $0.update(["a": nil]) }
    let counting = FileFaultPlan()
    try sandbox.openRepository(files: counting.files).updateIndex { try change(&$0) }
    // The last step removes the lock; if it fails, the next writer does that.
    for step in 0..<counting.stepsSeen - 1 {
      try FileSystem().write(
        before, to: sandbox.root.pushing("repo/.git/index"), temporary: sandbox.root.appending("t"))
      #expect(throws: FileError.self) {
        try sandbox.openRepository(files: FileFaultPlan(failing: step).files).updateIndex {
          try change(&$0)
        }
      }
      #expect(try sandbox.read("repo/.git/index") == before, "step \(step)")
      let names = try sandbox.names(in: "repo/.git")
      #expect(!names.contains { $0 == "index.lock" || $0.hasPrefix("cairn-") }, "step \(step)")
    }
  }

  @Test("rewrites the index so that git still detects an edit made in the same second")
  func racyEdit() throws {
    // Git compares whole seconds, so an edit within a second that keeps the size looks unchanged.
    let path = sandbox.root.pushing("repo/racy")
    for _ in 0..<20 {
      try sandbox.write("one", to: "repo/racy")
      try sandbox.git("add", "racy")
      let index = try #require(try FileSystem().status(sandbox.root.pushing("repo/.git/index")))
      try sandbox.write("two", to: "repo/racy")
      let file = try #require(try FileSystem().status(path))
      let entry = try #require(try repository.readIndex()["racy"])
      let second: Int64 = 1_000_000_000
      if file.changed / second != index.modified / second
        || UInt32(file.changed / second) != entry.status.changed.seconds
      {
        continue
      }
      #expect(try sandbox.git("diff-files", "--name-only").lines == ["racy"])
      Thread.sleep(forTimeInterval: 1.1)
      try repository.updateIndex { $0.update(["a.b": nil]) }
      #expect(try sandbox.git("diff-files", "--name-only").lines == ["racy"])
      #expect(try sandbox.git("status", "--porcelain", "racy").lines == ["AM racy"])
      return
    }
    Issue.record("the index and the edit never fell into one second")
  }

  @Test("considers a file unchanged by its status, unless it may have been edited since")
  func unchanged() throws {
    let path = sandbox.root.pushing("repo/a")
    Thread.sleep(forTimeInterval: 0.05)
    try sandbox.git("update-index", "--force-write-index")
    let index = try repository.readIndex()
    let entry = try #require(index["a"])
    let status = try #require(try FileSystem().status(path))
    #expect(index.isUnchanged(entry, status))
    var racy = index
    racy.modified = status.modified
    #expect(!racy.isUnchanged(entry, status))
    try sandbox.write("other bytes", to: "repo/a")
    #expect(!index.isUnchanged(entry, try #require(try FileSystem().status(path))))
  }
}

extension [[UInt8]] {
  fileprivate var isSorted: Bool {
    zip(self, dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
  }
}

extension IndexFile {
  /// The bytes that are written to the index file.
  var bytes: [UInt8] {
    get throws {
      var bytes: [UInt8] = []
      try write { bytes += $0 }
      return bytes
    }
  }
}
