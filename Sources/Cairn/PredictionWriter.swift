internal import CairnDocument
internal import CairnLabelers
internal import CairnStore
internal import CairnSync

/// Writes predictions as they come: the labels of one run of a model.
final class PredictionWriter {
  private let dataset: Dataset
  private let model: Annotator
  private let parameters: JSONObject
  private let options: PredictionOptions
  private var keys: [String: ClassKey?] = [:]
  private(set) var memory: PredictionMemory
  private(set) var report: PredictionReport

  /// The class of captions.
  private static let descriptionName = "description"

  init(
    _ dataset: Dataset, _ model: Annotator, parameters: JSONObject, options: PredictionOptions,
    memory: PredictionMemory
  ) {
    (self.dataset, self.model, self.parameters) = (dataset, model, parameters)
    (self.options, self.memory) = (options, memory)
    report = PredictionReport(model: model)
  }

  func count(skipped: Int, notHere: [PhotoID]) {
    (report.skipped, report.notHere) = (skipped, notHere)
  }

  /// Writes what came of some photos.
  func take(_ outcomes: [(photo: Photo, outcome: PredictionPool.Outcome)]) throws {
    try dataset.edit("predict") { session in
      var documents: [Document] = []
      var notes: [(id: PhotoID, what: PredictionMemory.Note)] = []
      for (photo, outcome) in outcomes {
        switch outcome {
        case .success(let prediction):
          let labels = try labels(of: prediction, on: photo, session)
          documents += labels.documents
          notes.append((photo.id, labels.count == 0 ? .empty(least: options.least) : .predicted))
          if labels.count == 0 { report.empty += 1 } else { report.photos += 1 }
          report.labels += labels.count
        // It is none of the photo's when it would fail for every photo.
        case .failure(let error) where error.scope == .labeler: break
        case .failure(let error):
          report.failed.append((photo.id, error.message))
          notes.append((photo.id, .failed(error.message)))
        }
      }
      try memory.note(
        notes.compactMap { id, what in
          if case .predicted = what { (id, .begun) } else { nil }
        })
      try session.write(documents, durable: false)
      try memory.note(notes)
    }
  }

  /// Makes all durable, and tells what came of it.
  ///
  /// - Parameter end: Why not all photos were asked about; nil when they were.
  func finish(_ end: CairnError?) throws -> PredictionReport {
    if report.run != nil {
      try dataset.edit("predict") { session in
        try session.flush()
        if end == nil, report.failed.isEmpty { try memory.finish() }
      }
    }
    report.failed.sort { $0.photo < $1.photo }
    report.end = end
    return report
  }

  // MARK: The run

  /// Returns the run that labels are of: one that was cut short and was the same, or a new one.
  private func run(_ session: EditSession) throws -> Run {
    if let run = report.run { return run }
    let person = try dataset.replica.person()
    if let last = memory.run, last.parameters == .object(parameters),
      case .run(let run)? = try dataset.readableDocument(at: .run(last.id)),
      run.annotator == model, run.by == person, !run.withdrawn.value
    {
      report.run = run
      return run
    }
    let run = Run(
      id: RunID(random: dataset.world.random), annotator: model, by: person,
      parameters: parameters, stamp: session.stamp())
    try session.write([.run(run)])
    try memory.begin(run.id, parameters)
    report.run = run
    return run
  }

  // MARK: Labels

  /// Returns the documents that say of a photo what the model says now, and take back what this version
  /// of it said else; and how many labels stand then.
  private func labels(
    of prediction: Prediction, on photo: Photo, _ session: EditSession
  ) throws -> (documents: [Document], count: Int) {
    let known = try dataset.labels(of: photo.id).filter {
      $0.annotator.model?.name == model.model?.name
    }
    let wanted = try wanted(prediction, on: photo, session)
    let old = Dictionary(
      uniqueKeysWithValues: known.filter { $0.annotator == model }.map { ($0.name, $0) })
    let names = Set(wanted.map(\.name))
    let stale = old.values.filter { $0.verdict != .withdrawn && !names.contains($0.name) }
      .sorted { $0.name.description < $1.name.description }
    var last = (known.map(\.stamp) + [photo.removed.stamp]).max()
    var documents: [Document] = []
    func add(_ label: Label) {
      var label = label
      label.stamp = session.stamp(replacing: last)
      last = label.stamp
      documents.append(.label(label))
    }
    for var label in wanted {
      if let before = old[label.name] {
        label.extra = before.extra
        label.stamp = before.stamp
        if label == before { continue }
      }
      add(label)
    }
    if !stale.isEmpty || !wanted.isEmpty {
      let run = try run(session)
      for var label in stale {
        (label.verdict, label.run) = (.withdrawn, run.id)
        add(label)
      }
    }
    return (documents, wanted.count)
  }

  private func wanted(
    _ prediction: Prediction, on photo: Photo, _ session: EditSession
  ) throws -> [Label] {
    var labels: [Label] = []
    var whole = Set<ClassKey>()
    for finding in prediction.best(options.top, from: options.least) {
      let confidence = PredictionWriter.rounded(finding.score)
      guard confidence > 0, let key = try key(finding.name, session) else { continue }
      // Two names of a model may be aliases of one class; the better one comes first.
      if finding.box == nil, !whole.insert(key).inserted { continue }
      labels.append(
        Label(
          photo: photo.id, classKey: key, annotator: model, verdict: .present,
          confidence: confidence, region: finding.box.flatMap(region),
          run: try run(session).id, stamp: try run(session).started))
    }
    if let caption = prediction.caption, let text = DocumentLimit.shortened(caption.text),
      let key = try key(PredictionWriter.descriptionName, session)
    {
      var label = Label(
        photo: photo.id, classKey: key, annotator: model, verdict: .present,
        confidence: PredictionWriter.rounded(caption.score), run: try run(session).id,
        stamp: try run(session).started)
      label.text = text
      labels.removeAll { $0.name == label.name }
      labels.append(label)
    }
    return labels
  }

  /// What lies beyond a millionth is noise, and would make every document longer.
  private static func rounded(_ score: Double) -> Double { (score * 1e6).rounded() / 1e6 }

  private func region(_ box: UnitBox) -> Region? {
    Region(
      id: RegionID(random: dataset.world.random), x: box.x, y: box.y, width: box.width,
      height: box.height)
  }

  /// Returns the key of the class that a name of the model's means: one that is known by that name or
  /// alias, or else a new class of that name; nil for what cannot be a name.
  private func key(_ name: String, _ session: EditSession) throws -> ClassKey? {
    if let key = keys[name] { return key }
    let key = try found(name, session)
    if key == nil { report.unusable.append(name.cut(toBytes: DocumentLimit.annotatorLength)) }
    keys[name] = key
    return key
  }

  private func found(_ name: String, _ session: EditSession) throws -> ClassKey? {
    guard let display = ClassKey.displayName(name), let coined = ClassKey(naming: name) else {
      return nil
    }
    do {
      return try dataset.classKeys(coining: [name], session: session)[0]
    } catch {
      guard CairnError(error).kind == .ambiguous else { throw error }
      // Two classes are called so: it stays what the model says, a class of its own.
      try session.write([.class(LabelClass(key: coined, name: display, stamp: session.stamp()))])
      return coined
    }
  }
}

extension DocumentLimit {
  /// Returns the beginning of a text that a document can hold; nil when there is nothing to see.
  static func shortened(_ text: String) -> String? {
    let text = text.cut(toBytes: textLength)
    return text.contains { !$0.isWhitespace } ? text : nil
  }
}
