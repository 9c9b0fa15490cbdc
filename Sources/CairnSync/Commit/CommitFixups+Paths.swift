internal import CairnDocument
internal import CairnFiles
public import CairnGit
internal import CairnStore

// What a commit does to paths as such: a commit that removes the manifest, and with it everything,
// and paths that git itself refuses.

/// A commit of another tool that removed the manifest and usually everything else, because the
/// checkout before it had failed.
public struct EmptyingCommit: Equatable, Sendable {
  /// The commit.
  public let commit: ObjectID
  /// The name of its author.
  public let author: String
  /// The first line of its message.
  public let summary: String
}

/// A commit that added a path that git refuses. A server that checks objects accepts neither it nor
/// any commit after it, even if a later one leaves the path out.
package struct RefusedPath: Equatable, Sendable {
  /// Safe to show.
  package let path: String
  /// The beginning of the commit's id.
  package let commit: String
  /// The name of its author; safe to show.
  package let author: String
}

extension Replica {
  /// Returns the oldest commit that added a path that git refuses, among those of a history that
  /// another one lacks; nil if there is none.
  func refusedPath(from tip: ObjectID, excluding known: [ObjectID]) throws -> RefusedPath? {
    var found: RefusedPath?
    try repository.walk(from: [tip], excluding: known, oldestFirst: true) { id in
      let commit = try repository.commit(id)
      let base = try commit.parents.first.map { try repository.commit($0).tree }
      try repository.diff(base, commit.tree) { difference in
        guard found == nil, difference.new != nil, GitName.isRefused(inPath: difference.path)
        else { return }
        found = RefusedPath(
          path: difference.path.printable, commit: id.short, author: commit.author.name.printable)
      }
      return found == nil
    }
    return found
  }

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
    if tree == acceptedTree { return fixups }
    try repository.diff(base, tree) { difference in
      if difference.new != nil, let reason = Replica.refusal(at: difference.path) {
        fixups.documents[difference.path] = (nil, reason)
      }
    }
    if base == nil, fixups.documents.isEmpty { acceptedTree = tree }
    return fixups
  }
}

extension CommitFixups {
  /// Records that a commit that emptied the branch removed a file: the file stays, if it can.
  mutating func keep(
    _ difference: TreeDifference, removedBy commit: EmptyingCommit,
    bytes: (TreeNode) throws -> [UInt8]
  ) rethrows {
    let isOther = DocumentPath(difference.path) == nil
    guard documents[difference.path] == nil, let node = difference.old,
      !isOther || CommitFixups.refusal(of: difference.path) == nil,
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
    // A clone looks at each path, so only those are parsed that may be: documents and images have an
    // extension.
    guard let last = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      path.utf8[..<last].contains(UInt8(ascii: "."))
    else { return nil }
    var rest = path[...]
    // A slash and a joiner behind it are one character.
    while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
      rest = rest[..<slash]
      if DocumentPath(String(rest)) != nil { return String(rest) }
    }
    return nil
  }
}
