internal import CairnBase
package import CairnDocument
internal import GRDB

/// A writer that changes the index within one transaction.
///
/// It keeps its prepared statements between documents. Documents may come in any order; writing is
/// fastest when a photo's labels come together and photos are sorted by id.
package final class IndexWriter {
  let db: Database
  let names: KeyCache
  private var statements: [Operation: PreparedStatement] = [:]
  /// The photo that was written last: its labels often come together.
  private var last: (photo: PhotoID, key: Int64)?
  private var lastStale: Int64?
  /// Whether nothing has been resolved yet, so that no photo needs to be marked as stale.
  private let isUnresolved: Bool
  private var areIndexesDeferred = false
  /// Whether any photo's file has a location; nil until it is looked up.
  private var knownHasLocations: Bool?

  init(_ db: Database) throws {
    self.db = db
    names = KeyCache(db)
    isUnresolved = try IndexReader(db).value("resolved") == nil
  }

  /// A reader in the same transaction.
  package var reader: IndexReader { IndexReader(db) }

  // MARK: Bulk

  /// The number of changed documents from which on rebuilding the database indexes is cheaper.
  package static let bulkCount = 50_000

  /// Drops the database indexes on documents; they are rebuilt at the end of the transaction.
  ///
  /// Worthwhile if a large share of the documents are new. Until then, queries are slow.
  package func deferIndexes() throws {
    if areIndexesDeferred { return }
    areIndexesDeferred = true
    for index in Schema.ofDocuments { try db.execute(sql: index.drop) }
  }

  /// Finishes the transaction's work.
  func finish() throws {
    if !areIndexesDeferred { return }
    // SQLite sorts the rows in as much memory again.
    try DatasetIndex.limitCache(of: db, kibibytes: DatasetIndex.cacheKibibytes)
    for index in Schema.ofDocuments { try db.execute(sql: index.create) }
  }

  // MARK: Documents

  /// Writes a document, replacing the one at its path.
  package func put(_ document: Document) throws {
    switch document {
    case .manifest, .erasure, .redaction: break
    case .photo(let photo): try put(photo)
    case .pin(let pin): try put(pin)
    case .class(let labelClass): try put(labelClass)
    case .run(let run): try put(run)
    case .label(let label): try put(label)
    }
  }

  /// Writes the document with these bytes; removes the one at the path if they are nil, invalid, or
  /// do not belong there.
  package func put(_ bytes: [UInt8]?, at path: DocumentPath) throws {
    guard let bytes else { return try remove(path) }
    if case .label(let photo, let name) = path {
      guard let label = try? Label(bytes: bytes), label.photo == photo,
        label.classKey == name.classKey, label.region?.id == name.region,
        names.tag(of: label.annotator) == name.tag
      else { return try remove(path) }
      return try put(label)
    }
    guard let document = try? Document(bytes: bytes, at: path) else { return try remove(path) }
    try put(document)
  }

  package func put(_ label: Label) throws {
    let photo = try key(of: label.photo)
    let annotatorKey = try names.annotatorKey(label.annotator)
    let classKey = try names.number(of: label.classKey)
    let box = label.region.map { IndexWriter.number(of: $0.id) } ?? 0
    for rival in annotatorKey.rivals {
      let delete = try statement(.removeRival)
      for (index, value) in [photo, classKey, rival, box].enumerated() {
        delete.bind(value, at: Int32(index) + 1)
      }
      try delete.run()
    }
    let insert = try statement(.putLabel)
    insert.bind(photo, at: 1)
    insert.bind(classKey, at: 2)
    insert.bind(annotatorKey.key, at: 3)
    insert.bind(box, at: 4)
    insert.bind(label.verdict.number, at: 5)
    insert.bind(label.stamp.milliseconds, at: 6)
    insert.bind(label.stamp.tick, at: 7)
    insert.bind(label.confidence, at: 8)
    insert.bind(try label.run.map(names.number), at: 9)
    insert.bind(label.region?.json.canonicalText, at: 10)
    insert.bind(label.text, at: 11)
    insert.bind(label.source, at: 12)
    try insert.run()
    try noteStale(photo)
  }

  private func put(_ labelClass: LabelClass) throws {
    try run(
      "UPDATE class SET name = ?, naming = ?, removed = ?, document = ? WHERE key = ?",
      [
        labelClass.name.value,
        ClassKey(naming: labelClass.name.value)?.text, labelClass.removed.value,
        bytes(labelClass.canonicalBytes), try names.number(of: labelClass.key),
      ])
    try noteRulesChanged()
  }

  private func put(_ run: Run) throws {
    try self.run(
      "UPDATE run SET withdrawn = ?, document = ? WHERE key = ?",
      [run.withdrawn.value, bytes(run.canonicalBytes), try names.number(of: run.id)])
    try noteRulesChanged()
  }

  /// Removes the document at `path`.
  ///
  /// Rows that others may refer to keep their keys.
  package func remove(_ path: DocumentPath) throws {
    switch path {
    case .photo(let id):
      let key = try key(of: id)
      try removePhoto(key)
      try noteStale(key)
    case .pin(let id): try removePin(id)
    case .class(let key):
      try run(
        "UPDATE class SET name = NULL, naming = NULL, removed = NULL, document = NULL WHERE text = ?",
        [key.text])
      try noteRulesChanged()
    case .run(let id):
      try run("UPDATE run SET withdrawn = 0, document = NULL WHERE id = ?", [id.text])
      try noteRulesChanged()
    case .label(let photo, let name):
      let key = try key(of: photo)
      try run(
        """
        DELETE FROM label WHERE photo = ? AND class = (SELECT key FROM class WHERE text = ?)
          AND annotator IN (SELECT key FROM annotator WHERE tag = ?) AND box = ?
        """,
        [key, name.classKey.text, name.tag, name.region.map(IndexWriter.number) ?? 0])
      try noteStale(key)
    case .manifest, .erasure, .redaction, .image, .model: break
    }
  }

  // MARK: Indexed state

  /// Records the tree that the database now reflects.
  package func setTree(_ tree: String) throws { try set("tree", tree) }

  func set(_ key: String, _ value: String?) throws {
    if let value {
      try run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", [key, value])
    } else {
      try run("DELETE FROM meta WHERE key = ?", [key])
    }
  }

  /// Records that the document at `path` was read from the work tree, with the status of its file.
  package func setOverlay(_ path: DocumentPath, status: String) throws {
    try run(
      "INSERT OR REPLACE INTO overlay (path, status) VALUES (?, ?)", [path.description, status])
  }

  /// Removes the record that the document at `path` was read from the work tree.
  package func removeOverlay(_ path: String) throws {
    try run("DELETE FROM overlay WHERE path = ?", [path])
  }

  func noteStale(_ photo: Int64) throws {
    if isUnresolved || photo == lastStale { return }
    lastStale = photo
    let note = try statement(.noteStale)
    note.bind(photo, at: 1)
    try note.run()
  }

  /// Returns whether any photo's file has a location; most datasets have none and can skip the
  /// lookup.
  func hasLocations() throws -> Bool {
    if let knownHasLocations { return knownHasLocations }
    let known = try names.hasLocations()
    knownHasLocations = known
    return known
  }

  func noteHasLocations() { knownHasLocations = true }

  private func noteRulesChanged() throws { if !isUnresolved { try set("rules", nil) } }

  // MARK: Statements

  /// Returns the row key of a photo, assigning one if needed: the first 47 bits of its id, or the
  /// next free key, since ids can be crafted to share a prefix.
  func key(of photo: PhotoID) throws -> Int64 {
    if let last, last.photo == photo { return last.key }
    let digest = photo.digest
    var key = PhotoKey.first(of: digest)
    let (find, insert) = (try statement(.photoID), try statement(.newPhoto))
    while true {
      find.bind(key, at: 1)
      guard let known = try find.first({ $0.blob(0) }) else {
        insert.bind(key, at: 1)
        insert.bind(digest, at: 2)
        try insert.run()
        break
      }
      if known == digest { break }
      key += 1
    }
    last = (photo, key)
    return key
  }

  func run(_ sql: String, _ arguments: StatementArguments) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// A frequent operation, whose prepared statement is kept.
  enum Operation: String {
    case photoID = "SELECT id FROM photo WHERE key = ?"
    case newPhoto = "INSERT INTO photo (key, id) VALUES (?, ?)"
    case putPhoto = """
      UPDATE photo SET view = ?2, pin = ?3, removedTime = ?4, removedTick = ?5, title = ?6, has = ?7,
        taken = ?8, file = ?9 WHERE key = ?1
      """
    case putPhotoText = """
      INSERT OR REPLACE INTO photoText (rowid, words, camera, author, licence, source)
      VALUES (?, ?, ?, ?, ?, ?)
      """
    case putPhotoDocument = "INSERT OR REPLACE INTO photoDocument (photo, document) VALUES (?, ?)"
    case putLabel = """
      INSERT OR REPLACE INTO label
        (photo, class, annotator, box, verdict, said, tick, confidence, run, region, words, source)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    case removeRival = """
      DELETE FROM label WHERE photo = ? AND class = ? AND annotator = ? AND box = ?
      """
    case noteStale = "INSERT OR IGNORE INTO stale (photo) VALUES (?)"
  }

  func statement(_ operation: Operation) throws -> PreparedStatement {
    if let known = statements[operation] { return known }
    let statement = try PreparedStatement(db, operation.rawValue)
    statements[operation] = statement
    return statement
  }

  /// Returns the number of a region in the database; 0 is the whole photo.
  private static func number(of region: RegionID) -> Int64 {
    Int64(Hex.number(region.text.utf8) ?? 0) + 1
  }
}
