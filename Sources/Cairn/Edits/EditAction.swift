package import CairnDocument
package import CairnReview

/// What a person changed with one action: it can be undone as a whole.
package struct EditAction: Equatable, Sendable {
  /// Increases with each action of the person on this device.
  package let number: Int
  /// Milliseconds since 1970.
  package let time: Int64
  /// A short text for people: “Oak on 500 photos”.
  package let text: String
  /// The number of changes.
  package let count: Int
  /// The operation that recorded the changes, the last one if there are several; nil if none did.
  var operation: Int?
  /// When the first changes of that operation were recorded.
  var operationTime: Int64
}

/// One change of an action.
package enum EditChange: Equatable, Sendable {
  case label(LabelChange)
  /// A field of a photo; its values as JSON.
  case photo(PhotoID, PhotoField, before: JSON, after: JSON)
  case pin(PinID, PinField, before: JSON, after: JSON)
  /// Whether a run is withdrawn now.
  case run(RunID, isWithdrawn: Bool)
  /// An answer of a review, which the device's review history describes; nil if an earlier version
  /// of the program did not record which.
  case review(ReviewAnswerID?)

  package enum PhotoField: String, Sendable { case title, caption, pin, removed }
  package enum PinField: String, Sendable { case location, name, removed }

  /// The photo that it changed, if any.
  package var photo: PhotoID? {
    switch self {
    case .label(let change): change.after.photo
    case .photo(let photo, _, _, _): photo
    case .pin, .run, .review: nil
    }
  }
}

/// The outcome of undoing an action, or some of its changes.
package struct UndoneEdit: Sendable {
  package let action: EditAction
  package internal(set) var outcome = UndoOutcome.asBefore
  /// The photos that changed.
  package internal(set) var photos: [PhotoID] = []
  /// The number of changes that were not undone, because their values were changed again later.
  package internal(set) var kept = 0
  package internal(set) var hasPins = false
  package internal(set) var hasRuns = false
  /// The number of changes that are still to be undone.
  package internal(set) var left: Int

  package init(of action: EditAction) { (self.action, left) = (action, action.count) }

  /// Adds what was undone after it.
  package static func += (total: inout Self, next: Self) {
    if next.outcome != .asBefore { total.outcome = next.outcome }
    total.photos += next.photos
    total.kept += next.kept
    total.hasPins = total.hasPins || next.hasPins
    total.hasRuns = total.hasRuns || next.hasRuns
    total.left = next.left
  }
}
