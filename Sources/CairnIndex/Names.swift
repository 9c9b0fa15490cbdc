internal import CairnDocument
internal import GRDB

/// The numbers that stand for annotators, classes, pins and runs within the database, read when they
/// are first needed.
final class Names {
  /// An annotator, and what others there are whose labels would have the same file names.
  struct Speaker {
    let key: Int64
    var rivals: [Int64]
  }

  private let db: Database
  private var annotators: [Int64: (annotator: Annotator, tag: String)] = [:]
  private var classes: [Int64: ClassKey] = [:]
  private var classNames: [Int64: String?] = [:]
  private var runs: [Int64: RunID] = [:]
  private var tags: [Annotator: String] = [:]
  private var speakers: [Annotator: Speaker] = [:]
  private var classNumbers: [ClassKey: Int64] = [:]
  private var runNumbers: [RunID: Int64] = [:]

  init(_ db: Database) { self.db = db }

  // MARK: From numbers

  func annotator(_ key: Int64) throws -> (annotator: Annotator, tag: String)? {
    if let known = annotators[key] { return known }
    let row = try Row.fetchOne(
      db, sql: "SELECT text, tag FROM annotator WHERE key = ?", arguments: [key])
    guard let row, let annotator = Annotator(row[0] as String) else { return nil }
    annotators[key] = (annotator, row[1])
    return annotators[key]
  }

  func classKey(_ key: Int64) throws -> ClassKey? {
    if let known = classes[key] { return known }
    let text = try String.fetchOne(
      db, sql: "SELECT text FROM class WHERE key = ?", arguments: [key])
    classes[key] = text.flatMap { ClassKey($0) }
    return classes[key]
  }

  /// Returns what people call a class; nil when nobody has coined it.
  func className(_ key: Int64) throws -> String? {
    if let known = classNames[key] { return known }
    let name = try String.fetchOne(
      db, sql: "SELECT name FROM class WHERE key = ?", arguments: [key])
    classNames[key] = .some(name)
    return name
  }

  func run(_ key: Int64) throws -> RunID? {
    if let known = runs[key] { return known }
    let text = try String.fetchOne(db, sql: "SELECT id FROM run WHERE key = ?", arguments: [key])
    runs[key] = text.flatMap { RunID($0) }
    return runs[key]
  }

  // MARK: To numbers

  /// Returns the number of a class; nil when nothing refers to it.
  func known(_ key: ClassKey) throws -> Int64? {
    if let known = classNumbers[key] { return known }
    let number = try Int64.fetchOne(
      db, sql: "SELECT key FROM class WHERE text = ?", arguments: [key.text])
    classNumbers[key] = number
    return number
  }

  /// Returns the number of a class, after giving it one if need be.
  func number(of key: ClassKey) throws -> Int64 {
    if let known = try known(key) { return known }
    let number = try insert("INSERT INTO class (text) VALUES (?)", [key.text])
    classNumbers[key] = number
    return number
  }

  /// The number of what nothing refers to.
  static let nobody: Int64 = -1

  /// Returns the number of a pin, or ``nobody``.
  func known(_ pin: PinID) throws -> Int64 {
    try find("SELECT key FROM pin WHERE id = ?", pin.text)
  }

  /// Returns the number of a run, or ``nobody``.
  func known(_ run: RunID) throws -> Int64 {
    try find("SELECT key FROM run WHERE id = ?", run.text)
  }

  /// Returns the number of an annotator, or ``nobody``.
  func known(_ annotator: Annotator) throws -> Int64 {
    try find("SELECT key FROM annotator WHERE text = ?", annotator.description)
  }

  /// Whether a question for a text has an answer.
  func isFound(_ sql: String, _ text: String) throws -> Bool {
    try Int.fetchOne(db, sql: sql + " LIMIT 1", arguments: [text]) != nil
  }

  /// Whether any photo's file says where it was taken.
  func hasPlaces() throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM photoPlace LIMIT 1") != nil
  }

  private func find(_ sql: String, _ text: String) throws -> Int64 {
    try Int64.fetchOne(db, sql: sql, arguments: [text]) ?? Names.nobody
  }

  func number(of run: RunID) throws -> Int64 {
    if let known = runNumbers[run] { return known }
    let number =
      try Int64.fetchOne(db, sql: "SELECT key FROM run WHERE id = ?", arguments: [run.text])
      ?? insert("INSERT INTO run (id) VALUES (?)", [run.text])
    runNumbers[run] = number
    return number
  }

  func number(of pin: PinID) throws -> Int64 {
    let known = try db.cachedStatement(sql: "SELECT key FROM pin WHERE id = ?")
    return try Int64.fetchOne(known, arguments: [pin.text])
      ?? insert("INSERT INTO pin (id) VALUES (?)", [pin.text])
  }

  /// Returns what stands for an annotator in file names; it is dear to make.
  func tag(of annotator: Annotator) -> String {
    if let known = tags[annotator] { return known }
    let tag = annotator.tag
    tags[annotator] = tag
    return tag
  }

  func speaker(_ annotator: Annotator) throws -> Speaker {
    if let known = speakers[annotator] { return known }
    let tag = tag(of: annotator)
    let key =
      try Int64.fetchOne(
        db, sql: "SELECT key FROM annotator WHERE text = ?", arguments: [annotator.description])
      ?? insert("INSERT INTO annotator (text, tag) VALUES (?, ?)", [annotator.description, tag])
    let alike = try Int64.fetchAll(
      db, sql: "SELECT key FROM annotator WHERE tag = ?", arguments: [tag])
    // Those that were known before have one rival more.
    if alike.count > 1 { speakers = speakers.filter { !alike.contains($0.value.key) } }
    let speaker = Speaker(key: key, rivals: alike.filter { $0 != key })
    speakers[annotator] = speaker
    return speaker
  }

  private func insert(_ sql: String, _ arguments: StatementArguments) throws -> Int64 {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
    return db.lastInsertedRowID
  }
}
