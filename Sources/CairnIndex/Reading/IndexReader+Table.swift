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
  case photo, `class`, state, confidence, taken, name
}

/// What rows of a table must have; nil for anything.
package struct TableFilter: Equatable, Sendable {
  package var classKey: ClassKey?
  package var state: Resolution.State?
  /// A person or model with a label of the class.
  package var annotator: Annotator?

  package init() {}
}

extension IndexReader {
  /// Returns the cells of a table: the resolutions of photos that match a filter.
  package func tableCells(
    of photos: PhotoFilter, _ filter: TableFilter, by order: TableOrder, isReversed: Bool
  ) throws -> [TableCell] {
    var conditions = ["photo = ?1"]
    if let key = filter.classKey {
      conditions.append("class = \(try names.known(key) ?? KeyCache.missing)")
    }
    if let number = filter.state?.number { conditions.append("state = \(number)") }
    if let annotator = filter.annotator {
      conditions.append(
        """
        EXISTS (SELECT 1 FROM label JOIN class ON class.key = label.class
          WHERE label.photo = resolution.photo AND verdict > 0
          AND annotator = \(try names.known(annotator))
          AND coalesce(class.canonical, class.key) = resolution.class)
        """)
    }
    let value =
      switch order {
      case .photo: "NULL"
      case .class: "(SELECT name FROM class WHERE key = resolution.class)"
      case .state: "state"
      case .confidence: "confidence"
      case .taken: "(SELECT taken FROM photo WHERE key = resolution.photo)"
      case .name: "(SELECT title FROM photo WHERE key = resolution.photo)"
      }
    let rows = try PreparedStatement(
      db,
      "SELECT class, \(value) FROM resolution WHERE \(conditions.joined(separator: " AND "))")
    var cells: [(cell: TableCell, number: Double, text: String)] = []
    try forEachKey(where: photos) { key in
      rows.bind(key, at: 1)
      while try rows.step() {
        let cell = TableCell(photo: key, labelClass: rows.int(0))
        switch order {
        case .photo: cells.append((cell, 0, ""))
        case .class, .name: cells.append((cell, 0, SearchText.folded(rows.text(1))))
        case .state, .confidence, .taken: cells.append((cell, rows.double(1), ""))
        }
      }
    }
    if order != .photo {
      cells.sort { ($0.number, $0.text, $0.cell.photo) < ($1.number, $1.text, $1.cell.photo) }
    }
    return isReversed ? cells.reversed().map(\.cell) : cells.map(\.cell)
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
