import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Sparse checkouts in cone mode")
struct SparseConeTests {
  private let sandbox: Sandbox
  private let repository: Repository
  private static let files = [
    "top", "a/file", "a/b/file", "a/b/c/x", "a/b/c/y", "a/bb/x", "a-b/x", "b/c/d/e/x", "c d/x",
    "z/x",
  ]

  init() throws {
    sandbox = try Sandbox()
    repository = try sandbox.newRepository()
    for name in SparseConeTests.files { try sandbox.write("text of \(name)", to: "repo/" + name) }
    try sandbox.git("add", "-A")
    try sandbox.git("commit", "-q", "-m", "start")
  }

  private static let directorySets: [[String]] = [
    [], ["a"], ["a/b/c"], ["a/b", "a/b/c"], ["a/bb", "b/c/d"], ["c d", "z"], ["a/b/c", "b"],
  ]

  private var patterns: FilePath { sandbox.root.pushing("repo/.git/info/sparse-checkout") }

  /// Checks out only some directories with git.
  private func set(_ directories: [String]) throws {
    try sandbox.succeed(
      "git", ["sparse-checkout", "set", "--cone", "--sparse-index"] + directories)
  }

  @Test("reads git's patterns and writes the same bytes", arguments: directorySets)
  func patterns(directories: [String]) throws {
    try set(directories)
    let cone = try #require(try repository.sparseCone())
    #expect(cone == SparseCone(directories: directories))
    let text = try #require(try FileSystem().read(patterns))
    #expect(cone.patterns == String(decoding: text, as: UTF8.self))
    let listed = try sandbox.git("ls-files", "-t").stdout.split(whereSeparator: \.isNewline)
    for line in listed {
      let path = String(line.dropFirst(2))
      #expect(cone.contains(path) == line.hasPrefix("H"), "\(path)")
    }
  }

  @Test("writes the same sparse index as git and reads git's", arguments: directorySets)
  func index(directories: [String]) throws {
    let cone = SparseCone(directories: directories)
    let tree = try repository.tree(ofCommit: try repository.head())
    let all = try repository.readIndex().entries
    // Written by cairn.
    try repository.replaceIndex(
      all.filter { cone.contains($0.path) }, cone, tree: tree,
      since: repository.readIndex())
    try repository.setSparseCone(cone)
    for path in SparseConeTests.files {
      guard let directory = cone.collapsedDirectory(of: path) else { continue }
      try FileSystem().removeTree(sandbox.root.pushing(FilePath("repo/" + directory)))
    }
    let ours = try sandbox.git("ls-files", "--sparse", "--stage", "-t").stdout
    #expect(try sandbox.git("status", "--porcelain").stdout == "")
    // Written by git.
    try sandbox.git("sparse-checkout", "disable")
    #expect(try repository.sparseCone() == nil)
    try set(directories)
    #expect(try sandbox.git("ls-files", "--sparse", "--stage", "-t").stdout == ours)
    let read = try repository.readIndex()
    #expect(read.entries.filter(\.node.isDirectory).allSatisfy { $0.isSkipped })
    try repository.updateIndex(IndexFile.Changes(), in: tree, updatingCollapsed: true)
    #expect(try repository.readIndex().entries == read.entries)
  }

  @Test("updates only the directory's entry for a file that is not checked out")
  func collapsed() throws {
    let cone = SparseCone(directories: ["a/b/c"])
    try sandbox.git("sparse-checkout", "set", "--cone", "--sparse-index", "a/b/c")
    let writer = LooseObjectWriter(repository)
    let old = try repository.tree(ofCommit: try repository.head())
    let blob = TreeNode(.file, try writer.write(.blob, Array("new".utf8)))
    let tree = try repository.edit(
      old, [("b/c/new", blob), ("new/x", blob), ("z/x", nil), ("a/b/c/x", blob)], writer: writer)
    let changes = ["b/c/new", "new/x", "z/x", "a/b/c/x"].map { path in
      (path, path == "z/x" ? nil : IndexFile.Entry(path: path, node: blob, status: .unknown))
    }
    try repository.updateIndex(
      IndexFile.Changes(Dictionary(uniqueKeysWithValues: changes)), in: tree)
    let index = try repository.readIndex()
    #expect(index["b/"]?.node == (try repository.node(at: "b", in: tree)))
    #expect(index["new/"]?.node == (try repository.node(at: "new", in: tree)))
    #expect(index["z/"] == nil)
    #expect(index["a/b/c/x"]?.node == blob)
    #expect(index["a/bb/"] != nil)
    #expect(try sandbox.git("write-tree").lines == [tree.description])
    #expect(cone.containsAll(below: "a/b/c/d"))
    #expect(!cone.containsAll(below: "a"))
  }

  @Test("rejects other patterns and names the command that converts them")
  func noCone() throws {
    try sandbox.git("sparse-checkout", "set", "--no-cone", "/*", "!/a-b/", "!/b/", "!/z/")
    let error = try #require(throws: GitError.self) { try repository.sparseCone() }
    let remedy = "git sparse-checkout set --cone a 'c d'"
    #expect(error.code == .unsupported && error.remedy == remedy)
    try sandbox.git("sparse-checkout", "set", "--cone", "a", "c d")
    #expect(try repository.sparseCone() == SparseCone(directories: ["a", "c d"]))
  }
}
