internal import CairnBase
internal import CairnDocument

/// A reader of CSV tables with a header. Source: RFC 4180; a byte order mark is skipped.
struct CSVReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  /// The indexes of the columns that are read.
  private struct Columns {
    var file: Int?
    var photo: Int?
    var label: Int?
    var keywords: Int?
    var confidence: Int?
    /// Whether the confidence column is named `score`.
    var isScore = false
    var verdict: Int?
    var annotators: Int?
    var text: Int?
    var box: [Int] = []
    var size: [Int] = []
    /// Title, caption, credit and pin.
    var metadata: [String: Int] = [:]
    /// The ignored columns with their names.
    var unused: [(name: String, index: Int)] = []

    /// Returns nil when no column identifies photos or labels.
    init?(_ header: [String]) {
      var used: Set<Int> = []
      func first(_ names: String...) -> Int? {
        guard let name = names.first(where: { header.contains($0) }) else { return nil }
        let index = header.firstIndex(of: name)
        index.map { _ = used.insert($0) }
        return index
      }
      func all(_ names: [String]) -> [Int] {
        let found = names.compactMap { header.firstIndex(of: $0) }
        if found.count == names.count { used.formUnion(found) }
        return found
      }
      file = first("file_name", "filename", "file", "image", "path")
      photo = first("photo")
      label = first("label", "class", "class_name", "category")
      keywords = first("keywords", "tags")
      confidence = first("confidence", "score")
      isScore = confidence.map { header[$0] == "score" } ?? false
      verdict = first("state", "verdict")
      annotators = first("annotators")
      text = first("text")
      box = all(["x", "y", "width", "height"])
      size = all(["image_width", "image_height"])
      for name in CSVReader.metadata where header.contains(name.rawValue) {
        metadata[name.rawValue] = first(name.rawValue)
      }
      if metadata["pin"] != nil {
        for name in ["pin_name", "latitude", "longitude"] { metadata[name] = first(name) }
      }
      unused = header.enumerated().filter { !used.contains($0.offset) }
        .map { ($0.element, $0.offset) }
      guard file != nil || photo != nil, label != nil || keywords != nil else { return nil }
    }
  }

  private static let metadata: [PhotoColumn] = [
    .title, .caption, .source, .pin, .author, .license, .creditTitle, .service, .page, .url,
  ]

  func read() throws {
    let path = try source.onlyFile()
    try source.withBytes(of: path) { bytes in
      var table = CSVTable(bytes)
      let top = ImportedLocation(path, line: 1)
      guard let header = try table.next(path), let columns = Columns(header) else {
        throw FormatError(top, "there is no header with “file_name” and “label”")
      }
      guard columns.box.isEmpty || columns.box.count == 4 else {
        throw FormatError(top, "some of x, y, width and height are missing")
      }
      var progress = ImportReader.ReadProgress(bytes)
      while let row = try table.next(path) {
        progress.advance(to: table.position)
        let location = ImportedLocation(path, line: table.line)
        guard row.count == header.count else {
          try source.problem(location, "\(row.count) cells, but the header has \(header.count)")
          continue
        }
        for (name, index) in columns.unused where !row[index].isEmpty {
          source.ignore("the column “\(name.prefix(64))”")
        }
        try read(row, columns, location)
      }
    }
  }

  private func read(_ row: [String], _ columns: Columns, _ location: ImportedLocation) throws {
    func cell(_ column: Int?) -> String? { column.flatMap { row[$0].isEmpty ? nil : row[$0] } }
    var photo = ImportedPhoto(
      cell(columns.file) ?? "", id: cell(columns.photo).flatMap { PhotoID($0) },
      location: location)
    let size = columns.size.map { Double(row[$0]) }
    if size.count == 2 { photo.extent = PixelExtent(width: size[0], height: size[1]) }
    photo.metadata = ImportedMetadata { cell(columns.metadata[$0]) }
    photo.metadata.pin = pin({ cell(columns.metadata[$0]) }, location)
    if let name = cell(columns.label) {
      guard let label = try label(name, row, columns, location) else { return }
      photo.labels = [label]
    }
    photo.labels += (cell(columns.keywords) ?? "").keywords.map { ImportedLabel($0) }
    try source.photo(photo)
  }

  /// Returns the label of a row; nil after reporting a problem.
  private func label(
    _ name: String, _ row: [String], _ columns: Columns, _ location: ImportedLocation
  ) throws -> ImportedLabel? {
    func cell(_ column: Int?) -> String? { column.flatMap { row[$0].isEmpty ? nil : row[$0] } }
    func wrong(_ message: String) throws -> ImportedLabel? {
      try source.problem(location, message)
      return nil
    }
    var label = ImportedLabel(name)
    label.text = cell(columns.text)
    if let text = cell(columns.confidence) {
      guard let confidence = Double(text), 0...1 ~= confidence else {
        return try wrong("the confidence “\(text)” is not between 0 and 1")
      }
      (label.confidence, label.isScored) = (confidence, columns.isScore)
    }
    if let state = columns.verdict.map({ row[$0] }) {
      let annotators = columns.annotators.map { row[$0].split(separator: " ") } ?? []
      guard label.take(state: state, annotators: annotators) else {
        return try wrong("“\(state)” is not a state that one annotator can give")
      }
    }
    let cells = columns.box.map { row[$0] }
    if cells.contains(where: { !$0.isEmpty }) {
      let numbers = cells.compactMap { Double($0) }
      guard numbers.count == 4 else {
        return try wrong("the box has a cell that is not a number")
      }
      label.box = .fractions(
        NormalizedRect(
          x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    }
    return label
  }

  private func pin(_ cell: (String) -> String?, _ location: ImportedLocation) -> ImportedPin? {
    guard let id = cell("pin").flatMap({ PinID($0) }),
      let latitude = cell("latitude").flatMap({ Double($0) }),
      let longitude = cell("longitude").flatMap({ Double($0) }),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return ImportedPin(
      id: id, coordinate: coordinate, name: cell("pin_name") ?? "", location: location)
  }
}

extension String {
  /// The elements of a list separated by “;” or, if there is none, by “,”.
  var keywords: [String] {
    split(separator: contains(";") ? ";" : ",").map { String($0).trimmingSpaces() }.filter {
      !$0.isEmpty
    }
  }
}
