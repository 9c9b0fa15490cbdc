import CairnFiles
import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Repacking objects")
struct RepackTests {
  private let sandbox: Sandbox
  private let repository: Repository
  private let git: GitProgram

  init() throws {
    sandbox = try Sandbox()
    repository = try sandbox.newRepository()
    git = try #require(GitProgram.installed)
  }

  /// Adds `packs` packs of `size` unreachable blobs each, and `loose` loose commits to `main`.
  private func fill(packs: Int, size: Int = 5, loose: Int, in repository: Repository) throws {
    for pack in 0..<packs {
      let writer = PackWriter(repository)
      for number in 0..<size { _ = try writer.write(.blob, Array("\(pack) \(number)".utf8)) }
      try writer.finish()
      try repository.refreshObjects()
    }
    let tip = try #require(try repository.chain(loose).last)
    try repository.moveReference("refs/heads/main", from: nil, to: tip, log: (.ann, "test"))
  }

  private func objects(in directory: String = "repo") throws -> [String] {
    try sandbox.git(
      "cat-file", "--batch-all-objects", "--batch-check", in: directory
    ).lines
  }

  /// Returns the output of `git count-objects -v`.
  private func counts(in directory: String = "repo") throws -> [String: Int] {
    let pairs = try sandbox.git("count-objects", "-v", in: directory).lines.map { line in
      let parts = line.split(separator: ":")
      return (String(parts[0]), try #require(Int(parts[1].dropFirst())))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  private func check(_ directory: String = "repo") throws {
    try sandbox.git("fsck", "--strict", "--full", in: directory)
  }

  @Test("puts every object, reachable or not, into one pack", arguments: [true, false])
  func keepsAll(hasGit: Bool) throws {
    try fill(packs: 6, loose: 40, in: repository)
    let before = try objects()
    let report = try #require(try repository.repack(git: hasGit ? git : nil))
    #expect(try objects() == before)
    #expect(report.objects == before.count)
    #expect(report.before.packs == 6 && report.before.loose == 41)
    #expect(report.after.packs == 1 && report.after.loose == 0)
    #expect(report.isByGit == hasGit)
    #expect(try counts()["count"] == 0)
    #expect(try counts()["packs"] == 1)
    #expect(try counts()["garbage"] == 0)
    try check()
    #expect(try sandbox.names(in: "repo/.git/objects").filter { $0.hasSuffix(".lock") } == [])
    #expect(try sandbox.names(in: "repo/.git/objects/pack").filter { $0.hasPrefix("tmp") } == [])
    // And has nothing to do the second time.
    #expect(try repository.repack(git: hasGit ? git : nil)?.objects == 0)
  }

  @Test("reports the same and changes nothing in a dry run")
  func dryRun() throws {
    try fill(packs: 3, loose: 10, in: repository)
    let report = try #require(try repository.repack(git: git, isDryRun: true))
    #expect(report.objects == 3 * 5 + 11)
    #expect(report.before == report.after)
    #expect(try counts()["packs"] == 3)
    #expect(try counts()["count"] == 11)
  }

  @Test("lets open repositories read objects that were repacked", arguments: [true, false])
  func readsOn(hasGit: Bool) throws {
    try fill(packs: 4, loose: 20, in: repository)
    let ids = try objects().compactMap { ObjectID($0.prefix(40)) }
    // One has read objects before, the other has only looked for one.
    let (used, fresh) = (try sandbox.openRepository(), try sandbox.openRepository())
    for id in ids { try used.withObject(id) { _, _ in } }
    #expect(fresh.contains(ids[0]))
    _ = try repository.repack(git: hasGit ? git : nil)
    for reader in [used, fresh, repository] {
      for id in ids {
        let hash = try reader.withObject(id) { ObjectID(hashing: $0, Array($1)) }
        #expect(hash == id)
      }
    }
  }

  @Test("keeps a pack that has a .keep file")
  func keeps() throws {
    try fill(packs: 3, loose: 4, in: repository)
    let pack = try #require(try repository.objectFiles().packs.first)
    try sandbox.write("", to: "repo/.git/objects/pack/\(pack.name).keep")
    _ = try repository.repack(git: git)
    let packs = try repository.objectFiles().packs
    #expect(packs.count == 2)
    #expect(packs.contains { $0.name == pack.name && !$0.isReplaceable })
    try check()
  }

  @Test("works with git's multi-pack-index")
  func multiPackIndex() throws {
    try fill(packs: 3, loose: 4, in: repository)
    try sandbox.git("multi-pack-index", "write")
    let before = try objects()
    _ = try repository.repack(git: nil)
    #expect(try objects() == before)
    try check()
  }

  @Test("does not copy objects from alternates and keeps borrowed objects readable")
  func alternates() throws {
    try fill(packs: 3, loose: 6, in: repository)
    try sandbox.git("clone", "-q", "--shared", "--no-checkout", "repo", "borrower", in: ".")
    let borrower = try sandbox.openRepository("borrower")
    _ = try LooseObjectWriter(borrower).write(.blob, Array("own".utf8))
    _ = try borrower.repack(git: git)
    #expect(try borrower.objectFiles().packs.map(\.objects) == [1])
    _ = try repository.repack(git: git)
    try check("borrower")
    #expect(try objects(in: "borrower").count == objects().count + 1)
  }

  @Test("does nothing while git is already repacking")
  func busy() throws {
    try fill(packs: 2, loose: 4, in: repository)
    try sandbox.write("", to: "repo/.git/objects/maintenance.lock")
    #expect(try repository.repack(git: git) == nil)
    try FileSystem().remove(sandbox.root.pushing("repo/.git/objects/maintenance.lock"))
    try sandbox.write("\(getpid()) \(hostName())", to: "repo/.git/gc.pid")
    #expect(try repository.repack(git: git) == nil)
    try sandbox.write("999999999 \(hostName())", to: "repo/.git/gc.pid")
    #expect(try repository.repack(git: git)?.after.packs == 1)
  }

  @Test("packs objects without git when git fails")
  func brokenGit() throws {
    try fill(packs: 2, loose: 4, in: repository)
    for program in ["/bin/false", "/nowhere/git"] {
      _ = try repository.chain(3)
      _ = try LooseObjectWriter(repository).write(.blob, Array(program.utf8))
      let report = try repository.repack(git: GitProgram(path: FilePath(program)))
      #expect(report?.after.loose == 0)
      #expect(report?.isByGit == false)
    }
    try check()
  }

  @Test("reports git's error message")
  func failure() throws {
    try sandbox.write(
      "#!/bin/sh\necho warning >&2\necho 'fatal: no room' >&2\nexit 128\n", to: "git")
    let path = sandbox.root.appending("git")
    chmod(path.string, 0o755)
    let error = #expect(throws: GitError.self) {
      try repository.packReferences(git: GitProgram(path: path))
    }
    #expect(error?.message == "git pack-refs failed (128): no room")
  }

  @Test("leaves a damaged object in place and packs the others")
  func damaged() throws {
    try fill(packs: 2, loose: 4, in: repository)
    let id = try LooseObjectWriter(repository).write(.blob, Array("damaged".utf8))
    let path = repository.looseFile(id)
    try FileSystem().remove(path)
    try FileSystem().create(path, Array("nonsense".utf8))
    let report = try #require(try sandbox.openRepository().repack(git: git))
    #expect(report.after.loose == 1 && report.after.packs == 1)
    #expect(try FileSystem().exists(path))
  }

  @Test("loses no object in a crash between any two writes", arguments: [true, false])
  func crashes(hasGit: Bool) throws {
    try fill(packs: 2, size: 2, loose: 3, in: repository)
    let before = try objects()
    let git = hasGit ? git : nil
    var step = 0
    while true {
      let copy = "copy-\(step)"
      try FileManager.default.copyItem(
        atPath: sandbox.root.appending("repo").string, toPath: sandbox.root.appending(copy).string)
      let left = Atomic(step)
      let files = FileSystem { (_, path) throws(FileError) in
        if left.subtract(1, ordering: .relaxed).newValue < 0 {
          throw FileError("write", path, .ioError)
        }
      }
      let isDone = (try? sandbox.openRepository(copy, files: files).repack(git: git)) != nil
      #expect(try objects(in: copy) == before, "step \(step)")
      try check(copy)
      // The next repack finishes the work; duplicate objects may stay in a smaller pack.
      let report = try #require(try sandbox.openRepository(copy).repack(git: git), "step \(step)")
      #expect(report.after.packs <= 2 && report.after.loose == 0, "step \(step)")
      #expect(try objects(in: copy) == before, "step \(step)")
      try FileSystem().removeTree(sandbox.root.appending(copy))
      if isDone, left.load(ordering: .relaxed) > 0 { break }
      step += 1
    }
    #expect(step > 8)
  }

  @Test("loses no object while other threads write and repack")
  func concurrent() throws {
    try fill(packs: 0, loose: 1, in: repository)
    let isOver = Atomic(false)
    let sandbox = sandbox
    let git = git
    let failures = Mutex<[String]>([])
    let written = Mutex<[ObjectID]>([])
    let group = DispatchGroup()
    // Use new threads: a dispatch queue has only as many as the machine has cores, and all of
    // them could be busy repacking.
    func start(_ body: @escaping @Sendable () -> Void) {
      group.enter()
      Thread.detachNewThread {
        body()
        group.leave()
      }
    }
    for helper in 0..<2 {
      start {
        while !isOver.load(ordering: .relaxed) {
          do {
            _ = try sandbox.openRepository().repack(git: helper == 0 ? git : nil)
          } catch {
            failures.withLock { $0.append("repack: \(error)") }
          }
        }
      }
    }
    for writer in 0..<2 {
      start {
        do {
          let repository = try sandbox.openRepository()
          for round in 0..<12 {
            let objects = AdaptiveObjectWriter(repository)
            let count = round % 3 == 0 ? AdaptiveObjectWriter.packThreshold : 3
            let ids = try (0..<count).map {
              try objects.write(.blob, Array("\(writer) \(round) \($0)".utf8))
            }
            try objects.finish()
            for id in ids { try repository.withObject(id) { _, _ in } }
            written.withLock { $0 += ids }
            for id in written.withLock({ $0 }).suffix(200) {
              try repository.withObject(id) { _, _ in }
            }
          }
        } catch {
          failures.withLock { $0.append("write: \(error)") }
        }
        isOver.store(true, ordering: .relaxed)
      }
    }
    group.wait()
    #expect(failures.withLock { $0 } == [])
    let there = Set(try objects().map { String($0.prefix(40)) })
    #expect(written.withLock { $0 }.allSatisfy { there.contains("\($0)") })
    try check()
  }

  @Test("writes an old object again so that git does not prune it meanwhile")
  func prune() throws {
    let bytes = Array("again".utf8)
    let id = try LooseObjectWriter(repository).write(.blob, bytes)
    let other = try LooseObjectWriter(repository).write(.blob, Array("other".utf8))
    for id in [id, other] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -100 * 86400)],
        ofItemAtPath: repository.looseFile(id).string)
    }
    let writer = AdaptiveObjectWriter(try sandbox.openRepository())
    #expect(try writer.write(.blob, bytes) == id)
    try sandbox.git("prune", "--expire=2.weeks.ago")
    let left = try sandbox.openRepository()
    #expect(left.contains(id))
    #expect(!left.contains(other))
  }

  // MARK: When repacking is due

  @Test("follows git's configuration and lists at most two directories to decide when it is due")
  func due() throws {
    var listed: [FilePath] = []
    func isDue() throws -> Bool {
      listed = []
      return try repository.isMaintenanceDue {
        listed.append($0)
        return try FileSystem().list($0)
      }
    }
    #expect(try !isDue())
    try fill(packs: 4, loose: 5, in: repository)
    let sampled = (0...).lazy.map { Array("\($0)".utf8) }
      .filter { ObjectID(hashing: .blob, $0).firstByte == 0x17 }
    for bytes in sampled.prefix(3) { _ = try LooseObjectWriter(repository).write(.blob, bytes) }
    #expect(try !isDue())
    #expect(listed.count <= 2)
    for (key, value, expected) in [
      ("gc.auto", "512", true), ("gc.auto", "513", false), ("gc.auto", "10k", false),
      ("gc.autoPackLimit", "3", true),
      ("gc.autoPackLimit", "4", false), ("gc.autoPackLimit", "0", false),
    ] {
      try sandbox.git("config", key, value)
      #expect(try isDue() == expected, "\(key) \(value)")
    }
    try sandbox.git("config", "gc.autoPackLimit", "1")
    #expect(try isDue())
    try sandbox.git("config", "maintenance.auto", "false")
    #expect(try !isDue())
    try sandbox.git("config", "--unset", "maintenance.auto")
    try sandbox.git("config", "gc.auto", "0")
    #expect(try !isDue())
  }

  @Test("removes files of killed writers after a day, and nothing else")
  func stale() throws {
    // libgit2 writes an index before its pack.
    let names = ["tmp_pack_abc", "tmp_list_x", "pack-1.idx.tmp", "pack-2.idx", "notes.txt"]
    for name in names { try sandbox.write("x", to: "repo/.git/objects/pack/\(name)") }
    #expect(try repository.repack(git: git)?.objects == 0)
    let now = Int64(time(nil)) * 1000
    try repository.removeStaleObjectFiles(now: now)
    #expect(try sandbox.names(in: "repo/.git/objects/pack").count == 5)
    try repository.removeStaleObjectFiles(now: now + 25 * 60 * 60 * 1000)
    #expect(try sandbox.names(in: "repo/.git/objects/pack") == ["notes.txt"])
  }
}

@Suite("Repack plans")
struct RepackPlanTests {
  private func files(_ counts: [Int], loose: Int = 0, kept: Set<Int> = []) -> ObjectFiles {
    var files = ObjectFiles()
    files.packs = counts.enumerated().map { index, count in
      ObjectFiles.Pack(
        name: "pack-\(index)", objects: count, bytes: Int64(count * 100),
        isReplaceable: !kept.contains(index))
    }
    files.loose = (0..<loose).map { ObjectID(hashing: .blob, Array("\($0)".utf8)) }
    return files
  }

  @Test("keeps packs that double in size and avoids rewriting the largest")
  func examples() {
    #expect(RepackPlan(files([])).isEmpty)
    #expect(RepackPlan(files([7])).isEmpty)
    #expect(RepackPlan(files([1, 2, 4, 8])).isEmpty)
    #expect(RepackPlan(files([1000, 5, 5])).packs.map(\.objects) == [5, 5])
    #expect(RepackPlan(files([1000], loose: 400)).packs.isEmpty)
    #expect(RepackPlan(files([1000], loose: 501)).packs.map(\.objects) == [1000])
    #expect(RepackPlan(files([3, 3], kept: [0])).isEmpty)
    #expect(!RepackPlan(files([], loose: 1)).isEmpty)
    #expect(RepackPlan(files([10, 10, 15]), byteLimit: 2000).packs.map(\.objects) == [10, 10])
    #expect(RepackPlan(files([10, 10, 15]), byteLimit: 1999).isEmpty)
  }

  @Test(
    "leaves each pack at least twice as large as the next smaller one", arguments: UInt64(0)..<200)
  func doubles(seed: UInt64) {
    var random = SeededGenerator(seed)
    let counts = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
      1 << Int.random(in: 0..<20, using: &random) + Int.random(in: 0..<3, using: &random)
    }
    let loose = Int.random(in: 0..<300, using: &random)
    let plan = RepackPlan(files(counts, loose: loose))
    var left = counts.sorted()
    #expect(plan.packs.map(\.objects) == Array(left.prefix(plan.packs.count)))
    left.removeFirst(plan.packs.count)
    if !plan.isEmpty { left.append(plan.packs.reduce(loose) { $0 + $1.objects }) }
    left.sort()
    #expect(zip(left, left.dropFirst()).allSatisfy { 2 * $0 <= $1 })
  }
}

extension GitProgram {
  /// The git of the machine that the tests run on.
  static let installed: GitProgram? =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { FilePath("\($0)/git") }
    .first { access($0.string, X_OK) == 0 }.map(GitProgram.init)
}
