package import CairnDocument
package import CairnMerge
internal import GRDB

/// A photo and one of its classes, by row keys.
package struct TableCell: Equatable, Sendable {
  package let photo: PhotoRowKey
  package let labelClass: Int64
}

/// A row of a table of photos and classes.
package struct TableRow: Equatable, Sendable {
  package struct Verdict: Equatable, Sendable {
    package let annotator: Annotator
    package let isPresent: Bool
    package let confidence: Double
  }

  package let photo: PhotoID
  package let name: String
  package let taken: String?
  package let pin: PinID?
  package let classKey: ClassKey
  package let className: String
  package let state: Resolution.State
  package let confidence: Double
  /// The labels of the class that are not withdrawn, by annotator.
  package let verdicts: [Verdict]
}

/// The order of a table; in ascending order unless reversed.
package enum TableOrder: String, Sendable, CaseIterable {
  /// `predictions` is by the greatest confidence of a model that the class is present, and
  /// `verdicts` by the number of people with a label of the class.
  case photo, `class`, state, confidence, predictions, verdicts, taken, pin, name
}

/// What rows of a table must have; nil for anything.
package struct TableFilter: Equatable, Sendable {
  package enum PinChoice: Equatable, Sendable { case pin(PinID), withoutPin }

  package var photo: PhotoID?
  package var classKey: ClassKey?
  package var state: Resolution.State?
  /// The least confidence that the photo has the class, which is not rejected.
  package var confidence: Double?
  /// People and models with a label of the class.
  package var annotators: [Annotator] = []
  /// The days since 1970 on which the photo was taken.
  package var day: Int?
  package var pin: PinChoice?

  package init() {}
}

extension IndexReader {
  /// Returns the cells of a table: the resolutions of photos that match a filter.
  package func tableCells(
    of photos: PhotoFilter, _ filter: TableFilter, by order: TableOrder, isReversed: Bool
  ) throws -> [TableCell] {
    let rows = try PreparedStatement(
      db,
      """
      SELECT class, \(IndexReader.value(of: order)) FROM resolution
      WHERE \(try conditions(filter).joined(separator: " AND "))
      """)
    var cells: [(cell: TableCell, number: Double, text: String)] = []
    try forEachKey(where: photos) { key in
      rows.bind(key, at: 1)
      while try rows.step() {
        let cell = TableCell(photo: key, labelClass: rows.int(0))
        switch order {
        case .photo: cells.append((cell, 0, ""))
        // Without a pin or a time: after the others.
        case .class, .name, .pin:
          cells.append((cell, rows.isNull(1) ? 1 : 0, SearchText.folded(rows.text(1))))
        case .taken: cells.append((cell, rows.isNull(1) ? .infinity : rows.double(1), ""))
        case .state, .confidence, .predictions, .verdicts:
          cells.append((cell, rows.double(1), ""))
        }
      }
    }
    if order != .photo {
      cells.sort { ($0.number, $0.text, $0.cell.photo) < ($1.number, $1.text, $1.cell.photo) }
    }
    return isReversed ? cells.reversed().map(\.cell) : cells.map(\.cell)
  }

  /// Returns the conditions of a filter on rows of `resolution`, for the photo `?1`.
  private func conditions(_ filter: TableFilter) throws -> [String] {
    var conditions = ["photo = ?1"]
    if let photo = filter.photo {
      conditions.append("photo = \(try key(of: photo) ?? KeyCache.missing)")
    }
    if let key = filter.classKey {
      conditions.append("class = \(try names.known(key) ?? KeyCache.missing)")
    }
    if let number = filter.state?.number { conditions.append("state = \(number)") }
    if let least = filter.confidence {
      // Not rejected: see the schema.
      conditions.append("confidence >= \(least) AND state <> 1")
    }
    for annotator in filter.annotators {
      conditions.append(
        "EXISTS (SELECT 1 \(IndexReader.labels) AND annotator = \(try names.known(annotator)))")
    }
    if let day = filter.day {
      let start = Int64(day) * Schema.dayMilliseconds
      conditions.append(
        """
        (SELECT taken FROM photo WHERE key = ?1)
          BETWEEN \(start) AND \(start + Schema.dayMilliseconds - 1)
        """)
    }
    let pin = "(SELECT pin.key FROM photo JOIN pin ON pin.key = photo.pin AND pin.removed = 0"
    switch filter.pin {
    case nil: break
    case .withoutPin?: conditions.append("\(pin) WHERE photo.key = ?1) IS NULL")
    case .pin(let id)?:
      conditions.append("\(pin) WHERE photo.key = ?1) = \(try names.known(id))")
    }
    return conditions
  }

  /// The labels behind a row of `resolution`.
  private static let labels = """
    FROM label JOIN class ON class.key = label.class
    WHERE label.photo = resolution.photo AND verdict > 0
      AND coalesce(class.canonical, class.key) = resolution.class
    """

  /// Returns the value that an order sorts rows of `resolution` by.
  private static func value(of order: TableOrder) -> String {
    let people = "SELECT key FROM annotator WHERE text LIKE 'human:%'"
    return switch order {
    case .photo: "NULL"
    case .class: "(SELECT name FROM class WHERE key = resolution.class)"
    case .state: "state"
    // That of a rejected class is the confidence of the rejection.
    case .confidence: "CASE state WHEN 1 THEN -confidence ELSE confidence END"
    case .predictions:
      """
      (SELECT max(CASE verdict WHEN 1 THEN confidence ELSE 0 END) \(labels)
        AND annotator NOT IN (\(people)))
      """
    case .verdicts: "(SELECT count(DISTINCT annotator) \(labels) AND annotator IN (\(people)))"
    case .taken: "(SELECT taken FROM photo WHERE key = ?1)"
    case .pin:
      """
      (SELECT coalesce(pin.name, '') FROM photo JOIN pin ON pin.key = photo.pin AND pin.removed = 0
        WHERE photo.key = ?1)
      """
    // The document is text that is stored as a blob.
    case .name:
      """
      (SELECT coalesce(nullif(title, ''),
          json_extract(CAST(document AS TEXT), '$.source.value'), '')
        FROM photo JOIN photoDocument ON photoDocument.photo = photo.key WHERE photo.key = ?1)
      """
    }
  }

  /// Returns the rows of a table; cells that no longer have a resolution are left out.
  package func tableRows(of cells: some Sequence<TableCell>) throws -> [TableRow] {
    let resolution = try PreparedStatement(
      db, "SELECT state, confidence FROM resolution WHERE photo = ? AND class = ?")
    let labels = try PreparedStatement(
      db,
      """
      SELECT annotator, verdict, confidence FROM label JOIN class ON class.key = label.class
      WHERE photo = ? AND coalesce(class.canonical, class.key) = ? AND verdict > 0
      ORDER BY annotator, box
      """)
    return try cells.compactMap { cell in
      for statement in [resolution, labels] {
        statement.bind(cell.photo, at: 1)
        statement.bind(cell.labelClass, at: 2)
      }
      guard let photo = try rows(of: [cell.photo], for: []).first,
        let key = try names.classKey(cell.labelClass),
        let found = try resolution.first({
          (Resolution.State(number: $0.int(0)), $0.double(1))
        }), let state = found.0
      else { return nil }
      var verdicts: [TableRow.Verdict] = []
      while try labels.step() {
        guard let annotator = try names.annotator(labels.int(0))?.annotator else { continue }
        verdicts.append(
          TableRow.Verdict(
            annotator: annotator, isPresent: labels.int(1) == 1, confidence: labels.double(2)))
      }
      return TableRow(
        photo: photo.id, name: photo.name, taken: photo.taken, pin: photo.pin, classKey: key,
        className: try names.className(cell.labelClass) ?? key.text, state: state,
        confidence: found.1, verdicts: verdicts)
    }
  }
}
