import CairnFiles
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Adaptive object writer")
struct AdaptiveObjectWriterTests {
  @Test(
    "writes few objects as loose files and many as a pack",
    arguments: [
      0, 1, AdaptiveObjectWriter.packThreshold - 1, AdaptiveObjectWriter.packThreshold,
      AdaptiveObjectWriter.packThreshold + 100,
    ])
  func threshold(count: Int) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = AdaptiveObjectWriter(repository)
    for _ in 0..<2 {
      for i in 0..<count {
        let id = try writer.write(.blob, Array("object \(i)".utf8))
        #expect(id == ObjectID(hashing: .blob, Array("object \(i)".utf8)))
      }
    }
    #expect(writer.count == count)
    try writer.finish()
    let packs = count >= AdaptiveObjectWriter.packThreshold ? 1 : 0
    try sandbox.checkPacks(count: packs, objects: packs * count)
    let counts = try sandbox.git("count-objects", "-v").lines
    #expect(counts[0] == "count: \(packs == 1 ? 0 : count)")
    for i in 0..<count {
      #expect(repository.contains(ObjectID(hashing: .blob, Array("object \(i)".utf8))))
    }
    try sandbox.git("fsck", "--strict")
  }

  @Test("syncs three times for a commit of one file, also in a large repository")
  func syncs() throws {
    let sandbox = try Sandbox()
    _ = try sandbox.newRepository()
    let syncs = Mutex(0)
    let repository = try sandbox.openRepository(
      files: FileSystem { (step, _) throws(FileError) in
        if case .sync = step { syncs.withLock { $0 += 1 } }
      })
    var tree: ObjectID?
    for round in 0..<3 {
      let writer = AdaptiveObjectWriter(repository)
      let count = round == 0 ? 500 : 1
      let changes = try (0..<count).map { number -> Repository.TreeChange in
        let blob = try writer.write(.blob, Array("\(round) \(number)".utf8))
        return ("d\(number % 16)/e\(number % 256)/f\(number)", TreeNode(.file, blob))
      }
      tree = try repository.edit(tree, changes, writer: writer)
      let before = syncs.withLock { $0 }
      try writer.finish()
      #expect(syncs.withLock { $0 } - before == 3)
    }
    // What was not written as a pack would have been synced by libgit2.
    #expect(try sandbox.git("count-objects").stdout.hasPrefix("0 objects"))
    try sandbox.checkPacks(count: 3, objects: 500 + 16 + 256 + 1 + 2 * 4)
  }

  @Test("makes a pack look new when an object in it is written again")
  func freshens() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    func write() throws {
      let writer = AdaptiveObjectWriter(repository)
      for i in 0..<5 { _ = try writer.write(.blob, Array("object \(i)".utf8)) }
      try writer.finish()
    }
    try write()
    let names = try sandbox.names(in: "repo/.git/objects/pack").filter { $0.hasSuffix(".pack") }
    let pack = sandbox.path("repo/.git/objects/pack").appending(try #require(names.first))
    let old = Date(timeIntervalSince1970: 1_700_000_000)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: pack.string)
    try write()
    let modified = try #require(try FileSystem().status(pack)).modified
    #expect(modified > 1_700_000_000 * 1_000_000_000)
    try sandbox.checkPacks(count: 1, objects: 5)
    #expect(try sandbox.git("count-objects").stdout.hasPrefix("0 objects"))
  }

  @Test("writes an object again whose pack was removed")
  func removedPack() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    for _ in 0..<2 {
      let writer = AdaptiveObjectWriter(repository)
      let ids = try (0..<5).map { try writer.write(.blob, Array("object \($0)".utf8)) }
      try writer.finish()
      for id in ids { try sandbox.git("cat-file", "-e", "\(id)") }
      // From now on libgit2 has the pack open, and finds its objects even if it is removed.
      _ = try repository.blob(ids[0])
      let directory = sandbox.path("repo/.git/objects/pack")
      for name in try FileSystem().list(directory) ?? [] {
        try FileSystem().remove(directory.appending(name))
      }
    }
  }

  @Test("finds its pack in a repository that had no directory for packs")
  func missingDirectory() throws {
    let sandbox = try Sandbox()
    _ = try sandbox.newRepository()
    try FileSystem().removeTree(sandbox.path("repo/.git/objects/pack"))
    let repository = try sandbox.openRepository()
    let writer = AdaptiveObjectWriter(repository)
    let ids = try (0..<5).map { try writer.write(.blob, Array("object \($0)".utf8)) }
    try writer.finish()
    for id in ids { #expect(repository.contains(id)) }
    try sandbox.checkPacks(count: 1, objects: 5)
  }

  @Test("creates a missing directory for packs with the permissions of a shared repository")
  func sharedDirectory() throws {
    let sandbox = try Sandbox()
    _ = try sandbox.newRepository()
    try sandbox.git("config", "core.sharedRepository", "0660")
    let packs = sandbox.path("repo/.git/objects/pack")
    try FileSystem().removeTree(packs)
    _ = try sandbox.openRepository()
    let attributes = try FileManager.default.attributesOfItem(atPath: packs.string)
    let permissions = try #require(attributes[.posixPermissions] as? Int)
    #expect(permissions & 0o777 == 0o770)
  }

  #if os(Linux)
    @Test("keeps few packs open in a process that commits many times")
    func openPacks() throws {
      let sandbox = try Sandbox()
      let repository = try sandbox.newRepository()
      for round in 0..<(LibGit2.openPackLimit + 16) {
        let writer = AdaptiveObjectWriter(repository)
        let ids = try (0..<4).map { try writer.write(.blob, Array("\(round) \($0)".utf8)) }
        try writer.finish()
        #expect(try repository.blob(ids[0]) == Array("\(round) 0".utf8))
      }
      let root = try #require(FileSystem().resolve(sandbox.root)).string
      let manager = FileManager.default
      let files = try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      let packs = files.filter { $0.hasPrefix(root + "/") && $0.hasSuffix(".pack") }
      #expect((1...LibGit2.openPackLimit).contains(packs.count))
      // A pack that was closed is opened again.
      let first = ObjectID(hashing: .blob, Array("0 1".utf8))
      #expect(try repository.blob(first) == Array("0 1".utf8))
    }
  #endif

  @Test("neither writes nor counts existing objects")
  func known() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    for round in 0..<2 {
      let writer = AdaptiveObjectWriter(repository)
      for i in 0..<40 { _ = try writer.write(.blob, Array("object \(i)".utf8)) }
      #expect(writer.count == (round == 0 ? 40 : 0))
      try writer.finish()
    }
    try sandbox.checkPacks(count: 1, objects: 40)
  }
}
