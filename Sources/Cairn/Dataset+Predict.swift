public import CairnDocument
internal import CairnIndex
public import CairnLabelers
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Asks a labeler about photos and notes what it says, as labels of its model and of one run.
  ///
  /// Several photos are asked about at once, and what is said is written as it comes: whatever ends the
  /// program, what was said until then stays, and the same call goes on where it was. Photos that this
  /// version of the model has predicted already are passed over. A photo that fails stops no other.
  ///
  /// - Parameter photos: Nil for all in view.
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
        let (identity, first) = try introduction(opened, photos)
        let memory = try PredictionMemory(
          identity.model, in: directory.privateDirectory, files: world.files)
        let writer = PredictionWriter(
          self, identity.model, parameters: parameters(labeler, identity, options),
          options: options, memory: memory)
        let work = try work(photos, identity.model, options, memory)
        writer.count(skipped: work.skipped, notHere: work.notHere)
        var items = work.items
        if let first, let place = items.firstIndex(where: { $0.photo.id == first.id }) {
          let photo = items.remove(at: place).photo
          try writer.take([(photo, .success(first.prediction))])
        }
        let end = try predict(items, with: SteadyLabeler(opened, identity), labeler, writer)
        return try writer.finish(end)
      }
    }
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

  /// Returns which model answers. Where only its answers say which version it is, it is asked about the
  /// first photo for that, whose prediction is returned, too.
  private func introduction(
    _ opened: any Labeler, _ photos: [PhotoID]?
  ) throws -> (identity: LabelerIdentity, first: (id: PhotoID, prediction: Prediction)?) {
    let identity = try opened.identity()
    guard identity.isProvisional else { return (identity, nil) }
    var doubts = 0
    for id in try photos ?? photosInView() {
      guard let image = try labelerImage(of: try photo(id)) else { continue }
      do throws(LabelerError) {
        let prediction = try opened.predict(image)
        return (identity.stated(by: prediction), (id, prediction))
      } catch {
        if error.scope == .doubtful { doubts += 1 }
        if error.scope == .labeler || doubts == PredictionPool.doubtLimit { throw error }
      }
    }
    return (identity, nil)
  }

  // MARK: What is to be done

  private struct Work {
    var items: [(photo: Photo, image: LabelerImage)] = []
    var skipped = 0
    var notHere: [PhotoID] = []
  }

  private func work(
    _ photos: [PhotoID]?, _ model: Annotator, _ options: PredictionOptions,
    _ memory: PredictionMemory
  ) throws -> Work {
    var work = Work()
    var done = options.isAgain ? [] : try query { try $0.photos(labelledBy: model) }
    if !options.isAgain {
      done.formUnion(memory.empty.filter { $0.value <= options.least }.map(\.key))
    }
    var wanted = try photos ?? photosInView()
    done.subtract(memory.begun)
    if options.isRetry {
      wanted = wanted.filter { memory.failed[$0] != nil }
      done.subtract(wanted)
    }
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
    // What failed comes last, what failed longest ago first: so none keeps others from being asked.
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

  // MARK: Doing it

  /// - Returns: Why not all photos were asked about; nil when they were.
  private func predict(
    _ items: [(photo: Photo, image: LabelerImage)], with opened: any Labeler,
    _ labeler: LabelerDescription, _ writer: PredictionWriter
  ) throws -> CairnError? {
    let images = items.map(\.image)
    var end: LabelerError?
    var done = 0
    onProgress("predicting", 0, items.count)
    let pool = PredictionPool(opened, atOnce: labeler.atOnce)
    try pool.run(items.count, image: { images[$0] }) { finished in
      try writer.take(finished.map { (items[$0.index].photo, $0.outcome) })
      for case .failure(let error) in finished.map(\.outcome) where error.scope == .labeler {
        end = end ?? error
      }
      done += finished.count
      if done < items.count { onProgress("predicting", done, items.count) }
    }
    onProgress("predicting", items.count, items.count)
    return end.map { CairnError.labeler(labeler.name, $0) }
  }
}
