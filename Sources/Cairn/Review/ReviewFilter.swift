public import CairnBase
public import CairnDocument
public import CairnMerge
public import CairnReview

/// A filter on the review queue.
public struct ReviewFilter: Sendable {
  /// Only photos that match the query; nil for all, including removed ones.
  public var query: PhotoQuery?
  /// Only questions about this class, by any of its names.
  public var className: String?
  /// Only questions with one of these reasons.
  public var reasons = Set(ReviewReason.allCases)
  /// Only photos in this shard.
  public var shard: ReviewShard?
  /// Whether to include questions skipped on this device.
  public var includesSkipped = false
  /// Maximum number of images to hash in order to find duplicates. If more have no perceptual hash
  /// yet, duplicates are left out, since hashing takes minutes.
  public var hashLimit = 5_000

  /// Creates a filter that accepts every question that was not skipped.
  public init() {}
}

/// A question of the review queue with the labels of its photo.
public struct ReviewQuestion: Sendable {
  /// A reason for asking.
  public struct Reason: Equatable, Sendable {
    /// The reason.
    public let reason: ReviewReason
    /// Its details as a phrase, such as `“oak” is confirmed on only 3 photos`.
    public let text: String
  }

  /// The entry of the queue.
  public let item: ReviewItem
  /// The photo.
  public let photo: Photo
  /// All labels of the photo, and the resolution of each class.
  package let evidence: PhotoEvidence
  /// Whether the photo is visible, and why not.
  public let visibility: Visibility

  package var key: ReviewKey { item.key }

  /// The class; nil if the question is about the photo as a whole.
  public var classKey: ClassKey? { key.classKey }

  /// The display name of the class; nil if the question is about the photo as a whole.
  public var className: String? { classKey.map(name(of:)) }

  /// Why the question is asked, the most urgent reason first; empty for a photo that nobody has
  /// labeled.
  public var reasons: [Reason] { item.reasons.map { Reason(reason: $0.reason, text: $0.text) } }

  /// The resolution of the class.
  public var resolution: Resolution? { key.classKey.flatMap { evidence.resolution(of: $0) } }

  /// The resolutions of all classes with labels, sorted by key.
  public var resolutions: [Resolution] { evidence.resolutions }

  /// The labels that the question is about: those of its class and of other classes of the same
  /// exclusive set, or all labels if it is about the photo as a whole.
  public var labels: [Label] { evidence.labels(on: key.classKey) }

  /// The boxes of labels that assert that the class, or any class, is present.
  public var boxes: [NormalizedRect] {
    evidence.labels.filter {
      $0.verdict == .present && (classKey == nil || canonicalKey(of: $0) == classKey)
    }.compactMap { $0.region?.box }
  }

  /// The name shown for the photo: its title, or the name of its file if it has none.
  public var photoName: String { photo.name }

  /// Returns the class that a label counts for: the class that its class was merged into, otherwise
  /// its own.
  public func canonicalKey(of label: Label) -> ClassKey {
    evidence.rules.classes.canonicalKey(of: label.classKey)
  }

  /// Returns the display name of a class.
  public func name(of classKey: ClassKey) -> String { evidence.rules.classes.name(of: classKey) }

  /// Returns whether the photo is a favorite of the person.
  public func isFavorite(of person: Annotator) -> Bool {
    !evidence.favorites(of: person).isEmpty
  }

  init(_ item: ReviewItem, _ photo: Photo, _ evidence: PhotoEvidence) {
    (self.item, self.photo, self.evidence) = (item, photo, evidence)
    visibility = Visibility(of: photo, labels: evidence.labels)
  }
}
