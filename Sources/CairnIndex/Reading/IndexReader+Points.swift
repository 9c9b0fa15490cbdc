package import CairnDocument
internal import GRDB

/// A photo on the map.
package struct PhotoPoint: Equatable, Sendable {
  package let key: PhotoRowKey
  package let latitude: Double
  package let longitude: Double
}

/// A pin on the map; `key` is that of its row.
package struct PinPoint: Equatable, Sendable {
  package let key: Int64
  package let latitude: Double
  package let longitude: Double
}

extension IndexReader {
  /// Returns the locations of all pins without removed ones, sorted by row key.
  package func pinPoints() throws -> [PinPoint] {
    let rows = try PreparedStatement(
      db, "SELECT key, latitude, longitude FROM pin WHERE removed = 0 ORDER BY key")
    var points: [PinPoint] = []
    while try rows.step() {
      points.append(
        PinPoint(key: rows.int(0), latitude: rows.double(1), longitude: rows.double(2)))
    }
    return points
  }

  /// Returns pins, in the order of their row keys in `keys`, and the number of visible photos at
  /// each.
  package func pins(of keys: some Sequence<Int64>) throws -> [(pin: Pin, photos: Int)] {
    let documents = try PreparedStatement(db, "SELECT document FROM pin WHERE key = ?")
    let counts = try PreparedStatement(
      db, "SELECT count(*) FROM photo WHERE pin = ? AND \(IndexReader.visibleCondition)")
    return try keys.compactMap { key in
      documents.bind(key, at: 1)
      counts.bind(key, at: 1)
      guard let bytes = try documents.first({ $0.blob(0) }) else { return nil }
      let count = try counts.first { Int($0.int(0)) }
      return (pin: try Pin(bytes: bytes), photos: count ?? 0)
    }
  }

  /// Returns the locations of all visible photos that have one, sorted by photo: the location of
  /// the photo's pin; without one, that in its file.
  ///
  /// Reads each table once, in the order of its keys: joins would look up every photo in another
  /// table, and a scan of the R*-tree is twenty times as long as one of the table of its locations.
  ///
  /// Source: https://sqlite.org/rtree.html, “Auxiliary Columns” and “The Shadow Tables”.
  package func photoPoints() throws -> [PhotoPoint] {
    let pins = try Dictionary(uniqueKeysWithValues: pinPoints().map { ($0.key, $0) })
    let photos = try PreparedStatement(
      db, "SELECT key, pin FROM photo WHERE view = 1 ORDER BY key")
    // The latitude and the longitude are the first auxiliary columns of `photoPlace`.
    let places = try PreparedStatement(
      db, "SELECT rowid, a0, a1 FROM photoPlace_rowid ORDER BY rowid")
    var points: [PhotoPoint] = []
    var hasPlace = try places.step()
    while try photos.step() {
      let key = photos.int(0)
      if !photos.isNull(1), let pin = pins[photos.int(1)] {
        points.append(PhotoPoint(key: key, latitude: pin.latitude, longitude: pin.longitude))
        continue
      }
      while hasPlace, places.int(0) < key { hasPlace = try places.step() }
      if hasPlace, places.int(0) == key {
        points.append(
          PhotoPoint(key: key, latitude: places.double(1), longitude: places.double(2)))
      }
    }
    return points
  }
}
