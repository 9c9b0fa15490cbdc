internal import Cairn

/// What the writer keeps between operations: each person's undoable edits and review.
///
/// Used on the writer's thread only.
final class WriterState {
  private var editors: [Annotator: UndoableEditor] = [:]
  private var reviews: [Annotator: (session: ReviewSession, used: ContinuousClock.Instant)] = [:]

  /// A review blocks other reviews of the person on this device, so it ends soon after its last use: the
  /// page of another server repeats a refused request for about four seconds.
  static let idle = Duration.seconds(2)

  /// Returns the editor of the current person of a dataset.
  func editor(_ dataset: Dataset) throws -> UndoableEditor {
    let me = try dataset.currentPerson().annotator
    if let known = editors[me] { return known }
    let editor = try UndoableEditor(dataset)
    editors[me] = editor
    return editor
  }

  /// Returns the review of the current person of a dataset.
  func review(_ dataset: Dataset) throws -> ReviewSession {
    let me = try dataset.currentPerson().annotator
    let session = try reviews[me]?.session ?? dataset.startReview()
    reviews[me] = (session, .now)
    return session
  }

  /// - Parameter idle: How long they have been unused.
  func endIdleReviews(_ idle: Duration = WriterState.idle) {
    reviews = reviews.filter { ContinuousClock.now - $0.value.used < idle }
  }
}
