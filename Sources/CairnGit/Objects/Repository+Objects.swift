internal import CLibgit2
internal import CairnFiles
internal import SystemPackage

extension Repository {
  /// Calls `body` with the bytes of an object, valid for the duration of the call.
  ///
  /// - Throws: ``GitError`` with `.notFound` when the object does not exist.
  package func withObject<Result>(
    _ id: ObjectID, _ body: (ObjectKind, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    var object: OpaquePointer?
    let status = try completing { id.withOID { git_odb_read(&object, objects, $0) } }
    try check(status, "read the object \(id)")
    defer { git_odb_object_free(object) }
    guard let kind = ObjectKind(git_odb_object_type(object)) else {
      throw GitError(.corrupt, "the object \(id) has an unknown type")
    }
    let bytes = UnsafeRawBufferPointer(
      start: git_odb_object_data(object), count: git_odb_object_size(object))
    objectsRead += 1
    return try body(kind, bytes)
  }

  /// Returns the size of an object, in bytes, without reading it.
  package func size(of id: ObjectID) throws(GitError) -> Int {
    var (size, type) = (0, GIT_OBJECT_INVALID)
    let status = try completing {
      id.withOID { git_odb_read_header(&size, &type, objects, $0) }
    }
    try check(status, "read the object \(id)")
    return size
  }

  /// Returns the bytes of a blob.
  package func blob(_ id: ObjectID) throws -> [UInt8] { try withBlob(id) { Array($0) } }

  /// Calls `body` with the bytes of a blob, valid for the duration of the call.
  package func withBlob<Result>(
    _ id: ObjectID, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) throws -> Result {
    try withObject(id) { kind, bytes in
      guard kind == .blob else { throw GitError(.corrupt, "\(id) is a \(kind.rawValue)") }
      return try bytes.withMemoryRebound(to: UInt8.self) { try body($0) }
    }
  }

  /// Returns whether the object exists.
  package func contains(_ id: ObjectID) -> Bool {
    id.withOID { git_odb_exists(objects, $0) } == 1
  }

  /// Returns whether the object is known to exist, without looking for new packs. It may miss an
  /// object in a pack that another process wrote meanwhile, which is harmless for a writer:
  /// checking for new packs at each new object would cost more than everything else.
  func isKnown(_ id: ObjectID) -> Bool {
    id.withOID { git_odb_exists_ext(objects, $0, GIT_ODB_LOOKUP_NO_REFRESH.rawValue) } == 1
  }

  /// Makes an object that exists look new, or the pack that contains it, as git does with what it
  /// writes again: a `git gc` that runs at the same time removes old objects to which no commit
  /// refers yet. If the object is gone by now, it is written again.
  func freshen(_ kind: ObjectKind, _ bytes: [UInt8]) throws {
    _ = try LooseObjectWriter(self).write(kind, bytes)
  }

  /// Makes packs visible that were written after the repository was opened.
  package func refreshObjects() throws(GitError) {
    (knownHistoryEnds, historyNodes) = (nil, [:])
    try check(git_odb_refresh(objects), "look for new objects")
  }
}

/// A destination for new objects. Written objects are durable only after ``finish()``.
package protocol ObjectWriter: AnyObject {
  /// Writes an object, unless it exists already, and returns its id.
  func write(_ kind: ObjectKind, _ bytes: [UInt8]) throws -> ObjectID

  /// Makes everything written so far durable and readable in the repository.
  func finish() throws
}

/// A writer that stores each object in a separate file: suited to a few objects.
package final class LooseObjectWriter: ObjectWriter {
  private let repository: Repository

  package init(_ repository: Repository) { self.repository = repository }

  package func write(_ kind: ObjectKind, _ bytes: [UInt8]) throws -> ObjectID {
    var oid = git_oid()
    let files = repository.files
    let shared = files.sharing.map { _ in repository.looseFile(ObjectID(hashing: kind, bytes)) }
    if let shared { try files.createDirectory(above: shared) }
    try check(
      bytes.withUnsafeBytes {
        git_odb_write(&oid, repository.objects, $0.baseAddress, $0.count, kind.type)
      }, "write a \(kind.rawValue)")
    if let shared { files.share(shared) }
    repository.hasNewObjects = true
    return ObjectID(oid)
  }

  package func finish() throws {}
}
