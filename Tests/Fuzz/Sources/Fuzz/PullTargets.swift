import Foundation
import SystemPackage

@testable import CairnDocument
@testable import CairnFiles
@testable import CairnGit
@testable import CairnStore
@testable import CairnSync

/// Commits that a program other than git made, with names and modes that git would not write.
let pullTargets = [
  // An input is the files of a commit, or of two in succession: see `PulledFile`.
  FuzzTarget("pull") { input in
    let sandbox = try PullSandbox()
    let replica = try Replica.open(sandbox.dataset, environment: PullSandbox.environment)
    let writer = LooseObjectWriter(replica.repository)
    guard var tip = try replica.repository.head() else { return }
    let base = try replica.repository.commit(tip)
    let known = try replica.repository.tree(base.tree).entries
    for part in parts(of: input).prefix(2) {
      let tree = try write(pulledFiles(of: part), known, to: writer)
      let commit = Commit(
        tree: tree, parents: [tip], author: base.author, committer: base.committer,
        message: "Another tool")
      tip = try writer.write(commit)
    }
    if input.first == UInt8(ascii: "+") {
      // This copy has a commit of its own.
      try replica.directory.write(Array("own".utf8), to: "own")
      try replica.editing("commit") { session in
        _ = try replica.commit(message: "Own", others: ["own"], session: session)
      }
    }
    defer { sandbox.check() }
    let fetched = Fetched(
      remote: "origin", branch: try replica.branch(), commit: tip, previous: nil)
    _ = try replica.finishPull(fetched, options: TransferOptions(), as: "pull")
    try replica.repository.diff(nil, replica.headTree()) { difference in
      let names = difference.path.utf8.split(separator: UInt8(ascii: "/"))
        .map { GitName.bytes(String(Substring($0))) }
      precondition(!names.contains { $0.contains(UInt8(ascii: "/")) }, "a name has a slash")
      precondition(
        !GitName.isRefused(inPath: difference.path),
        "git refuses \(difference.path.debugDescription)")
    }
  }
]

/// A dataset, and beside it a directory that no pull may change.
private struct PullSandbox {
  static let environment = Environment(
    now: { 1_800_000_000_000 }, random: { .random(in: 0 ... .max) }, files: FileSystem())

  private let root = workDirectory.appending("pull")
  private let manager = FileManager.default

  var dataset: FilePath { root.appending("dataset") }
  private var outside: FilePath { root.appending("outside") }
  private var original: FilePath { root.appending("original") }

  init() throws {
    if !manager.fileExists(atPath: outside.string) { try create() }
    try? manager.removeItem(atPath: dataset.string)
    try manager.copyItem(atPath: original.string, toPath: dataset.string)
  }

  private func create() throws {
    _ = try Repository.create(original, bare: false, files: Self.environment.files)
    let user = Data("[user]\n\tname = Ann\n\temail = ann@example.org\n".utf8)
    let config = URL(filePath: original.appending(".git/config").string)
    try (Data(contentsOf: config) + user).write(to: config)
    _ = try Replica.create(original, name: "dataset", command: nil, environment: Self.environment)
    try manager.createDirectory(atPath: outside.string, withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: URL(filePath: outside.appending("kept").string))
  }

  /// Checks that the dataset's files are inside the dataset, and none is git's.
  func check() {
    func names(_ path: FilePath) -> Set<String> {
      Set((try? manager.contentsOfDirectory(atPath: path.string)) ?? [])
    }
    let (own, copy) = (original.appending(".git"), dataset.appending(".git"))
    precondition(names(root) == ["dataset", "outside", "original"], "a file is outside")
    precondition(names(outside) == ["kept"], "a file is outside")
    precondition(
      manager.contents(atPath: outside.appending("kept").string) == Data("kept".utf8),
      "a file outside has changed")
    precondition(names(copy.appending("hooks")) == names(own.appending("hooks")), "a hook is new")
    for name in ["HEAD", "config"] {
      precondition(
        manager.contents(atPath: copy.appending(name).string)
          == manager.contents(atPath: own.appending(name).string), "a file of git has changed")
    }
  }
}

/// A file of a commit: a letter for its mode, then its path and, after a tab, its content.
///
/// A slash in the path begins a directory; the byte 1 becomes a slash in a name.
private struct PulledFile {
  /// As a tree has it, such as “100644”; nil for the entries that the commit before has at the top.
  let mode: String?
  var names: [[UInt8]]
  let content: [UInt8]

  private static let modes = [
    "f": "100644", "x": "100755", "w": "100664", "l": "120000", "s": "160000", "d": "40000",
    "0": "0",
  ]

  init?(_ line: [UInt8]) {
    guard let letter = line.first.map({ String(UnicodeScalar($0)) }) else { return nil }
    mode = PulledFile.modes[letter]
    guard mode != nil || letter == "=" else { return nil }
    let parts = line.dropFirst().split(
      separator: UInt8(ascii: "\t"), maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].filter { $0 != 0 }
    names = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .prefix(100).map { $0.map { $0 == 1 ? UInt8(ascii: "/") : $0 } }
    content = parts.count == 2 ? Array(parts[1]) : []
  }
}

/// Returns the files that the lines of an input describe, at most as many as a tree is written of in
/// a few milliseconds.
private func pulledFiles(of input: [UInt8]) -> [PulledFile] {
  var count = 0
  return input.split(separator: UInt8(ascii: "\n")).compactMap { PulledFile(Array($0)) }
    .prefix {
      count += $0.names.count
      return count <= 200
    }
}

/// Writes a tree with entries in the order of the files, so that they may be out of order, and twice.
private func write(
  _ files: some Collection<PulledFile>, _ known: [Tree.Entry], to writer: some ObjectWriter
) throws -> ObjectID {
  var (bytes, rest) = ([UInt8](), Array(files)[...])
  while let file = rest.popFirst() {
    guard let mode = file.mode else {
      for entry in known {
        Tree.append(entry.node.mode, entry.name.utf8, entry.node.id, to: &bytes)
      }
      continue
    }
    let name = file.names.first ?? []
    var below = [file]
    if file.names.count > 1 {
      while let next = rest.first, next.names.count > 1, next.names.first == name {
        below.append(rest.removeFirst())
      }
      for index in below.indices { below[index].names.removeFirst() }
    }
    let id: ObjectID, isDirectory = file.names.count > 1
    if isDirectory {
      id = try write(below, [], to: writer)
    } else if mode == "160000" {
      id = ObjectID(hashing: .commit, file.content)
    } else if mode == "40000" {
      id = try writer.write(.tree, [])
    } else {
      id = try writer.write(.blob, file.content)
    }
    bytes += Array((isDirectory ? "40000" : mode).utf8) + [0x20] + name + [0]
    id.withBytes { bytes += $0 }
  }
  return try writer.write(.tree, bytes)
}
