internal import CairnDocument

/// A table with a header. Source: RFC 4180; a byte order mark is passed over.
struct CSVReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  private static let files = ["file_name", "filename", "file", "image", "path"]
  private static let labels = ["label", "class", "class_name", "category"]
  private static let confidences = ["confidence", "score"]
  private static let verdicts = ["state", "verdict"]
  private static let box = ["x", "y", "width", "height"]

  /// Where the columns stand that are read.
  private struct Columns {
    var file: Int?
    var photo: Int?
    var label: Int
    var confidence: Int?
    var verdict: Int?
    var annotators: Int?
    var box: [Int]?
  }

  func read() throws {
    let path = try source.onlyFile()
    try source.withBytes(of: path) { bytes in
      var table = CSVTable(bytes)
      let top = ForeignPlace(path, line: 1)
      guard let header = try table.next(path), let columns = try columns(of: header, top) else {
        throw FormatError(top, "there is no header with “file_name” and “label”")
      }
      while let row = try table.next(path) {
        let place = ForeignPlace(path, line: table.line)
        guard row.count == header.count else {
          try source.problem(place, "\(row.count) cells where the header has \(header.count)")
          continue
        }
        try read(row, columns, place)
      }
    }
  }

  private func columns(of header: [String], _ place: ForeignPlace) throws -> Columns? {
    func first(_ names: [String]) -> Int? {
      names.lazy.compactMap { header.firstIndex(of: $0) }.first
    }
    let (file, photo) = (first(CSVReader.files), header.firstIndex(of: "photo"))
    guard file != nil || photo != nil, let label = first(CSVReader.labels) else { return nil }
    let box = CSVReader.box.compactMap { header.firstIndex(of: $0) }
    let columns = Columns(
      file: file, photo: photo, label: label, confidence: first(CSVReader.confidences),
      verdict: first(CSVReader.verdicts), annotators: header.firstIndex(of: "annotators"),
      box: box.count == 4 ? box : nil)
    guard box.isEmpty || box.count == 4 else {
      throw FormatError(place, "of x, y, width and height some are missing")
    }
    let used =
      [file, photo, label, columns.confidence, columns.verdict, columns.annotators]
      .compactMap { $0 } + box
    let unused = header.indices.filter { !used.contains($0) }.map { "“\(header[$0])”" }
    if !unused.isEmpty {
      try source.note("Columns that are not imported: \(unused.joined(separator: ", ")).")
    }
    return columns
  }

  private func read(_ row: [String], _ columns: Columns, _ place: ForeignPlace) throws {
    let id = columns.photo.flatMap { PhotoID(row[$0]) }
    var photo = ForeignPhoto(columns.file.map { row[$0] } ?? "", id: id, place: place)
    let name = row[columns.label]
    if !name.isEmpty {
      var label = ForeignLabel(name)
      if let text = columns.confidence.map({ row[$0] }), !text.isEmpty {
        guard let confidence = Double(text), 0...1 ~= confidence else {
          return try source.problem(place, "the confidence “\(text)” is not between 0 and 1")
        }
        label.confidence = confidence
      }
      if let text = columns.verdict.map({ row[$0] }) {
        let annotators = columns.annotators.map { row[$0].split(separator: " ") } ?? []
        guard label.take(state: text, annotators: annotators) else {
          return try source.problem(place, "“\(text)” is not what one annotator can say")
        }
      }
      let cells = (columns.box ?? []).map { row[$0] }
      if cells.contains(where: { !$0.isEmpty }) {
        let numbers = cells.compactMap { Double($0) }
        guard numbers.count == 4 else {
          return try source.problem(place, "the box has a cell that is not a number")
        }
        label.box = .fractions(
          x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      }
      photo.labels = [label]
    }
    try source.photo(photo)
  }
}

extension ForeignLabel {
  /// Takes what a word says of it: that the class is there or not, and whether a model or people say so.
  ///
  /// - Parameter annotators: Who says so, as exports write them: `human:…`, `model:…`.
  /// - Returns: False when the word says nothing that one annotator can mean.
  mutating func take(state word: String, annotators: [Substring] = []) -> Bool {
    switch word {
    case "", "present": return true
    case "absent": isAbsent = true
    case "confirmed": isPersons = true
    case "rejected": (isPersons, isAbsent) = (true, true)
    case "predicted":
      let models = annotators.filter { $0.hasPrefix("model:") }
      model = models.count == 1 ? String(models[0].dropFirst("model:".count)) : ""
    default: return false
    }
    return true
  }
}

/// The rows of a table, one at a time.
struct CSVTable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var nextLine = 1
  /// The line that the last row began on.
  private(set) var line = 0

  private static let cellLimit = 1 << 20
  private static let columnLimit = 4096

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns the next row that is not empty; nil at the end.
  mutating func next(_ file: String) throws -> [String]? {
    while position < bytes.count {
      line = nextLine
      let row = try row(file)
      if row.count > 1 || row.first?.isEmpty == false { return row }
    }
    return nil
  }

  private mutating func row(_ file: String) throws -> [String] {
    var row: [String] = []
    var cell: [UInt8] = []
    var (isQuoted, isAfterQuotes) = (false, false)
    func wrong(_ message: String) -> FormatError {
      FormatError(ForeignPlace(file, line: line), message)
    }
    func finish() throws {
      guard let text = String(validating: cell, as: UTF8.self) else {
        throw wrong("a cell is not UTF-8")
      }
      row.append(text)
      cell.removeAll(keepingCapacity: true)
      isAfterQuotes = false
      if row.count > CSVTable.columnLimit { throw wrong("more than 4096 columns") }
    }
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == 0x0A { nextLine += 1 }
      if isQuoted {
        if byte != UInt8(ascii: "\"") {
          cell.append(byte)
        } else if position < bytes.count, bytes[position] == byte {
          cell.append(byte)
          position += 1
        } else {
          (isQuoted, isAfterQuotes) = (false, true)
        }
        if cell.count > CSVTable.cellLimit { throw wrong("a cell is larger than 1 MiB") }
        continue
      }
      switch byte {
      case UInt8(ascii: ","): try finish()
      case 0x0A:
        try finish()
        return row
      case 0x0D where position == bytes.count || bytes[position] == 0x0A: break
      case UInt8(ascii: "\"") where cell.isEmpty && !isAfterQuotes: isQuoted = true
      case _ where isAfterQuotes: throw wrong("there is text behind the quotes of a cell")
      default: cell.append(byte)
      }
      if cell.count > CSVTable.cellLimit { throw wrong("a cell is larger than 1 MiB") }
    }
    if isQuoted { throw wrong("a cell without its closing quotes") }
    try finish()
    return row
  }
}
