internal import CairnBase
package import CairnDocument
internal import GRDB

/// The fields that a photo may have, each a bit of its mask.
enum PhotoFields: Int64 {
  case title = 1
  case caption = 2
}

extension IndexWriter {
  package func put(_ photo: Photo) throws {
    let key = try key(of: photo.id)
    let removal = photo.removed.value ? photo.removed.stamp : nil
    let update = try statement(.putPhoto)
    update.bind(key, at: 1)
    update.bind(Int64(removal == nil ? 1 : 2), at: 2)
    update.bind(try photo.pin.value.map(names.number), at: 3)
    update.bind(removal?.milliseconds, at: 4)
    update.bind(removal?.tick, at: 5)
    update.bind(photo.title.value.isEmpty ? photo.source.value : photo.title.value, at: 6)
    update.bind(photo.fieldMask, at: 7)
    update.bind(photo.taken?.localMilliseconds, at: 8)
    let fileName = photo.source.value
    update.bind(fileName.isEmpty ? nil : SearchText.hash(ofFileName: fileName), at: 9)
    try update.run()
    let document = try statement(.putPhotoDocument)
    document.bind(key, at: 1)
    document.bind(photo.canonicalBytes, at: 2)
    try document.run()
    try putText(of: photo, key)
    try putLocation(of: photo, key)
    try noteStale(key)
  }

  private func putText(of photo: Photo, _ key: Int64) throws {
    let credit = photo.credit?.value
    let words = [photo.title.value, photo.caption.value, photo.source.value, credit?.title ?? ""]
    let texts = [
      words + photo.image.keywords + photo.image.regions.compactMap(\.name),
      [photo.image.camera ?? ""], [credit?.author ?? ""], [credit?.license ?? ""],
      [credit?.service ?? ""],
    ]
    let insert = try statement(.putPhotoText)
    insert.bind(key, at: 1)
    for (index, texts) in texts.enumerated() {
      insert.bind(SearchText.folded(texts), at: Int32(index) + 2)
    }
    try insert.run()
  }

  private func putLocation(of photo: Photo, _ key: Int64) throws {
    guard let location = photo.location else {
      if try hasLocations() { try run("DELETE FROM photoPlace WHERE photo = ?", [key]) }
      return
    }
    let point = UnitVector(location)
    try run(
      """
      INSERT OR REPLACE INTO photoPlace
        (photo, west, east, south, north, latitude, longitude, x, y, z)
      VALUES (?1, ?3, ?3, ?2, ?2, ?2, ?3, ?4, ?5, ?6)
      """, [key, location.latitude, location.longitude, point.x, point.y, point.z])
    noteHasLocations()
  }

  /// Removes a photo's document; its row key stays, and so does the time at which it was added: the
  /// history is not read again when another commit brings the photo back.
  func removePhoto(_ key: Int64) throws {
    try run(
      """
      UPDATE photo SET view = 0, pin = NULL, removedTime = NULL, removedTick = NULL, title = NULL,
        has = 0, taken = NULL, file = NULL WHERE key = ?
      """, [key])
    try run("DELETE FROM photoDocument WHERE photo = ?", [key])
    try run("DELETE FROM photoText WHERE rowid = ?", [key])
    try run("DELETE FROM photoPlace WHERE photo = ?", [key])
  }

  func put(_ pin: Pin) throws {
    let location = pin.location.value
    let point = UnitVector(location)
    let key = try names.number(of: pin.id)
    try run(
      """
      UPDATE pin SET name = ?, removed = ?, latitude = ?, longitude = ?,
        x = ?, y = ?, z = ?, document = ? WHERE key = ?
      """,
      [
        pin.name.value, pin.removed.value, location.latitude, location.longitude, point.x, point.y,
        point.z, bytes(pin.canonicalBytes), key,
      ])
    try run(
      """
      INSERT OR REPLACE INTO pinPlace (pin, west, east, south, north)
      VALUES (?1, ?3, ?3, ?2, ?2)
      """, [key, location.latitude, location.longitude])
    try run(
      "INSERT OR REPLACE INTO pinText (rowid, words) VALUES (?, ?)",
      [key, SearchText.folded(pin.name.value)])
  }

  /// Removes a pin's document; its row key stays.
  func removePin(_ id: PinID) throws {
    for (table, key) in [("pinText", "rowid"), ("pinPlace", "pin")] {
      try run("DELETE FROM \(table) WHERE \(key) = (SELECT key FROM pin WHERE id = ?)", [id.text])
    }
    try run(
      """
      UPDATE pin SET name = NULL, removed = NULL, latitude = NULL, longitude = NULL,
        x = NULL, y = NULL, z = NULL, document = NULL WHERE id = ?
      """, [id.text])
  }
}

extension Photo {
  fileprivate var fieldMask: Int64 {
    (title.value.isEmpty ? 0 : PhotoFields.title.rawValue)
      | (caption.value.isEmpty ? 0 : PhotoFields.caption.rawValue)
  }
}
