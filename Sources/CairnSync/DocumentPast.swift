internal import CairnDocument
internal import CairnGit
internal import CairnMerge

/// The versions that a document had in the history up to a commit.
struct DocumentPast {
  var versions: [[UInt8]] = []
  /// Whether the history was looked through to its beginning.
  var isWhole = true

  /// Whether a version was among them, or may have been.
  func mayHold(_ version: [UInt8]) -> Bool { !isWhole || versions.contains(version) }

  /// Returns a document with a new stamp on every register that says something else than one of the
  /// versions under the very same stamp: who changed it by hand may have started from any of them.
  func stampingContradictions(in document: JSON, _ stamp: (Stamp) throws -> Stamp) rethrows -> JSON
  {
    try versions.reduce(document) { document, version in
      guard let version = try? JSON(bytes: version) else { return document }
      return try document.stampingContradictions(of: version, stamp)
    }
  }
}

extension Replica {
  /// How many commits are looked through.
  private static let pastLimit = 5000

  func past(of path: DocumentPath, upTo commit: ObjectID) throws -> DocumentPast {
    var (past, seen, left) = (DocumentPast(), Set<ObjectID>(), Replica.pastLimit)
    try repository.walk(from: [commit]) { id in
      past.isWhole = left > 0
      left -= 1
      if past.isWhole,
        let node = try repository.node(at: path.description, in: repository.commit(id).tree),
        seen.insert(node.id).inserted
      {
        past.versions.append(try repository.blob(node.id))
      }
      return past.isWhole
    }
    return past
  }
}
