package import CairnDocument
package import CairnMerge
package import CairnReview

/// A filter on the review queue.
package struct ReviewFilter: Sendable {
  /// Only photos that match the query; nil for all, including removed ones.
  package var query: PhotoQuery?
  /// Only questions about this class, by any of its names.
  package var className: String?
  package var reasons = Set(ReviewReason.allCases)
  /// Only photos in this shard.
  package var shard: ReviewShard?
  /// Whether to include questions skipped on this device.
  package var includesSkipped = false
  /// Maximum number of images to hash in order to find duplicates. If more have no perceptual hash
  /// yet, duplicates are left out, since hashing takes minutes.
  package var hashLimit = 5_000

  package init() {}
}

/// A question of the review queue with the labels of its photo.
package struct ReviewQuestion: Sendable {
  package let item: ReviewItem
  package let photo: Photo
  /// All labels of the photo, and the resolution of each class.
  package let evidence: PhotoEvidence
  package let visibility: Visibility

  package var key: ReviewKey { item.key }

  /// The display name of the class; nil if the question is about the photo as a whole.
  package var className: String? { key.classKey.map { evidence.rules.classes.name(of: $0) } }

  /// The resolution of the class.
  package var resolution: Resolution? { key.classKey.flatMap { evidence.resolution(of: $0) } }

  /// The name shown for the photo: its title, or the name of its file if it has none.
  package var photoName: String { photo.name }

  /// Returns whether the photo is a favorite of the person.
  package func isFavorite(of person: Annotator) -> Bool {
    !evidence.favorites(of: person).isEmpty
  }

  init(_ item: ReviewItem, _ photo: Photo, _ evidence: PhotoEvidence) {
    (self.item, self.photo, self.evidence) = (item, photo, evidence)
    visibility = Visibility(of: photo, labels: evidence.labels)
  }
}
