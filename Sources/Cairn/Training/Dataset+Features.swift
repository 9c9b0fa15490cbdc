internal import CairnDocument
internal import CairnFiles
internal import CairnLabelers
internal import CairnPhotos
internal import CairnStore
internal import CairnTraining
internal import Synchronization
internal import SystemPackage

extension Dataset {
  private var featureDirectory: FilePath { directory.privateDirectory.appending("features") }

  /// - Parameter copies: The kind of changed copies whose features it has; nil for those of the photos.
  func featureFile(_ space: FeatureSpace, copies: Augmentation? = nil) -> FeatureFile {
    FeatureFile(space, copies: copies, in: featureDirectory, files: environment.files)
  }

  /// Returns the features of photos whose images can be decoded; computes those that are not cached,
  /// on all processors. What was computed stays when it is interrupted.
  func features(of photos: [PhotoID], in space: FeatureSpace) throws -> FeatureSet {
    let file = featureFile(space)
    let index = try file.index()
    var hashes = try perceptualHashFile.read()
    // The hashes decide which photos are near duplicates, so they are needed as well.
    var (found, needed) = (Set<PhotoID>(), [PhotoID]())
    var (missing, erased) = ([PhotoID](), [PhotoID]())
    let erasedImages = try replica.erasedImages()
    for photo in photos {
      try environment.checkCancellation()
      let isCached = try index.features(of: photo) != nil
      if isCached { found.insert(photo) }
      if isCached, hashes[photo] != nil { continue }
      if try directory.blobs.size(of: photo) != nil {
        needed.append(photo)
      } else if !isCached, erasedImages.contains(photo) {
        erased.append(photo)
      } else if !isCached {
        missing.append(photo)
      }
    }
    var unusable: [FeatureSet.UnusableImage] = []
    let unsaved = try computeFeatures(of: needed, space, cached: found) { photo, result in
      switch result {
      case .success(let computed):
        found.insert(photo)
        hashes.updateValue(computed.hash, forKey: photo)
      case .failure(let error):
        if !found.contains(photo) { unusable.append((photo, unusableReason(error))) }
      }
    }
    let known = photos.filter(found.contains)
    return FeatureSet(
      known, in: space, missing: missing, erased: erased, unusable: unusable,
      uncompared: known.filter { hashes[$0] == nil },
      hashes: Dictionary(
        known.compactMap { id in (hashes[id] ?? nil).map { (id, $0) } }, uniquingKeysWith: { $1 }),
      index: needed.isEmpty ? index : try file.index(), unsaved: unsaved)
  }

  private typealias Computed = (features: QuantizedFeatures?, hash: PerceptualHash?)

  /// Computes features and hashes, writes them to the caches, and passes them to `use`, or the reason
  /// why an image has none.
  ///
  /// - Parameter cached: Photos of which only the hashes are needed.
  /// - Returns: Those that could not be written.
  private func computeFeatures(
    of photos: [PhotoID], _ space: FeatureSpace, cached: Set<PhotoID>,
    _ use: (PhotoID, Result<Computed, any Error>) -> Void
  ) throws -> [PhotoID: QuantizedFeatures] {
    let hashFile = perceptualHashFile
    let computer = FeatureComputer(space)
    let (blobs, files) = (directory.blobs, environment.files)
    var writer = FeatureWriter(featureFile(space))
    var hashes: [PerceptualHashFile.Record] = []
    var (done, failuresInDoubt) = (0, 0)
    func save() {
      writer.save()
      try? hashFile.append(hashes)
      hashes.removeAll()
    }
    defer { save() }
    try mapInParallel(photos) { id -> (id: PhotoID, result: Result<Computed, any Error>) in
      let result = Result {
        try files.withMapping(of: blobs.path(of: id)) { bytes -> Computed in
          let preview = try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
          let features =
            cached.contains(id) ? nil : try computer.features(of: bytes, preview: preview)
          return (features: features, hash: PerceptualHash(of: preview))
        }
      }
      return (id, result)
    } use: { id, result in
      try environment.checkCancellation()
      done += 1
      report("computing features", done, of: photos.count)
      failuresInDoubt = try Dataset.failuresInDoubt(after: result, failuresInDoubt)
      use(id, result)
      guard let computed = try? result.get() else { return }
      if let features = computed.features { writer.add(id, features) }
      hashes.append((id, computed.hash))
      if writer.isFull { save() }
    }
    save()
    return writer.unsaved
  }

  /// Returns the number of doubtful failures of a model in a row.
  ///
  /// - Throws: An error of the model, or after many of them.
  static func failuresInDoubt<Value>(
    after result: Result<Value, any Error>, _ count: Int
  ) throws -> Int {
    guard case .failure(let error as LabelerError) = result, error.scope != .photo else { return 0 }
    if error.scope == .doubtful, count + 1 < PredictionPool.failuresInDoubtLimit {
      return count + 1
    }
    throw CairnError.features(error)
  }

  /// Returns a function that computes features of images for a labeler, and caches those of photos,
  /// with the hashes that a training needs as well.
  func featureReader() -> FeatureReader {
    let (open, folder, files) = (imageOpener(), featureDirectory, environment.files)
    let hashFile = perceptualHashFile
    let source = Mutex<FeatureSource?>(nil)
    return { image, space in
      // The index is read when the first photo is asked for.
      let source = try source.withLock { source -> FeatureSource in
        if let source, source.computer.space.name == space.name { return source }
        let file = FeatureFile(space, in: folder, files: files)
        let next = FeatureSource(
          file: file, index: try file.index(), computer: FeatureComputer(space),
          hashed: Set(try hashFile.read().keys))
        source = next
        return next
      }
      if let photo = image.photo, let cached = try source.index.features(of: photo) {
        return cached.floats
      }
      return try open(image) { bytes, isBlob in
        // Only a blob is known to be the photo's image.
        guard isBlob, let photo = image.photo else {
          return try source.computer.features(of: bytes).floats
        }
        let isHashed = source.hashed.contains(photo)
        let preview = isHashed ? nil : try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
        let features = try source.computer.features(of: bytes, preview: preview)
        if let preview { try? hashFile.append([(photo, PerceptualHash(of: preview))]) }
        try? source.file.append([(photo, features)])
        return features.floats
      }
    }
  }
}

extension CairnError {
  /// The features of a model of the user's cannot be computed.
  static func features(_ error: LabelerError) -> CairnError {
    CairnError(
      .invalidInput, "The features cannot be computed: \(error).",
      hint: "`cairn help train` describes what --features takes.")
  }
}

/// Where a labeler's features come from.
private struct FeatureSource: Sendable {
  let file: FeatureFile
  let index: FeatureIndex
  let computer: FeatureComputer
  /// The photos whose hashes are known.
  let hashed: Set<PhotoID>
}

/// Computes the features of images; several threads may use it at once.
final class FeatureComputer: Sendable {
  let space: FeatureSpace
  /// Extractors that threads borrow, one for each thread at a time.
  private let idle = Mutex<[FeatureExtractor]>([])

  init(_ space: FeatureSpace) { self.space = space }

  /// Returns the features of an encoded image.
  ///
  /// - Parameter preview: The image as it is decoded for previews, if that was done.
  func features(
    of bytes: UnsafeRawBufferPointer, preview: PixelBuffer? = nil
  ) throws -> QuantizedFeatures {
    switch space {
    case .fisher:
      let pixels = try preview ?? PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
      return features(of: pixels)
    case .embedding(let embedding):
      // As labelers decode images, so that other programs get equal features.
      let pixels = try PixelBuffer(decoding: bytes, alpha: .dropped)
      return QuantizedFeatures(try embedding.features(of: pixels))
    }
  }

  /// Returns the features of changed copies of a photo: of its image at the size of previews or, for
  /// an embedding model, at twice the size of its input.
  func features(
    of bytes: UnsafeRawBufferPointer, _ photo: PhotoID, copies: [Augmentation]
  ) throws -> [QuantizedFeatures] {
    switch space {
    case .fisher:
      let pixels = try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
      return copies.map { features(of: $0.copy(of: pixels, photo)) }
    case .embedding(let embedding):
      let pixels = try PixelBuffer(
        decoding: bytes, fitting: try embedding.detailSide(), alpha: .dropped)
      return try copies.map {
        QuantizedFeatures(try embedding.features(of: $0.copy(of: pixels, photo)))
      }
    }
  }

  private func features(of pixels: PixelBuffer) -> QuantizedFeatures {
    let side = FeatureExtractor.side
    let image = pixels.resized(width: side, height: side)
    let extractor = idle.withLock { $0.popLast() } ?? FeatureExtractor()
    defer { idle.withLock { $0.append(extractor) } }
    return QuantizedFeatures(extractor.fisherVector(of: image.bytes))
  }
}

/// Returns why an image has no features, as a clause.
private func unusableReason(_ error: any Error) -> String {
  error is ImageError ? "it \(error)" : "\(error)"
}
