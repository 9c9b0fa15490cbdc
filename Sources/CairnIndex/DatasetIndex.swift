internal import GRDB

/// A database of the working documents, to answer questions without reading them all.
///
/// It is derived: it may be deleted at any time, and a damaged one, or one of another version, is
/// made anew. It knows which tree it has read and which files besides.
public final class DatasetIndex {
  private let database: DatabaseQueue

  /// Opens the database at `path`, making it when there is none or it is of no use.
  public init(path: String) throws {
    // Side files of a database that is gone would be played back into the new one.
    if !fileExists(path) { DatasetIndex.delete(path: path) }
    if let database = try? DatasetIndex.open(path) {
      self.database = database
    } else {
      DatasetIndex.delete(path: path)
      database = try DatasetIndex.open(path)
    }
  }

  /// Removes the database at `path`, which nobody has open.
  public static func delete(path: String) {
    for suffix in ["", "-wal", "-shm"] { removeFile(path + suffix) }
  }

  private static func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      // What a power cut breaks is rebuilt, so nothing here waits for the disk.
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    }
    let database = try DatabaseQueue(path: path, configuration: configuration)
    try database.write { db in
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      if version == Schema.version { return }
      if version != 0 { throw DatabaseError(message: "another version") }
      try db.execute(sql: Schema.sql)
      try db.execute(sql: "PRAGMA user_version = \(Schema.version)")
    }
    return database
  }

  /// Reads from one state of the database.
  public func read<Value>(_ body: (IndexReader) throws -> Value) throws -> Value {
    try database.read { try body(IndexReader(db: $0)) }
  }

  /// Changes the database: all of it, or nothing when `body` throws.
  public func write<Value>(_ body: (IndexWriter) throws -> Value) throws -> Value {
    try database.write { try body(IndexWriter(db: $0)) }
  }
}

/// The tables. Labels refer to photos by a small number, since they are many.
private enum Schema {
  static let version = 1

  static let sql = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE overlay (path TEXT PRIMARY KEY, status TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE photo (
      key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, document BLOB, pin TEXT, removed INTEGER);
    CREATE INDEX photoPin ON photo (pin);
    CREATE TABLE pin (id TEXT PRIMARY KEY, name TEXT NOT NULL, removed INTEGER, document BLOB)
      WITHOUT ROWID;
    CREATE INDEX pinName ON pin (name);
    CREATE TABLE class (key TEXT PRIMARY KEY, name TEXT NOT NULL, removed INTEGER, document BLOB)
      WITHOUT ROWID;
    CREATE TABLE run (id TEXT PRIMARY KEY, document BLOB) WITHOUT ROWID;
    CREATE TABLE label (
      photo INTEGER NOT NULL, name TEXT NOT NULL, class TEXT NOT NULL, annotator TEXT NOT NULL,
      verdict TEXT NOT NULL, confidence TEXT NOT NULL, stamp TEXT NOT NULL, region TEXT, run TEXT,
      PRIMARY KEY (photo, name)) WITHOUT ROWID;
    CREATE INDEX labelClass ON label (class, verdict);
    """
}
