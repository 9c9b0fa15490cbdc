internal import CairnDocument
internal import CairnLabelers
internal import CairnPhotos
internal import CairnTraining

/// The features of photos, read on demand, and their perceptual hashes.
struct FeatureSet {
  /// The photos with features, in the order in which they were asked for.
  let photos: [PhotoID]
  /// The photos whose images are not on this disk.
  let missing: [PhotoID]
  /// The photos whose images were erased.
  let erased: [PhotoID]
  /// The photos whose images cannot be decoded, or have no features for another reason.
  let unusable: [UnusableImage]
  /// The photos with features whose hashes are unknown, because their images are not here or cannot
  /// be decoded: whether they are near duplicates of others is unknown.
  let uncompared: [PhotoID]
  let space: FeatureSpace

  /// A photo and the reason why its image has no features.
  typealias UnusableImage = (photo: PhotoID, reason: String)

  private let hashes: [PhotoID: PerceptualHash]
  private let index: FeatureIndex
  /// Those that could not be written to the cache.
  private let unsaved: [PhotoID: QuantizedFeatures]

  init(
    _ photos: [PhotoID], in space: FeatureSpace, missing: [PhotoID], erased: [PhotoID],
    unusable: [UnusableImage], uncompared: [PhotoID], hashes: [PhotoID: PerceptualHash],
    index: FeatureIndex,
    unsaved: [PhotoID: QuantizedFeatures]
  ) {
    (self.photos, self.missing, self.erased) = (photos, missing, erased)
    (self.space, self.unusable, self.uncompared) = (space, unusable, uncompared)
    (self.hashes, self.index, self.unsaved) = (hashes, index, unsaved)
  }

  /// Returns the features of one of the photos.
  func features(of photo: PhotoID) throws -> [Float] {
    if let features = try unsaved[photo] ?? index.features(of: photo) { return features.floats }
    throw CairnError(
      .corrupt, "The cached features of \(photo) were damaged in the meantime.",
      hint: "Run the command again to recompute them.")
  }

  /// Calls `body` with the photos and features of one block after the other.
  func forEachBlock(
    of photos: [PhotoID], _ body: (ArraySlice<PhotoID>, [[Float]]) throws -> Void
  ) throws {
    for start in stride(from: 0, to: photos.count, by: FeatureSet.blockSize) {
      let part = photos[start..<min(photos.count, start + FeatureSet.blockSize)]
      try body(part, part.map(features))
    }
  }

  private static let blockSize = 128

  // MARK: Near duplicates

  /// Returns the hash of a photo; nil if it has none.
  func hash(of photo: PhotoID) -> PerceptualHash? { hashes[photo] }

  /// Returns whether two photos have similar hashes. Near duplicates also have similar features:
  /// textures and plain photos have similar hashes by chance.
  func haveSimilarHashes(_ first: PhotoID, _ second: PhotoID) -> Bool {
    guard let first = hashes[first], let second = hashes[second] else { return false }
    return first.distance(to: second) <= FeatureSet.duplicateDistance
  }

  func areNearDuplicates(_ first: PhotoID, _ second: PhotoID) throws -> Bool {
    guard haveSimilarHashes(first, second) else { return false }
    return isSimilar(products([try direction(of: first)], [try direction(of: second)])[0][0])
  }

  /// Returns the features of a photo, scaled to length 1.
  func direction(of photo: PhotoID) throws -> [Float] {
    let features = try features(of: photo)
    let length = features.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return length > 0 ? features.map { $0 / length } : features
  }

  /// The number of differing bits up to which two photos count as one, as `--skip-similar` has it.
  static let duplicateDistance = 8

  /// - Parameter product: The sum of products of the features of two photos, scaled to length 1.
  func isSimilar(_ product: Float) -> Bool {
    switch space {
    // Measured on 16 photos: copies that differ in size, compression, brightness or by 2% of the
    // sides have at least 0.75, other photos at most 0.46.
    case .fisher: product >= 0.72
    // Features of networks are mostly positive, so those of different photos are more alike.
    case .embedding: product >= 0.9
    }
  }
}
