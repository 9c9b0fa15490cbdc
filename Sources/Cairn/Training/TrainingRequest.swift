/// What to learn, and from which photos.
public struct TrainingRequest: Sendable {
  /// The name of the model and of its labeler.
  public var name: String
  /// Selects the photos; only visible ones that people labeled are used.
  public var query = PhotoQuery.everything
  /// The query as text, for the model card.
  public var queryText: String?
  /// The exclusive set whose classes are learned; nil for the only one, if there is one.
  public var set: String?
  /// The names of classes that do not exclude each other.
  public var classNames: [String] = []
  /// Subsets with their shares, or the name of a recorded split: the model learns from its subset `train`, or the first, and is
  /// tested on `test`, or the last. Nil to learn from all photos.
  public var split: String?
  /// Whether photos of one pin stay together in the cross-validation.
  public var groupsByPin = false

  /// Creates a request to learn the only exclusive set from all photos.
  public init(name: String) { self.name = name }

  /// The least number of photos that have a class, and for independent classes also of photos that
  /// lack it.
  package static let leastPhotos = 10
}
