internal import Foundation
internal import GRDB

/// A raster map in a MBTiles file.
///
/// Source: MBTiles 1.3: https://github.com/mapbox/mbtiles-spec
package final class TileDatabase: Sendable {
  package enum Format: String, Sendable { case png, jpg, jpeg, webp }

  package let format: Format
  package let zooms: ClosedRange<Int>
  package let attribution: String
  /// West, south, east and north, in degrees; nil if the file does not say.
  package let bounds: [Double]?

  private let database: DatabaseQueue

  /// Opens a file, which is not changed.
  ///
  /// - Returns: Nil if it is not a raster MBTiles file.
  package init?(path: String) {
    var configuration = Configuration()
    configuration.readonly = true
    guard let database = try? DatabaseQueue(path: path, configuration: configuration),
      let rows = try? database.read({
        try Row.fetchAll($0, sql: "SELECT name, value FROM metadata")
      })
    else { return nil }
    let values = Dictionary(
      rows.compactMap { row -> (String, String)? in
        guard let name = row[0] as String?, let value = row[1] as String? else { return nil }
        return (name, value)
      }, uniquingKeysWith: { $1 })
    guard let format = Format(rawValue: values["format"] ?? "png") else { return nil }
    let known = try? database.read {
      try Row.fetchOne($0, sql: "SELECT min(zoom_level), max(zoom_level) FROM tiles")
    }
    guard let known, let low = known[0] as Int?, let high = known[1] as Int?, 0...30 ~= low,
      low...30 ~= high
    else { return nil }
    self.database = database
    (self.format, zooms) = (format, low...high)
    attribution = values["attribution"] ?? ""
    let bounds = (values["bounds"] ?? "").split(separator: ",").compactMap {
      Double($0.filter { $0 != " " })
    }
    self.bounds = bounds.count == 4 ? bounds : nil
  }

  /// Returns a tile; nil if there is none.
  ///
  /// - Parameter y: From the north; the file counts from the south.
  package func tile(zoom: Int, x: Int, y: Int) throws -> [UInt8]? {
    guard zooms.contains(zoom), 0..<1 << zoom ~= x, 0..<1 << zoom ~= y else { return nil }
    let row = (1 << zoom) - 1 - y
    let data = try database.read {
      try Data.fetchOne(
        $0,
        sql:
          "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
        arguments: [zoom, x, row])
    }
    return data.map { [UInt8]($0) }
  }
}
