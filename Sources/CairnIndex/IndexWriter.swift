public import CairnDocument
internal import GRDB

/// Changes to the index within one transaction.
public struct IndexWriter {
  let db: Database

  /// What the database has read.
  public var reader: IndexReader { IndexReader(db: db) }

  /// Puts a document in, over what its path had.
  public func put(_ document: Document) throws {
    switch document {
    case .manifest: break
    case .photo(let photo):
      try run(
        """
        INSERT INTO photo (id, document, pin, removed) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
          document = excluded.document, pin = excluded.pin, removed = excluded.removed
        """,
        [
          bytes(photo.id.digest), bytes(photo.canonicalBytes), photo.pin.value?.text,
          photo.removed.value ? photo.removed.stamp.description : nil,
        ])
    case .pin(let pin):
      try run(
        "INSERT OR REPLACE INTO pin (id, name, removed, document) VALUES (?, ?, ?, ?)",
        [pin.id.text, pin.name.value, pin.removed.value, bytes(pin.canonicalBytes)])
    case .class(let labelClass):
      try run(
        "INSERT OR REPLACE INTO class (key, name, removed, document) VALUES (?, ?, ?, ?)",
        [
          labelClass.key.text, labelClass.name.value, labelClass.removed.value,
          bytes(labelClass.canonicalBytes),
        ])
    case .run(let run):
      try self.run(
        "INSERT OR REPLACE INTO run (id, withdrawn, document) VALUES (?, ?, ?)",
        [run.id.text, run.withdrawn.value, bytes(run.canonicalBytes)])
    case .label(let label):
      try run(
        """
        INSERT OR REPLACE INTO label
          (photo, name, class, annotator, verdict, confidence, stamp, region, run)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          try key(of: label.photo), label.name.description, label.classKey.text,
          label.annotator.description, label.verdict.rawValue, label.confidence.text,
          label.stamp.description, label.region.map { $0.json.canonicalText }, label.run?.text,
        ])
    }
  }

  /// Takes the document at `path` out.
  public func remove(_ path: DocumentPath) throws {
    switch path {
    case .photo(let id):
      // The row stays, as labels may still refer to it.
      try run("UPDATE photo SET document = NULL, pin = NULL WHERE id = ?", [bytes(id.digest)])
    case .pin(let id): try run("DELETE FROM pin WHERE id = ?", [id.text])
    case .class(let key): try run("DELETE FROM class WHERE key = ?", [key.text])
    case .run(let id): try run("DELETE FROM run WHERE id = ?", [id.text])
    case .label(let photo, let name):
      try run(
        "DELETE FROM label WHERE photo = ? AND name = ?",
        [try key(of: photo), name.description])
    case .manifest, .image: break
    }
  }

  /// Remembers the tree that the database reflects now.
  public func setTree(_ tree: String) throws {
    try run("INSERT OR REPLACE INTO meta (key, value) VALUES ('tree', ?)", [tree])
  }

  /// Remembers that the document at `path` was read from the work tree, when its file had `status`.
  public func setOverlay(_ path: DocumentPath, status: String) throws {
    try run(
      "INSERT OR REPLACE INTO overlay (path, status) VALUES (?, ?)", [path.description, status])
  }

  /// Forgets that the document at `path` was read from the work tree.
  public func removeOverlay(_ path: String) throws {
    try run("DELETE FROM overlay WHERE path = ?", [path])
  }

  private func key(of photo: PhotoID) throws -> Int64 {
    let id = bytes(photo.digest)
    let select = try db.cachedStatement(sql: "SELECT key FROM photo WHERE id = ?")
    if let key = try Int64.fetchOne(select, arguments: [id]) { return key }
    try run("INSERT INTO photo (id) VALUES (?)", [id])
    return db.lastInsertedRowID
  }

  private func run(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
