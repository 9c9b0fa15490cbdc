package import CairnDocument
package import CairnMerge
internal import GRDB

extension IndexReader {
  /// Calls `visit` for each visible photo that has labels, sorted by id, with its labels in no
  /// particular order. Only one photo's labels are in memory at a time.
  ///
  /// Resolutions must be up to date, since they determine which photos are visible.
  ///
  /// - Parameter photos: Only these; nil for all.
  package func forEachLabeledPhoto(
    among photos: [PhotoID]? = nil, _ visit: (PhotoID, [Label]) throws -> Void
  ) throws {
    let find = try PreparedStatement(db, "SELECT id FROM photo WHERE key = ? AND view = 1")
    func visiblePhoto(_ key: Int64) throws -> PhotoID? {
      find.bind(key, at: 1)
      return try find.first { PhotoID(digest: $0.blob(0)) }
    }
    guard let photos else {
      return try LabelRows(db, names, "ORDER BY photo").forEachPhoto(id: visiblePhoto) {
        _, labels in
        if let first = labels.first { try visit(first.photo, labels) }
      }
    }
    let rows = try LabelRows(db, names, "WHERE photo = ?")
    for photo in photos {
      guard let key = try key(of: photo), try visiblePhoto(key) != nil else { continue }
      let labels = try rows.all(of: photo, key: key)
      if !labels.isEmpty { try visit(photo, labels) }
    }
  }

  /// Calls `visit` for each of these photos, visible or not, with whether it is marked as removed,
  /// regardless of later labels, and with its labels. Resolutions need not be up to date.
  package func forEachPhoto(
    of photos: [PhotoID], _ visit: (PhotoID, _ isRemoved: Bool, [Label]) throws -> Void
  ) throws {
    let find = try PreparedStatement(db, "SELECT id, removedTime NOT NULL FROM photo WHERE key = ?")
    let rows = try LabelRows(db, names, "WHERE photo = ?")
    for photo in photos {
      let digest = photo.digest
      var key = PhotoKey.first(of: digest)
      // Ids can be crafted to share a prefix.
      while true {
        find.bind(key, at: 1)
        guard let (known, isRemoved) = try find.first({ ($0.blob(0), $0.int(1) == 1) }) else {
          break
        }
        if known == digest {
          try visit(photo, isRemoved, try rows.all(of: photo, key: key))
          break
        }
        key += 1
      }
    }
  }
}

extension IndexReader {
  /// Returns the size in pixels of a photo's upright image.
  ///
  /// - Throws: ``IndexUsageError`` if the photo has no document; visible photos have one.
  package func imageSize(of photo: PhotoID) throws -> (width: Int, height: Int) {
    guard let image = try found(photo)?.photo.image else {
      throw IndexUsageError(description: "the photo \(photo) has no document")
    }
    return image.isTransposed ? (image.height, image.width) : (image.width, image.height)
  }

  /// Returns the number of visible photos with each class and state; resolutions must be up to
  /// date.
  package func photoCountsByState() throws -> [ClassKey: [Resolution.State: Int]] {
    var counts: [ClassKey: [Resolution.State: Int]] = [:]
    let rows = try PreparedStatement(
      db,
      """
      SELECT class, state, count(*) FROM resolution JOIN photo ON photo.key = resolution.photo
      WHERE view = 1 GROUP BY class, state
      """)
    while try rows.step() {
      guard let key = try names.classKey(rows.int(0)),
        let state = Resolution.State(number: rows.int(1))
      else { continue }
      counts[key, default: [:]][state] = Int(rows.int(2))
    }
    return counts
  }
}
