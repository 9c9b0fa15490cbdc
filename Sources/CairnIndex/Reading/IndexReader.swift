package import CairnDocument
internal import Foundation
internal import GRDB

/// Queries on one snapshot of the index.
package struct IndexReader {
  let db: Database
  let names: KeyCache

  init(_ db: Database) {
    self.db = db
    names = KeyCache(db)
  }

  /// The numbers of photos, labels, pins and classes, without removed ones.
  package struct Counts: Equatable, Sendable {
    package let photos: Int
    package let labels: Int
    package let pins: Int
    package let classes: Int
  }

  /// Returns the tree that the database has read; nil if none.
  package func tree() throws -> String? {
    try value("tree")
  }

  func value(_ key: String) throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key])
  }

  /// Returns the paths that were read from the work tree, with the statuses of their files.
  package func overlay() throws -> [String: String] {
    let rows = try Row.fetchAll(db, sql: "SELECT path, status FROM overlay")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// The SQL condition for a visible photo, consistent with ``Visibility``: it exists and was not
  /// removed, or was later labeled by a person, other than as a favorite.
  static let visibleCondition = """
    view > 0 AND (removedTime IS NULL OR EXISTS (
      SELECT 1 FROM label JOIN annotator ON annotator.key = label.annotator
      WHERE label.photo = photo.key AND verdict > 0 AND text LIKE 'human:%'
        AND class IS NOT (SELECT key FROM class WHERE class.text = 'favorite')
        AND (said, tick) > (removedTime, removedTick)))
    """

  package func counts() throws -> Counts {
    func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
    return Counts(
      photos: try count("SELECT count(*) FROM photo WHERE \(IndexReader.visibleCondition)"),
      labels: try count("SELECT count(*) FROM label WHERE verdict > 0"),
      pins: try count("SELECT count(*) FROM pin WHERE removed = 0"),
      classes: try count("SELECT count(*) FROM class WHERE removed = 0"))
  }

  /// Calls `visit` for photos with their labels, sorted by id.
  ///
  /// - Parameters:
  ///   - pin: Only the photos of this pin.
  ///   - last: Only photos after this one.
  ///   - limit: The maximum number of photos.
  package func forEachPhoto(
    pin: PinID?, after last: PhotoID?, limit: Int, _ visit: (Photo, [Label]) throws -> Void
  ) throws {
    let photos = try PreparedStatement(
      db,
      """
      SELECT key, document FROM photo JOIN photoDocument ON photoDocument.photo = photo.key
      WHERE key > ?1 \(pin == nil ? "" : "AND pin = (SELECT key FROM pin WHERE id = ?3)")
      ORDER BY key LIMIT ?2
      """)
    photos.bind(try last.map { try key(of: $0) ?? PhotoKey.first(of: $0.digest) } ?? -1, at: 1)
    photos.bind(Int64(limit), at: 2)
    if let pin { photos.bind(pin.text, at: 3) }
    let labels = try LabelRows(db, names, "WHERE photo = ?")
    while try photos.step() {
      let photo = try Photo(bytes: photos.blob(1))
      try visit(photo, try labels.all(of: photo.id, key: photos.int(0)))
    }
  }

  /// Returns a photo's labels, sorted by the names of their documents.
  package func labels(of photo: PhotoID) throws -> [Label] {
    try key(of: photo).map {
      try LabelRows(db, names, "WHERE photo = ?").all(of: photo, key: $0)
    } ?? []
  }

  /// Returns the row key of a photo; nil if the database has none.
  func key(of photo: PhotoID) throws -> Int64? {
    let digest = photo.digest
    let find = try names.photoIDs.get()
    var key = PhotoKey.first(of: digest)
    while true {
      find.bind(key, at: 1)
      guard let known = try find.first({ $0.blob(0) }) else { return nil }
      if known == digest { return key }
      key += 1
    }
  }

  /// Returns all pins, sorted by name, then by id.
  package func pins() throws -> [Pin] {
    try documents("SELECT document FROM pin WHERE document NOT NULL ORDER BY name, id") {
      try Pin(bytes: $0)
    }
  }

  /// Returns the pins whose ids begin with `text` or whose name is `text`; none if it is empty, the
  /// name of all pins without one.
  package func pins(matching text: String) throws -> [Pin] {
    if text.isEmpty { return [] }
    return try documents(
      """
      SELECT document FROM pin WHERE document NOT NULL
        AND (name = ?1 OR length(?1) >= 4 AND id >= ?1 AND id < ?1 || 'g') ORDER BY id
      """, [text]
    ) { try Pin(bytes: $0) }
  }

  /// Returns the number of visible photos at each pin that has any.
  package func photoCounts() throws -> [PinID: Int] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT pin.id, count(*) FROM photo JOIN pin ON pin.key = photo.pin
        WHERE \(IndexReader.visibleCondition) GROUP BY pin.key
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

/// Returns bytes as a database value.
func bytes(_ bytes: [UInt8]) -> Data { Data(bytes) }
