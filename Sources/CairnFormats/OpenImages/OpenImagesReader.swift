internal import CairnBase
internal import CairnDocument

/// A reader of the tables of Open Images: boxes, and human and machine labels of whole images. What
/// a table contains follows from its header.
///
/// Confidence 0 of a person means that the class is absent. Source: Open Images V4 to V7, “Data
/// formats”; the class names have no header before V7.
struct OpenImagesReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  private static let corners = ["XMin", "XMax", "YMin", "YMax"]
  private static let known: Set<String> = [
    "ImageID", "Source", "LabelName", "Confidence", "XMin", "XMax", "YMin", "YMax", "IsGroupOf",
    "XClick1X", "XClick2X", "XClick3X", "XClick4X", "XClick1Y", "XClick2Y", "XClick3Y", "XClick4Y",
  ]
  private static let headersOfNames = [["LabelName", "DisplayName"], ["id", "name"]]
  private static let flags: Set<String> = ["IsOccluded", "IsTruncated", "IsDepiction", "IsInside"]

  func read() throws {
    let paths = try source.file.map { [$0] } ?? source.paths(["csv"])
    var names: [String: String] = [:]
    var tables: [String] = []
    // The names may be beside a table that is given itself.
    for path in try source.file == nil ? paths : source.names(in: "", areDirectories: false)
    where path.hasSuffix(".csv") {
      let first = try firstRow(path)
      if first.count == 2,
        first[0].hasPrefix("/") || OpenImagesReader.headersOfNames.contains(first)
      {
        try readNames(path, &names)
      } else if !paths.contains(path) {
        continue
      } else if first.contains("MaskPath") {
        // Their boxes are in the table of boxes, too.
        source.ignore("the table of masks “\(path.prefix(200))”")
      } else if first.contains("ImageID"), first.contains("LabelName") {
        tables.append(path)
      } else {
        source.ignore("“\(path.prefix(200))”, which is not a table of labels or of class names")
      }
    }
    if tables.isEmpty {
      throw FormatError(source.location, "it contains no table with “ImageID” and “LabelName”")
    }
    let images = try ImageStems(source)
    for path in tables { try read(path, names, images) }
  }

  private func firstRow(_ path: String) throws -> [String] {
    var row: [String] = []
    try source.withBytes(of: path) { bytes in
      var table = CSVTable(bytes)
      row = try table.next(path) ?? []
    }
    return row
  }

  private func readNames(_ path: String, _ names: inout [String: String]) throws {
    let form = TableForm(columns: ["LabelName": 0, "DisplayName": 1])
    try source.forEachRecord(of: path, form) { record in
      if let id = record["LabelName"], let name = record["DisplayName"], id.hasPrefix("/") {
        names[id] = name
      }
    }
  }

  private func read(_ path: String, _ names: [String: String], _ images: ImageStems) throws {
    try source.forEachRecord(of: path) { record in
      let location = record.location
      guard let id = record["ImageID"], let label = record["LabelName"] else {
        return try source.problem(location, "a row without “ImageID” or “LabelName”")
      }
      guard let name = names[label] ?? (label.hasPrefix("/") ? nil : label) else {
        return try source.problem(
          location,
          "the class “\(label.prefix(64))” has no name: put the file of class "
            + "descriptions next to the table")
      }
      guard let confidence = Double(record["Confidence"] ?? "1"), 0...1 ~= confidence else {
        return try source.problem(location, "“Confidence” is not between 0 and 1")
      }
      let isGroup = record["IsGroupOf"] == "1"
      if isGroup, record["XMin"] == nil {
        return try source.problem(location, "a group (“IsGroupOf”) without a box")
      }
      count(record)
      var imported = ImportedLabel(name)
      if record["XMin"] != nil {
        guard let box = record.numbers(OpenImagesReader.corners) else {
          return try source.problem(location, "the box has a cell that is not a number")
        }
        imported.box = .fractions(
          NormalizedRect(x: box[0], y: box[2], width: box[1] - box[0], height: box[3] - box[2]))
        imported.isCrowd = isGroup
      }
      if record["Source"] == "machine" {
        imported.attribute(toModel: nil, at: nil)
        (imported.confidence, imported.isScored) = (confidence, true)
      } else if confidence == 0 {
        imported.isAbsent = true
      } else if confidence < 1 {
        (imported.confidence, imported.isScored) = (confidence, true)
      }
      var photo = images.photo(id, location)
      photo.labels = [imported]
      try source.photo(photo)
    }
  }

  /// Counts the columns that are not imported; -1 and 0 are their empty values.
  private func count(_ record: TableRecord) {
    source.ignore(record, but: OpenImagesReader.known.union(OpenImagesReader.flags))
    for flag in OpenImagesReader.flags where record[flag] == "1" {
      source.ignore("the column “\(flag)”")
    }
  }
}
