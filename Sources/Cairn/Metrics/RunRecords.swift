internal import CairnDocument

/// What the runs of models record about photos: for which they gave no label, and from which they
/// learned.
struct RunRecords {
  private var silent: [Annotator: PhotoPrefixSet] = [:]
  /// The runs that record silent photos.
  private var recording: Set<RunID> = []
  private var learned: [Annotator: PhotoPrefixSet] = [:]
  /// The last training of each model.
  private var trainings: [Annotator: Run] = [:]

  /// - Parameter runs: All runs. Labels of withdrawn ones do not count, but a model has learned from
  ///   its photos all the same.
  init(_ runs: [Run]) {
    for run in runs {
      if run.isTraining {
        if let photos = run.learned {
          learned[run.annotator, default: PhotoPrefixSet()].formUnion(photos)
        }
        let last = trainings[run.annotator]
        if last.map({ $0.started < run.started }) ?? true { trainings[run.annotator] = run }
      }
      guard !run.withdrawn.value, let silent = run.silent else { continue }
      self.silent[run.annotator, default: PhotoPrefixSet()].formUnion(silent)
      recording.insert(run.id)
    }
  }

  /// The models that were silent on any photo.
  var silentModels: [Annotator] { Array(silent.keys) }

  /// Returns whether a model was asked about a photo and gave no label, once at least.
  func isSilent(_ model: Annotator, on photo: PhotoID) -> Bool {
    silent[model]?.contains(photo) ?? false
  }

  /// Returns whether the run of a label records on which photos its model was silent.
  func isRecorded(_ label: Label) -> Bool { label.run.map(recording.contains) ?? false }

  /// Returns whether a model learned from a photo, or from a near duplicate of it.
  func hasLearned(_ model: Annotator, from photo: PhotoID) -> Bool {
    learned[model]?.contains(photo) ?? false
  }

  /// Returns the last training of a model; nil for one that cairn did not train.
  func training(of model: Annotator) -> RunID? { trainings[model]?.id }

  /// Returns whether it is recorded which photos a model learned from, if cairn trained it.
  func recordsLearned(_ model: Annotator) -> Bool {
    trainings[model] == nil || learned[model] != nil
  }
}

extension Run {
  /// Whether the run is a training, with a model card.
  var isTraining: Bool { members["parameters"]?["training"]?.object != nil }
}
