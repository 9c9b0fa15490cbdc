public import CairnDocument
internal import CairnLabelers

/// How to predict.
public struct PredictionOptions: Sendable {
  /// The most classes of a photo.
  public var top = 5
  /// The least score of a class, between 0 and 1.
  public var least = 0.05
  /// Whether photos are asked about that this version of the model has predicted already.
  public var isAgain = false
  /// Only the photos that failed when they were last asked about.
  public var isRetry = false

  public init() {}
}

/// What became of photos that a model was asked about.
public struct PredictionReport: Sendable {
  /// Nil when there was nothing to predict, or nothing came.
  public internal(set) var run: Run?
  public internal(set) var model: Annotator
  /// How many photos have predictions now, and how many labels those are.
  public internal(set) var photos = 0
  public internal(set) var labels = 0
  /// How many photos the model had nothing to say of.
  public internal(set) var empty = 0
  /// How many had predictions of this version of the model already.
  public internal(set) var skipped = 0
  /// Photos that failed, and why, by id.
  public internal(set) var failed: [(photo: PhotoID, reason: String)] = []
  /// Photos whose images are not on this disk.
  public internal(set) var notHere: [PhotoID] = []
  /// Names that cannot be those of classes, which are left out.
  public internal(set) var unusable: [String] = []
  /// Why it ended before all photos were asked about.
  public internal(set) var end: CairnError?

  init(model: Annotator) { self.model = model }
}
