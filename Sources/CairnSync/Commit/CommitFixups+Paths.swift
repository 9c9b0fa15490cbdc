internal import CairnDocument
public import CairnGit
internal import CairnStore

// What a commit does to paths as such: a commit that removes the manifest, and with it everything,
// and paths that git itself refuses.

/// A commit of another tool that removed the manifest: as a rule everything, because the checkout
/// before it had failed.
public struct EmptyingCommit: Equatable, Sendable {
  /// The commit.
  public let commit: ObjectID
  /// The name of its author.
  public let author: String
  /// The first line of its message.
  public let summary: String
}

extension Replica {
  /// Returns a description of a commit if it removed the manifest that the previous one had.
  ///
  /// Such a commit leaves no dataset, so none of its removals is meant. `git commit -a` makes one
  /// after a checkout that failed, as it does when git-lfs finds no images.
  func emptying(
    _ id: ObjectID, _ commit: Commit, after previous: Commit
  ) throws -> EmptyingCommit? {
    let manifest = DocumentPath.manifest.description
    guard try !repository.hasFile(at: manifest, in: commit.tree),
      try repository.hasFile(at: manifest, in: previous.tree)
    else { return nil }
    return EmptyingCommit(commit: id, author: commit.author.name, summary: commit.summary)
  }

  /// Returns the files of a tree that cannot stay.
  func refusedPaths(in tree: ObjectID) throws -> [String] {
    var paths: [String] = []
    try repository.diff(nil, tree) { difference in
      if DocumentPath(difference.path) == nil, CommitFixups.refusal(of: difference.path) != nil {
        paths.append(difference.path)
      }
    }
    return paths
  }
}

extension CommitFixups {
  /// Records that a commit that emptied the branch removed a file: the file stays.
  mutating func keep(
    _ difference: TreeDifference, removedBy commit: EmptyingCommit,
    bytes: (TreeNode) throws -> [UInt8]
  ) rethrows {
    guard documents[difference.path] == nil, let node = difference.old,
      node.mode == .file || node.mode == .executable
    else { return }
    documents[difference.path] = (try bytes(node), .emptied(commit))
  }

  /// Records what a commit did to a file that is not one of the dataset's.
  ///
  /// - Parameter existed: Whether the commit before has a file at a path.
  mutating func editOther(
    _ difference: TreeDifference, existed: (String) throws -> Bool
  ) rethrows {
    let path = difference.path
    guard difference.new != nil else {
      if documents[path]?.bytes == nil { documents[path] = nil }
      return
    }
    documents[path] = CommitFixups.refusal(of: path).map { (nil, $0) }
    // The directory took the place of the document, which nobody can have meant. One that an
    // earlier commit removed stays removed.
    if let document = CommitFixups.document(above: path), let last = removed[document],
      try existed(document)
    {
      removed[document] = nil
      documents[document] = (last, .restored)
    }
  }

  /// Returns why a file that is not one of the dataset's cannot stay; nil if it can.
  static func refusal(of path: String) -> Fixup.Reason? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    // A server that checks objects would refuse a commit with the path.
    if parts.contains(where: DatasetDirectory.isRefused) { return .refusedPath }
    return document(above: path) == nil ? nil : .belowDocument
  }

  /// Returns the path of the document or image in whose place there is a directory that contains a
  /// file; nil if there is none.
  private static func document(above path: String) -> String? {
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      if DocumentPath(String(rest)) != nil { return String(rest) }
    }
    return nil
  }
}
