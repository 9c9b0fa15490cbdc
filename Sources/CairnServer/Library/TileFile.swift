internal import Cairn
internal import SystemPackage

/// The user's raster map for close-ups.
struct TileFile: Sendable {
  let database: TileDatabase

  init(_ path: FilePath) throws {
    guard let database = TileDatabase(path: path.string) else {
      throw CairnError(
        .invalidInput, "\(path) is not a raster MBTiles file.",
        hint: "The map must be an SQLite file with PNG, JPEG or WebP tiles.")
    }
    self.database = database
  }

  var type: String {
    switch database.format {
    case .png: "image/png"
    case .jpg, .jpeg: "image/jpeg"
    case .webp: "image/webp"
    }
  }

  var json: JSON {
    [
      "attribution": .string(database.attribution),
      "bounds": database.bounds.map { .array($0.map { JSON($0) }) } ?? .null,
      "format": .string(database.format.rawValue), "maxzoom": JSON(database.zooms.upperBound),
      "minzoom": JSON(database.zooms.lowerBound),
    ]
  }
}
