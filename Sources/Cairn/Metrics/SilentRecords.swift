internal import CairnDocument

/// What the runs of models record about photos for which they gave no label.
struct SilentRecords {
  private var photos: [Annotator: PhotoPrefixSet] = [:]
  /// The runs that record them.
  private var recording: Set<RunID> = []

  /// - Parameter runs: All runs; withdrawn ones do not count.
  init(_ runs: [Run]) {
    for run in runs where !run.withdrawn.value {
      guard let silent = run.silent else { continue }
      photos[run.annotator, default: PhotoPrefixSet()].formUnion(silent)
      recording.insert(run.id)
    }
  }

  /// The models that were silent on any photo.
  var models: [Annotator] { Array(photos.keys) }

  /// Returns whether a model was asked about a photo and gave no label, once at least.
  func contains(_ photo: PhotoID, for model: Annotator) -> Bool {
    photos[model]?.contains(photo) ?? false
  }

  /// Returns whether the run of a label records on which photos its model was silent.
  func isRecorded(_ label: Label) -> Bool { label.run.map(recording.contains) ?? false }
}
