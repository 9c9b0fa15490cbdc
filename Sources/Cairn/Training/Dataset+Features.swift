internal import CairnDocument
internal import CairnFiles
internal import CairnLabelers
internal import CairnPhotos
internal import CairnStore
internal import CairnTraining
internal import Synchronization
internal import SystemPackage

extension Dataset {
  var featureFile: FeatureFile {
    FeatureFile(
      path: directory.privateDirectory.appending("features").appending(
        "fisher-\(Codebook.version)"), files: environment.files)
  }

  /// Returns the features of photos whose images can be decoded; computes those that are not cached,
  /// on all processors. What was computed stays when it is interrupted.
  func features(of photos: [PhotoID]) throws -> FeatureSet {
    let index = try featureFile.index()
    var hashes = try perceptualHashFile.read()
    // The hashes decide which photos are near duplicates, so they are needed as well.
    var (found, missing, needed) = (Set<PhotoID>(), [PhotoID](), [PhotoID]())
    for photo in photos {
      try environment.checkCancellation()
      let isCached = try index.features(of: photo) != nil
      if isCached { found.insert(photo) }
      if isCached, hashes[photo] != nil { continue }
      if try directory.blobs.size(of: photo) != nil {
        needed.append(photo)
      } else if !isCached {
        missing.append(photo)
      }
    }
    var undecodable: [PhotoID] = []
    let unsaved = try computeFeatures(of: needed, cached: found) { photo, computed in
      if let computed {
        found.insert(photo)
        hashes.updateValue(computed.hash, forKey: photo)
      } else if !found.contains(photo) {
        undecodable.append(photo)
      }
    }
    let known = photos.filter(found.contains)
    return FeatureSet(
      known, missing: missing, undecodable: undecodable,
      hashes: Dictionary(
        known.compactMap { id in (hashes[id] ?? nil).map { (id, $0) } }, uniquingKeysWith: { $1 }),
      index: needed.isEmpty ? index : try featureFile.index(), unsaved: unsaved)
  }

  private typealias Computed = (features: QuantizedFeatures, hash: PerceptualHash?)

  /// Computes features and hashes, writes them to the caches, and passes them to `use`; nil for a
  /// photo that cannot be decoded.
  ///
  /// - Returns: Those that could not be written.
  private func computeFeatures(
    of photos: [PhotoID], cached: Set<PhotoID>, _ use: (PhotoID, Computed?) -> Void
  ) throws -> [PhotoID: QuantizedFeatures] {
    let (file, hashFile, extractors) = (featureFile, perceptualHashFile, ExtractorPool())
    let (blobs, files) = (directory.blobs, environment.files)
    var kept: [PhotoID: QuantizedFeatures] = [:]
    var waiting: [(id: PhotoID, features: QuantizedFeatures)] = []
    var hashes: [PerceptualHashFile.Record] = []
    var done = 0
    func save() {
      do {
        try file.append(waiting)
      } catch {
        // Without space or the permission to write, features are computed again next time.
        for record in waiting { kept[record.id] = record.features }
      }
      try? hashFile.append(hashes)
      waiting.removeAll()
      hashes.removeAll()
    }
    defer { save() }
    try mapInParallel(photos) { id -> (id: PhotoID, computed: Computed?) in
      let computed = try? files.withMapping(of: blobs.path(of: id)) { bytes in
        let pixels = try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
        return (features: extractors.features(of: pixels), hash: PerceptualHash(of: pixels))
      }
      return (id, computed)
    } use: { id, computed in
      try environment.checkCancellation()
      done += 1
      report("computing features", done, of: photos.count)
      use(id, computed)
      guard let computed else { return }
      if !cached.contains(id) { waiting.append((id, computed.features)) }
      hashes.append((id, computed.hash))
      if waiting.count == 64 { save() }
    }
    save()
    return kept
  }

  /// Returns a function that computes features of images for a labeler, and caches those of photos.
  func featureReader() -> FeatureReader {
    let (file, extractors) = (featureFile, ExtractorPool())
    let open = imageOpener()
    let index = Mutex<FeatureIndex?>(nil)
    return { image in
      if let photo = image.photo {
        // The index is read when the first photo is asked for.
        let known = try index.withLock { index -> FeatureIndex in
          let known = try index ?? file.index()
          index = known
          return known
        }
        if let cached = try known.features(of: photo) { return cached.floats }
      }
      return try open(image) { bytes, isBlob in
        let features = extractors.features(
          of: try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side))
        // Only a blob is known to be the photo's image.
        if isBlob, let photo = image.photo { try? file.append([(photo, features)]) }
        return features.floats
      }
    }
  }
}

/// Extractors that threads borrow, one for each thread at a time.
private final class ExtractorPool: Sendable {
  private let idle = Mutex<[FeatureExtractor]>([])

  func features(of pixels: PixelBuffer) -> QuantizedFeatures {
    let side = FeatureExtractor.side
    let image = pixels.resized(width: side, height: side)
    let extractor = idle.withLock { $0.popLast() } ?? FeatureExtractor()
    defer { idle.withLock { $0.append(extractor) } }
    return QuantizedFeatures(extractor.fisherVector(of: image.bytes))
  }
}
