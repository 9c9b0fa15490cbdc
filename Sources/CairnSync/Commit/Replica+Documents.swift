package import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// The current dataset, read from the work tree or, outside the sparse checkout, from the last
// commit.

extension Replica {
  /// Whether the file at `path` belongs in the work tree. One that does not may still exist there
  /// until it is committed.
  func isCheckedOut(_ path: String) -> Bool { sparseCone?.contains(path) ?? true }

  /// Returns the current bytes of the file at `path`; nil if there is none.
  ///
  /// An empty file is left by a killed git or a power cut: the committed version is returned.
  package func read(_ path: String) throws -> [UInt8]? {
    let bytes = try directory.read(path)
    if let bytes, !bytes.isEmpty { return bytes }
    if bytes == nil, isCheckedOut(path) { return nil }
    return try repository.file(at: path, in: try headTree()) ?? bytes
  }

  /// Returns the current bytes of the file at `path`; nil if there is none, it is larger than a
  /// document, or cairn does not follow its path.
  func readIfSmall(_ path: String) throws -> [UInt8]? {
    do {
      return try read(path)
    } catch is StoreError {
      return nil
    }
  }

  /// Returns the current document at `path`; nil if there is none. If git left it in conflict, its
  /// sides are merged.
  ///
  /// - Throws: ``StoreError/invalidDocument(path:_:)`` when it does not parse.
  package func document(at path: DocumentPath) throws -> Document? {
    guard let bytes = try read(path.description) else { return nil }
    do throws(DocumentError) {
      return try Document(bytes: bytes, at: path)
    } catch {
      if let merged = try mergedConflict(at: path) { return merged }
      throw StoreError.invalidDocument(path: path.description, error)
    }
  }

  /// Returns the document at `path` in the last commit; nil if there is none, or it does not parse.
  package func committedDocument(at path: DocumentPath) throws -> Document? {
    let bytes = try repository.file(at: path.description, in: try headTree())
    return bytes.flatMap { try? Document(bytes: $0, at: path) }
  }

  /// Returns the current names in a directory, sorted.
  package func names(in path: String) throws -> [String] {
    var names = Set(try environment.files.list(try directory.location(path)) ?? [])
    if let sparseCone, !sparseCone.containsAll(below: path),
      let node = try repository.node(at: path, in: try headTree()), node.isDirectory
    {
      names.formUnion(try repository.tree(node.id).entries.map(\.name))
    }
    return names.sorted()
  }

  /// Whether there is a file at a path, in the work tree or in the last commit.
  package func exists(_ path: DocumentPath) throws -> Bool {
    try environment.files.exists(directory.location(path.description))
      || repository.node(at: path.description, in: headTree()) != nil
  }

  /// Returns the id of the last commit's tree; nil before the first commit.
  package func headTreeText() throws -> String? { try headTree()?.description }

  func headTree() throws -> ObjectID? {
    try repository.tree(ofCommit: repository.head())
  }
}
