public import CairnDocument
public import CairnMerge
public import CairnReview

/// A filter on the review queue.
public struct ReviewFilter: Sendable {
  /// Only photos that match the query; nil for all, including removed ones.
  public var query: PhotoQuery?
  /// Only questions about this class, by any of its names.
  public var className: String?
  public var reasons = Set(ReviewReason.allCases)
  /// Only photos in this shard.
  public var share: ReviewShard?
  /// Whether to include questions skipped on this device.
  public var includesSkipped = false
  /// Maximum number of images to hash in order to find duplicates. If more have no perceptual hash
  /// yet, duplicates are left out, since hashing takes minutes.
  public var lookLimit = 5_000

  public init() {}
}

/// A question of the review queue with the labels of its photo.
public struct ReviewQuestion: Sendable {
  public let item: ReviewItem
  public let photo: Photo
  /// All labels of the photo, and the resolution of each class.
  public let evidence: PhotoEvidence
  public let visibility: Visibility

  public var key: ReviewKey { item.key }

  /// The display name of the class; nil if the question is about the photo as a whole.
  public var className: String? { key.classKey.map { evidence.rules.classes.name(of: $0) } }

  /// The resolution of the class.
  public var resolution: Resolution? { key.classKey.flatMap { evidence.resolution(of: $0) } }

  /// The name shown for the photo: its title, or the name of its file if it has none.
  public var photoName: String { photo.name }

  /// Returns whether the photo is a favorite of the person.
  public func isFavorite(of person: Annotator) -> Bool {
    !evidence.favorites(of: person).isEmpty
  }

  init(_ item: ReviewItem, _ photo: Photo, _ evidence: PhotoEvidence) {
    (self.item, self.photo, self.evidence) = (item, photo, evidence)
    visibility = Visibility(of: photo, labels: evidence.labels)
  }
}
