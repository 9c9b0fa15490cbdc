public import CairnDocument
internal import CairnFiles
internal import CairnMerge
public import CairnReview
internal import CairnStore
internal import CairnSync
internal import SystemPackage

/// A person's review on this device: each answer is written when it is given, and can be undone.
///
/// ```swift
/// let review = try dataset.startReview()
/// for item in try dataset.reviewQueue() {
///   guard let question = try review.question(item) else { continue }
///   print(question.photoName, question.className ?? "", question.reasons.map(\.text))
///   try review.answer(question, .accept)
/// }
/// ```
///
/// Between answers, only other reviews on this device are locked out: other processes may label,
/// commit and sync. A question is checked again before its answer is written.
public final class ReviewSession {
  private let dataset: Dataset
  private let lock: ProcessLock
  private var history: ReviewHistory
  /// The person who answers.
  public let me: Annotator

  init(_ dataset: Dataset) throws {
    self.dataset = dataset
    me = try dataset.replica.person()
    let directory = dataset.directory
    let name = "review" + (dataset.reviewer.map { "-\($0)" } ?? "")
    let path = directory.privateDirectory.appending("\(name).lock")
    try directory.files.createDirectory(directory.privateDirectory)
    guard let lock = try ProcessLock.acquire(path, holder: "cairn review", files: directory.files)
    else {
      throw CairnError(
        .locked, "Another review of this dataset is open on this device.",
        hint: "Quit it first; `cairn review --json` lists the queue.")
    }
    self.lock = lock
    let events = try dataset.reviewEvents()
    history = ReviewHistory(events)
    try dataset.compactReviews(history, from: events.count)
  }

  // MARK: Questions

  /// Returns a question as of the current work tree; nil if it no longer needs an answer.
  public func question(_ item: ReviewItem) throws(CairnError) -> ReviewQuestion? {
    try translating { try current(item) }
  }

  private func current(_ item: ReviewItem) throws -> ReviewQuestion? {
    // Nothing is asked about a photo whose document is gone, or whose metadata was erased.
    guard let photo = try dataset.photoIfPresent(item.key.photo),
      try !dataset.replica.isErased(.metadata, of: photo.id)
    else { return nil }
    let labels = try dataset.labels(of: item.key.photo)
    let evidence = PhotoEvidence(of: photo.id, labels, try dataset.resolvingRules(of: labels))
    guard let key = item.key.classKey else {
      guard let fresh = evidence.removal(of: photo, by: me, history),
        !history.isDismissed(fresh, includingSkipped: true)
      else { return nil }
      return ReviewQuestion(fresh, photo, evidence)
    }
    var reasons = evidence.reasons(on: key)
    let state = evidence.resolution(of: key)?.state
    // Keep the doubts that come from the queue and cannot be derived from the photo's own labels.
    let hasOwnReasons = !reasons.isEmpty
    reasons += item.reasons.filter {
      switch $0.reason {
      case .duplicates: true
      // A later label settles what a trained model contradicted.
      case .suspect:
        !hasOwnReasons && evidence.latestLabel(of: key).map { $0 <= item.raised } != false
      case .rare: state == .predicted
      case .disputed, .unsure, .models, .removed: false
      }
    }
    let raised = max(item.raised, evidence.raised(key, exceptBy: me))
    let fresh = ReviewItem(key: item.key, reasons: reasons, raised: raised)
    let isAskedAgain = item.reasons.contains { [.duplicates, .suspect].contains($0.reason) }
    let isDecided =
      evidence.decisionStamp(on: key, by: me, history)
      .map { !isAskedAgain || $0 > item.raised } ?? false
    guard Visibility(of: photo, labels: labels).isVisible, !reasons.isEmpty, !isDecided,
      !history.isDismissed(fresh, includingSkipped: true)
    else { return nil }
    return ReviewQuestion(fresh, photo, evidence)
  }

  // MARK: Answers

  /// The answers that can be undone, oldest first.
  package var answers: [ReviewAnswerID] { history.steps.map(history.answer) }

  /// Writes an answer, unless a label was changed since the question was asked.
  ///
  /// A skipped question is not asked again on this device, unless the filter includes skipped
  /// questions.
  @discardableResult
  public func answer(
    _ question: ReviewQuestion, _ decision: ReviewDecision
  ) throws(CairnError) -> ReviewOutcome {
    if decision == .skip { return try skip(question) }
    return try dataset.edit("review") { session in
      guard let now = try current(question.item) else {
        return .alreadyDecided(try resolution(question.key))
      }
      guard now.isSame(as: question) else { return .changed }
      let outcome = try write(decision, now, session)
      try record(.step(UndoStep(now.item, outcome)))
      return .decided(decision)
    }
  }

  private func skip(_ question: ReviewQuestion) throws(CairnError) -> ReviewOutcome {
    try translating {
      try record(.step(UndoStep(question.item, .skipped(raised: question.item.raised))))
      return .decided(.skip)
    }
  }

  private func resolution(_ key: ReviewKey) throws -> Resolution? {
    let labels = try dataset.labels(of: key.photo)
    let evidence = PhotoEvidence(of: key.photo, labels, try dataset.resolvingRules(of: labels))
    return key.classKey.flatMap { evidence.resolution(of: $0) }
  }

  private func write(
    _ decision: ReviewDecision, _ question: ReviewQuestion, _ session: EditSession
  ) throws -> UndoStep.Outcome {
    guard let key = question.key.classKey else {
      guard decision == .accept else { return .kept(raised: question.item.raised) }
      let removed = question.photo.removed.stamp
      return .restored(try dataset.restore(question.photo, session), removed: removed)
    }
    var verdicts: [(ClassKey, Verdict)] = []
    switch decision {
    case .accept: verdicts = [(key, .present)]
    case .reject, .skip: verdicts = [(key, .absent)]
    case .other(let name):
      guard let other = try dataset.classKeys(creating: [name], session: session).first else {
        break
      }
      var classes: [ClassKey: LabelClass] = [:]
      for key in [key, other] { try dataset.readClasses(from: key, into: &classes) }
      let table = ClassTable(classes.values)
      let isSameSet = table.set(of: key) != nil && table.set(of: key) == table.set(of: other)
      // Choosing one class of an exclusive set implies that the others are absent.
      if !isSameSet, other != key { verdicts.append((key, .absent)) }
      verdicts.append((other, .present))
    }
    return .labeled(
      try dataset.writeVerdicts(
        verdicts, on: question.photo, by: me, raised: question.item.raised, session))
  }

  // MARK: Photos that nobody labeled

  /// Returns the question “What is it?” about a photo, which has no class and no reasons; nil if
  /// the photo now has labels that count, was removed, or cannot get a label because its metadata
  /// was erased from the history.
  ///
  /// - Parameter uncertain: The uncertain photos that it belongs to, if any. Then only people's
  ///   labels of the classes that their model predicts count.
  public func unlabeled(
    _ photo: PhotoID, of uncertain: UncertainPhotos? = nil
  ) throws(CairnError) -> ReviewQuestion? {
    try translating { try currentUnlabeled(photo, uncertain?.subject) }
  }

  private func currentUnlabeled(
    _ id: PhotoID, _ subject: UncertainSubject?
  ) throws -> ReviewQuestion? {
    guard let photo = try dataset.photoIfPresent(id) else { return nil }
    let labels = try dataset.labels(of: id)
    let evidence = PhotoEvidence(of: id, labels, try dataset.resolvingRules(of: labels))
    let isUnlabeled =
      subject?.isOpen(labels, evidence.rules)
      ?? evidence.resolutions.allSatisfy { $0.state == .open || $0.classKey == .favorite }
    guard isUnlabeled, Visibility(of: photo, labels: labels).isVisible,
      try !dataset.replica.isErased(.metadata, of: id)
    else { return nil }
    let item = ReviewItem(
      key: ReviewKey(photo: id, classKey: nil), reasons: [], raised: .never)
    return ReviewQuestion(item, photo, evidence)
  }

  /// Labels a photo that nobody labeled; the answer can be undone like others.
  ///
  /// - Parameter uncertain: As for ``unlabeled(_:of:)``.
  /// - Returns: The class; nil if somebody labeled or removed it in the meantime.
  @discardableResult
  public func label(
    _ photo: PhotoID, as name: String, of uncertain: UncertainPhotos? = nil
  ) throws(CairnError) -> ClassKey? {
    try dataset.edit("review") { session in
      guard let question = try currentUnlabeled(photo, uncertain?.subject),
        let key = try dataset.classKeys(creating: [name], session: session).first
      else { return nil }
      let changes = try dataset.writeVerdicts(
        [(key, .present)], on: question.photo, by: me, session)
      let item = ReviewItem(
        key: ReviewKey(photo: photo, classKey: key), reasons: [], raised: .never)
      try record(.step(UndoStep(item, .labeled(changes))))
      return key
    }
  }

  // MARK: Favorites

  /// Marks a photo as a favorite, or unmarks it under all addresses of the current user.
  ///
  /// - Returns: Whether it is a favorite now.
  @discardableResult
  public func toggleFavorite(_ photo: PhotoID) throws(CairnError) -> Bool {
    try dataset.edit("review") { session in
      let labels = try dataset.labels(of: photo)
      let own = PhotoEvidence(of: photo, labels, try dataset.rules(of: labels)).favorites(of: me)
      let document = try dataset.photo(photo)
      let verdict: Verdict = own.isEmpty ? .present : .withdrawn
      let changes = try (own.isEmpty ? [me] : own.map(\.annotator)).flatMap {
        try dataset.writeVerdicts([(.favorite, verdict)], on: document, by: $0, session)
      }
      let key = ReviewKey(photo: photo, classKey: .favorite)
      let item = ReviewItem(key: key, reasons: [], raised: .never)
      try record(.step(UndoStep(item, .labeled(changes))))
      return own.isEmpty
    }
  }

  // MARK: Undo

  /// Undoes the last answer that was not undone yet, of this session or an earlier one, as if it
  /// had never been given.
  ///
  /// - Returns: Nil if there is nothing left to undo.
  @discardableResult
  public func undo() throws(CairnError) -> UndoneReview? {
    guard let step = history.steps.last else { return nil }
    return try dataset.edit("review") { session in
      // Nil when the answer cannot be undone.
      var restated: [Restatement]? = []
      var outcome = UndoOutcome.asBefore
      switch step.outcome {
      case .skipped, .kept: break
      case .restored(let stamp, let removed):
        restated = try dataset.removeAgain(
          step.key.photo, restored: stamp, removed: removed, session)
      case .labeled(let changes):
        let plan = try dataset.undoLabels(changes, session)
        (restated, outcome) = (plan?.restated, plan?.outcome ?? outcome)
      }
      try record(.undone(restated ?? []))
      var undone = UndoneReview(item: step.item, outcome: restated == nil ? nil : outcome)
      if case .skipped = step.outcome { undone.wasSkipped = true }
      return undone
    }
  }

  private func record(_ event: ReviewEvent) throws {
    try dataset.appendReviewEvent(event)
    history.add(event)
  }
}

extension ReviewQuestion {
  /// Returns whether the labels and the removal of the photo are the same in both.
  fileprivate func isSame(as other: ReviewQuestion) -> Bool {
    evidence.labels(on: key.classKey) == other.evidence.labels(on: key.classKey)
      && photo.removed == other.photo.removed
  }
}

/// An answer that was undone.
public struct UndoneReview: Sendable {
  /// What it was about.
  public let item: ReviewItem
  /// Nil if the answer was changed since then and could not be undone.
  public let outcome: UndoOutcome?
  /// Whether the question was skipped.
  package internal(set) var wasSkipped = false

  init(item: ReviewItem, outcome: UndoOutcome?) { (self.item, self.outcome) = (item, outcome) }
}

extension Dataset {
  /// Starts a review; only one can be open on a device at a time.
  ///
  /// - Throws: ``CairnError/Kind/locked`` if another is open.
  public func startReview() throws(CairnError) -> ReviewSession {
    try translating { try ReviewSession(self) }
  }
}
