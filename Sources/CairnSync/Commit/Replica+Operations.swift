package import CairnDocument
package import CairnGit
package import CairnStore

// What commands change is recorded, so that it can be undone.

/// An operation of this device, recorded from its first change on.
package final class RecordedOperation {
  /// The command line, or the name of what is done.
  private var text: String
  /// The operation that this one undoes.
  package private(set) var undoes: Int?
  /// Its number in the log, and when it began. Numbers begin again when an erasure discards the log.
  private var begun: (number: Int, time: Int64)?

  /// Its number in the log; nil as long as nothing has changed.
  package var number: Int? { begun?.number }

  package init(_ text: String, undoes: Int? = nil) {
    (self.text, self.undoes) = (text, undoes)
  }

  /// Continues an operation that was interrupted.
  fileprivate init(_ header: OperationLog.Header) {
    (text, undoes) = (header.text, header.undoes)
    begun = (header.number, header.time)
  }

  /// Makes later changes part of it; they get another text if they are an operation of their own after
  /// all.
  package func `continue`(as text: String) { if begun != nil { self.text = text } }

  /// Makes later changes another operation, once its record is discarded.
  func restart() { (begun, undoes) = (nil, nil) }

  /// Restarts if another process has undone it, or discarded its record, since the lock was held last.
  fileprivate func restartIfClosed(_ log: OperationLog) throws {
    guard let (number, time) = begun else { return }
    let isRecorded = try log.header(of: number)?.time == time
    let isUndone = try log.numbers().contains {
      try $0 > number && log.header(of: $0)?.undoes == number
    }
    if !isRecorded || isUndone { restart() }
  }

  fileprivate func record(_ entries: [OperationLog.Entry], _ replica: Replica) throws {
    if entries.isEmpty { return }
    let log = replica.operationLog
    if let begun { return try log.add(entries, to: begun.number) }
    let time = replica.environment.now()
    let number = try log.begin(
      text, by: replica.knownPerson(), on: replica.repository.headBranch() ?? "", at: time,
      undoes: undoes, entries)
    begun = (number, time)
  }
}

/// One document that an operation changed. Its versions are read when they are needed.
package struct RecordedEdit: Equatable, Sendable {
  package enum Version: Equatable, Sendable {
    case missing
    case document(JSON)
    /// A version that was committed without being edited first.
    case blob(ObjectID)

    init(_ document: JSON?) { self = document.map { .document($0) } ?? .missing }
    init(_ node: TreeNode?) { self = node.map { .blob($0.id) } ?? .missing }
  }

  package let path: DocumentPath
  package fileprivate(set) var before: Version
  package fileprivate(set) var after: Version
}

/// What an operation changed.
package struct RecordedEdits {
  /// Each document once.
  package fileprivate(set) var edits: [RecordedEdit] = []
  /// A commit whose changes are part of it and that does not exist anymore.
  package fileprivate(set) var missingCommit: String?
}

extension Replica {
  /// The operations that commands have recorded on this device.
  package var operationLog: OperationLog { OperationLog(directory) }

  /// Makes all edits of `body` one operation, unless one has begun.
  package func recording<Value>(_ text: String, _ body: () throws -> Value) rethrows -> Value {
    let outer = operation
    operation = outer ?? RecordedOperation(text)
    defer { operation = outer }
    return try body()
  }

  /// Records the edits of `session` in the current operation, or in one of their own.
  func recordEdits(of session: EditSession, _ command: String) {
    guard recordsOperations else { return }
    let operation = operation ?? RecordedOperation(command)
    // Nobody else can close it while the lock is held.
    var isChecked = false
    session.onEdit = { [unowned self] edits in
      let entries = try edits.compactMap { path, document -> OperationLog.Entry? in
        let before = try validDocument(at: path)?.json
        // A new dataset cannot be undone.
        if path == .manifest, before == nil { return nil }
        return .document(DocumentEdit(path, before: before, after: document?.json))
      }
      if !isChecked { try operation.restartIfClosed(operationLog) }
      isChecked = true
      try operation.record(entries, self)
    }
  }

  /// Returns a document or, if its file is invalid, its committed version.
  private func validDocument(at path: DocumentPath) throws -> Document? {
    do {
      return try document(at: path)
    } catch StoreError.invalidDocument {
      return try committedDocument(at: path)
    }
  }

  /// Records documents that are committed without being edited first.
  func recordCommit(_ after: ObjectID, on before: ObjectID?, _ command: String) throws {
    guard recordsOperations else { return }
    let entry = OperationLog.Entry.commits(
      before: before?.description, after: after.description)
    let operation = operation ?? RecordedOperation(command)
    try operation.restartIfClosed(operationLog)
    try operation.record([entry], self)
  }

  /// Returns an undo of an operation, which continues this person's last one if that was interrupted
  /// and not undone itself.
  package func undo(of number: Int) throws -> RecordedOperation {
    let log = operationLog
    let later = try log.numbers().filter { $0 > number }.compactMap { try log.header(of: $0) }
    if let last = later.last(where: { $0.undoes == number }), last.isUnfinished,
      last.by == knownPerson(), !later.contains(where: { $0.undoes == last.number })
    {
      return RecordedOperation(last)
    }
    return RecordedOperation("undo \(number)", undoes: number)
  }

  /// Records that an undo is complete, and left a number of documents unchanged.
  package func recordEnd(of undo: RecordedOperation, kept: Int) throws {
    try undo.restartIfClosed(operationLog)
    if undo.undoes != nil { try undo.record([.done(kept: kept)], self) }
  }

  /// Returns the number of documents that an operation changed and its undo did not.
  package func documentsLeft(by undo: RecordedOperation) throws -> Int {
    guard let number = undo.number, let undone = undo.undoes else { return 0 }
    let changed = Set(try edits(of: number).edits.map(\.path))
    return try edits(of: undone).edits.filter { !changed.contains($0.path) }.count
  }

  /// Returns the documents that an operation changed.
  package func edits(of number: Int) throws -> RecordedEdits {
    var result = RecordedEdits()
    var indices: [DocumentPath: Int] = [:]
    func add(_ path: DocumentPath, _ before: RecordedEdit.Version, _ after: RecordedEdit.Version) {
      if let index = indices[path] {
        // Another command has changed it between two steps of the operation: its change stays.
        if case .document = before, result.edits[index].after != before {
          result.edits[index].before = before
        }
        result.edits[index].after = after
      } else {
        indices[path] = result.edits.count
        result.edits.append(RecordedEdit(path: path, before: before, after: after))
      }
    }
    for entry in try operationLog.entries(of: number) {
      switch entry {
      case .document(let edit):
        add(edit.path, RecordedEdit.Version(edit.before), RecordedEdit.Version(edit.after))
      case .commits(let before, let after):
        if let missing = [before, after].compactMap({ $0 }).first(where: { !hasCommit($0) }) {
          result.missingCommit = missing
          continue
        }
        func tree(_ commit: String?) throws -> ObjectID? {
          try repository.tree(ofCommit: commit.flatMap { ObjectID($0) })
        }
        try repository.diff(try tree(before), try tree(after)) { difference in
          guard let path = DocumentPath(difference.path), path.kind != nil else { return }
          add(path, RecordedEdit.Version(difference.old), RecordedEdit.Version(difference.new))
        }
      case .done: break
      }
    }
    result.edits.removeAll { $0.before == $0.after }
    return result
  }

  private func hasCommit(_ text: String) -> Bool {
    ObjectID(text).map { repository.contains($0) } ?? false
  }

  /// Reads the versions of a document that an operation changed.
  ///
  /// - Throws: ``StoreError/invalidDocument(path:_:)`` for a version that is not a document.
  package func versions(of edit: RecordedEdit) throws -> DocumentEdit {
    func document(_ version: RecordedEdit.Version) throws -> JSON? {
      switch version {
      case .missing: return nil
      case .document(let json): return json
      case .blob(let id):
        let bytes = try repository.blob(id)
        do throws(DocumentError) {
          return try Document(bytes: bytes, at: edit.path).json
        } catch {
          throw StoreError.invalidDocument(path: edit.path.description, error)
        }
      }
    }
    return DocumentEdit(
      edit.path, before: try document(edit.before), after: try document(edit.after))
  }
}
