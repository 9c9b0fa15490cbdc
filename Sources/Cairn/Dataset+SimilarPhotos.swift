internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

extension Dataset {
  /// Returns the photos in view that look like one, the likest first.
  ///
  /// Photos whose images are not on this disk, or on which nothing is to tell them by, are left out.
  /// - Parameter distance: How many of the 64 bits of their hashes may differ; see ``PerceptualHash``.
  public func similarPhotos(
    to id: PhotoID, within distance: Int
  ) throws(CairnError) -> [(id: PhotoID, distance: Int)] {
    try translating {
      _ = try photo(id)
      if try directory.blobs.size(of: id) == nil { throw StoreError.missingBlob(id) }
      let hashes = try perceptualHashes(including: id)
      guard let own = hashes.first(where: { $0.id == id })?.hash else { return [] }
      return hashes.compactMap { other in
        let found = own.distance(to: other.hash)
        return other.id != id && found <= distance ? (other.id, found) : nil
      }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }
  }

  /// Returns the groups of photos in view that look alike, each sorted by id: those that are joined by
  /// steps of at most `distance`. Photos that are like no other are in no group.
  public func nearDuplicates(within distance: Int) throws(CairnError) -> [[PhotoID]] {
    try translating {
      let hashes = try perceptualHashes()
      return CairnPhotos.nearDuplicates(hashes.map(\.hash), within: distance)
        .map { group in group.map { hashes[$0].id } }
    }
  }

  /// Returns the hashes of the photos in view, sorted by id; makes those that are missing where the
  /// images are on this disk.
  ///
  /// - Parameter extra: A photo that need not be in view.
  func perceptualHashes(
    including extra: PhotoID? = nil
  ) throws -> [(id: PhotoID, hash: PerceptualHash)] {
    var inView = PhotoConditions()
    inView.traits = [.inView]
    var ids = try query(resolved: true) { try $0.photos(where: PhotoFilter([inView])) }
    if let extra, !ids.contains(extra) { ids.append(extra) }
    let file = perceptualHashFile
    var hashes = try file.read()
    let (blobs, files) = (directory.blobs, world.files)
    let missing = try ids.filter { try hashes[$0] == nil && blobs.size(of: $0) != nil }
    var made: [PerceptualHashFile.Record] = []
    var done = 0
    // What was made of many is kept, though the rest be cut short.
    func keep() {
      try? file.append(made)
      made.removeAll()
    }
    defer { keep() }
    try mapInParallel(missing) { id in
      let preview = try? files.withMapping(of: blobs.path(of: id)) { try PhotoPreview(of: $0) }
      return (id: id, hash: preview?.hash)
    } use: { record in
      done += 1
      onProgress("looking at photos", done, missing.count)
      hashes.updateValue(record.hash, forKey: record.id)
      made.append(record)
      if made.count == 256 { keep() }
    }
    return ids.compactMap { id in (hashes[id] ?? nil).map { (id, $0) } }
  }

  var perceptualHashFile: PerceptualHashFile {
    PerceptualHashFile(
      path: directory.privateDirectory.appending("perceptual-hashes"), files: world.files)
  }
}
