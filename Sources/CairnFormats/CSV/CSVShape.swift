internal import CairnDocument

/// Tables without a header that programs write.
enum CSVShape {
  /// The first cells of rows of AutoML.
  private static let sets: Set = [
    "TRAIN", "TRAINING", "VALIDATE", "VALIDATION", "TEST", "UNASSIGNED",
  ]

  /// Returns the columns of a table whose first row is already one of these; nil for others:
  ///
  /// - keras-retinanet: `path,x1,y1,x2,y2,class` in pixels, and `path,,,,,` for an image without
  ///   objects. Source: its README, “CSV datasets”.
  /// - AutoML Vision, objects: `TRAIN,path,label,x_min,y_min,,,x_max,y_max,,` in fractions, or with
  ///   all four corners; the first column may be missing. Source: “Formatting a training data CSV”.
  /// - AutoML Vision, classification: `TRAIN,path,label,label,…`. Source: `InputConfig`.
  /// - `path,label`.
  static func columns(withoutHeader row: [String]) -> CSVColumns? {
    var columns = CSVColumns(header: [], count: row.count)
    func areNumbers(_ range: ClosedRange<Int>) -> Bool {
      range.allSatisfy { row[$0].isEmpty || Double(row[$0].trimmingSpaces()) != nil }
    }
    let hasSet = row.count > 1 && sets.contains(row[0].uppercased()) && isPath(row[1])
    let first = hasSet ? 1 : 0
    guard isPath(row[first]) else { return nil }
    columns.roles[.image] = first
    if row.count == first + 10, areNumbers(first + 2...first + 9) {
      let corners: [CSVRole: Int] = [.label: 1, .x1: 2, .y1: 3, .x2: 6, .y2: 7]
      for (role, index) in corners { columns.roles[role] = first + index }
      columns.unit = .fractions
      return columns
    }
    if hasSet {
      (columns.furtherLabels, columns.count) = (2, nil)
      return columns
    }
    if row.count == 6, areNumbers(1...4) {
      let corners: [CSVRole: Int] = [.x1: 1, .y1: 2, .x2: 3, .y2: 4, .label: 5]
      for (role, index) in corners { columns.roles[role] = index }
      columns.unit = .pixels
      return columns
    }
    if row.count == 2, !isPath(row[1]), !row[1].isEmpty {
      columns.roles[.label] = 1
      return columns
    }
    return nil
  }

  /// Returns whether a first row has data instead of names.
  static func isData(_ row: [String]) -> Bool {
    row.contains { isPath($0) || Double($0.trimmingSpaces()) != nil }
  }

  private static func isPath(_ cell: String) -> Bool { cell.hasPrefix("gs://") || isImage(cell) }

  /// Returns whether a cell has the name of an image file.
  static func isImage(_ cell: String) -> Bool {
    guard let dot = cell.lastIndex(of: "."), dot > cell.startIndex else { return false }
    let suffix = cell[cell.index(after: dot)...].prefix { $0 != "?" }
    return imageExtensions.contains(String(suffix).trimmingSpaces().lowercased())
  }
}
