import CairnFiles
import CairnGit
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A tree as a flat list of files: the reference for all tests of trees.
struct Files: Equatable {
  private(set) var nodes: [String: TreeNode] = [:]

  subscript(path: String) -> TreeNode? { nodes[path] }
  var paths: [String] { nodes.keys.sorted() }

  /// Sets the file at `path`; removes a directory of that name and files named like its parents.
  mutating func set(_ path: String, _ node: TreeNode) {
    nodes = nodes.filter { !Files.clash($0.key, path) }
    nodes[path] = node
  }

  /// Removes the file at `path`; a directory of that name stays.
  mutating func remove(_ path: String) { nodes[path] = nil }

  /// Returns whether two paths are equal or one of them is a directory above the other.
  static func clash(_ a: String, _ b: String) -> Bool {
    a == b || a.hasPrefix(b + "/") || b.hasPrefix(a + "/")
  }

  func isDirectory(_ path: String) -> Bool { nodes.keys.contains { $0.hasPrefix(path + "/") } }

  /// Makes up to `count` changes, no two of which conflict, and returns them.
  mutating func change(
    _ count: Int, using random: inout SeededGenerator
  ) -> [Repository.TreeChange] {
    var changes: [Repository.TreeChange] = []
    for _ in 0..<count {
      let path = Files.randomPath(using: &random)
      let isRemoval = Int.random(in: 0..<3, using: &random) == 0
      let isTaken = changes.contains {
        $0.path == path || Files.clash($0.path, path) && ($0.node != nil && !isRemoval)
      }
      if isTaken { continue }
      changes.append((path, isRemoval ? nil : TreeNode.random(using: &random)))
    }
    for change in changes where change.node == nil { remove(change.path) }
    for change in changes { if let node = change.node { set(change.path, node) } }
    return changes
  }

  static func random(_ count: Int, using random: inout SeededGenerator) -> Files {
    var files = Files()
    _ = files.change(count, using: &random)
    return files
  }

  /// Names close to “a”, among which files and directories sort differently.
  private static let names = ["a", "a-b", "a.b", "a0", "b", "a b", "é", "Z"]

  static func randomPath(using random: inout SeededGenerator) -> String {
    let depth = Int.random(in: 1...3, using: &random)
    return (0..<depth).map { _ in names.randomElement(using: &random)! }.joined(separator: "/")
  }
}

extension TreeNode {
  /// A node whose object need not exist.
  static func random(using random: inout SeededGenerator) -> TreeNode {
    let mode = [FileMode.file, .file, .file, .executable, .symlink, .submodule]
      .randomElement(using: &random)!
    // There are few contents, so that the sides of a merge sometimes agree.
    return TreeNode(mode, ObjectID(hashing: .blob, [UInt8.random(in: 0..<6, using: &random)]))
  }

  static func file(_ text: String) -> TreeNode {
    TreeNode(.file, ObjectID(hashing: .blob, Array(text.utf8)))
  }
}

extension Sandbox {
  /// Returns the tree that git makes of files; their blobs need not exist.
  func tree(_ files: Files, in directory: String = "repo") throws -> ObjectID {
    let environment = ["GIT_INDEX_FILE": root.appending("scratch-index").string]
    try? FileSystem().remove(root.appending("scratch-index"))
    let lines = files.nodes.map { path, node in
      "\(String(node.mode.rawValue, radix: 8)) \(node.id)\t\(path)\0"
    }
    try git(
      "update-index", "-z", "--index-info", in: directory, stdin: Data(lines.joined().utf8),
      environment: environment)
    let id = try git(
      "write-tree", "--missing-ok", in: directory, environment: environment
    ).lines[0]
    return try #require(ObjectID(id))
  }

  /// Returns the files of a tree, as git lists them.
  func files(of tree: ObjectID, in directory: String = "repo") throws -> Files {
    var files = Files()
    for record in try git("ls-tree", "-r", "-z", "\(tree)", in: directory).stdout.split(
      separator: "\0")
    {
      let parts = record.split(separator: "\t", maxSplits: 1)
      let fields = parts[0].split(separator: " ")
      let mode = try #require(UInt32(fields[0], radix: 8).flatMap(FileMode.init(rawValue:)))
      files.set(String(parts[1]), TreeNode(mode, try #require(ObjectID(fields[2]))))
    }
    return files
  }
}

extension Signature {
  static let ann = Signature(name: "Ann", email: "ann@example.org", time: 1_700_000_000)
}
