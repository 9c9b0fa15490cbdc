internal import CairnDocument
internal import CairnIndex
internal import CairnLabelers
internal import CairnStore

extension Dataset {
  /// Returns the visible photos whose features are most similar to those of a photo, most similar
  /// first: by the cosine of their differences from the mean.
  ///
  /// Computes features that are not cached. Omits photos whose images cannot be decoded, or are not
  /// on this disk.
  /// - Parameter labeler: The name of a model that cairn trained.
  func nearestPhotos(
    to id: PhotoID, labeler: String, count: Int
  ) throws(CairnError) -> [PhotoID] {
    let (_, model) = try trainedModel(labeler)
    return try translating {
      _ = try photo(id)
      var visible = PhotoConditions()
      visible.flags = [.visible]
      let ids = try query(resolved: true) { try $0.photos(where: PhotoFilter([visible])) }
      let features = try features(of: ids.contains(id) ? ids : ids + [id], in: model.space)
      if let unusable = features.unusable.first(where: { $0.photo == id }) {
        throw CairnError(
          .invalidImage, "The image \(id.short)… cannot be used: \(unusable.reason).",
          hint: "`cairn verify` names damaged images.")
      }
      guard features.photos.contains(id) else { throw try missingImage(id) }
      let mean = try features.sampleMean()
      let own = difference(try features.features(of: id), mean)
      var found: [(cosine: Float, id: PhotoID)] = []
      try features.forEachBlock(of: features.photos) { photos, vectors in
        try environment.checkCancellation()
        for (photo, vector) in zip(photos, vectors) where photo != id {
          found.append((cosine(own, difference(vector, mean)), photo))
        }
      }
      found.sort { (-$0.cosine, $0.id) < (-$1.cosine, $1.id) }
      return found.prefix(count).map(\.id)
    }
  }

  private func difference(_ vector: [Float], _ mean: [Float]) -> [Float] {
    zip(vector, mean).map { $0 - $1 }
  }

  private func cosine(_ first: [Float], _ second: [Float]) -> Float {
    var (product, left, right): (Float, Float, Float) = (0, 0, 0)
    for (x, y) in zip(first, second) {
      product += x * y
      left += x * x
      right += y * y
    }
    return left > 0 && right > 0 ? product / (left * right).squareRoot() : 0
  }
}

extension FeatureSet {
  private static let meanSampleCount = 512

  /// Returns the mean features of evenly spaced photos.
  ///
  /// - Precondition: There is a photo.
  fileprivate func sampleMean() throws -> [Float] {
    let count = min(photos.count, FeatureSet.meanSampleCount)
    var sums = [Float](repeating: 0, count: space.count)
    for number in 0..<count {
      let vector = try features(of: photos[number * photos.count / count])
      for (index, value) in vector.enumerated() { sums[index] += value }
    }
    return sums.map { $0 / Float(count) }
  }
}
