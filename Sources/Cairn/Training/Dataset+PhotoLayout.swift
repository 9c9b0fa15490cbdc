internal import CairnDocument
internal import CairnIndex
internal import CairnLabelers
internal import CairnTraining

/// The result of arranging photos by similarity, in numbers of photos.
package struct PhotoLayoutReport: Sendable {
  /// Those that were arranged.
  package let photos: Int
  /// Those that were left out, because their images are not on this disk.
  package let missingImages: Int
  /// Those that were left out, because their images were erased.
  package let erasedImages: Int
  /// Those that were left out, because their images cannot be decoded.
  package let undecodableImages: Int
}

extension Dataset {
  /// The number of coordinates by which photos are compared.
  private static let layoutCoordinateCount = 48

  private var photoLayoutFile: PhotoLayoutFile {
    PhotoLayoutFile(nextTo: featureFile(.fisher))
  }

  /// Returns the positions of the photos that were arranged last; nil before the first time.
  package func photoLayout() throws(CairnError) -> PhotoLayout? {
    try translating { try photoLayoutFile.read() }
  }

  /// Places all visible photos on a plane so that similar ones are near each other, and keeps their
  /// positions.
  ///
  /// Computes features that are not cached. Omits photos whose images cannot be decoded, or are not
  /// on this disk.
  package func arrangePhotos() throws(CairnError) -> PhotoLayoutReport {
    try translating {
      var visible = PhotoConditions()
      visible.flags = [.visible]
      let ids = try query(resolved: true) { try $0.photos(where: PhotoFilter([visible])) }
      let features = try features(of: ids, in: .fisher)
      let photos = features.photos
      var vectors = photos.map { _ in [Float(0)] }
      if photos.count > 1 {
        let projection = try projection(
          of: photos, features, coordinateCount: Dataset.layoutCoordinateCount)
        vectors = try coordinates(of: photos, features, projection)
      }
      let positions = try NeighborLayout.positions(
        of: vectors, checkCancellation: { try environment.checkCancellation() },
        progress: { report("arranging photos", $0, of: $1) })
      try photoLayoutFile.write(PhotoLayout(photos, positions))
      return PhotoLayoutReport(
        photos: photos.count, missingImages: features.missing.count,
        erasedImages: features.erased.count, undecodableImages: features.unusable.count)
    }
  }
}
