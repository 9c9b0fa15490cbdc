internal import CairnDocument
internal import GRDB

/// A cache of the row keys of annotators, classes, pins and runs, read on first use.
final class KeyCache {
  /// The key of an annotator, and of others whose labels would have the same file names.
  struct AnnotatorKey {
    let key: Int64
    var rivals: [Int64]
  }

  private let db: Database
  private var annotators: [Int64: (annotator: Annotator, tag: String)] = [:]
  private var classes: [Int64: ClassKey] = [:]
  private var classNames: [Int64: String?] = [:]
  private var runs: [Int64: RunID] = [:]
  private var tags: [Annotator: String] = [:]
  private var annotatorKeys: [Annotator: AnnotatorKey] = [:]
  private var classNumbers: [ClassKey: Int64] = [:]
  private var runNumbers: [RunID: Int64] = [:]
  /// Finds the id of a photo by row key; prepared once, since commands look up many photos.
  private(set) lazy var photoIDs: Result<PreparedStatement, any Error> = Result {
    try PreparedStatement(db, "SELECT id FROM photo WHERE key = ?")
  }
  /// Finds the document and the location of a photo by row key.
  private(set) lazy var photoDocuments: Result<PreparedStatement, any Error> = Result {
    try PreparedStatement(
      db,
      """
      SELECT photoDocument.document, coalesce(pin.latitude, photoPlace.latitude),
        coalesce(pin.longitude, photoPlace.longitude)
      FROM photo JOIN photoDocument ON photoDocument.photo = photo.key
      LEFT JOIN pin ON pin.key = photo.pin AND pin.removed = 0
      LEFT JOIN photoPlace ON photoPlace.photo = photo.key WHERE photo.key = ?
      """)
  }
  /// Finds the documents of photos by the hash of their file name, sorted by row key.
  private(set) lazy var namedDocuments: Result<PreparedStatement, any Error> = Result {
    try PreparedStatement(
      db,
      """
      SELECT photoDocument.document FROM photo INDEXED BY photoFile
      CROSS JOIN photoDocument ON photoDocument.photo = photo.key
      WHERE photo.file = ? ORDER BY photo.key
      """)
  }
  /// Finds the resolutions of a photo by row key.
  private(set) lazy var photoResolutions: Result<PreparedStatement, any Error> = Result {
    try PreparedStatement(db, "SELECT class, state, confidence FROM resolution WHERE photo = ?")
  }

  init(_ db: Database) { self.db = db }

  // MARK: From row keys

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

  /// Returns the display name of a class; nil if the class was not created.
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

  // MARK: To row keys

  /// Returns the row key of a class; nil if the database has none.
  func known(_ key: ClassKey) throws -> Int64? {
    if let known = classNumbers[key] { return known }
    let number = try Int64.fetchOne(
      db, sql: "SELECT key FROM class WHERE text = ?", arguments: [key.text])
    classNumbers[key] = number
    return number
  }

  /// Returns the row key of a class, assigning one if needed.
  func number(of key: ClassKey) throws -> Int64 {
    if let known = try known(key) { return known }
    let number = try insert("INSERT INTO class (text) VALUES (?)", [key.text])
    classNumbers[key] = number
    return number
  }

  /// A key without a row.
  static let missing: Int64 = -1

  /// Returns the row key of a pin, or ``missing``.
  func known(_ pin: PinID) throws -> Int64 {
    try find("SELECT key FROM pin WHERE id = ?", pin.text)
  }

  /// Returns the row key of a run, or ``missing``.
  func known(_ run: RunID) throws -> Int64 {
    try find("SELECT key FROM run WHERE id = ?", run.text)
  }

  /// Returns the row key of an annotator, or ``missing``.
  func known(_ annotator: Annotator) throws -> Int64 {
    try find("SELECT key FROM annotator WHERE text = ?", annotator.description)
  }

  /// Returns whether a query for a text has results.
  func isFound(_ sql: String, _ text: String) throws -> Bool {
    try Int.fetchOne(db, sql: sql + " LIMIT 1", arguments: [text]) != nil
  }

  /// Returns whether any photo's file has a location.
  func hasLocations() throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM photoPlace LIMIT 1") != nil
  }

  private func find(_ sql: String, _ text: String) throws -> Int64 {
    try Int64.fetchOne(db, sql: sql, arguments: [text]) ?? KeyCache.missing
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

  /// Returns the tag of an annotator in file names, which is expensive to compute.
  func tag(of annotator: Annotator) -> String {
    if let known = tags[annotator] { return known }
    let tag = annotator.tag
    tags[annotator] = tag
    return tag
  }

  func annotatorKey(_ annotator: Annotator) throws -> AnnotatorKey {
    if let known = annotatorKeys[annotator] { return known }
    let tag = tag(of: annotator)
    let key =
      try Int64.fetchOne(
        db, sql: "SELECT key FROM annotator WHERE text = ?", arguments: [annotator.description])
      ?? insert("INSERT INTO annotator (text, tag) VALUES (?, ?)", [annotator.description, tag])
    let alike = try Int64.fetchAll(
      db, sql: "SELECT key FROM annotator WHERE tag = ?", arguments: [tag])
    // Cached annotators with the same tag now have one more rival.
    if alike.count > 1 { annotatorKeys = annotatorKeys.filter { !alike.contains($0.value.key) } }
    let annotatorKey = AnnotatorKey(key: key, rivals: alike.filter { $0 != key })
    annotatorKeys[annotator] = annotatorKey
    return annotatorKey
  }

  private func insert(_ sql: String, _ arguments: StatementArguments) throws -> Int64 {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
    return db.lastInsertedRowID
  }
}
