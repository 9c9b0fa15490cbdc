import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Invalid git indexes")
struct IndexFileRefusalTests {
  @Test("reads a missing index as empty")
  func none() throws {
    let sandbox = try Sandbox()
    #expect(try sandbox.newRepository().readIndex().entries.isEmpty)
  }

  @Test("rejects a split index and names the command that converts it")
  func split() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.filledRepository()
    try sandbox.git("config", "core.splitIndex", "true")
    try sandbox.git("update-index", "--split-index")
    let before = try sandbox.read("repo/.git/index")
    let error = #expect(throws: GitError.self) { try repository.readIndex() }
    let command = "git config core.splitIndex false && git update-index --no-split-index"
    #expect(error?.message.contains(command) == true)
    #expect(throws: GitError.self) { try repository.updateIndex { $0.update(["d1/f": nil]) } }
    #expect(try sandbox.read("repo/.git/index") == before)
    #expect(!(try sandbox.names(in: "repo/.git").contains("index.lock")))
    try sandbox.sh(command)
    try sandbox.write("x", to: "repo/new")
    try sandbox.git("add", "new")
    #expect(try repository.readIndex()["new"] != nil)
  }

  @Test("never writes a path that git refuses, not even one that is there")
  func refusedPath() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.filledRepository()
    let before = try repository.readIndex().entries.map(\.path)
    let node = try #require(try repository.readIndex().entries.first).node
    for path in [".git/hooks/post-checkout", "../x", "d1/.GIT/x", "a//b", "git~1", "new"] {
      let entry = IndexFile.Entry(path: path, node: node, status: .unknown)
      try repository.updateIndex { $0.update([path: entry]) }
    }
    #expect(try repository.readIndex().entries.map(\.path) == (before + ["new"]).sorted())
    try sandbox.git("ls-files")
  }

  @Test(
    "refuses exactly the names that git refuses",
    arguments: [
      ".", "..", ".git", ".GIT", ".git.", ".git. .", ".git\\x", ".git .:x", "git~1", "GIT~1:x",
      "git~1 .", ".g\u{200C}it", ".git\u{200C}", "\u{FEFF}.git", "\u{206A}.giT", ".gitx",
      ".gitignore", ".git~1", "git~12", "git~2", "git", "x.git", "日本.git", "é.git", ".\u{301}git",
      ".git\u{301}", "...", ".a", "a.", "–.git",
      "g", ".g", ".gi", "gi", "git~", "grape~1.json", "Ginkgo", "g\u{200C}it~1", "GI\u{FEFF}T~1.",
      "git\u{202A}~1", "\u{200C}git~1", ".\u{200C}", ".\u{200C}.", ".–", "g–",
      ".g\u{200C}it.", "\u{200C}.git :",
    ])
  func names(name: String) throws {
    let sandbox = try Sandbox()
    _ = try sandbox.filledRepository()
    let entry = "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,d/\(name)"
    let isRefused =
      try sandbox.run(
        "git", ["-c", "core.protectHFS=true", "update-index", "--add", "--cacheinfo", entry]
      ).status != 0
    #expect(GitName.isRefused(inPath: "d/\(name)") == isRefused)
    #expect(GitName.isRefused(name[...]) == isRefused)
  }

  @Test("refuses paths with an empty or a refused name anywhere")
  func paths() {
    for path in ["", "/", "/a", "a/", "a//b", "a/.git", ".git/a", "a/../b", "a/Git~1/b"] {
      #expect(GitName.isRefused(inPath: path), "\(path)")
    }
    for path in ["a", "a/b", "g/.a/gg", "grass/é.json"] {
      #expect(!GitName.isRefused(inPath: path), "\(path)")
    }
  }

  @Test("rejects an unknown version with a message")
  func version() throws {
    let sandbox = try Sandbox()
    var bytes = try sandbox.filledIndex()
    bytes[7] = 5
    #expect(throws: GitError(.other, "git's index has version 5, which cairn does not support")) {
      try IndexFile(bytes: bytes, modified: 0)
    }
  }

  @Test("names the command that writes an empty or short index again", arguments: [0, 40])
  func short(length: Int) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.filledRepository()
    let bytes = try sandbox.read("repo/.git/index").prefix(length)
    try FileSystem().create(sandbox.path("repo/.git/index"), bytes)
    let error = try #require(throws: GitError.self) { try repository.readIndex() }
    #expect(error.code == .corrupt)
    try sandbox.sh(try #require(error.remedy), in: ".")
    #expect(try repository.readIndex().entries.count == 20)
  }

  @Test("keeps names that are not UTF-8", arguments: [2, 4])
  func notUTF8(version: Int) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let names: [[UInt8]] = [
      [0x66, 0x80], [0x66, 0xFF], Array("f\u{EF80}".utf8), [0x66, 0xE9, 0x2F, 0xE9],
    ]
    let input = names.reduce(into: Data()) {
      $0 += "100644 \(ObjectID(hashing: .blob, [])) 0\t".utf8
      $0 += $1 + [0]
    }
    try sandbox.git("update-index", "--index-version", "\(version)")
    try sandbox.git("update-index", "-z", "--index-info", stdin: input)
    let before = try sandbox.git("ls-files", "-s")
    try repository.updateIndex { index in
      #expect(Set(index.entries.map { GitName.bytes($0.path) }) == Set(names))
      for entry in index.entries { #expect(index[entry.path] == entry) }
      index.entries.append(
        IndexFile.Entry(path: "z", node: index.entries[0].node, status: .unknown))
    }
    #expect(try sandbox.git("ls-files", "-s").lines.dropLast() == before.lines[...])
  }

  @Test("rejects an index that is cut off within its entries", arguments: [2, 4])
  func truncated(version: Int) throws {
    let sandbox = try Sandbox()
    let whole = try sandbox.filledIndex(version: version)
    let entries = try IndexFile(bytes: whole, modified: 0).entries
    #expect(entries.count == 20)
    for length in 0..<whole.count {
      // After the entries there are only optional extensions.
      if let index = try? IndexFile(bytes: Array(whole[..<length]), modified: 0) {
        #expect(index.entries == entries)
      }
    }
    #expect(throws: GitError.self) {
      try IndexFile(bytes: Array(whole[..<(whole.count / 2)]), modified: 0)
    }
  }

  @Test("rejects or reads a damaged index without crashing", arguments: UInt64(0)..<32)
  func damaged(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let whole = try sandbox.filledIndex(version: seed % 2 == 0 ? 2 : 4)
    for _ in 0..<300 {
      var bytes = whole
      if Int.random(in: 0..<4, using: &random) == 0 {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      }
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        // Half of the damage is at the start, where counts and lengths are.
        let limit = Bool.random(using: &random) ? min(200, bytes.count) : bytes.count
        bytes[Int.random(in: 0..<limit, using: &random)] =
          [0, 0xFF, 0x7F, 0x80, random.bytes(1)[0]].randomElement(using: &random)!
      }
      if let index = try? IndexFile(bytes: bytes, modified: 0) {
        // Any index that was read can be written and read again.
        #expect(throws: Never.self) { try IndexFile(bytes: try index.bytes, modified: 0) }
      }
    }
  }
}

extension Sandbox {
  fileprivate func filledRepository() throws -> Repository {
    let repository = try newRepository()
    for i in 0..<20 { try write("text \(i)", to: "repo/d\(i % 3)/f\(i)") }
    try git("add", "-A")
    try git("commit", "-q", "-m", "start")
    return repository
  }

  fileprivate func filledIndex(version: Int = 2) throws -> [UInt8] {
    _ = try filledRepository()
    try git("update-index", "--index-version", "\(version)")
    return Array(try read("repo/.git/index"))
  }
}
