internal import CairnBase
internal import CairnDocument
internal import CairnLabelers
internal import CairnMerge
internal import CairnMetrics
internal import CairnStore
internal import CairnSync

/// Writes predictions as they arrive, as labels of one run of a model.
final class PredictionWriter {
  private let dataset: Dataset
  private let model: Annotator
  private let parameters: JSONObject
  private let options: PredictionOptions
  private var keys: [String: ClassKey?] = [:]
  private(set) var log: PredictionLog
  private(set) var report: PredictionReport
  /// Photos for which the model gave no label, which no run records yet.
  private var unrecorded: [PhotoID]

  /// The number of silent photos that are recorded at once. The operation log keeps each version of
  /// the run's document, so it is written rarely.
  private static let silentChunk = 4096

  /// The name of the class for captions.
  private static let captionClassName = "description"

  /// - Parameter unrecorded: Photos that the model was silent on before, which no run records.
  init(
    _ dataset: Dataset, _ model: Annotator, parameters: JSONObject, options: PredictionOptions,
    log: PredictionLog, unrecorded: [PhotoID]
  ) {
    (self.dataset, self.model, self.parameters) = (dataset, model, parameters)
    (self.options, self.log, self.unrecorded) = (options, log, unrecorded)
    report = PredictionReport(model: model)
  }

  func count(skipped: Int, erased: Int, missingImages: [PhotoID]) {
    (report.skipped, report.erasedImages) = (skipped, erased)
    report.missingImages = missingImages
  }

  /// Writes the results of some photos.
  func write(_ outcomes: [(photo: Photo, outcome: PredictionPool.Outcome)]) throws {
    try dataset.edit("predict") { session in
      var documents: [Document] = []
      var entries: [(id: PhotoID, entry: PredictionLog.Entry)] = []
      for (photo, outcome) in outcomes {
        switch outcome {
        case .success(let prediction):
          let labels = try labels(of: prediction, on: photo, session)
          if let reason = labels.obstacle {
            report.failed.append(PredictionReport.Failure(photo: photo.id, reason: reason))
            entries.append((photo.id, .failed(reason)))
            continue
          }
          documents += labels.documents
          entries.append(
            (photo.id, labels.count == 0 ? .empty(minimumScore: options.minimumScore) : .predicted))
          if labels.count == 0 { report.empty += 1 } else { report.photos += 1 }
          if labels.count == 0 { unrecorded.append(photo.id) }
          report.labels += labels.count
        // An error that would affect every photo is not recorded for this one.
        case .failure(let error) where error.scope == .labeler: break
        case .failure(let error):
          report.failed.append(
            PredictionReport.Failure(photo: photo.id, reason: error.message))
          entries.append((photo.id, .failed(error.message)))
        }
      }
      try log.record(
        entries.compactMap { id, entry in
          if case .predicted = entry { (id, .begun) } else { nil }
        })
      try session.write(documents, durable: false)
      try log.record(entries)
      if unrecorded.count >= PredictionWriter.silentChunk { try recordSilent(session) }
    }
    options.onWrite?(report)
  }

  /// Flushes everything to the disk and returns the report.
  ///
  /// - Parameter end: The error that ended the run early; nil if all photos were processed.
  func finish(_ end: CairnError?) throws -> PredictionReport {
    try flush(isFinished: end == nil && report.failed.isEmpty)
    report.failed.sort { $0.photo < $1.photo }
    report.end = end
    return report
  }

  /// Flushes everything to the disk, with the photos that the model was silent on.
  ///
  /// - Parameter isFinished: Whether nothing is left for the run.
  func flush(isFinished: Bool = false) throws {
    guard report.run != nil || !unrecorded.isEmpty else { return }
    try dataset.edit("predict") { session in
      try recordSilent(session)
      try session.flush()
      if isFinished { try log.finish() }
      try log.compact()
    }
  }

  // MARK: The run

  /// Returns the run of the labels: an interrupted one with the same parameters, or a new one.
  private func run(_ session: EditSession) throws -> Run {
    if let run = report.run { return run }
    let person = try dataset.replica.person()
    if let last = log.run, last.parameters == .object(parameters),
      case .run(let run)? = try dataset.validDocument(at: .run(last.id)),
      run.annotator == model, run.by == person, !run.withdrawn.value
    {
      report.run = run
      return run
    }
    return try startRun(session)
  }

  private func startRun(_ session: EditSession) throws -> Run {
    let run = Run(
      id: RunID(random: dataset.environment.random), annotator: model,
      by: try dataset.replica.person(), parameters: parameters, recordsSilent: true,
      stamp: session.stamp())
    try session.write([.run(run)])
    try log.begin(run.id, parameters)
    report.run = run
    return run
  }

  /// Records in the run on which photos the model was silent, so that no other device asks again;
  /// begins another run if this one is full.
  private func recordSilent(_ session: EditSession) throws {
    while !unrecorded.isEmpty {
      var run = try run(session)
      // It may have been withdrawn meanwhile.
      if case .run(let current)? = try dataset.validDocument(at: .run(run.id)) { run = current }
      let room = Run.photoLimit - (run.silent?.count ?? 0)
      if room <= 0 {
        _ = try startRun(session)
        continue
      }
      let chunk = unrecorded.prefix(room)
      run.addSilent(chunk)
      try session.write([.run(run)])
      report.run = run
      unrecorded.removeFirst(chunk.count)
    }
  }

  // MARK: Labels

  /// Returns documents with the model's current predictions for a photo, documents that withdraw
  /// other labels of this version, and the number of current labels; or why the model's names give
  /// no label.
  private func labels(
    of prediction: Prediction, on photo: Photo, _ session: EditSession
  ) throws -> (documents: [Document], count: Int, obstacle: String?) {
    let known = try dataset.labels(of: photo.id).filter {
      $0.annotator.model?.name == model.model?.name
    }
    let (found, obstacle) = try predictedLabels(prediction, on: photo, session)
    var predicted = found
    if predicted.isEmpty {
      if let obstacle { return ([], 0, obstacle) }
      var other = known.filter { $0.annotator != model && $0.verdict == .present }
      if !other.isEmpty { other = try other.filter(dataset.rules(of: other).isActivePrediction) }
      predicted = try absentLabels(
        Set(other.map(\.classKey)).sorted(), prediction, on: photo, session)
    }
    let old = Dictionary(
      uniqueKeysWithValues: known.filter { $0.annotator == model }.map { ($0.name, $0) })
    let names = Set(predicted.map(\.name))
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
    for var label in predicted {
      if let before = old[label.name] {
        label.extra = before.extra
        label.stamp = before.stamp
        if label == before { continue }
      }
      add(label)
    }
    if !stale.isEmpty || !predicted.isEmpty {
      let run = try run(session)
      for var label in stale {
        (label.verdict, label.run) = (.withdrawn, run.id)
        add(label)
      }
    }
    return (documents, predicted.count, nil)
  }

  /// Returns the labels for what the model finds, and why a finding gives none.
  private func predictedLabels(
    _ prediction: Prediction, on photo: Photo, _ session: EditSession
  ) throws -> (labels: [Label], obstacle: String?) {
    var labels: [Label] = []
    var obstacle: String?
    var whole = Set<ClassKey>()
    let best = prediction.best(
      options.top, boxes: DetectionMatches.detectionLimit, from: options.minimumScore)
    for finding in best {
      let confidence = PredictionWriter.rounded(finding.score)
      guard confidence > 0 else { continue }
      guard let key = try key(finding.name, session) else {
        obstacle = obstacle ?? self.obstacle(finding.name)
        continue
      }
      // Two names of a model may be aliases of one class; the one with the better score comes
      // first.
      if finding.box == nil, !whole.insert(key).inserted { continue }
      labels.append(
        Label(
          photo: photo.id, classKey: key, annotator: model, verdict: .present,
          confidence: confidence, region: finding.box.flatMap(region),
          run: try run(session).id, stamp: try run(session).started))
    }
    if let caption = prediction.caption, let text = DocumentLimit.shortened(caption.text),
      let key = try key(PredictionWriter.captionClassName, session)
    {
      var label = Label(
        photo: photo.id, classKey: key, annotator: model, verdict: .present,
        confidence: PredictionWriter.rounded(caption.score), run: try run(session).id,
        stamp: try run(session).started)
      label.text = text
      labels.removeAll { $0.name == label.name }
      labels.append(label)
    }
    return (labels, obstacle)
  }

  /// Returns why a name gives no label.
  private func obstacle(_ name: String) -> String {
    report.ambiguous.first { $0.name == name }?.message
      ?? "“\(name.cut(toBytes: DocumentLimit.annotatorLength))” cannot be the name of a class"
  }

  /// Returns labels that say that classes are absent: other versions of the model found them, and
  /// would count as long as this one had no label of the photo.
  private func absentLabels(
    _ classes: [ClassKey], _ prediction: Prediction, on photo: Photo, _ session: EditSession
  ) throws -> [Label] {
    if classes.isEmpty { return [] }
    var scores: [ClassKey: Double] = [:]
    // The highest score comes first.
    for finding in prediction.findings {
      guard case .existing(let key)? = try dataset.classMatch(finding.name), scores[key] == nil
      else { continue }
      scores[key] = finding.score
    }
    let run = try run(session)
    return classes.map { key in
      // A class that the model does not name is known only to be below the minimum.
      let score = scores[key] ?? options.minimumScore
      return Label(
        photo: photo.id, classKey: key, annotator: model, verdict: .absent,
        confidence: PredictionWriter.rounded(1 - score), run: run.id, stamp: run.started)
    }
  }

  /// Returns the score rounded to a millionth: more digits are noise and lengthen each document.
  private static func rounded(_ score: Double) -> Double { (score * 1e6).rounded() / 1e6 }

  private func region(_ box: NormalizedRect) -> Region? {
    Region(id: RegionID(random: dataset.environment.random), box: box)
  }

  /// Returns the key of the class for a name from the model: an existing class with that name or
  /// alias, otherwise a new class; nil if the name is invalid or several classes have it.
  private func key(_ name: String, _ session: EditSession) throws -> ClassKey? {
    if let key = keys[name] { return key }
    let match = try dataset.classMatch(name)
    var key: ClassKey?
    switch match {
    case .existing?, .new?:
      key = try dataset.classKey(creating: name, match, session: session)
    case .ambiguous(let keys)?: report.ambiguous.append(.init(name: name, classes: keys))
    case nil: report.invalidClassNames.append(name.cut(toBytes: DocumentLimit.annotatorLength))
    }
    keys[name] = .some(key)
    return key
  }
}

extension DocumentLimit {
  /// Returns the beginning of a text, cut to fit a document; nil if it is blank.
  static func shortened(_ text: String) -> String? {
    let text = text.cut(toBytes: textLength)
    return text.contains { !$0.isWhitespace } ? text : nil
  }
}
