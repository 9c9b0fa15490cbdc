internal import CairnDocument
internal import CairnFiles
internal import CairnReview
internal import CairnStore
internal import CairnSync
internal import SystemPackage

// What reviews write: labels, and this device's review history in `.git/cairn/review`.

extension Dataset {
  /// Writes a person's verdicts on classes of a photo, with stamps later than all its labels.
  ///
  /// An existing label with the same verdict gets a new stamp too, since it now takes the labels of
  /// others into account.
  /// - Parameter raised: The stamp that raised the question, possibly on another photo; the new
  ///   stamps are later.
  /// - Throws: ``CairnError/Kind/erased`` when the metadata of the photo was erased from the history,
  ///   unless all verdicts are withdrawals.
  func writeVerdicts(
    _ verdicts: [(ClassKey, Verdict)], on photo: Photo, by person: Annotator,
    raised: Stamp = .never, _ session: EditSession
  ) throws -> [LabelChange] {
    if verdicts.contains(where: { $0.1 != .withdrawn }) { try checkCanGetLabels([photo.id]) }
    let known = try allLabels(of: photo.id)
    let removal = photo.removed.value ? photo.removed.stamp : .never
    var last = (known.map(\.stamp) + [removal, raised]).max()
    return try verdicts.map { key, verdict in
      var label = Label(
        photo: photo.id, classKey: key, annotator: person, verdict: verdict, stamp: .never)
      let before = known.first { $0.name == label.name }
      if let before {
        if before.verdict == verdict { label = before } else { label.extra = before.extra }
      }
      label.stamp = session.stamp(replacing: last)
      last = label.stamp
      try session.write([.label(label)])
      return LabelChange(before: before, after: label)
    }
  }

  /// Undoes what an answer wrote on a photo.
  ///
  /// - Parameter durable: Whether each document must be on the disk; otherwise flush the session.
  /// - Returns: Nil if any of it was changed since; then nothing is undone.
  func undoLabels(
    _ changes: [LabelChange], _ session: EditSession, durable: Bool = true
  ) throws -> UndoPlan? {
    guard let photo = changes.first?.after.photo else { return nil }
    var committed: [LabelName: Label] = [:]
    for change in changes {
      let path = DocumentPath.label(photo, change.after.name)
      if case .label(let label)? = try replica.committedDocument(at: path) {
        committed[label.name] = label
      }
    }
    let labels = try allLabels(of: photo)
    let evidence = PhotoEvidence(of: photo, labels, try resolvingRules(of: labels))
    let plan = UndoPlan(changes, in: evidence, committed: committed) {
      session.stamp(replacing: $0)
    }
    guard let plan else { return nil }
    for label in plan.removed { try session.remove(.label(photo, label.name)) }
    try session.write(plan.written.map { .label($0) }, durable: durable)
    return plan
  }

  /// Removes a photo again that an answer restored.
  ///
  /// - Parameters:
  ///   - stamp: When it was restored.
  ///   - removed: When it had been removed.
  /// - Returns: The values that needed a new stamp; nil if it was changed since and is left
  ///   unchanged.
  func removeAgain(
    _ id: PhotoID, restored stamp: Stamp, removed: Stamp, _ session: EditSession
  ) throws -> [Restatement]? {
    guard case .photo(var photo)? = try validDocument(at: .photo(id)), !photo.removed.value,
      photo.removed.stamp == stamp
    else { return nil }
    var committed: Register<Bool>?
    if case .photo(let old)? = try replica.committedDocument(at: .photo(id)) {
      committed = old.removed
    }
    let previous = PreviousValue(
      Register(true, removed), decided: stamp, committed: committed, stamp: \.stamp)
    photo.removed = previous.value ?? Register(true, removed)
    if previous.isRestorable {
      try session.write([.photo(photo)])
      return []
    }
    // A label given since then has restored the photo too.
    if Visibility(of: photo, labels: try allLabels(of: id)).isVisible { return nil }
    let restatement = Restatement(session.stamp(replacing: stamp), was: removed)
    photo.removed = Register(true, restatement.stamp)
    try session.write([.photo(photo)])
    return [restatement]
  }

  /// Restores a removed photo, with a stamp later than all its labels.
  ///
  /// - Returns: The new stamp.
  func restore(_ photo: Photo, _ session: EditSession) throws -> Stamp {
    var photo = photo
    let known = try allLabels(of: photo.id).map(\.stamp) + [photo.removed.stamp]
    let stamp = session.stamp(replacing: known.max())
    photo.removed = Register(false, stamp)
    try session.write([.photo(photo)])
    return stamp
  }

  // MARK: Review history of this device

  private var reviewFile: FilePath {
    directory.privateDirectory.appending("review" + (reviewer.map { "-\($0)" } ?? ""))
  }

  /// Maximum size of the file in bytes; a larger one was not written by cairn.
  private static let reviewSizeLimit = 64 << 20
  /// Number of superfluous lines allowed before the file is rewritten.
  private static let reviewSlack = 1000

  /// Returns this device's review history.
  func reviewHistory() throws -> ReviewHistory { ReviewHistory(try reviewEvents()) }

  /// Returns the events of the history; an incomplete line, left by a crash, is skipped.
  func reviewEvents() throws -> [ReviewEvent] {
    let bytes = try directory.files.read(reviewFile, limit: Dataset.reviewSizeLimit) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSON(bytes: line)).flatMap(ReviewEvent.init)
    }
  }

  /// Appends an event to the file, after a newline, since the line before may be incomplete.
  func appendReviewEvent(_ event: ReviewEvent) throws {
    try directory.files.append(Array(("\n" + event.json.line).utf8), to: reviewFile)
  }

  /// Rewrites the file when it has far more lines than needed.
  ///
  /// - Parameter count: The number of events in the file.
  func compactReviews(_ history: ReviewHistory, from count: Int) throws {
    let needed = history.events
    guard count > needed.count + Dataset.reviewSlack else { return }
    let text = needed.map(\.json.line).joined()
    try directory.files.write(
      Array(text.utf8), to: reviewFile, temporary: reviewFile.appending(suffix: ".new"),
      durable: true)
  }
}

extension FilePath {
  fileprivate func appending(suffix: String) -> FilePath { FilePath(string + suffix) }
}
