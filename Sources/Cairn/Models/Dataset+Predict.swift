public import CairnDocument
internal import CairnIndex
public import CairnLabelers
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Runs a labeler on photos and writes its predictions, as labels of its model and of one run.
  ///
  /// Several photos are processed at once, and labels are written as they arrive. If the process is
  /// interrupted, those written stay, and the same call continues where it stopped. Photos already
  /// predicted by this version of the model are skipped. A photo that fails does not stop the
  /// others.
  ///
  /// - Parameter photos: Nil for all visible photos.
  public func predict(
    _ photos: [PhotoID]?, with labeler: LabelerDescription,
    options: PredictionOptions = PredictionOptions()
  ) throws(CairnError) -> PredictionReport {
    try translating {
      guard options.top >= 1, 0...1 ~= options.least else {
        throw CairnError(
          .invalidInput, "At least 1 class, with a score between 0 and 1, must be asked for.")
      }
      return try asking(labeler) { opened in
        let unstated = try opened.identity()
        let stated = try statedModel(unstated)
        let known = unstated.with(stated ?? unstated.model)
        let memory = try memory(of: known.model)
        let wanted = try wanted(photos, options, memory)
        var work = try work(wanted, known.model, options, memory)
        let start = try introduction(opened, known, isStated: stated != nil, work.items)
        let model = start.identity.model
        if start.isStated, model != stated {
          try edit("predict") { _ in
            var memory = try self.memory(of: unstated.model)
            try memory.note(stated: model)
          }
        }
        if model != known.model {
          work = try self.work(wanted, model, options, try self.memory(of: model))
        }
        let writer = PredictionWriter(
          self, model, parameters: parameters(labeler, start.identity, options), options: options,
          memory: work.memory)
        writer.count(skipped: work.skipped, notHere: work.notHere)
        let end = try predict(work.items, with: opened, after: start, labeler, writer)
        return try writer.finish(end.map { CairnError.labeler(labeler.name, $0) })
      }
    }
  }

  private func memory(of model: Annotator) throws -> PredictionLog {
    try PredictionLog(model, in: directory.privateDirectory, files: environment.files)
  }

  private func parameters(
    _ labeler: LabelerDescription, _ identity: LabelerIdentity, _ options: PredictionOptions
  ) -> JSONObject {
    var parameters: JSONObject = [
      "labeler": .string(labeler.name), "min": JSON(options.least), "top": JSON(options.top),
    ]
    parameters["digest"] = identity.digest.map { .string($0) }
    if case .service(let service) = labeler.kind {
      parameters["service"] = .string(service.preset ?? "described")
    }
    return parameters
  }

  // MARK: Model identity

  /// The model that answers, with the results of the requests made to find out.
  private struct ModelIdentity {
    var identity: LabelerIdentity
    /// Whether an answer of this call has stated the model.
    var isStated = false
    /// The results of these requests.
    var outcomes: [(photo: Photo, outcome: PredictionPool.Outcome)] = []
    /// The error because of which no more photos are processed.
    var end: LabelerError?
  }

  /// Number of failures that end the search for the model, which processes photos one by one.
  private static let introductionLimit = 4

  /// Returns the model stated by the last answer, if only answers state it; nil if it is unknown.
  private func statedModel(_ identity: LabelerIdentity) throws -> Annotator? {
    identity.isProvisional ? try memory(of: identity.model).stated : nil
  }

  /// Determines which model answers. If only answers state it, processes photos until one does.
  ///
  /// - Parameter isStated: Whether an earlier answer stated it, so that a few failures do not end
  ///   the run.
  private func introduction(
    _ opened: any Labeler, _ known: LabelerIdentity, isStated: Bool,
    _ items: [(photo: Photo, image: LabelerImage)]
  ) throws -> ModelIdentity {
    var start = ModelIdentity(identity: known)
    if !known.isProvisional { return start }
    for (photo, image) in items {
      onProgress("predicting", start.outcomes.count, items.count)
      do throws(LabelerError) {
        let prediction = try opened.predict(image)
        (start.identity, start.isStated) = (known.stated(by: prediction), true)
        start.outcomes.append((photo, .success(prediction)))
        return start
      } catch {
        start.outcomes.append((photo, .failure(error)))
        let count = start.outcomes.count
        let isTired = count == Dataset.introductionLimit
        if error.scope == .labeler {
          start.end = error
        } else if isTired, !isStated {
          start.end = LabelerError(
            "the first \(count) photos failed, the last of them because \(error.message)",
            scope: .labeler, isTransient: error.isTransient)
        }
        if start.end != nil || isTired { return start }
      }
    }
    return start
  }

  // MARK: Selecting photos

  private struct PredictionJob {
    let memory: PredictionLog
    var items: [(photo: Photo, image: LabelerImage)] = []
    var skipped = 0
    var notHere: [PhotoID] = []
  }

  private func wanted(
    _ photos: [PhotoID]?, _ options: PredictionOptions, _ memory: PredictionLog
  ) throws -> [PhotoID] {
    let photos = try photos ?? photosInView()
    return options.isRetry ? photos.filter { memory.failed[$0] != nil } : photos
  }

  private func work(
    _ wanted: [PhotoID], _ model: Annotator, _ options: PredictionOptions,
    _ memory: PredictionLog
  ) throws -> PredictionJob {
    var work = PredictionJob(memory: memory)
    var done = options.isAgain ? [] : try query { try $0.photos(labeledBy: model) }
    if !options.isAgain {
      done.formUnion(memory.empty.filter { $0.value <= options.least }.map(\.key))
    }
    done.subtract(memory.begun)
    if options.isRetry { done.subtract(wanted) }
    var seen = Set<PhotoID>()
    for id in wanted where seen.insert(id).inserted {
      if done.contains(id) {
        work.skipped += 1
        continue
      }
      let photo = try photo(id)
      if let image = try labelerImage(of: photo) {
        work.items.append((photo, image))
      } else {
        work.notHere.append(id)
      }
    }
    // Failed photos come last, the least recently failed first, so that they do not delay others.
    let failed = memory.failed
    let order = work.items.map { failed[$0.photo.id] ?? 0 }
    work.items = work.items.indices.sorted { (order[$0], $0) < (order[$1], $1) }
      .map { work.items[$0] }
    return work
  }

  private func photosInView() throws -> [PhotoID] {
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
    if !before.isEmpty { try writer.take(before) }
    let asked = Set(start.outcomes.map(\.photo.id))
    let items = all.filter { !asked.contains($0.photo.id) }
    let images = items.map(\.image)
    var (end, done) = (start.end, before.count)
    onProgress("predicting", done, all.count)
    let pool = PredictionPool(VersionPinnedLabeler(opened, start.identity), atOnce: labeler.atOnce)
    try pool.run(end == nil ? items.count : 0, image: { images[$0] }) { finished in
      try writer.take(finished.map { (items[$0.index].photo, $0.outcome) })
      for case .failure(let error) in finished.map(\.outcome) where error.scope == .labeler {
        end = end ?? error
      }
      done += finished.count
      if done < all.count { onProgress("predicting", done, all.count) }
    }
    onProgress("predicting", all.count, all.count)
    return end
  }
}
