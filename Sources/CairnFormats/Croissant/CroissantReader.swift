internal import CairnDocument

/// A reader of datasets that `croissant.json` describes: the tables of its record sets, in CSV or
/// JSON Lines, with the columns that ``CSVReader`` and ``JSONLinesReader`` read.
///
/// Source: MLCommons “Croissant Format Specification”, version 1.0, “FileObject”, “RecordSet”;
/// version 0.8 names the file of a field by `distribution`.
struct CroissantReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  /// The encodings of tables that are read.
  private static let tables: [String: ImportFormat] = [
    "text/csv": .csv, "application/jsonlines": .jsonl, "application/x-jsonlines": .jsonl,
    "application/jsonl": .jsonl,
  ]

  func read() throws {
    let path = try path()
    guard let bytes = try source.read(path) else {
      throw FormatError(ImportedLocation(path), "there is no such file")
    }
    let description = try source.scanning(path) { try JSON(bytes: bytes) }
    guard let distribution = description["distribution"]?.array else {
      throw FormatError(ImportedLocation(path), "there is no “distribution”: not a Croissant file")
    }
    let used = CroissantReader.files(of: description["recordSet"]?.array ?? [])
    var isRead = false
    for object in distribution {
      let id = object["@id"]?.string ?? object["name"]?.string ?? ""
      let type = object["@type"]?.string ?? ""
      guard used.contains(id), type.hasSuffix("FileObject") else { continue }
      let encodings = object["encodingFormat"]?.array?.compactMap(\.string)
      let encoding = encodings?.first ?? object["encodingFormat"]?.string ?? ""
      guard let format = CroissantReader.tables[encoding] else {
        source.ignore("the file “\(id.prefix(64))”, which is \(encoding.prefix(64))")
        continue
      }
      let file = try file(of: object, id, path)
      source.select(file)
      if format == .csv {
        try CSVReader(source).read()
      } else {
        try JSONLinesReader(source).read()
      }
      isRead = true
    }
    if !isRead {
      throw FormatError(
        ImportedLocation(path), "its record sets use no file in CSV or JSON Lines")
    }
  }

  private func path() throws -> String {
    if let file = source.file { return file }
    for name in ["croissant.json", "metadata.json"] where try source.exists(name) { return name }
    throw FormatError(
      source.location, "there is no croissant.json; give the path of the file itself")
  }

  /// Returns the ids of the files that the fields of record sets are read from.
  private static func files(of recordSets: [JSON]) -> Set<String> {
    var ids: Set<String> = []
    func add(_ reference: JSON?) {
      if let id = reference?["@id"]?.string ?? reference?.string { ids.insert(id) }
    }
    for set in recordSets {
      let fields = set["field"]?.array ?? set["field"].map { [$0] } ?? []
      for field in fields {
        guard let origin = field["source"] else { continue }
        add(origin["fileObject"])
        add(origin["distribution"])
        if origin.string != nil { add(origin) }
      }
    }
    return ids
  }

  /// Returns the path of a file object in this directory.
  private func file(of object: JSON, _ id: String, _ path: String) throws -> String {
    let address = object["contentUrl"]?.string ?? ""
    guard !address.contains("://") else {
      throw FormatError(
        ImportedLocation(path),
        "the table “\(id.prefix(64))” is at \(address.prefix(200)): download it to this directory, "
          + "and write its name in “contentUrl”")
    }
    guard !address.isEmpty, !address.hasPrefix("/"), !address.split(separator: "/").contains("..")
    else {
      throw FormatError(
        ImportedLocation(path), "the table “\(id.prefix(64))” is not a file in this directory")
    }
    return address
  }
}
