internal import CairnDocument
internal import GRDB

/// A photo on the map.
package struct PhotoPoint: Equatable, Sendable {
  package let key: PhotoRowKey
  package let latitude: Double
  package let longitude: Double
}

extension IndexReader {
  /// Returns the locations of all visible photos that have one, sorted by photo: the location of
  /// the photo's pin; without one, that in its file.
  package func photoPoints() throws -> [PhotoPoint] {
    let rows = try PreparedStatement(
      db,
      """
      SELECT photo.key, pin.latitude, pin.longitude FROM photo
      JOIN pin ON pin.key = photo.pin AND pin.removed = 0 WHERE photo.view = 1
      UNION ALL
      SELECT photo.key, photoPlace.latitude, photoPlace.longitude FROM photoPlace
      JOIN photo ON photo.key = photoPlace.photo
      WHERE photo.view = 1 AND NOT EXISTS (
        SELECT 1 FROM pin WHERE pin.key = photo.pin AND pin.removed = 0)
      """)
    var points: [PhotoPoint] = []
    while try rows.step() {
      points.append(
        PhotoPoint(key: rows.int(0), latitude: rows.double(1), longitude: rows.double(2)))
    }
    points.sort { $0.key < $1.key }
    return points
  }
}
