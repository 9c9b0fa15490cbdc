internal import CairnDocument

/// The columns of a table that are read.
struct CSVColumns {
  /// The unit of boxes.
  enum Unit: String { case fractions, pixels }

  /// The names in the header; empty without one.
  let header: [String]
  /// The number of cells in a row; nil when rows have different numbers of labels at their end.
  var count: Int?
  /// The column of each role.
  var roles: [CSVRole: Int] = [:]
  /// The columns of title, caption, credit and pin, by the names of these.
  var metadata: [String: Int] = [:]
  /// The class of all rows, when no column has it.
  var constantLabel: String?
  /// A column for each class, with 1 where a photo has it.
  var classes: [(name: String, index: Int)] = []
  /// Whether a 0 in ``classes`` says that the class is absent; otherwise it says nothing.
  var zerosAreAbsent = false
  /// The first of the columns with further labels; nil when there are none.
  var furtherLabels: Int?
  /// The unit of boxes that was given; nil to infer it from the numbers.
  var unit: Unit?
  /// The columns that were named explicitly: their cells must be valid.
  var mapped: Set<Int> = []

  init(header: [String], count: Int?) { (self.header, self.count) = (header, count) }

  /// Whether there is a photo in each row, and what it is labeled with.
  var isComplete: Bool { namesPhotos && namesClasses }
  var namesPhotos: Bool { roles[.image] != nil || roles[.photo] != nil }
  var namesClasses: Bool {
    roles[.label] != nil || roles[.keywords] != nil || constantLabel != nil || !classes.isEmpty
      || furtherLabels != nil
  }

  /// Whether the confidence is a score, as models give them.
  var isScored: Bool {
    guard let index = roles[.confidence], index < header.count else { return false }
    return !mapped.contains(index) && CSVRole.folded(header[index]) != "confidence"
  }

  /// The columns that are not read, with their names.
  var unused: [(name: String, index: Int)] {
    var used = Set(roles.values).union(metadata.values)
    used.formUnion(classes.map(\.index))
    return header.enumerated().filter { !used.contains($0.offset) }.map { ($0.element, $0.offset) }
  }

  // MARK: Names

  static let metadataColumns: [PhotoColumn] = [
    .title, .caption, .source, .pin, .author, .license, .creditTitle, .service, .page, .url,
  ]

  /// Creates the columns that a header's usual names show.
  init(naming header: [String]) {
    self.init(header: header, count: header.count)
    let names = header.map(CSVRole.folded)
    var used: Set<Int> = []
    func take(_ candidates: [String]) -> Int? {
      for name in candidates {
        if let index = names.firstIndex(of: name), used.insert(index).inserted { return index }
      }
      return nil
    }
    findBox(names, &used)
    for role in CSVRole.allCases where roles[role] == nil {
      roles[role] = take(role.names)
    }
    // Beside a box that they are not part of, they are the image's.
    if roles[.width] == nil, roles[.height] == nil, roles[.imageWidth] == nil,
      let width = names.firstIndex(of: "width"), let height = names.firstIndex(of: "height")
    {
      (roles[.imageWidth], roles[.imageHeight]) = (width, height)
    }
    for column in CSVColumns.metadataColumns { metadata[column.rawValue] = take([column.rawValue]) }
    if metadata["pin"] != nil {
      for name in ["pin_name", "latitude", "longitude"] { metadata[name] = take([name]) }
    }
  }

  private mutating func findBox(_ names: [String], _ used: inout Set<Int>) {
    for (boxRoles, candidates) in CSVRole.boxes {
      for candidate in candidates {
        let found = candidate.compactMap { names.firstIndex(of: $0) }
        guard Set(found).count == 4 else { continue }
        for (role, index) in zip(boxRoles, found) { roles[role] = index }
        used.formUnion(found)
        return
      }
    }
  }

  /// Finds a column for each class, as Roboflow's `_classes.csv` has them: below all other names
  /// are only zeros and ones.
  mutating func findClasses(_ rows: some Collection<[String]>, isClassTable: Bool) {
    guard namesPhotos, !namesClasses, box == nil, !rows.isEmpty else { return }
    let columns = unused.filter { !$0.name.isEmpty }
    let limit = isClassTable ? 1 : 2
    guard columns.count >= limit else { return }
    let isOneHot = columns.allSatisfy { column in
      rows.allSatisfy { row in
        column.index < row.count && CSVColumns.flag(row[column.index]) != nil
      }
    }
    if isOneHot { classes = columns.map { ($0.name.trimmingSpaces(), $0.index) } }
  }

  /// Returns whether a cell of ``classes`` has the class; nil when it is not such a cell.
  static func flag(_ cell: String) -> Bool? {
    switch cell.trimmingSpaces().lowercased() {
    case "1", "1.0", "true": true
    case "0", "0.0", "false", "": false
    default: nil
    }
  }

  // MARK: Boxes

  /// The roles that a row's box consists of; nil when rows have none.
  var box: [CSVRole]? {
    if roles[.bbox] != nil { return [.bbox] }
    return CSVRole.boxes.map(\.roles).first { box in box.allSatisfy { roles[$0] != nil } }
  }

  /// The names of a box's columns if some of them are there, but not all.
  var incompleteBox: [CSVRole]? {
    guard box == nil else { return nil }
    return CSVRole.boxes.map(\.roles).first { box in
      roles[box[0]] != nil || roles[box[1]] != nil
    }
  }
}
