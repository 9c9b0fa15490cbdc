import CairnFiles
import CairnGit
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Maintenance")
struct MaintenanceTests {
  private let devices: Devices
  private let a: Replica

  init() throws {
    devices = try Devices()
    a = try devices.start("a")
  }

  private func counts(_ directory: FilePath) throws -> (loose: Int, packs: Int) {
    var found: [String: Int] = [:]
    for line in try devices.git("count-objects", "-v", at: directory).split(separator: "\n") {
      let parts = line.split(separator: ":")
      found[String(parts[0])] = Int(parts[1].dropFirst())
    }
    return (found["count"] ?? -1, found["packs"] ?? -1)
  }

  /// Writes objects as 16 commands would, and returns the largest numbers of loose objects and
  /// packs.
  private func writeObjects(at replica: Replica) throws -> (loose: Int, packs: Int) {
    var most = (loose: 0, packs: 0)
    for command in 0..<16 {
      let writer = LooseObjectWriter(replica.repository)
      for number in 0..<100 { _ = try writer.write(.blob, Array("\(command) \(number)".utf8)) }
      replica.runMaintenance()
      let now = try replica.repository.objectFiles()
      most = (max(most.loose, now.loose.count), max(most.packs, now.packs.count))
    }
    return most
  }

  @Test(
    "syncs the disk nine times for a commit and a push of one label, however large the dataset",
    arguments: [10, 300])
  func syncs(photos: Int) throws {
    try a.label(0..<photos, "oak", by: "alice")
    try a.sync()
    try a.label(photos, "oak", by: "alice")
    let loose = try [a.directory.root, devices.remote].map { try counts($0).loose }
    let synced = Mutex<[FilePath]>([])
    let again = try devices.reopen(a) { (step, path) throws(FileError) in
      if case .sync = step { synced.withLock { $0.append(path) } }
    }
    try again.sync()
    // Here a pack, its index, their directory and the branch; the same there; the tracking branch.
    #expect(synced.withLock { $0 }.count == 9)
    // libgit2 would have synced these.
    #expect(try [a.directory.root, devices.remote].map { try counts($0).loose } == loose)
  }

  @Test("keeps loose objects and packs few after many commands", arguments: [true, false])
  func bounded(hasGit: Bool) throws {
    let a = hasGit ? a : try devices.withoutGit(a)
    try devices.git("config", "gc.auto", "200", at: a.directory.root)
    var runs = 0
    a.onMaintenance = { report in
      #expect(report.objects.isByGit == hasGit)
      runs += 1
    }
    let most = try writeObjects(at: a)
    // Out of 1,600 objects. The count is estimated from one of 256 directories, so it varies.
    #expect(runs > 1)
    #expect(most.loose < 1000)
    #expect(most.packs <= 3)
    #expect(try counts(a.directory.root).loose == a.repository.objectFiles().loose.count)
    try devices.git("fsck", "--strict", "--connectivity-only", at: a.directory.root)
  }

  @Test("keeps packs few after many commits of one label")
  func commits() throws {
    let limit = 5
    try devices.git("config", "gc.autoPackLimit", "\(limit)", at: a.directory.root)
    var most = 0
    for photo in 0..<30 {
      try a.label(photo, "oak", by: "alice")
      try a.commit()
      a.runMaintenance()
      most = max(most, try counts(a.directory.root).packs)
    }
    #expect((2...limit).contains(most))
    try devices.git("fsck", "--strict", "--connectivity-only", at: a.directory.root)
  }

  @Test("does nothing when gc.auto is 0")
  func off() throws {
    for (key, value) in [("gc.auto", "0"), ("gc.autoPackLimit", "1")] {
      try devices.git("config", key, value, at: a.directory.root)
    }
    a.onMaintenance = { _ in Issue.record("maintenance ran") }
    #expect(try writeObjects(at: a).loose >= 1600)
  }

  @Test("maintains a directory remote as the remote's own settings say", arguments: [true, false])
  func remote(isAllowed: Bool) throws {
    try devices.git("config", "gc.autoPackLimit", "3", at: devices.remote)
    try devices.git("config", "receive.autogc", "\(isAllowed)", at: devices.remote)
    for round in 0..<6 {
      for number in 0..<10 { try a.label(round * 10 + number, "oak", by: "alice") }
      try a.sync()
    }
    #expect(
      isAllowed ? try counts(devices.remote).packs <= 4 : try counts(devices.remote).packs > 4)
    try devices.git("fsck", "--strict", "--connectivity-only", at: devices.remote)
    let b = try devices.clone("b")
    #expect(try a.headTree() == b.headTree())
  }

  @Test("fails no command when maintenance fails, and does not retry at once")
  func failing() throws {
    try devices.git("config", "gc.autoPackLimit", "1", at: a.directory.root)
    let tries = Atomic(0)
    let faulty = try devices.reopen(a) { (step, path) throws(FileError) in
      if path.string.contains("maintenance.lock") {
        tries.add(1, ordering: .relaxed)
        throw FileError("write", path, .noSpace)
      }
    }
    for round in 0..<6 {
      for number in 0..<10 { try faulty.label(round * 10 + number, "oak", by: "alice") }
      try faulty.commit()
      faulty.runMaintenance()
    }
    #expect(tries.load(ordering: .relaxed) == 1)
    #expect(try counts(a.directory.root).packs > 4)
    // `cairn gc` runs all the same, and removes the mark of the failure.
    #expect(try devices.reopen(a).maintain()?.objects.after.packs == 1)
    #expect(
      try !FileSystem().exists(a.repository.commonDirectory.appending("cairn/maintenance-failed")))
  }

  @Test("keeps the commits of an unfinished checkout, which no ref names")
  func intent() throws {
    try a.label(1, "oak", by: "alice")
    try a.commit()
    let tip = try #require(try a.repository.head())
    let old = try #require(try a.repository.commit(tip).parents.first)
    try devices.git("update-ref", "refs/heads/main", "\(old)", at: a.directory.root)
    try devices.git("reflog", "expire", "--expire=all", "--all", at: a.directory.root)
    try FileSystem().create(
      a.repository.gitDirectory.appending("cairn/checkout"), Array("\(old) \(tip)\n".utf8))
    #expect(try devices.reopen(a).maintain()?.objects.after.loose == 0)
    let again = try devices.reopen(a)
    _ = try again.commit()
    #expect(try again.repository.head() == tip)
    #expect(try again.labels().count == 1)
  }

  @Test("packs refs without changing them")
  func references() throws {
    for number in 0..<20 {
      try devices.git("branch", "topic-\(number)", at: a.directory.root)
    }
    let before = try devices.git("show-ref", at: a.directory.root)
    _ = try a.maintain()
    #expect(try devices.git("show-ref", at: a.directory.root) == before)
    #expect(try FileSystem().list(a.repository.gitDirectory.appending("refs/heads")) == [])
    try a.label(1, "oak", by: "alice")
    try a.sync()
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
  }
}

extension Devices {
  /// Reopens a device on a machine without git.
  func withoutGit(_ replica: Replica) throws -> Replica {
    var environment = environment()
    environment.findProgram = { $0 == "git" ? nil : Environment.programInPath($0) }
    return try Replica.open(replica.directory.root, environment: environment)
  }
}
