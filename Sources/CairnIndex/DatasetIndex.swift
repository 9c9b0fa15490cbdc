internal import GRDB

/// A database of the working documents, to answer questions without reading them all.
///
/// It is derived: it may be deleted at any time, and a damaged one, or one of another version, is
/// made anew. It knows which tree it has read and which files besides.
public final class DatasetIndex {
  private let database: DatabaseQueue

  /// Opens the database at `path`, making it when there is none.
  ///
  /// - Throws: ``IndexError`` when it is damaged or of another version; then it is to be deleted.
  public init(path: String) throws {
    // Side files of a database that is gone would be played back into the new one.
    if !fileExists(path) { DatasetIndex.delete(path: path) }
    database = try translating { try DatasetIndex.open(path) }
  }

  /// Removes the database at `path`, which nobody has open.
  public static func delete(path: String) {
    for suffix in ["", "-wal", "-shm"] { removeFile(path + suffix) }
  }

  /// Makes a database that is kept nowhere, for a dataset on a disk that cannot be written.
  public static func inMemory() throws -> DatasetIndex {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: Schema.sql) }
    return DatasetIndex(database)
  }

  private init(_ database: DatabaseQueue) { self.database = database }

  private static func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      // What a power cut breaks is rebuilt, so nothing here waits for the disk.
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA synchronous = OFF")
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
    try translating { try database.read { try body(IndexReader(db: $0)) } }
  }

  /// Changes the database: all of it, or nothing when `body` throws.
  public func write<Value>(_ body: (IndexWriter) throws -> Value) throws -> Value {
    try translating { try database.write { try body(IndexWriter(db: $0)) } }
  }
}

/// The index cannot be read or written, or is of no use; it can be made anew.
public struct IndexError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

private func translating<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as DatabaseError {
    throw IndexError(error.description)
  }
}

/// The tables. Labels refer to photos by a small number, since they are many.
private enum Schema {
  static let version = 3

  static let sql = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE overlay (path TEXT PRIMARY KEY, status TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE photo (
      key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, document BLOB, pin TEXT, removed TEXT);
    CREATE INDEX photoPin ON photo (pin);
    CREATE TABLE pin (id TEXT PRIMARY KEY, name TEXT NOT NULL, removed INTEGER, document BLOB)
      WITHOUT ROWID;
    CREATE INDEX pinName ON pin (name);
    CREATE TABLE class (key TEXT PRIMARY KEY, name TEXT NOT NULL, removed INTEGER, document BLOB)
      WITHOUT ROWID;
    CREATE TABLE run (id TEXT PRIMARY KEY, withdrawn INTEGER, document BLOB) WITHOUT ROWID;
    CREATE TABLE label (
      photo INTEGER NOT NULL, name TEXT NOT NULL, class TEXT NOT NULL, annotator TEXT NOT NULL,
      verdict TEXT NOT NULL, confidence TEXT NOT NULL, stamp TEXT NOT NULL, region TEXT, run TEXT,
      PRIMARY KEY (photo, name)) WITHOUT ROWID;
    CREATE INDEX labelClass ON label (class, verdict);
    CREATE INDEX labelRun ON label (run, verdict) WHERE run IS NOT NULL;
    """
}
