internal import CairnDocument
internal import CairnPhotos
internal import CairnTraining

/// The features of photos, read on demand, and their perceptual hashes.
struct FeatureSet {
  /// The photos with features, in the order in which they were asked for.
  let photos: [PhotoID]
  /// The photos whose images are not on this disk.
  let missing: [PhotoID]
  /// The photos whose images cannot be decoded.
  let undecodable: [PhotoID]

  private let hashes: [PhotoID: PerceptualHash]
  private let index: FeatureIndex
  /// Those that could not be written to the cache.
  private let unsaved: [PhotoID: QuantizedFeatures]

  init(
    _ photos: [PhotoID], missing: [PhotoID], undecodable: [PhotoID],
    hashes: [PhotoID: PerceptualHash], index: FeatureIndex,
    unsaved: [PhotoID: QuantizedFeatures]
  ) {
    (self.photos, self.missing, self.undecodable) = (photos, missing, undecodable)
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
    let product = products([try features(of: first)], [try features(of: second)])[0][0]
    return FeatureSet.isSimilar(product)
  }

  /// The number of differing bits up to which two photos count as one, as `--skip-similar` has it.
  static let duplicateDistance = 8
  /// Measured on 16 photos: copies that differ in size, compression, brightness or by 2% of the
  /// sides have at least 0.75, other photos at most 0.46.
  private static let duplicateSimilarity: Float = 0.72

  /// - Parameter product: The sum of products of the features of two photos, which are two vectors
  ///   of length 1 each.
  static func isSimilar(_ product: Float) -> Bool { product / 2 >= duplicateSimilarity }
}
