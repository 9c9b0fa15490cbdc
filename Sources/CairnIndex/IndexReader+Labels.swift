public import CairnDocument
public import CairnMerge
internal import GRDB

extension IndexReader {
  /// Calls `visit` for each photo in view that has labels, sorted by id, with its labels in no certain
  /// order. One photo's labels are held at a time.
  ///
  /// What stands must be level: it tells which photos are in view.
  ///
  /// - Parameter photos: Only these; nil for all.
  public func forEachLabelledPhoto(
    among photos: [PhotoID]? = nil, _ visit: (PhotoID, [Label]) throws -> Void
  ) throws {
    let find = try PreparedStatement(db, "SELECT id FROM photo WHERE key = ? AND view = 1")
    func inView(_ key: Int64) throws -> PhotoID? {
      find.bind(key, at: 1)
      return try find.first { PhotoID(digest: $0.blob(0)) }
    }
    guard let photos else {
      return try LabelRows(db, names, "ORDER BY photo").forEachPhoto(id: inView) { _, labels in
        if let first = labels.first { try visit(first.photo, labels) }
      }
    }
    let rows = try LabelRows(db, names, "WHERE photo = ?")
    for photo in photos {
      guard let key = try key(of: photo), try inView(key) != nil else { continue }
      let labels = try rows.all(of: photo, key: key)
      if !labels.isEmpty { try visit(photo, labels) }
    }
  }

  /// Calls `visit` for each of some photos, in view or not, with whether it is marked as removed, whatever
  /// was said since, and with its labels. What stands need not be level.
  public func forEachPhoto(
    of photos: [PhotoID], _ visit: (PhotoID, _ isRemoved: Bool, [Label]) throws -> Void
  ) throws {
    let find = try PreparedStatement(db, "SELECT id, removedTime NOT NULL FROM photo WHERE key = ?")
    let rows = try LabelRows(db, names, "WHERE photo = ?")
    for photo in photos {
      let digest = photo.digest
      var key = PhotoKey.first(of: digest)
      // Ids can be made to begin alike.
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
  /// Returns on how many photos in view each class has each state; what stands must be level.
  public func photoCountsByState() throws -> [ClassKey: [Resolution.State: Int]] {
    var counts: [ClassKey: [Resolution.State: Int]] = [:]
    let rows = try PreparedStatement(
      db,
      """
      SELECT class, state, count(*) FROM standing JOIN photo ON photo.key = standing.photo
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
