public import CairnMerge

/// A person's answer to a question of the review queue.
public enum ReviewDecision: Equatable, Sendable {
  /// The class is present; about a removed photo, restore it.
  case accept
  /// The class is absent; about a removed photo, leave it removed.
  case reject
  /// Ask another time; nothing is written to the dataset.
  case skip
  /// Another class, by its name, which is created if it is new. The class asked about is then
  /// absent.
  case other(String)
}

/// What became of an answer.
public enum ReviewOutcome: Equatable, Sendable {
  /// It was written.
  case decided(ReviewDecision)
  /// Somebody has settled the question in the meantime, and nothing was written. With the
  /// resolution of its class, if any.
  case alreadyDecided(Resolution?)
  /// Somebody has labeled the photo in the meantime, and nothing was written: ask again.
  case changed
}

/// What became of an answer that was undone.
public enum UndoOutcome: Equatable, Sendable {
  /// Everything is as if the answer had not been given.
  case asBefore
  /// The resolutions are as before, but the previous label, which a later one had overridden, had
  /// to be withdrawn: restated, it would have been the last label.
  case previousWithdrawn
  /// The previous label is restored, but some later label now has another status.
  case statusChanged
}

/// A message about an answer, for the person who gave it.
public enum ReviewMessage: Equatable, Sendable {
  /// No other class can be given: the question is about the whole photo.
  case noOtherClass
  /// The outcome ``ReviewOutcome/alreadyDecided(_:)``.
  case alreadyDecided(Resolution?)
  /// The outcome ``ReviewOutcome/changed``.
  case changed
  /// The last answer was undone; nil if it could not be.
  case undone(UndoOutcome?)
  /// A text of the caller.
  case text(String)
}
