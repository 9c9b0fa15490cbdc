internal import CairnDocument
internal import CairnFiles
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

  /// Returns the fixups that leave out the files that cannot stay, among those of a tree that
  /// another one lacks: whatever commit has added them, one that seems to be cairn's, too.
  func refusals(in tree: ObjectID?, since base: ObjectID?) throws -> CommitFixups {
    var fixups = CommitFixups()
    try repository.diff(base, tree) { difference in
      if difference.new != nil, DocumentPath(difference.path) == nil,
        let reason = CommitFixups.refusal(of: difference.path)
      {
        fixups.documents[difference.path] = (nil, reason)
      }
    }
    return fixups
  }
}

extension CommitFixups {
  /// Records that a commit that emptied the branch removed a file: the file stays.
  mutating func keep(
    _ difference: TreeDifference, removedBy commit: EmptyingCommit,
    bytes: (TreeNode) throws -> [UInt8]
  ) rethrows {
    let isOther = DocumentPath(difference.path) == nil
    guard documents[difference.path] == nil, let node = difference.old,
      node.mode == .file || node.mode == .executable || (node.mode == .symlink && isOther)
    else { return }
    if isOther { modes[difference.path] = node.mode }
    documents[difference.path] = (try bytes(node), .emptied(commit))
  }

  /// Records what a commit did to a file that is not one of the dataset's.
  ///
  /// - Parameter existed: Whether the commit before has a file at a path.
  mutating func editOther(
    _ difference: TreeDifference, existed: (String) throws -> Bool
  ) rethrows {
    let path = difference.path
    if difference.new == nil { return }
    documents[path] = nil
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
    // A server that checks objects would refuse a commit with the path.
    if GitName.isRefused(inPath: path) { return .refusedPath }
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
