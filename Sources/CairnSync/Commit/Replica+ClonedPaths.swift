internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// A clone that checks out no documents takes as long for a million of them as for none: it looks at the
// names in the tree of its commit, and at nothing below. Until something reads everything else, no
// file is written below a directory, and each commit of this copy checks the directories that it changes.

extension Replica {
  /// The file that exists while the paths of a clone are unchecked, in any work tree: the branch that was
  /// cloned, and another line when somebody who could not leave them out found some that cannot stay.
  private var uncheckedFile: FilePath {
    repository.commonDirectory.appending("cairn").appending("unchecked")
  }

  /// The number of files above which checking all paths costs less than the directories above each.
  private static let nearbyLimit = 1000

  /// Whether the paths of a clone are unchecked.
  package func hasUncheckedPaths() throws -> Bool { try environment.files.exists(uncheckedFile) }

  /// Whether the paths of a tree can be checked later: none of its directories is checked out, and its
  /// own names can stay.
  func canCheckLater(_ tree: ObjectID?) throws -> Bool {
    guard let sparseCone, sparseCone.directories.isEmpty else { return false }
    return try repository.tree(tree).entries.allSatisfy { !Replica.isRefused($0, in: "") }
  }

  /// Returns what the file says; nil if all paths are checked.
  private func uncheckedPaths() throws -> (branch: String, areRefused: Bool)? {
    guard let bytes = try environment.files.read(uncheckedFile) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return (lines.first.map(String.init) ?? "", lines.count > 1)
  }

  /// Records that the paths of the branch that was just cloned are unchecked.
  func noteUncheckedPaths() throws {
    try environment.files.create(uncheckedFile, Array("\(branch())\n".utf8))
  }

  /// Records what reading all paths of the last commit has shown.
  ///
  /// - Parameter areRefused: Whether some of them cannot stay; the next commit leaves them out.
  package func noteCheckedPaths(areRefused: Bool) throws {
    guard let branch = try uncheckedPaths()?.branch else { return }
    // Those of another branch say nothing about the one that was cloned, unless that is gone.
    if try repository.headBranch() != branch, (try? repository.reference(branch)) != nil { return }
    if !areRefused { return try environment.files.remove(uncheckedFile) }
    try environment.files.write(
      Array("\(branch)\nrefused\n".utf8), to: uncheckedFile,
      temporary: FilePath(uncheckedFile.string + ".tmp"))
  }

  /// Leaves out the files of a clone that cannot stay, unless that was done before.
  ///
  /// - Parameter changed: The files that a commit is about to change: unless one that cannot stay is
  ///   known, or in a directory above them, the rest stays unchecked. Nil to check everything.
  func checkClonedPaths(
    _ session: EditSession, changing changed: [String]? = nil
  ) throws -> [Fixup] {
    guard let unchecked = try uncheckedPaths() else { return [] }
    let tree = try headTree()
    if let changed, !unchecked.areRefused, try !hasRefusedPaths(near: changed, in: tree) {
      return []
    }
    acceptedTree = nil
    let isRefused = try !refusals(in: tree, since: nil).documents.isEmpty
    let fixups = isRefused ? try fixUpOwnCommits(session, everywhere: true) : []
    try noteCheckedPaths(areRefused: false)
    return fixups
  }

  /// Like ``checkClonedPaths(_:changing:)``, for commands whose reports have no fixups.
  func leaveOutRefusedPaths(_ session: EditSession, changing changed: [String]? = nil) throws {
    for fixup in try checkClonedPaths(session, changing: changed)
    where Replica.refusal(at: fixup.path) != nil {
      environment.onMessage("left out a path that cannot stay: \(fixup.path.printable)")
    }
  }

  /// Whether a directory above one of some files has an entry that cannot stay, or there are too many files
  /// to look. A commit that changes the files makes new trees of these directories, and of no others.
  func hasRefusedPaths(near paths: [String], in tree: ObjectID?) throws -> Bool {
    if paths.count > Replica.nearbyLimit { return true }
    var visited: Set<String> = []
    for path in paths {
      var (directory, id) = ("", tree)
      for name in path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init) {
        guard let current = id else { break }
        let entries = try repository.tree(current)
        if visited.insert(directory).inserted,
          entries.entries.contains(where: { Replica.isRefused($0, in: directory) })
        {
          return true
        }
        id = entries[String(name)]?.directory?.id
        directory = directory.isEmpty ? String(name) : "\(directory)/\(name)"
      }
    }
    return false
  }

  /// Whether an entry of a directory cannot stay, or nothing in it can.
  private static func isRefused(_ entry: Tree.Entry, in directory: String) -> Bool {
    if GitName.isRefused(entry.name[...]) { return true }
    // Documents and images have an extension.
    guard entry.node.isDirectory, entry.name.utf8.contains(UInt8(ascii: ".")) else { return false }
    return DocumentPath(directory.isEmpty ? entry.name : directory + "/" + entry.name) != nil
  }

  /// Returns why a file cannot stay at its path; nil if it can.
  package static func refusal(at path: String) -> Fixup.Reason? {
    DocumentPath(path) == nil ? CommitFixups.refusal(of: path) : nil
  }
}
