import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Other programs in the same dataset")
struct InterferenceTests {
  @Test("commits an edit saved during a commit with the next one")
  func editDuringCommit() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    let label = try #require(try a.labels().first)
    let path = DocumentPath.label(label.photo, label.name).description
    let location = try a.directory.location(path)
    let edited = String(decoding: label.canonicalBytes, as: UTF8.self)
      .replacing("\"present\"", with: "\"absent\"")
    // When the branch moves, all files have been read, but git's index is not written yet.
    let busy = try devices.reopen(a) { (step, path) throws(FileError) in
      if case .rename = step, path.string.hasSuffix("refs/heads/main") {
        try? Data(edited.utf8).write(to: URL(fileURLWithPath: location.string))
      }
    }
    try busy.commit()
    #expect(try a.workingState().changes.map(\.path.description) == [path])
    #expect(
      try devices.git("status", "--porcelain", at: a.directory.root).contains(" M labels/"))
    try a.commit()
    #expect(try a.labels().first?.verdict == .absent)
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
  }

  @Test("moves the branch only when git's index can follow")
  func fullDiskDuringCommit() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    let head = try a.repository.head()
    let status = try devices.git("status", "--porcelain", at: a.directory.root)
    let full = try devices.reopen(a) { (step, path) throws(FileError) in
      if case .create = step, path.lastComponent?.string.hasPrefix("cairn-index-") == true {
        throw FileError("write", path, .noSpace)
      }
    }
    #expect(throws: FileError.self) { try full.commit() }
    #expect(try a.repository.head() == head)
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == status)
    try a.commit()
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
  }

  @Test("prefers an uncommitted edit by hand to an earlier pulled edit")
  func unstampedEditDuringPull() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.sync()
    let b = try devices.clone("b")
    let label = try #require(try b.labels().first)
    let path = DocumentPath.label(label.photo, label.name).description
    // a changes the confidence; b changes the verdict in an editor, later.
    var surer = label
    surer.confidence = 0.5
    try a.write { session in
      surer.stamp = session.stamp(replacing: label.stamp)
      return [.label(surer)]
    }
    try a.sync()
    let text = String(decoding: label.canonicalBytes, as: UTF8.self)
    try b.directory.write(
      Array(text.replacing("\"present\"", with: "\"absent\"").utf8), to: path)
    try b.pull()
    #expect(try b.labels().first?.verdict == .absent)
    try b.sync()
    try a.sync()
    #expect(try a.labels().first?.verdict == .absent)
    #expect(try a.headTree() == b.headTree())
  }

  @Test("leaves a local file that blocks a pulled one, and merges the rest")
  func fileInTheWay() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    try a.directory.write(Array("hello\n".utf8), to: "docs/a.txt")
    try devices.git("add", "docs", at: a.directory.root)
    try devices.git("commit", "-qm", "docs", at: a.directory.root)
    try a.label(1, "oak", by: "alice")
    try a.sync()
    try b.directory.write(Array("mine\n".utf8), to: "docs")
    let report = try b.pull()
    #expect(report.checkout.left == ["docs/a.txt"])
    #expect(try b.labels().count == 1)
    #expect(try b.directory.read("docs") == Array("mine\n".utf8))
    try b.label(2, "oak", by: "bob")
    #expect(try b.commit().changes.map(\.kind) == [.added])
  }

  @Test("keeps the last valid manifest when a pulled one is broken")
  func brokenManifest() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    let sound = try a.directory.read("cairn.json")
    try b.directory.write(Array("{".utf8), to: "cairn.json")
    try devices.git("commit", "-qam", "oops", at: b.directory.root)
    try devices.git("push", "-q", at: b.directory.root)
    #expect(try a.pull().merge.fixups.map(\.path) == ["cairn.json"])
    #expect(try a.directory.read("cairn.json") == sound)
    try a.label(1, "oak", by: "alice")
    #expect(try a.commit().commit != nil)
    _ = try devices.reopen(b).manifest()
  }

  @Test("restores the manifest that a merge by git left out")
  func mergedWithoutManifest() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    let sound = try a.directory.read("cairn.json")
    try a.label(1, "oak", by: "alice")
    try a.sync()
    try b.label(2, "elm", by: "bob")
    _ = try b.commit()
    try devices.git("pull", "-q", "--no-rebase", "--no-commit", at: b.directory.root)
    try devices.git("rm", "-q", "-f", "cairn.json", at: b.directory.root)
    try devices.git("commit", "-qm", "merged", at: b.directory.root)
    try devices.git("push", "-q", at: b.directory.root)
    #expect(try a.pull().merge.fixups.map(\.path) == ["cairn.json"])
    #expect(try a.directory.read("cairn.json") == sound)
    #expect(try a.labels().count == 2)
  }

  @Test("pushes to and clones a bare repository whose HEAD names a missing branch")
  func unbornHead() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let bare = devices.root.appending("bare.git")
    try devices.git(
      "init", "-q", "--bare", "--initial-branch=master", bare.string, at: devices.root)
    try a.addRemote("bare", bare.string, creating: false, relativeTo: devices.root)
    _ = try a.push("bare")
    try devices.git("clone", "-q", bare.string, "plain", at: devices.root)
    #expect(try devices.environment().files.exists(devices.root.appending("plain/cairn.json")))
    let clone = try Replica.clone(
      bare.string, to: devices.root.appending("c"), relativeTo: devices.root, command: nil,
      environment: devices.environment()
    ).replica
    #expect(try clone.headTree() == a.headTree())
  }

  /// Creates a repository that has attributes and is not a dataset, and returns its path.
  private func ownRepository(_ devices: Devices) throws -> FilePath {
    let root = devices.root.appending("own")
    try devices.git("init", "-q", "--initial-branch=main", "own", at: devices.root)
    try devices.environment().files.create(
      root.appending(".gitattributes"), Array("*.md text".utf8))
    try devices.git("add", ".", at: root)
    try devices.git("commit", "-qm", "own", at: root)
    return root
  }

  @Test("adds a dataset's attributes to those of an existing repository")
  func ownAttributes() throws {
    let devices = try Devices()
    let root = try ownRepository(devices)
    let own = try Replica.create(
      root, name: "own", command: nil, environment: devices.environment())
    let text = String(decoding: try own.directory.read(".gitattributes") ?? [], as: UTF8.self)
    #expect(text.hasPrefix("*.md text\n/images/** filter=lfs"))
    #expect(try devices.git("status", "--porcelain", at: root) == "")
  }

  @Test(
    "leaves a dataset alone that another process creates or clones at the same time",
    arguments: ["create", "clone"])
  func createdTwice(command: String) throws {
    let devices = try Devices()
    _ = try devices.start("a")
    let root = devices.root.appending("new")
    let remote = devices.remote.string
    @Sendable func make(_ environment: Environment) throws {
      if command == "create" {
        _ = try Replica.create(root, name: "test", command: nil, environment: environment)
      } else {
        _ = try Replica.clone(
          remote, to: root, relativeTo: root, command: nil, environment: environment)
      }
    }
    let other = devices.environment()
    // The other process is faster, and has finished when this one has seen that there is nothing.
    let slow = devices.environment { (step, path) throws(FileError) in
      switch step {
      case .rename where command == "create" && path.string.hasSuffix("/new/.git"),
        .create where command == "clone" && path.string.hasSuffix("/new"):
        try? make(other)
      default: break
      }
    }
    #expect(throws: (any Error).self) { try make(slow) }
    let made = try Replica.open(root, environment: devices.environment())
    #expect(try made.repository.head() != nil)
    #expect(try devices.git("status", "--porcelain", at: root) == "")
  }

  @Test("changes nothing in a repository without a branch")
  func createdWithoutBranch() throws {
    let devices = try Devices()
    let root = try ownRepository(devices)
    try devices.git("checkout", "-q", "--detach", at: root)
    let configuration = try devices.git("config", "--local", "--list", at: root)
    #expect(throws: SyncError.detachedHead(previous: "main")) {
      try Replica.create(root, name: "own", command: nil, environment: devices.environment())
    }
    #expect(try devices.git("status", "--porcelain", at: root) == "")
    #expect(try devices.git("config", "--local", "--list", at: root) == configuration)
  }
}
