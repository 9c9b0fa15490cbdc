public import CairnDocument
internal import CairnLabelers
internal import CairnMerge

/// Options for predictions.
public struct PredictionOptions: Sendable {
  /// Maximum number of classes per photo; each may have up to 100 boxes.
  public var top = 5
  /// Minimum score of a class, between 0 and 1.
  public var minimumScore = 0.05
  /// Whether to include photos already predicted by this version of the model.
  public var includesPredicted = false
  /// Whether to include only the photos that failed last time.
  public var isRetry = false
  /// Called with what was predicted so far, each time that predictions were written.
  package var onWrite: (@Sendable (PredictionReport) -> Void)?

  /// Creates options for the photos that this version of the model has not predicted yet.
  public init() {}
}

/// The result of running a model on photos.
public struct PredictionReport: Sendable {
  /// A photo without a prediction, with the reason.
  public struct Failure: Sendable {
    /// The photo without a prediction.
    public let photo: PhotoID
    /// Why the model gave no prediction.
    public let reason: String
  }

  /// A name that several classes have.
  public struct AmbiguousName: Equatable, Sendable {
    /// The name, as the model gave it.
    public let name: String
    /// The classes that have it, sorted.
    public let classes: [ClassKey]

    /// The name and the classes: `“tree” matches 2 classes: ash, elm`.
    public var message: String { ClassMatch.ambiguity(of: name, classes) }
  }

  /// Nil if there was nothing to predict, or no prediction arrived.
  public internal(set) var run: Run?
  /// The model and version that predicted.
  public internal(set) var model: Annotator
  /// The number of photos that have predictions now. A prediction may also state that a class is
  /// absent, if another version of the model had found it.
  public internal(set) var photos = 0
  /// The number of labels of these predictions.
  public internal(set) var labels = 0
  /// The number of photos without predictions.
  public internal(set) var empty = 0
  /// The number of photos already predicted by this version of the model.
  public internal(set) var skipped = 0
  /// The number of photos that were left out, because their images were erased.
  public internal(set) var erasedImages = 0
  /// The failed photos with reasons, by id.
  public internal(set) var failed: [Failure] = []
  /// Photos whose images are not on this disk.
  public internal(set) var missingImages: [PhotoID] = []
  /// Names from the model that are invalid as class names and were left out.
  public internal(set) var invalidClassNames: [String] = []
  /// Names from the model that were left out because several classes have them.
  public internal(set) var ambiguous: [AmbiguousName] = []
  /// The error that ended the run before all photos were processed.
  public internal(set) var end: CairnError?

  init(model: Annotator) { self.model = model }
}
