package import CairnDocument
internal import CairnGit
package import CairnStore

// What commands change is recorded, so that it can be undone.

/// An operation of this device, recorded from its first change on.
package final class RecordedOperation {
  /// The command line, or the name of what is done.
  package let text: String
  /// The operation that this one undoes.
  package let undoes: Int?
  /// Its number in the log; nil as long as nothing has changed.
  package private(set) var number: Int?

  package init(_ text: String, undoes: Int? = nil) {
    (self.text, self.undoes) = (text, undoes)
  }

  fileprivate func record(_ entries: [OperationLog.Entry], _ replica: Replica) throws {
    if entries.isEmpty { return }
    let log = OperationLog(replica.directory)
    let number =
      try number
      ?? log.begin(
        text, by: try? replica.person(), at: replica.environment.now(), undoes: undoes)
    self.number = number
    try log.add(entries, to: number)
  }
}

extension Replica {
  /// The operations that commands have recorded on this device.
  package var operationLog: OperationLog { OperationLog(directory) }

  /// Records the edits of `session` in the current operation, or in one of their own.
  func recordEdits(of session: EditSession, _ command: String) {
    guard recordsOperations else { return }
    let operation = operation ?? RecordedOperation(command)
    session.onEdit = { [unowned self] edits in
      let entries = try edits.compactMap { path, document -> OperationLog.Entry? in
        let before = try? self.document(at: path)?.json
        // A new dataset cannot be undone.
        if path == .manifest, before == nil { return nil }
        return .document(DocumentEdit(path, before: before, after: document?.json))
      }
      try operation.record(entries, self)
    }
  }

  /// Records documents that were committed without being edited first.
  func recordCommit(_ after: ObjectID, on before: ObjectID?, _ command: String) throws {
    guard recordsOperations else { return }
    let entry = OperationLog.Entry.commits(
      before: before?.description, after: after.description)
    try (operation ?? RecordedOperation(command)).record([entry], self)
  }

  /// Returns the documents that an operation changed, each once, sorted by path.
  package func edits(of number: Int) throws -> [DocumentEdit] {
    var edits: [DocumentPath: DocumentEdit] = [:]
    func add(_ edit: DocumentEdit) {
      let first = edits[edit.path] ?? edit
      edits[edit.path] = DocumentEdit(edit.path, before: first.before, after: edit.after)
    }
    for entry in try operationLog.entries(of: number) {
      switch entry {
      case .document(let edit): add(edit)
      case .commits(let before, let after):
        let before = before.flatMap { ObjectID($0) }
        guard let after = ObjectID(after) else { continue }
        let trees = (
          try repository.tree(ofCommit: before), try repository.tree(ofCommit: after)
        )
        try repository.diff(trees.0, trees.1) { difference in
          guard let path = DocumentPath(difference.path), path.kind != nil else { return }
          func version(_ node: TreeNode?) throws -> JSON? {
            try node.flatMap { try? Document(bytes: try repository.blob($0.id), at: path).json }
          }
          add(
            DocumentEdit(
              path, before: try version(difference.old), after: try version(difference.new)))
        }
      }
    }
    return edits.values.filter { $0.before != $0.after }
      .sorted { $0.path.description.precedesInUTF8($1.path.description) }
  }
}
