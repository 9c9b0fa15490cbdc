package import CairnDocument
package import CairnMerge
internal import GRDB

// Light lists of photos for pages and tables: straight from the rows, without reading documents.

/// The light form of a photo.
package struct PhotoRow: Equatable, Sendable {
  package struct ClassState: Equatable, Sendable {
    package let classKey: ClassKey
    package let state: Resolution.State
    package let confidence: Double
    /// The person's own verdict.
    package let mine: Verdict?
  }

  package let id: PhotoID
  /// In pixels, upright.
  package let width: Int
  package let height: Int
  /// The title, or the name of the file.
  package let name: String
  package let taken: String?
  package let pin: PinID?
  /// The location of its pin; without one, the location in its file.
  package let location: Coordinate?
  package let isRemoved: Bool
  package let isFavorite: Bool
  /// Whether the image is on this disk; the index does not know, so it is set later.
  package var isLocal = true
  /// The highest confidence first.
  package let classes: [ClassState]

  /// Whether people decided every class that has a label, and at least one.
  package var isReviewed: Bool {
    classes.contains { $0.state == .confirmed || $0.state == .rejected }
      && !classes.contains { $0.state == .predicted || $0.state == .disputed }
  }
}

/// The row keys of photos, in the order of a search. A key stays the key of its photo as long as the
/// index exists.
package typealias PhotoRowKey = Int64

extension IndexReader {
  /// Returns the row keys of the photos that match a filter.
  package func photoKeys(
    where filter: PhotoFilter, by order: PhotoOrder = .id, isReversed: Bool = false,
    offset: Int = 0, limit: Int? = nil
  ) throws -> [PhotoRowKey] {
    var keys: [PhotoRowKey] = []
    try forEachKey(
      where: filter, by: order, isReversed: isReversed, offset: offset, limit: limit
    ) { keys.append($0) }
    return keys
  }

  /// Returns the row keys of photos, in their order; photos that the index does not have are left
  /// out.
  package func photoKeys(of photos: [PhotoID]) throws -> [PhotoRowKey] {
    try photos.compactMap { try key(of: $0) }
  }

  /// Returns the ids of photos; nil for one that the index no longer has.
  package func photoIDs(of keys: some Sequence<PhotoRowKey>) throws -> [PhotoID?] {
    let find = try PreparedStatement(db, "SELECT id FROM photo WHERE key = ?")
    return try keys.map { key in
      find.bind(key, at: 1)
      return try find.first { PhotoID(digest: $0.blob(0)) }
    }
  }

  /// Returns the rows of photos, in their order; photos that the index no longer has are left out.
  ///
  /// - Parameter me: The addresses of the person whose favorites and verdicts are reported.
  package func rows(
    of keys: some Sequence<PhotoRowKey>, for me: [Annotator]
  ) throws -> [PhotoRow] {
    try rowsIfPresent(of: keys, for: me).compactMap { $0 }
  }

  /// Returns the rows of photos, in their order; nil for one that the index no longer has.
  package func rowsIfPresent(
    of keys: some Sequence<PhotoRowKey>, for me: [Annotator]
  ) throws -> [PhotoRow?] {
    let photos = try PreparedStatement(db, IndexReader.rowQuery)
    let states = try PreparedStatement(
      db, "SELECT class, state, confidence FROM resolution WHERE photo = ?")
    let annotators = try me.map { "\(try names.known($0))" }.joined(separator: ", ")
    let own = try PreparedStatement(
      db,
      """
      SELECT label.class, coalesce(class.canonical, class.key), verdict FROM label
      JOIN class ON class.key = label.class
      WHERE photo = ? AND annotator IN (\(annotators)) AND verdict > 0 ORDER BY said, tick
      """)
    let favorite = try names.known(ClassKey.favorite)
    return try keys.map { key in
      photos.bind(key, at: 1)
      guard let row = try photos.first(RowFacts.init) else { return nil }
      var mine: [Int64: Verdict] = [:]
      var isFavorite = false
      own.bind(key, at: 1)
      while try own.step() {
        guard let verdict = Verdict(number: own.int(2)) else { continue }
        if own.int(0) == favorite { isFavorite = verdict == .present }
        mine[own.int(1)] = verdict
      }
      var classes: [PhotoRow.ClassState] = []
      states.bind(key, at: 1)
      while try states.step() {
        guard let classKey = try names.classKey(states.int(0)), classKey != .favorite,
          let state = Resolution.State(number: states.int(1))
        else { continue }
        classes.append(
          PhotoRow.ClassState(
            classKey: classKey, state: state, confidence: states.double(2),
            mine: mine[states.int(0)]))
      }
      classes.sort { ($1.confidence, $0.classKey) < ($0.confidence, $1.classKey) }
      return row.photoRow(isFavorite: isFavorite, classes: classes)
    }
  }

  // The document is text that is stored as a blob.
  private static let rowQuery = """
    SELECT photo.id, photo.view, photo.title,
      json_extract(CAST(photoDocument.document AS TEXT), '$.image.width'),
      json_extract(CAST(photoDocument.document AS TEXT), '$.image.height'),
      json_extract(CAST(photoDocument.document AS TEXT), '$.image.orientation'),
      coalesce(json_extract(CAST(photoDocument.document AS TEXT), '$.image.taken'),
        json_extract(CAST(photoDocument.document AS TEXT), '$.credit.value.taken')),
      json_extract(CAST(photoDocument.document AS TEXT), '$.source.value'),
      pin.id, coalesce(pin.latitude, photoPlace.latitude),
      coalesce(pin.longitude, photoPlace.longitude)
    FROM photo JOIN photoDocument ON photoDocument.photo = photo.key
    LEFT JOIN pin ON pin.key = photo.pin AND pin.removed = 0
    LEFT JOIN photoPlace ON photoPlace.photo = photo.key WHERE photo.key = ?
    """
}

/// One row of the query for photos.
private struct RowFacts {
  let id: PhotoID
  let isRemoved: Bool
  let size: (width: Int, height: Int)
  let name: String
  let taken: String?
  let pin: PinID?
  let location: Coordinate?

  init(_ row: PreparedStatement) {
    id = PhotoID(digest: row.blob(0))
    isRemoved = row.int(1) != 1
    let (width, height) = (Int(row.int(3)), Int(row.int(4)))
    size = row.int(5) >= 5 ? (height, width) : (width, height)
    let title = row.text(2)
    name = title.isEmpty ? row.text(7) : title
    taken = row.isNull(6) ? nil : row.text(6)
    pin = row.isNull(8) ? nil : PinID(row.text(8))
    location =
      row.isNull(9) || row.isNull(10)
      ? nil : Coordinate(latitude: row.double(9), longitude: row.double(10))
  }

  func photoRow(isFavorite: Bool, classes: [PhotoRow.ClassState]) -> PhotoRow {
    PhotoRow(
      id: id, width: size.width, height: size.height, name: name, taken: taken, pin: pin,
      location: location, isRemoved: isRemoved, isFavorite: isFavorite, classes: classes)
  }
}
