public import SystemPackage

/// What to learn, and from which photos.
public struct TrainingRequest: Sendable {
  /// The classes that a model distinguishes.
  public enum Subject: Equatable, Sendable {
    /// The classes of an exclusive set; nil for the only one.
    case exclusiveSet(String?)
    /// The classes with these names, which do not exclude each other.
    case classes([String])
  }

  /// The name of the model and of its labeler.
  public var name: String
  /// What the model tells apart.
  public var subject = Subject.exclusiveSet(nil)
  /// Selects the photos; only visible ones that people labeled are used.
  public var query = PhotoQuery.everything
  /// The query as text, for the model card.
  public var queryText: String?
  /// Subsets with their shares, or the name of a recorded split: the model learns from its subset
  /// `train`, or the first, and is tested on `test`, or the last. Nil to learn from all photos.
  public var split: String?
  /// Whether photos of one pin stay on one side of the cross-validation and the split.
  public var groupsByPin = false
  /// An ONNX model whose output is used as features, with its description (`.json`) beside it; nil for
  /// the features of this program.
  public var features: FilePath?
  /// ONNX Runtime for ``features``: its file or folder; nil searches the usual paths.
  public var library: FilePath?
  /// The kinds of changed copies of the photos that the model learns from as well; one copy of each
  /// kind. Copies are never counted or predicted, and are where their photos are: in the same fold of
  /// the cross-validation, and only of the training subset.
  public var augmentations: Set<Augmentation> = []
  /// A file whose name ends in `.onnx`, to which the model is copied for other programs.
  public var output: FilePath?
  /// Whether ``output`` replaces any file; otherwise only a model of the same name.
  public var replacesOutput = false

  /// Creates a request to learn the only exclusive set from all photos.
  public init(name: String) { self.name = name }

  /// The kinds of copies, in a fixed order.
  var copies: [Augmentation] { Augmentation.allCases.filter(augmentations.contains) }

  /// The least number of photos that have a class, and for independent classes also of photos that
  /// lack it.
  package static let leastPhotos = 10
}
