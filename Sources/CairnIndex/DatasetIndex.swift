internal import GRDB

/// A database of the working documents, to answer questions without reading them all.
///
/// It is derived: it may be deleted at any time, and a damaged one, or one of another version, is
/// made anew. It knows which tree it has read and which files besides.
public final class DatasetIndex {
  private let database: DatabaseQueue

  /// Opens the database at `path`, making it when there is none.
  ///
  /// - Parameter onStatement: Called with each SQL statement that is run, for tests that count.
  /// - Throws: ``IndexError`` when it is damaged or of another version; then it is to be deleted.
  public init(path: String, onStatement: (@Sendable (String) -> Void)? = nil) throws {
    // Side files of a database that is gone would be played back into the new one.
    if !fileExists(path) { DatasetIndex.delete(path: path) }
    database = try translating { try DatasetIndex.open(path, onStatement) }
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

  /// What a bulk load touches again and again fits in; a small database uses little of it.
  private static let cacheKibibytes = 64 << 10

  private static func open(
    _ path: String, _ onStatement: (@Sendable (String) -> Void)?
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      // A power cut may take what came last, and it is read again. What it leaves must be whole: only
      // when the journal goes into the database is the disk waited for.
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
      if let onStatement { db.trace { onStatement($0.description) } }
    }
    let database = try DatabaseQueue(path: path, configuration: configuration)
    func version(_ db: Database) throws -> Int {
      try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }
    // Who only asks does not wait for who writes.
    if try database.read(version) == Schema.version { return database }
    try database.write { db in
      let version = try version(db)
      if version == Schema.version { return }
      if version != 0 { throw IndexError("it is of another version") }
      try db.execute(sql: Schema.sql)
      try db.execute(sql: "PRAGMA user_version = \(Schema.version)")
    }
    return database
  }

  /// Reads from one state of the database.
  public func read<Value>(_ body: (IndexReader) throws -> Value) throws -> Value {
    try translating { try database.read { try body(IndexReader($0)) } }
  }

  /// Changes the database: all of it, or nothing when `body` throws or the process ends.
  public func write<Value>(_ body: (IndexWriter) throws -> Value) throws -> Value {
    try translating {
      try database.write { db in
        let writer = try IndexWriter(db)
        let value = try body(writer)
        try writer.finish()
        return value
      }
    }
  }
}

/// The index cannot be read or written, or is of no use; it can be made anew.
public struct IndexError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// The index was asked for what no database can do. It is not its fault, and making it anew is no help.
public struct IndexMisuse: Error, CustomStringConvertible {
  public let description: String
}

/// Another process has been writing the index for long.
public struct IndexBusy: Error {}

private func translating<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as DatabaseError {
    let message = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_BUSY: throw IndexBusy()
    // Of tables that are missing, too.
    case .SQLITE_ERROR where message.hasPrefix("no such"): throw IndexError(message)
    case .SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_RANGE, .SQLITE_MISUSE:
      throw IndexMisuse(description: message)
    default: throw IndexError(message)
    }
  }
}
