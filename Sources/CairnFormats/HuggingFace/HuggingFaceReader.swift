internal import CairnDocument

/// A reader of Hugging Face image folders: `metadata.jsonl` or `metadata.csv`, in any directory,
/// with file names relative to it; classes in `label`, boxes in `objects`.
///
/// Boxes are in pixels from the top left corner. Categories may be numbers: `classes.txt` beside the
/// metadata, or at the top, has their names. Source: Hugging Face Datasets, “Create an image
/// dataset”, and the features of published detection datasets.
struct HuggingFaceReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  private static let known: Set<String> = [
    "file_name", "label", "labels", "text", "caption", "objects", "width", "height", "image_id",
    "title", "source", "author", "licence", "credit_title", "service", "page", "url",
  ]
  /// The members of `objects` that are read, or are ids and areas of boxes.
  private static let ofObjects: Set<String> = [
    "bbox", "categories", "category", "label", "labels", "score", "scores", "id", "bbox_id", "area",
  ]

  func read() throws {
    let names = ["metadata.jsonl", "metadata.csv"]
    let paths =
      try source.file.map { [$0] }
      ?? source.paths(["jsonl", "csv"]).filter { path in
        names.contains(path.split(separator: "/").last.map(String.init) ?? "")
      }
    if paths.isEmpty {
      let tables = try source.paths(["parquet"])
      let hint = tables.isEmpty ? "" : "; Parquet tables, such as \(tables[0]), are not read"
      throw FormatError(source.location, "there is no metadata.jsonl or metadata.csv\(hint)")
    }
    for path in paths { try read(path) }
  }

  private func read(_ path: String) throws {
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    let classes = try classNames(directory)
    if path.hasSuffix(".csv") {
      try source.forEachRecord(of: path, requires: [["file_name"]]) { record in
        do {
          var object = JSONObject()
          for (name, index) in record.columns where index < record.cells.count {
            if record.cells[index].isEmpty { continue }
            object[name] = try HuggingFaceReader.value(record.cells[index], of: name)
          }
          try read(object, directory, classes, record.location)
        } catch let error as DocumentError {
          try source.problem(record.location, error.message)
        }
      }
    } else {
      try source.forEachLine(of: path) { line, location in
        do {
          guard let object = try JSON(bytes: line).object else {
            return try source.problem(location, "not a JSON object")
          }
          try read(object, directory, classes, location)
        } catch let error as DocumentError {
          try source.problem(location, error.message)
        }
      }
    }
  }

  /// Returns what a cell of a table would be in `metadata.jsonl`: JSON in `objects` and `labels`, and
  /// numbers of classes.
  private static func value(_ cell: String, of column: String) throws -> JSON {
    guard ["label", "labels", "objects"].contains(column) else { return .string(cell) }
    let text = cell.trimmingSpaces()
    if column != "label", text.hasPrefix("{") || text.hasPrefix("[") {
      do {
        return try JSON(bytes: text.utf8)
      } catch {
        throw DocumentError(.schema, "“\(column)” is not JSON: \(error.message)")
      }
    }
    // Columns with empty cells are written as fractions: 1.0.
    let digits = text.hasSuffix(".0") ? text.dropLast(2) : text[...]
    return Int(digits).map { JSON($0) } ?? .string(cell)
  }

  private func classNames(_ directory: String) throws -> [String] {
    for path in [directory.isEmpty ? "classes.txt" : "\(directory)/classes.txt", "classes.txt"] {
      if let lines = try source.lines(of: path) { return lines.map { $0.trimmingSpaces() } }
    }
    return []
  }

  private func read(
    _ object: JSONObject, _ directory: String, _ classes: [String], _ location: ImportedLocation
  ) throws {
    guard let file = object.text("file_name") else {
      return try source.problem(location, "“file_name” is missing")
    }
    source.ignore(object, but: HuggingFaceReader.known, of: "rows")
    var photo = ImportedPhoto(directory.isEmpty ? file : "\(directory)/\(file)", location: location)
    photo.extent = PixelExtent(width: object["width"]?.number, height: object["height"]?.number)
    photo.metadata = ImportedMetadata { object.text($0) }
    photo.metadata.caption = object.text("caption", "text")
    let wholes = (object["labels"] ?? object["label"]).map { $0.array ?? [$0] } ?? []
    for whole in wholes where !whole.isNull {
      if let name = try name(whole, classes, location) { photo.labels.append(ImportedLabel(name)) }
    }
    photo.labels += try boxes(object["objects"], classes, location)
    try source.photo(photo)
  }

  /// Returns a class's name, which may be given by its number.
  private func name(
    _ json: JSON, _ classes: [String], _ location: ImportedLocation
  ) throws -> String? {
    if let name = json.string, !name.isEmpty { return name }
    if let number = json.int, classes.indices.contains(number), !classes[number].isEmpty {
      return classes[number]
    }
    let what = json.int.map { "the class \($0) has no name" } ?? "a class that is not a string"
    try source.problem(
      location, "\(what); write the names in classes.txt, one per line, next to the metadata")
    return nil
  }

  /// Returns the labels of `objects`: lists of the same length, or a list of objects.
  private func boxes(
    _ json: JSON?, _ classes: [String], _ location: ImportedLocation
  ) throws -> [ImportedLabel] {
    guard let json, !json.isNull else { return [] }
    var rows: [(box: JSON?, category: JSON?, score: JSON?)] = []
    if let lists = json.object {
      source.ignore(lists, but: HuggingFaceReader.ofObjects, of: "objects")
      let boxes = lists["bbox"]?.array ?? []
      let names = ["categories", "category", "labels", "label"]
      let categories = names.lazy.compactMap { lists[$0]?.array }.first ?? []
      let scores = lists["scores"]?.array ?? lists["score"]?.array ?? []
      guard boxes.count == categories.count, scores.isEmpty || scores.count == boxes.count else {
        try source.problem(
          location, "\(boxes.count) boxes, but \(categories.count) categories of “objects”")
        return []
      }
      rows = boxes.indices.map { (boxes[$0], categories[$0], scores.isEmpty ? nil : scores[$0]) }
    } else {
      guard let objects = json.array?.map(\.object), !objects.contains(nil) else {
        try source.problem(location, "“objects” has neither lists nor a list of objects")
        return []
      }
      for object in objects.compactMap({ $0 }) {
        source.ignore(object, but: HuggingFaceReader.ofObjects, of: "objects")
        rows.append(
          (
            object["bbox"], object["category"] ?? object["label"] ?? object["categories"],
            object["score"]
          ))
      }
    }
    var labels: [ImportedLabel] = []
    for row in rows {
      guard let (x, y, width, height) = row.box?.fourNumbers else {
        try source.problem(location, "a “bbox” that is not four numbers")
        continue
      }
      guard let name = try name(row.category ?? .null, classes, location) else { continue }
      var label = ImportedLabel(name, box: .pixels(x: x, y: y, width: width, height: height))
      if let score = row.score, !score.isNull {
        guard let score = score.number, 0...1 ~= score else {
          try source.problem(location, "a score is not between 0 and 1")
          continue
        }
        (label.confidence, label.isScored) = (score, true)
      }
      labels.append(label)
    }
    return labels
  }
}
