internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

extension Dataset {
  /// Returns the visible photos that look like the given one, most similar first.
  ///
  /// Omits photos whose images are not on this disk or have no perceptual hash.
  /// - Parameter distance: Maximum number of differing bits among the 64 bits of two hashes; see
  ///   ``PerceptualHash``.
  package func similarPhotos(
    to id: PhotoID, within distance: Int
  ) throws(CairnError) -> [(id: PhotoID, distance: Int)] {
    try translating {
      _ = try photo(id)
      if try directory.blobs.size(of: id) == nil { throw try missingImage(id) }
      let hashes = try perceptualHashes(including: id)
      guard let own = hashes.first(where: { $0.id == id })?.hash else { return [] }
      return hashes.compactMap { other in
        let found = own.distance(to: other.hash)
        return other.id != id && found <= distance ? (other.id, found) : nil
      }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }
  }

  /// Returns groups of visible photos that look alike, each sorted by id. Two photos are in one
  /// group if a chain of photos connects them in which neighbors differ by at most `distance`.
  /// Photos without a near duplicate are omitted.
  package func nearDuplicates(within distance: Int) throws(CairnError) -> [[PhotoID]] {
    try translating {
      let hashes = try perceptualHashes()
      return CairnPhotos.nearDuplicates(hashes.map(\.hash), within: distance)
        .map { group in group.map { hashes[$0].id } }
    }
  }

  /// Returns the hashes of the visible photos, sorted by id. Computes missing hashes where the
  /// images are on this disk.
  ///
  /// - Parameter extra: A photo to include even if it is not visible.
  func perceptualHashes(
    including extra: PhotoID? = nil
  ) throws -> [(id: PhotoID, hash: PerceptualHash)] {
    var visible = PhotoConditions()
    visible.flags = [.visible]
    var ids = try query(resolved: true) { try $0.photos(where: PhotoFilter([visible])) }
    if let extra, !ids.contains(extra) { ids.append(extra) }
    let file = perceptualHashFile
    var hashes = try file.read()
    let (blobs, files) = (directory.blobs, environment.files)
    let missing = try ids.filter {
      try hashes[$0] == nil && !undecodableImages.contains($0) && blobs.size(of: $0) != nil
    }
    var unsaved: [PerceptualHashFile.Record] = []
    var done = 0
    // Save the hashes computed so far even if the rest is interrupted.
    func save() {
      try? file.append(unsaved)
      unsaved.removeAll()
    }
    defer { save() }
    try mapInParallel(missing) { id in
      let preview = try? files.withMapping(of: blobs.path(of: id)) { try PhotoPreview(of: $0) }
      return (id: id, hash: preview?.hash, isDecoded: preview != nil)
    } use: { id, hash, isDecoded in
      done += 1
      report("hashing photos", done, of: missing.count)
      hashes.updateValue(hash, forKey: id)
      // The image may be fetched again, or the library that decodes it be installed later.
      guard isDecoded else {
        undecodableImages.insert(id)
        return
      }
      unsaved.append((id, hash))
      if unsaved.count == 256 { save() }
    }
    return ids.compactMap { id in (hashes[id] ?? nil).map { (id, $0) } }
  }

  var perceptualHashFile: PerceptualHashFile {
    PerceptualHashFile(
      path: directory.privateDirectory.appending("perceptual-hashes"), files: environment.files)
  }
}
