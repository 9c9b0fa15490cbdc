import ArgumentParser
import Cairn
import CairnBase

enum FindFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, csv, paths, geojson
}

/// Prints photos as soon as they are found.
final class FindFormatter {
  private let format: FindFormat
  /// Printed after each path.
  private let pathTerminator: String
  /// Printed instead of an empty table.
  private let emptyText: String
  private let rows = TableWriter()
  private let list: JSONArrayWriter
  private var count = 0

  init(_ format: FindFormat, pathTerminator: String, emptyText: String) {
    (self.format, self.pathTerminator, self.emptyText) = (format, pathTerminator, emptyText)
    list =
      format == .geojson
      ? JSONArrayWriter(start: "{\"type\": \"FeatureCollection\", \"features\": [", end: "]}")
      : JSONArrayWriter()
  }

  func print(_ found: FoundPhoto) {
    let photo = found.photo
    switch format {
    case .table: rows.add(found.cells)
    case .json: list.add(found.rendered)
    case .geojson: list.add(found.feature)
    case .csv:
      if count == 0 { Console.write(FindFormatter.csvHeader) }
      Console.write(found.csv)
    case .paths:
      Console.write(DocumentPath.image(photo.id, photo.image.format).description + pathTerminator)
    }
    count += 1
  }

  func finish() {
    switch format {
    case .table:
      if count == 0 { return Console.print(emptyText) }
      rows.finish()
    case .json, .geojson: list.finish()
    case .csv: if count == 0 { Console.write(FindFormatter.csvHeader) }
    case .paths: break
    }
  }

  private static let csvHeader =
    "id,name,path,taken,latitude,longitude,confirmed,predicted,disputed,rejected\r\n"
}

extension FoundPhoto {
  /// The cells of the photo in a table of photos.
  var cells: [String] {
    [
      photo.id.short, photo.takenText.map { String($0.prefix(10)) } ?? "",
      "\(photo.image.width)×\(photo.image.height)", name, summary,
    ]
  }

  fileprivate var name: String {
    photo.title.value.isEmpty ? photo.source.value : photo.title.value
  }

  fileprivate var summary: String {
    resolutions.compactMap { $0.state.mark($0.name, $0.confidence) }.joined(separator: ", ")
  }

  var rendered: JSON {
    [
      "photo": photo.rendered, "latitude": location.map { JSON($0.latitude) } ?? .null,
      "longitude": location.map { JSON($0.longitude) } ?? .null,
      "resolution": .array(
        resolutions.map {
          [
            "class": .string($0.classKey.text), "confidence": JSON($0.confidence),
            "name": .string($0.name), "state": .string($0.state.rawValue),
          ]
        }),
    ]
  }

  /// Source: RFC 7946; a photo without a location has a null geometry.
  fileprivate var feature: JSON {
    [
      "type": "Feature", "id": .string(photo.id.description),
      "geometry": location.map {
        ["type": "Point", "coordinates": .array([JSON($0.longitude), JSON($0.latitude)])]
      } ?? .null,
      "properties": [
        "name": .string(name),
        "classes": .object(
          JSONObject(resolutions.map { ($0.classKey.text, .string($0.state.rawValue)) })),
        "path": .string(DocumentPath.image(photo.id, photo.image.format).description),
        "taken": JSON(photo.takenText),
      ],
    ]
  }

  fileprivate var csv: String {
    let states: [Resolution.State] = [.confirmed, .predicted, .disputed, .rejected]
    let classes = states.map { state in
      resolutions.filter { $0.state == state }.map(\.classKey.text).joined(separator: " ")
    }
    let coordinates = location.map { ["\($0.latitude)", "\($0.longitude)"] } ?? ["", ""]
    let path = DocumentPath.image(photo.id, photo.image.format).description
    let taken = photo.takenText ?? ""
    let cells = [photo.id.description, name, path, taken] + coordinates + classes
    // Control characters are escaped on a terminal, where they could move the cursor.
    return csvRow(isTerminal(1) ? cells.map(Console.printable) : cells)
  }
}
