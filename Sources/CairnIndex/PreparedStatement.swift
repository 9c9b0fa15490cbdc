internal import GRDB
internal import GRDBSQLite

/// A statement that is prepared once, bound by position and stepped without allocating an object
/// per row: there may be millions of labels.
struct PreparedStatement {
  // Owns the statement, so that the pointer stays valid.
  private let statement: Statement
  private let pointer: OpaquePointer

  init(_ db: Database, _ sql: String) throws {
    statement = try db.makeStatement(sql: sql)
    pointer = statement.sqliteStatement
  }

  // MARK: Binding, from 1

  func bind(_ value: Int64?, at index: Int32) {
    if let value {
      sqlite3_bind_int64(pointer, index, value)
    } else {
      sqlite3_bind_null(pointer, index)
    }
  }

  func bind(_ value: Double?, at index: Int32) {
    if let value {
      sqlite3_bind_double(pointer, index, value)
    } else {
      sqlite3_bind_null(pointer, index)
    }
  }

  func bind(_ value: String?, at index: Int32) {
    guard var value else {
      sqlite3_bind_null(pointer, index)
      return
    }
    value.withUTF8 { text in
      let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
      _ = sqlite3_bind_text(pointer, index, start, Int32(text.count), Self.copying)
    }
  }

  func bind(_ value: [UInt8], at index: Int32) {
    value.withUnsafeBytes {
      _ = sqlite3_bind_blob(pointer, index, $0.baseAddress, Int32($0.count), Self.copying)
    }
  }

  /// Binds texts in order, ignoring those beyond the statement's parameters.
  func bind(_ texts: [String]) {
    for (index, text) in texts.enumerated() { bind(text, at: Int32(index) + 1) }
  }

  /// Makes SQLite copy bound values before returning: SQLITE_TRANSIENT, a cast that Swift does not
  /// import.
  private static var copying: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  // MARK: Stepping

  /// Steps to the next row; after the last one, resets to the start.
  ///
  /// - Returns: Whether there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(pointer)
      return false
    case let code:
      let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
      sqlite3_reset(pointer)
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }
  }

  /// Ends a run before its last row.
  func reset() { sqlite3_reset(pointer) }

  /// The number of virtual machine steps that it has taken so far.
  var steps: Int { Int(sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_VM_STEP, 0)) }

  /// Runs the statement to completion.
  func run() throws { while try step() {} }

  /// Returns a value made from the first row; nil if there is none.
  func first<Value>(_ make: (PreparedStatement) -> Value) throws -> Value? {
    guard try step() else { return nil }
    defer { sqlite3_reset(pointer) }
    return make(self)
  }

  // MARK: Columns, from 0

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

  func double(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

  func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

  func blob(_ column: Int32) -> [UInt8] {
    // Works for text too: its bytes are UTF-8.
    let bytes = sqlite3_column_blob(pointer, column)
    return Array(
      UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, column))))
  }
}
