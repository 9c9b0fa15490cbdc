import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Scanning git's index")
struct IndexScanTests {
  private let names = ["a", "b", "c", "d.json"]

  /// Commits files with random paths, some of which are not below the names.
  private func prepare(
    _ sandbox: Sandbox, _ random: inout SeededGenerator
  ) throws -> Repository {
    let repository = try sandbox.newRepository()
    let parts = ["a", "a-b", "a.b", "a0", "b", "a b", "é", "Z"]
    var files = ["a/a/x.txt": "x", "d.json": "{}"]
    for number in 0..<40 {
      let top = random.pick(["a", "b", "c", "a-b", "other"])
      let directories = (0..<random.below(4)).map { _ in random.pick(parts) }
      // No directory has such a name.
      let path = [top] + directories + [random.pick(parts) + ".txt"]
      files[path.joined(separator: "/")] = "\(number)"
    }
    try sandbox.commit(files, in: "repo")
    return repository
  }

  private func tree(_ repository: Repository) throws -> ObjectID? {
    try repository.tree(ofCommit: repository.head())
  }

  private func fileCount(_ repository: Repository) throws -> Int? {
    try repository.withIndexScan(of: tree(repository), below: names) { $0.fileCount }
  }

  @Test("finds the files and trees of the last commit", arguments: UInt64(0)..<16)
  func trees(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try prepare(sandbox, &random)
    let listed = try sandbox.git("ls-files", "-z", "a", "b", "c", "d.json").stdout
    #expect(try fileCount(repository) == listed.split(separator: "\0").count)
    let root = try #require(OpenDirectory(sandbox.path("repo")))
    let count = try repository.withIndexScan(of: tree(repository), below: names) { scan -> Int? in
      for directory in scan.directories {
        let path = scan.text(directory)
        #expect(scan.withPath(directory) { root.fingerprint($0) } == directory.names, "\(path)")
        let there = try sandbox.names(in: "repo/\(path)")
        #expect(scan.names(in: directory) == Set(there), "\(path)")
      }
      for file in 0..<scan.fileCount {
        let committed = try repository.node(at: scan.text(file), in: tree(repository))
        #expect(committed == scan.node(file), "\(scan.text(file))")
        #expect(scan.isUnchanged(file, in: root), "\(scan.text(file))")
      }
      return scan.directories.count
    }
    let paths = listed.split(separator: "\0").filter { $0.contains("/") }
    let directories = Set(
      paths.flatMap { path -> [String] in
        let parts = path.split(separator: "/").dropLast()
        return parts.indices.map { parts[...$0].joined(separator: "/") }
      })
    #expect(count == directories.count)
  }

  @Test("notices a changed, a replaced and a missing file")
  func changes() throws {
    var random = SeededGenerator(1)
    let sandbox = try Sandbox()
    let repository = try prepare(sandbox, &random)
    let root = try #require(OpenDirectory(sandbox.path("repo")))
    func changed() throws -> [String]? {
      try repository.withIndexScan(of: tree(repository), below: names) { scan in
        (0..<scan.fileCount).filter { !scan.isUnchanged($0, in: root) }.map { scan.text($0) }
      }
    }
    #expect(try changed() == [])
    try sandbox.write("longer than before", to: "repo/a/a/x.txt")
    #expect(try changed() == ["a/a/x.txt"])
    try sandbox.remove("repo/a/a/x.txt")
    #expect(try changed() == ["a/a/x.txt"])
    try FileSystem().createSymlink(sandbox.path("repo/a/a/x.txt"), to: "../../d.json")
    #expect(try changed() == ["a/a/x.txt"])
  }

  @Test("refuses what differs from the commit or is marked, unless it is elsewhere")
  func unusual() throws {
    var random = SeededGenerator(2)
    let sandbox = try Sandbox()
    let repository = try prepare(sandbox, &random)
    try sandbox.commit(["other/y.txt": "y"], in: "repo")
    let all = try #require(try fileCount(repository))
    for mark in ["skip-worktree", "assume-unchanged"] {
      try sandbox.git("update-index", "--\(mark)", "other/y.txt")
      #expect(try fileCount(repository) == all)
      try sandbox.git("update-index", "--\(mark)", "a/a/x.txt")
      #expect(try fileCount(repository) == nil)
      try sandbox.git("update-index", "--no-\(mark)", "a/a/x.txt")
    }
    #expect(try fileCount(repository) == all)
    try sandbox.write("new", to: "repo/a/new.txt")
    for command in [["add", "-N", "a/new.txt"], ["add", "a/new.txt"]] {
      try sandbox.succeed("git", command)
      #expect(try fileCount(repository) == nil)
    }
    try sandbox.git("reset", "-q")
    #expect(try fileCount(repository) == all)
    try sandbox.git("update-index", "--index-version", "4")
    #expect(try fileCount(repository) == nil)
    try sandbox.git("update-index", "--index-version", "2")
    #expect(try fileCount(repository) == all)
    try sandbox.git("update-index", "--split-index")
    #expect(try fileCount(repository) == nil)
    try sandbox.git("update-index", "--no-split-index")
    #expect(try fileCount(repository) == all)
  }

  @Test("reads the entries of an index only if there is a conflict")
  func conflicts() throws {
    var random = SeededGenerator(4)
    let sandbox = try Sandbox()
    let repository = try prepare(sandbox, &random)
    try sandbox.git("update-index", "--skip-worktree", "d.json")
    #expect(try repository.conflictedEntries().isEmpty)
    #expect(repository.indexEntriesRead == 0)
    let blob = try #require(try repository.node(at: "a/a/x.txt", in: tree(repository))).id
    let sides = (1...3).map { "100644 \(blob) \($0)\ta/a/x.txt\n" }.joined()
    try sandbox.git("rm", "-q", "--cached", "a/a/x.txt")
    try sandbox.git("update-index", "--index-info", stdin: Data(sides.utf8))
    #expect(try repository.conflictedEntries().map(\.stage) == [1, 2, 3])
    try sandbox.git("update-index", "--index-version", "4")
    #expect(
      try repository.conflictedEntries().map(\.path) == Array(repeating: "a/a/x.txt", count: 3))
    try FileSystem().remove(sandbox.path("repo/.git/index"))
    #expect(try repository.conflictedEntries().isEmpty)
  }

  @Test("refuses a damaged index instead of reading beyond its end")
  func damaged() throws {
    var random = SeededGenerator(3)
    let sandbox = try Sandbox()
    let repository = try prepare(sandbox, &random)
    let whole = try sandbox.read("repo/.git/index")
    for _ in 0..<400 {
      var bytes = whole
      if random.chance(50) { bytes.removeLast(random.below(bytes.count)) }
      if !bytes.isEmpty {
        for _ in 0..<random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      }
      bytes.withUnsafeBytes { bytes in
        _ = IndexScan.mayHaveConflicts(bytes)
        guard let scan = IndexScan(bytes, modified: 0, below: names) else { return }
        for directory in scan.directories { _ = scan.names(in: directory) }
      }
    }
    #expect(try fileCount(repository) != nil)
  }
}
