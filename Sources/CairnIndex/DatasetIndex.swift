internal import GRDB

/// A database of the working documents, which answers queries without reading them all.
///
/// It is derived data: it may be deleted at any time, and is rebuilt if it is damaged or of another
/// version. It records the tree and the uncommitted files that it has read.
package final class DatasetIndex {
  private let database: DatabaseQueue
  /// The file; nil in memory.
  private let file: (path: String, inode: UInt64?)?

  /// Opens the database at `path`, creating it if it does not exist.
  ///
  /// - Parameter onStatement: Called with each SQL statement that is run, for tests that count
  ///   them.
  /// - Throws: ``IndexError`` when it is damaged or of another version and should be deleted.
  package init(path: String, onStatement: (@Sendable (String) -> Void)? = nil) throws {
    // Otherwise leftover side files of a deleted database would be replayed into the new one.
    if !fileExists(path) { DatasetIndex.delete(path: path) }
    database = try translating { try DatasetIndex.open(path, onStatement) }
    file = (path, inode(path))
  }

  /// Whether its file was deleted; another one may be in its place.
  package var isDeleted: Bool { file.map { inode($0.path) != $0.inode } ?? false }

  /// Removes the database at `path`.
  package static func delete(path: String) {
    // The side files first: as soon as the database is gone, others create it again with its own.
    for suffix in ["-wal", "-shm", ""] { removeFile(path + suffix) }
  }

  /// Creates an in-memory database, for a dataset on a read-only disk.
  package static func inMemory() throws -> DatasetIndex {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: Schema.sql) }
    return DatasetIndex(database)
  }

  private init(_ database: DatabaseQueue) { (self.database, file) = (database, nil) }

  /// The size of a connection's cache in a transaction that writes: the working set of a bulk load.
  private static let writingCacheKibibytes = 24 << 10
  /// The size of its cache otherwise: a process may keep many connections.
  static let cacheKibibytes = 8 << 10

  /// Sets the maximum size of a connection's cache.
  static func limitCache(of db: Database, kibibytes: Int) throws {
    try db.execute(sql: "PRAGMA cache_size = -\(kibibytes)")
  }

  private static func open(
    _ path: String, _ onStatement: (@Sendable (String) -> Void)?
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      // A power failure may lose the last writes, which are read again, but must not corrupt the
      // database: only checkpoints wait for the disk.
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try limitCache(of: db, kibibytes: cacheKibibytes)
      if let onStatement { db.trace { onStatement($0.description) } }
    }
    let database = try DatabaseQueue(path: path, configuration: configuration)
    func version(_ db: Database) throws -> Int {
      try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }
    // Readers do not wait for writers.
    if try database.read(version) == Schema.version { return database }
    try database.write { db in
      let version = try version(db)
      if version == Schema.version { return }
      if version != 0 { throw IndexError("the index was written by another version of cairn") }
      try db.execute(sql: Schema.sql)
      try db.execute(sql: "PRAGMA user_version = \(Schema.version)")
    }
    return database
  }

  /// Reads from one snapshot of the database.
  package func read<Value>(_ body: (IndexReader) throws -> Value) throws -> Value {
    try translating { try database.read { try body(IndexReader($0)) } }
  }

  /// Changes the database in one transaction, which is rolled back if `body` throws or the process
  /// ends.
  package func write<Value>(_ body: (IndexWriter) throws -> Value) throws -> Value {
    try translating {
      try database.write { db in
        try DatasetIndex.limitCache(of: db, kibibytes: DatasetIndex.writingCacheKibibytes)
        // If it fails, the cache stays larger than it needs to be.
        defer { try? DatasetIndex.limitCache(of: db, kibibytes: DatasetIndex.cacheKibibytes) }
        let writer = try IndexWriter(db)
        let value = try body(writer)
        try writer.finish()
        return value
      }
    }
  }
}

/// An error that makes the index unusable until it is rebuilt.
package struct IndexError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A query that no database could answer. The index is intact, and rebuilding it would not help.
package struct IndexUsageError: Error, CustomStringConvertible {
  package let description: String
}

/// An error for a timeout while another process writes the index.
package struct IndexBusy: Error {}

private func translating<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as DatabaseError {
    let message = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_BUSY: throw IndexBusy()
    // Includes missing tables.
    case .SQLITE_ERROR where message.hasPrefix("no such"): throw IndexError(message)
    case .SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_MISUSE:
      throw IndexUsageError(description: message)
    default: throw IndexError(message)
    }
  }
}
