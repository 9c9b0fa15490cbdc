import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("Comparison by the status of files and directories")
struct UnchangedFilesTests {
  private let devices: Devices
  private let a: Replica
  /// Longer than a tick of the system's clock, which sets the times of files.
  private let resolution: Int64 = 20_000_000

  init() throws {
    devices = try Devices()
    a = try devices.start("a")
    try a.label(0..<40, "oak", by: "alice")
    try a.commit()
    a.directoryTimeResolution = resolution
  }

  private func head() throws -> ObjectID? { try a.repository.tree(ofCommit: a.repository.head()) }

  /// Waits until the clock of the disk shows that what is there can be recorded.
  private func waitForClock() throws {
    let path = devices.root.appending("clock")
    func time() throws -> Int64 {
      try FileSystem().create(path, [0])
      return try #require(try FileSystem().status(path)).modified
    }
    let start = try time()
    while try time() <= start + 2 * resolution {}
  }

  /// Returns how many directories a comparison lists.
  private func listed(usingCache: Bool = true) throws -> Int {
    let before = a.directoriesListed
    _ = try a.workingState(usesDirectoryCache: usingCache)
    return a.directoriesListed - before
  }

  @Test("lists only directories that have changed since the last comparison")
  func listings() throws {
    try waitForClock()
    let all = try listed()
    #expect(all > 80)
    #expect(try listed() == 0)
    // In the directory of a photo's labels, which is there.
    try a.label(3, "elm", by: "bob")
    #expect(try listed() == 1)
    #expect(try a.workingState().changes.map(\.kind) == [.added])
    try a.commit()
    #expect(try listed() <= 1)
    #expect(try listed(usingCache: false) == all)
    #expect(try a.workingState().changes.isEmpty)
  }

  @Test("finds the same in more files than are read at once as in one after the other")
  func manyFiles() throws {
    try a.label(0..<1100, "elm", by: "bob")
    let paths = try a.workingState().changes.map(\.path.description)
    #expect(paths.count == 1100)
    for path in [paths[0], paths[1023], paths[1024], paths[1099]] {
      try a.directory.write(Array("no document".utf8), to: path)
    }
    let (quick, full) = (try a.workingState(), try a.fullState(since: head()))
    #expect(quick.changes.count == 1096 && quick.problems.count == 4)
    #expect(quick.changes == full.changes)
    #expect(quick.problems == full.problems)
  }

  @Test("lists all directories when the record is damaged or of another version")
  func damagedRecord() throws {
    try waitForClock()
    let all = try listed()
    let path = a.directory.privateDirectory.appending("directories")
    let whole = try #require(try FileSystem().read(path))
    #expect(try listed() == 0)
    var damaged: [[UInt8]] = [[], Array(whole.dropLast()), whole + [0]]
    for position in [0, 9, 17, whole.count / 2, whole.count - 1] {
      damaged.append(whole)
      damaged[damaged.count - 1][position] ^= 4
    }
    damaged.append([UInt8](repeating: 0, count: whole.count))
    for bytes in damaged {
      try FileSystem().create(path, bytes)
      #expect(try listed() == all)
    }
    #expect(try listed() == 0)
    #expect(try FileSystem().list(a.directory.privateDirectory.appending("tmp")) == [])
  }

  @Test(
    "notices each name that is added or removed, however soon",
    arguments: [20_000_000, DirectoryCache.resolution])
  func soon(resolution: Int64) throws {
    a.directoryTimeResolution = resolution
    try waitForClock()
    let directory = a.directory.root.appending("labels")
      .appending(String(photoID(7).short.prefix(2)))
    let junk = directory.appending("junk.txt")
    for round in 0..<60 {
      try FileSystem().create(junk, [1])
      #expect(try a.workingState().problems.map(\.reason) == [.unknownFile], "\(round)")
      try FileSystem().remove(junk)
      #expect(try a.workingState().problems.isEmpty, "\(round)")
    }
  }

  @Test("lists nothing and reads no file in a dataset of another size", arguments: [50, 300])
  func cost(photos: Int) throws {
    try a.label(100..<(100 + photos), "oak", by: "alice")
    try a.commit()
    try waitForClock()
    _ = try a.workingState()
    let before = a.repository.objectsRead
    #expect(try listed() == 0)
    // The commit and its tree.
    #expect(a.repository.objectsRead - before <= 2)
  }

  @Test("reads no entry of git's index for a commit, nor for a sync with nothing new")
  func indexEntries() throws {
    func read(_ body: () throws -> Void) rethrows -> Int {
      let before = a.repository.indexEntriesRead
      try body()
      return a.repository.indexEntriesRead - before
    }
    try a.sync()
    #expect(try a.repository.indexEntryCount() > 40)
    try a.label(3, "elm", by: "bob")
    #expect(try read { _ = try a.workingState() } == 0)
    #expect(try read { try a.commit() } == 0)
    try a.sync()
    #expect(try read { try a.sync() } == 0)
  }

  @Test("leaves everything unusual to the full comparison")
  func unusual() throws {
    #expect(try a.quickState(since: head(), usesCache: true) != nil)
    let path = try #require(try a.workingFiles().first { $0.hasPrefix("labels/") })
    let root = a.directory.root
    for mark in ["skip-worktree", "assume-unchanged"] {
      try devices.git("update-index", "--\(mark)", path, at: root)
      #expect(try a.quickState(since: head(), usesCache: true) == nil, "\(mark)")
      try devices.git("update-index", "--no-\(mark)", path, at: root)
    }
    #expect(try a.quickState(since: head(), usesCache: true) != nil)
    try devices.git("rm", "-q", "--cached", path, at: root)
    #expect(try a.quickState(since: head(), usesCache: true) == nil)
    #expect(try a.workingState().changes.isEmpty)
    try devices.git("reset", "-q", at: root)
    #expect(try a.quickState(since: head(), usesCache: true) != nil)
    // On a disk that ignores case, this is the same file.
    let location = root.pushing(FilePath(path))
    let name = try #require(location.lastComponent).string
    let shouted = location.removingLastComponent().appending(name.uppercased())
    if try !FileSystem().exists(shouted) {
      try FileSystem().create(shouted, [1])
      #expect(try a.quickState(since: head(), usesCache: true) == nil)
      #expect(try a.workingState().problems.map(\.reason) == [.unknownFile])
      try FileSystem().remove(shouted)
      #expect(try a.quickState(since: head(), usesCache: true) != nil)
    }
    try FileSystem().remove(location)
    try FileSystem().createDirectory(location)
    #expect(try a.quickState(since: head(), usesCache: true) == nil)
    #expect(try a.workingState().problems.map(\.reason) == [.missing])
  }

  @Test("finds the same differences as the full comparison", arguments: UInt64(0)..<24)
  func sameAsFull(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    try expectSame()
    for _ in 0..<6 {
      for _ in 0...random.below(4) { try change(&random) }
      if random.chance(50) { try waitForClock() }
      try expectSame()
      if random.chance(30) {
        _ = try? a.commit()
        try expectSame()
      }
    }
  }

  private func expectSame() throws {
    let full = try a.fullState(since: head())
    for usesCache in [false, true, true] {
      guard let quick = try a.quickState(since: head(), usesCache: usesCache) else { return }
      #expect(quick.changes == full.changes)
      #expect(quick.problems == full.problems)
      #expect(quick.unindexed == full.unindexed)
    }
  }

  /// Changes something in the work tree or in git's index.
  private func change(_ random: inout SeededGenerator) throws {
    let (root, files) = (a.directory.root, FileSystem())
    var labels: [String] = []
    try a.forEachWorkFile(below: "labels", unreadable: { _, _ in }) { path, status in
      if status.kind == .regular, path.hasSuffix(".json") { labels.append(path) }
    }
    if labels.isEmpty { return }
    let path = random.pick(labels)
    let location = root.pushing(FilePath(path))
    let parent = location.removingLastComponent()
    switch random.below(14) {
    // A directory may be in the way.
    case 0, 1: try? a.label(random.below(60), "elm", by: "bob")
    case 2:
      // In place, without a change of the directory.
      let bytes = try #require(try files.read(location))
      try files.create(location, bytes + [0x0A])
    case 3: try files.remove(location)
    case 4: try files.create(parent.appending("junk \(random.below(3))"), [1])
    case 5: try a.directory.write([0x7B], to: "labels/x\(random.below(3))/y/z.json")
    case 6: try files.createDirectory(parent.appending("empty"))
    case 7: try devices.git("add", "-A", at: root)
    case 8: try devices.git("reset", "-q", at: root)
    case 9:
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)],
        ofItemAtPath: location.string)
    case 10:
      try files.remove(location)
      try files.createDirectory(location)
      try files.create(location.appending("inside"), [1])
    case 11:
      try files.remove(location)
      try files.createSymlink(location, to: "elsewhere")
    case 12:
      try? files.rename(parent, to: parent.removingLastComponent().appending("moved"))
    default: try files.create(root.appending("pins"), [1])
    }
  }
}
