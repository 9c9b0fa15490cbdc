public import CairnDocument
public import CairnMerge
public import CairnReview

/// Which part of the review queue is meant.
public struct ReviewRequest: Sendable {
  /// Only photos that it finds; nil for all, removed ones among them.
  public var query: PhotoQuery?
  /// Only questions about this class, by any of its names.
  public var className: String?
  public var reasons = Set(ReviewReason.allCases)
  public var share: ReviewShare?
  /// Also what was passed over on this device.
  public var includesSkipped = false
  /// How many images may be looked at that were not yet, to find those that look the same. Where there
  /// are more, duplicates are left out: to look at all takes minutes.
  public var lookLimit = 5_000

  public init() {}
}

/// A question of the queue with all that is said of its photo.
public struct ReviewQuestion: Sendable {
  public let item: ReviewItem
  public let photo: Photo
  /// All labels of the photo, and what stands of each class.
  public let evidence: ReviewCase
  public let visibility: PhotoVisibility

  public var key: ReviewKey { item.key }

  /// What people call the class; nil where the question is about the photo as a whole.
  public var className: String? { key.classKey.map { evidence.rules.classes.name(of: $0) } }

  /// What stands of the class.
  public var resolution: Resolution? { key.classKey.flatMap { evidence.resolution(of: $0) } }

  /// What the photo is called: its title, or else the name of its file.
  public var photoName: String { photo.name }

  /// Whether the photo is among somebody's favourites.
  public func isFavorite(of person: Annotator) -> Bool {
    !evidence.favorites(of: person).isEmpty
  }

  init(_ item: ReviewItem, _ photo: Photo, _ evidence: ReviewCase) {
    (self.item, self.photo, self.evidence) = (item, photo, evidence)
    visibility = PhotoVisibility(of: photo, labels: evidence.labels)
  }
}
