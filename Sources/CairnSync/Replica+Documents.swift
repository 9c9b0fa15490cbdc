public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// The dataset as it is now, wherever that lies: in the work tree, or, where it is checked out in
// part, in the last commit.

extension Replica {
  /// Whether the file at `path` belongs into the work tree. One that does not may lie there all the
  /// same until it is committed.
  func isCheckedOut(_ path: String) -> Bool { part?.contains(path) ?? true }

  /// Returns the bytes of the file at `path` as it is now; nil when there is none.
  public func read(_ path: String) throws -> [UInt8]? {
    if let bytes = try directory.read(path) { return bytes }
    if isCheckedOut(path) { return nil }
    return try repository.file(at: path, in: try headTree())
  }

  /// Returns the document at `path` as it is now; nil when there is none.
  ///
  /// - Throws: ``StoreError/invalidDocument(path:_:)`` when it does not read.
  public func document(at path: DocumentPath) throws -> Document? {
    guard let bytes = try read(path.description) else { return nil }
    do throws(DocumentError) {
      return try Document(bytes: bytes, at: path)
    } catch {
      throw StoreError.invalidDocument(path: path.description, error)
    }
  }

  /// Returns the document at `path` in the last commit; nil when there is none, or none that reads.
  public func committedDocument(at path: DocumentPath) throws -> Document? {
    let bytes = try repository.file(at: path.description, in: try headTree())
    return bytes.flatMap { try? Document(bytes: $0, at: path) }
  }

  /// Returns the names of what a directory holds now, sorted.
  public func names(in path: String) throws -> [String] {
    var names = Set(try world.files.list(try directory.location(path)) ?? [])
    if let part, !part.containsAll(below: path),
      let node = try repository.node(at: path, in: try headTree()), node.isDirectory
    {
      names.formUnion(try repository.tree(node.id).entries.map(\.name))
    }
    return names.sorted()
  }

  func headTree() throws -> ObjectID? {
    try repository.tree(ofCommit: repository.head())
  }
}
