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

  /// Returns the features of photos whose images are on this disk and can be decoded; computes those
  /// that are not cached, on all processors. What was computed stays when it is interrupted.
  func features(of photos: [PhotoID]) throws -> [PhotoID: [Float]] {
    let file = featureFile
    var features = try file.read(Set(photos))
    let hashFile = perceptualHashFile
    let hashes = try hashFile.read()
    let (blobs, files) = (directory.blobs, environment.files)
    // The hashes decide which photos are near duplicates, so they are needed as well.
    let missing = try photos.filter {
      try (features[$0] == nil || hashes[$0] == nil) && blobs.size(of: $0) != nil
    }
    let extractors = ExtractorPool()
    var unsaved: [(id: PhotoID, features: QuantizedFeatures)] = []
    var unsavedHashes: [PerceptualHashFile.Record] = []
    var done = 0
    func save() {
      try? file.append(unsaved)
      try? hashFile.append(unsavedHashes)
      unsaved.removeAll()
      unsavedHashes.removeAll()
    }
    defer { save() }
    try mapInParallel(missing) { id in
      try? files.withMapping(of: blobs.path(of: id)) { bytes in
        let pixels = try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
        return (id: id, features: extractors.features(of: pixels), hash: PerceptualHash(of: pixels))
      }
    } use: { found in
      try environment.checkCancellation()
      done += 1
      report("computing features", done, missing.count)
      guard let found else { return }
      if features[found.id] == nil { unsaved.append((found.id, found.features)) }
      features[found.id] = found.features.floats
      if hashes[found.id] == nil { unsavedHashes.append((found.id, found.hash)) }
      if unsaved.count == 64 { save() }
    }
    return features
  }

  /// Calls `body` with the features of each photo whose image can be decoded; those of at
  /// most 2,048 photos are in memory at a time.
  func forEachFeatures(
    of photos: [PhotoID], _ body: (PhotoID, [Float]) throws -> Void
  ) throws {
    var rest = photos[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(2048))
      rest = rest.dropFirst(part.count)
      let features = try features(of: part)
      for photo in part { if let own = features[photo] { try body(photo, own) } }
    }
  }

  /// Returns a function that computes features of images for a labeler, and caches those of photos.
  func featureReader() -> FeatureReader {
    let (file, extractors) = (featureFile, ExtractorPool())
    let known = Mutex<[PhotoID: [Float]]?>(nil)
    return { image in
      let id = PhotoID(image.name)
      // The cache is read once, when the first photo is asked for.
      let cached = try known.withLock { known -> [Float]? in
        guard let id else { return nil }
        if known == nil { known = try file.read(nil) }
        return known?[id]
      }
      if let cached { return cached }
      do {
        let features = try FileSystem().withMapping(of: image.path) { bytes in
          extractors.features(of: try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side))
        }
        if let id { try? file.append([(id, features)]) }
        return features.floats
      } catch let error as ImageError {
        throw LabelerError("the image \(error)")
      } catch {
        throw LabelerError("the image cannot be read: \(error)")
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
