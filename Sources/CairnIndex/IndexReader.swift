public import CairnDocument
internal import Foundation
internal import GRDB

/// Questions to the index, all answered from one state of it.
public struct IndexReader {
  let db: Database

  /// How many of each there are, removed ones left out.
  public struct Counts: Equatable, Sendable {
    public let photos: Int
    public let labels: Int
    public let pins: Int
    public let classes: Int
  }

  /// Returns the tree that the database has read; nil when it has read none.
  public func tree() throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'tree'")
  }

  /// Returns the paths that were read from the work tree, with the status their files had.
  public func overlay() throws -> [String: String] {
    let rows = try Row.fetchAll(db, sql: "SELECT path, status FROM overlay")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// As ``PhotoVisibility`` decides: there, and not removed, or labelled by a person since.
  private static let inView = """
    document IS NOT NULL AND (removed IS NULL OR EXISTS (
      SELECT 1 FROM label WHERE label.photo = photo.key AND annotator LIKE 'human:%'
        AND verdict != 'withdrawn' AND stamp > removed))
    """

  public func counts() throws -> Counts {
    func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
    return Counts(
      photos: try count("SELECT count(*) FROM photo WHERE \(IndexReader.inView)"),
      labels: try count("SELECT count(*) FROM label WHERE verdict != 'withdrawn'"),
      pins: try count("SELECT count(*) FROM pin WHERE NOT removed"),
      classes: try count("SELECT count(*) FROM class WHERE NOT removed"))
  }

  /// Calls `visit` for each photo with its labels, sorted by id.
  ///
  /// - Parameter pin: Only the photos of this pin.
  public func forEachPhoto(pin: PinID? = nil, _ visit: (Photo, [Label]) throws -> Void) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT key, document FROM photo
        WHERE document IS NOT NULL \(pin == nil ? "" : "AND pin = ?") ORDER BY id
        """, arguments: pin.map { [$0.text] } ?? [])
    while let row = try rows.next() {
      let photo = try Photo(bytes: [UInt8](row["document"] as Data))
      try visit(photo, try labels(photo: photo.id, key: row["key"]))
    }
  }

  /// Returns a photo's labels, sorted by the names of their documents.
  public func labels(of photo: PhotoID) throws -> [Label] {
    let key = try Int64.fetchOne(
      db, sql: "SELECT key FROM photo WHERE id = ?", arguments: [bytes(photo.digest)])
    return try key.map { try labels(photo: photo, key: $0) } ?? []
  }

  private func labels(photo: PhotoID, key: Int64) throws -> [Label] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT class, annotator, verdict, confidence, stamp, region, run FROM label
        WHERE photo = ? ORDER BY name
        """)
    return try Row.fetchAll(statement, arguments: [key]).compactMap { row in
      guard let classKey = ClassKey(row[0] as String), let annotator = Annotator(row[1] as String),
        let verdict = Verdict(rawValue: row[2]), let confidence = Double(row[3] as String),
        let stamp = Stamp(row[4] as String)
      else { return nil }
      return Label(
        photo: photo, classKey: classKey, annotator: annotator, verdict: verdict,
        confidence: confidence,
        region: try (row[5] as String?).map { try Region(json: try JSON(bytes: $0.utf8)) },
        run: (row[6] as String?).flatMap { RunID($0) }, stamp: stamp)
    }
  }

  /// Returns all pins, sorted by name, then by id.
  public func pins() throws -> [Pin] {
    try documents("SELECT document FROM pin ORDER BY name, id") { try Pin(bytes: $0) }
  }

  /// Returns the pins whose ids begin with `text` or whose name it is.
  public func pins(matching text: String) throws -> [Pin] {
    try documents(
      "SELECT document FROM pin WHERE name = ? OR (length(?) >= 4 AND id >= ? AND id < ? || 'g') ORDER BY id",
      [text, text, text, text]
    ) { try Pin(bytes: $0) }
  }

  /// How many photos each pin has, those out of view left out; a pin without photos is left out.
  public func photoCounts() throws -> [PinID: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT pin, count(*) FROM photo WHERE pin IS NOT NULL AND \(IndexReader.inView) GROUP BY pin
        """)
    return Dictionary(
      uniqueKeysWithValues: rows.compactMap { row in
        PinID(row[0] as String).map { ($0, row[1] as Int) }
      })
  }

  func documents<Value>(
    _ sql: String, _ arguments: StatementArguments = [], _ make: ([UInt8]) throws -> Value
  ) throws -> [Value] {
    try Data.fetchAll(db, sql: sql, arguments: arguments).map { try make([UInt8]($0)) }
  }
}

/// Wraps bytes for the database.
func bytes(_ bytes: [UInt8]) -> Data { Data(bytes) }
