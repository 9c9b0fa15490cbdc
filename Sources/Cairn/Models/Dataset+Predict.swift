public import CairnDocument
internal import CairnIndex
public import CairnLabelers
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Runs a labeler on photos and writes its predictions, as labels of its model and of one run.
  ///
  /// Several photos are processed at once, and labels are written as they arrive. If the process is
  /// interrupted, written labels stay, and the same call continues where it stopped. Photos already
  /// predicted by this version of the model are skipped. A photo that fails does not stop the
  /// others.
  ///
  /// - Parameter photos: Nil for all visible photos.
  @discardableResult
  public func predict(
    _ photos: [PhotoID]?, with labeler: LabelerDescription,
    options: PredictionOptions = PredictionOptions()
  ) throws(CairnError) -> PredictionReport {
    try oneOperation("predict") {
      guard options.top >= 1, 0...1 ~= options.minimumScore else {
        throw CairnError(
          .invalidInput,
          "The number of classes must be at least 1, and the minimum score between 0 and 1.")
      }
      replica.askForPerson()
      return try withLabeler(labeler) { opened in
        let configured = try opened.identity()
        let stated = try statedModel(configured)
        let known = configured.with(stated ?? configured.model)
        let log = try predictionLog(of: known.model)
        let selected = try selectedPhotos(photos, options, log)
        let cached = try opened.featureSpace.map { try featureFile($0).index() }
        var job = try job(selected, known.model, options, log, cached)
        let start = try identifyModel(opened, known, isStated: stated != nil, job.items)
        let model = start.identity.model
        if start.isStated, model != stated {
          try edit("predict") { _ in
            var log = try predictionLog(of: configured.model)
            try log.record(stated: model)
          }
        }
        if model != known.model {
          job = try self.job(
            selected, model, options, try predictionLog(of: model), cached)
        }
        let writer = PredictionWriter(
          self, model, parameters: parameters(labeler, start.identity, options), options: options,
          log: job.log, unrecorded: try unrecordedSilentPhotos(of: model, options, job.log))
        if let cached, !job.items.allSatisfy({ cached.contains($0.photo.id) }) {
          loadFeatureModel(of: opened)
        }
        writer.count(
          skipped: job.skipped, erased: job.erasedImages, missingImages: job.missingImages)
        do {
          let end = try predict(job.items, with: opened, after: start, labeler, writer)
          return try writer.finish(end.map { CairnError.labeler(labeler.name, $0) })
        } catch {
          // The run must say on which photos the model was silent, also when it is canceled.
          try? writer.flush()
          throw error
        }
      }
    }
  }

  /// Loads the model that a trained labeler needs for images, because its file is removed when it is
  /// trained again. If it cannot be loaded, the first image reports that.
  private func loadFeatureModel(of labeler: any Labeler) {
    if case .embedding(let embedding)? = labeler.featureSpace { try? embedding.loadModel() }
  }

  /// Returns the photos that a model failed to predict on this device, to which
  /// ``PredictionOptions/isRetry`` limits predictions.
  public func failedPredictions(of model: Annotator) throws(CairnError) -> Set<PhotoID> {
    try translating { Set(try predictionLog(of: model).failed.keys) }
  }

  private func predictionLog(of model: Annotator) throws -> PredictionLog {
    try PredictionLog(model, in: directory.privateDirectory, files: environment.files)
  }

  private func parameters(
    _ labeler: LabelerDescription, _ identity: LabelerIdentity, _ options: PredictionOptions
  ) -> JSONObject {
    var parameters: JSONObject = [
      "labeler": .string(labeler.name), "min": JSON(options.minimumScore), "top": JSON(options.top),
    ]
    parameters["digest"] = identity.digest.map { .string($0) }
    if case .service(let service) = labeler.kind {
      parameters["service"] = .string(service.preset ?? "described")
    }
    return parameters
  }

  // MARK: Model identity

  /// The model that answers, with the results of the requests that identified it.
  private struct ModelIdentity {
    var identity: LabelerIdentity
    /// Whether an answer of this call has stated the model.
    var isStated = false
    /// The results of these requests.
    var outcomes: [(photo: Photo, outcome: PredictionPool.Outcome)] = []
    /// The error that ended the run before all photos were processed; nil if there was none.
    var end: LabelerError?
  }

  /// The number of failures after which the model is no longer searched for, since the search
  /// processes photos one by one.
  private static let identificationLimit = 4

  /// Returns the model stated by the last answer, if only answers state it; nil if it is unknown.
  private func statedModel(_ identity: LabelerIdentity) throws -> Annotator? {
    identity.isProvisional ? try predictionLog(of: identity.model).stated : nil
  }

  /// Determines which model answers. If only answers state it, processes photos until one does.
  ///
  /// - Parameter isStated: Whether an earlier answer stated it, so that a few failures do not end
  ///   the run.
  private func identifyModel(
    _ opened: any Labeler, _ known: LabelerIdentity, isStated: Bool,
    _ items: [(photo: Photo, image: LabelerImage)]
  ) throws -> ModelIdentity {
    var start = ModelIdentity(identity: known)
    if !known.isProvisional { return start }
    for (photo, image) in items {
      report("predicting", start.outcomes.count, of: items.count)
      let outcome = try predict(image, with: opened)
      start.outcomes.append((photo, outcome))
      switch outcome {
      case .success(let prediction):
        (start.identity, start.isStated) = (known.stated(by: prediction), true)
        return start
      case .failure(let error):
        let count = start.outcomes.count
        let isAtLimit = count == Dataset.identificationLimit
        if error.scope == .labeler {
          start.end = error
        } else if isAtLimit, !isStated {
          start.end = LabelerError(
            "the first \(count) photos failed; the last error: \(error.message)",
            scope: .labeler, isTransient: error.isTransient)
        }
        if start.end != nil || isAtLimit { return start }
      }
    }
    return start
  }

  /// Predicts one image, which a cancellation interrupts.
  private func predict(
    _ image: LabelerImage, with opened: any Labeler
  ) throws -> PredictionPool.Outcome {
    var outcomes: [PredictionPool.Outcome] = []
    try PredictionPool(opened, atOnce: 1).run(
      1, image: { _ in image }, check: { try environment.checkCancellation() }
    ) { outcomes += $0.map(\.outcome) }
    return outcomes[0]
  }

  // MARK: Selecting photos

  private struct PredictionJob {
    let log: PredictionLog
    var items: [(photo: Photo, image: LabelerImage)] = []
    var skipped = 0
    var erasedImages = 0
    var missingImages: [PhotoID] = []
  }

  private func selectedPhotos(
    _ photos: [PhotoID]?, _ options: PredictionOptions, _ log: PredictionLog
  ) throws -> [PhotoID] {
    let photos = try photos ?? visiblePhotos()
    return options.isRetry ? photos.filter { log.failed[$0] != nil } : photos
  }

  /// Returns the selected photos that still need a prediction of the model.
  ///
  /// - Parameter cached: Which photos need no image; nil if the labeler needs all.
  private func job(
    _ selected: [PhotoID], _ model: Annotator, _ options: PredictionOptions, _ log: PredictionLog,
    _ cached: FeatureIndex?
  ) throws -> PredictionJob {
    var job = PredictionJob(log: log)
    var done = options.includesPredicted ? [] : try query { try $0.photos(labeledBy: model) }
    if !options.includesPredicted {
      done.formUnion(try unrecordedSilentPhotos(of: model, options, log))
      let silent = try query { try $0.silentPhotos(of: model, upTo: options.minimumScore) }
      done.formUnion(selected.filter(silent.contains))
    }
    done.subtract(log.begun)
    if options.isRetry { done.subtract(selected) }
    let erased = try replica.erasedImages()
    var seen = Set<PhotoID>()
    for id in selected where seen.insert(id).inserted {
      if done.contains(id) {
        job.skipped += 1
        continue
      }
      if erased.contains(id) {
        job.erasedImages += 1
        continue
      }
      let photo = try photo(id)
      if let image = try labelerImage(of: photo, cached: cached) {
        job.items.append((photo, image))
      } else {
        job.missingImages.append(id)
      }
    }
    // Failed photos come last, the least recently failed first, so that they do not delay others.
    let failed = log.failed
    let order = job.items.map { failed[$0.photo.id] ?? 0 }
    job.items = job.items.indices.sorted { (order[$0], $0) < (order[$1], $1) }
      .map { job.items[$0] }
    return job
  }

  /// Returns the photos that the model was silent on here, and that no run records: those of an
  /// interrupted run. Those of a withdrawn run count as not asked about.
  private func unrecordedSilentPhotos(
    of model: Annotator, _ options: PredictionOptions, _ log: PredictionLog
  ) throws -> [PhotoID] {
    let recorded = try query {
      try $0.silentPhotos(of: model, upTo: options.minimumScore, includingWithdrawn: true)
    }
    return log.empty.filter { $0.value <= options.minimumScore && !recorded.contains($0.key) }
      .map(\.key).sorted()
  }

  private func visiblePhotos() throws -> [PhotoID] {
    var ids: [PhotoID] = []
    try forEachPhoto { ids.append($0.photo.id) }
    return ids
  }

  // MARK: Prediction

  /// - Parameter start: The results so far, which are written first.
  /// - Returns: The error that ended the run early; nil if all photos were processed.
  private func predict(
    _ all: [(photo: Photo, image: LabelerImage)], with opened: any Labeler,
    after start: ModelIdentity, _ labeler: LabelerDescription, _ writer: PredictionWriter
  ) throws -> LabelerError? {
    let ids = Set(all.map(\.photo.id))
    let before = start.outcomes.filter { ids.contains($0.photo.id) }
    if !before.isEmpty { try writer.write(before) }
    let processed = Set(start.outcomes.map(\.photo.id))
    let items = all.filter { !processed.contains($0.photo.id) }
    let images = items.map(\.image)
    var (end, done) = (start.end, before.count)
    report("predicting", done, of: all.count)
    let pool = PredictionPool(VersionPinnedLabeler(opened, start.identity), atOnce: labeler.atOnce)
    try pool.run(
      end == nil ? items.count : 0, image: { images[$0] },
      check: { try environment.checkCancellation() }
    ) { finished in
      try writer.write(finished.map { (items[$0.index].photo, $0.outcome) })
      for case .failure(let error) in finished.map(\.outcome) where error.scope == .labeler {
        end = end ?? error
      }
      try environment.checkCancellation()
      done += finished.count
      if done < all.count { report("predicting", done, of: all.count) }
    }
    report("predicting", all.count, of: all.count)
    return end
  }
}
