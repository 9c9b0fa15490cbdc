internal import CairnBase
internal import CairnDocument

/// A reader of the rows of a table with known columns.
struct CSVRowReader {
  private let source: ImportReader
  private let columns: CSVColumns
  private let boxes: CSVBoxes?
  /// The directory that image names are relative to, with a trailing slash; empty for the root.
  private let prefix: String
  private let allowsDecimalComma: Bool
  private let unused: [(name: String, index: Int)]
  private let isScored: Bool
  /// The number of cells in each of ``unused`` that are not empty.
  private var unusedCounts: [Int]
  private var zeros = 0
  private var badTimes = 0

  init(
    _ source: ImportReader, _ columns: CSVColumns, _ dialect: CSVDialect, _ boxes: CSVBoxes?,
    in directory: String
  ) {
    prefix = directory.isEmpty ? "" : "\(directory)/"
    (self.source, self.columns, self.boxes) = (source, columns, boxes)
    allowsDecimalComma = dialect.allowsDecimalComma
    unused = columns.unused
    isScored = columns.isScored
    unusedCounts = unused.map { _ in 0 }
  }

  /// Counts the data that are not imported.
  func reportUnused() {
    for ((name, _), count) in zip(unused, unusedCounts) where count > 0 {
      source.ignore("the column “\(name.prefix(64))”", count)
    }
    if zeros > 0 {
      source.ignore("zeros in columns of classes (`--map zeros=absent` imports them)", zeros)
    }
    if badTimes > 0 {
      source.ignore("times that are not in the form 2026-11-20T23:31:05Z", badTimes)
    }
  }

  mutating func read(_ row: [String], _ location: ImportedLocation) throws {
    if let count = columns.count, row.count != count {
      let expected = columns.header.isEmpty ? "the first row" : "the header"
      return try source.problem(location, "\(row.count) cells, but \(expected) has \(count)")
    }
    for (position, column) in unused.enumerated() where !row[column.index].isEmpty {
      unusedCounts[position] += 1
    }
    do {
      var photo = photo(row, location)
      photo.labels = try labels(row)
      try source.photo(photo)
    } catch let error as Wrong {
      try source.problem(location, error.message)
    }
  }

  /// A cell that cannot be read.
  private struct Wrong: Error {
    let message: String

    init(_ message: String) { self.message = message }
  }

  // MARK: Photos

  private func cell(_ row: [String], _ role: CSVRole) -> String? {
    guard let index = columns.roles[role], index < row.count, !row[index].isEmpty else {
      return nil
    }
    return row[index]
  }

  private func photo(_ row: [String], _ location: ImportedLocation) -> ImportedPhoto {
    func text(_ key: String) -> String? {
      columns.metadata[key].flatMap { row[$0].isEmpty ? nil : row[$0] }
    }
    let files = cell(row, .image).map(files) ?? [""]
    var photo = ImportedPhoto(
      files[0], id: cell(row, .photo).flatMap { PhotoID($0) }, location: location)
    photo.otherFiles = Array(files.dropFirst())
    photo.extent = PixelExtent(
      width: cell(row, .imageWidth).flatMap { csvNumber($0, allowsDecimalComma) },
      height: cell(row, .imageHeight).flatMap { csvNumber($0, allowsDecimalComma) })
    if columns.metadata.isEmpty { return photo }
    photo.metadata = ImportedMetadata(text)
    photo.metadata.pin = pin(text, location)
    return photo
  }

  /// Returns the path of an image in the imported directory, an absolute path unchanged, or the
  /// paths that the image of a URL may have.
  private func files(_ cell: String) -> [String] {
    if cell.utf8.contains(UInt8(ascii: ":")), cell.contains("://") {
      return ImageNames.ends(ofURL: cell).map { prefix + $0 }
    }
    let file = cell.hasPrefix(" ") ? cell.trimmingSpaces() : cell
    return [prefix.isEmpty || file.isAbsolutePath ? file : prefix + file]
  }

  private func pin(_ text: (String) -> String?, _ location: ImportedLocation) -> ImportedPin? {
    guard let id = text("pin").flatMap({ PinID($0) }),
      let latitude = text("latitude").flatMap({ csvNumber($0, allowsDecimalComma) }),
      let longitude = text("longitude").flatMap({ csvNumber($0, allowsDecimalComma) }),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    return ImportedPin(
      id: id, coordinate: coordinate, name: text("pin_name") ?? "", location: location)
  }

  // MARK: Labels

  private mutating func labels(_ row: [String]) throws -> [ImportedLabel] {
    var labels: [ImportedLabel] = []
    if let name = columns.constantLabel ?? cell(row, .label)?.trimmingSpaces(), !name.isEmpty {
      if let label = try label(name, row) { labels.append(label) }
    } else if try box(row) != nil {
      throw Wrong("a box without a class")
    }
    labels += (cell(row, .keywords) ?? "").keywords.map { ImportedLabel($0) }
    if let first = columns.furtherLabels {
      labels += row.dropFirst(first).map { $0.trimmingSpaces() }.filter { !$0.isEmpty }
        .map { ImportedLabel($0) }
    }
    labels += try classes(row)
    if columns.roles[.annotator] == nil, columns.roles[.time] == nil { return labels }
    let time = try time(row)
    let annotators = annotators(row)
    for index in labels.indices {
      labels[index].time = time
      labels[index].attribute(to: annotators)
    }
    return labels
  }

  /// Returns the label of a row; nil for a row without a box in a table whose rows all have the
  /// same class.
  private func label(_ name: String, _ row: [String]) throws -> ImportedLabel? {
    var label = ImportedLabel(name)
    label.box = try box(row)
    if columns.constantLabel != nil, boxes != nil, label.box == nil { return nil }
    label.text = cell(row, .text)
    if let text = cell(row, .confidence) {
      guard let confidence = csvNumber(text, allowsDecimalComma), 0...1 ~= confidence else {
        throw Wrong("the confidence “\(text)” is not between 0 and 1")
      }
      (label.confidence, label.isScored) = (confidence, isScored)
    }
    if let index = columns.roles[.state] {
      guard label.take(state: row[index], annotators: annotators(row)) else {
        throw Wrong(
          "the state must be present, absent, confirmed, rejected or predicted, "
            + "not “\(row[index].prefix(64))”")
      }
    }
    return label
  }

  private func box(_ row: [String]) throws -> ImportedBox? {
    do throws(CSVBoxes.NoNumber) {
      return try boxes?.box(row)
    } catch {
      throw Wrong("the box has a cell that is not a number")
    }
  }

  /// Returns the labels of the columns that are classes.
  private mutating func classes(_ row: [String]) throws -> [ImportedLabel] {
    var labels: [ImportedLabel] = []
    for (name, index) in columns.classes {
      guard let flag = CSVColumns.flag(row[index]) else {
        throw Wrong("“\(row[index].prefix(64))” in the column “\(name.prefix(64))” is not 0 or 1")
      }
      if !flag, row[index].trimmingSpaces().isEmpty { continue }
      if !flag, !columns.zerosAreAbsent {
        zeros += 1
        continue
      }
      var label = ImportedLabel(name)
      label.isAbsent = !flag
      labels.append(label)
    }
    return labels
  }

  // MARK: Annotators

  /// Returns the names in the annotator's cell: of cairn's own exports several, otherwise one.
  private func annotators(_ row: [String]) -> [String] {
    guard let text = cell(row, .annotator) else { return [] }
    let isOwn = text.hasPrefix("human:") || text.hasPrefix("model:")
    return isOwn ? text.split(separator: " ").map(String.init) : [text]
  }

  private mutating func time(_ row: [String]) throws -> Int64? {
    guard let index = columns.roles[.time], !row[index].isEmpty else { return nil }
    if let time = importedTime(row[index].trimmingSpaces()) { return time }
    if columns.mapped.contains(index) {
      throw Wrong("“\(row[index].prefix(64))” is not a time such as 2026-11-20T23:31:05Z")
    }
    badTimes += 1
    return nil
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
