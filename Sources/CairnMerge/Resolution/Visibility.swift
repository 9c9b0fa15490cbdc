public import CairnDocument

/// Whether a photo is visible, decided from its own removal and the labels that people gave it.
public enum Visibility: Equatable, Sendable {
  case visible
  /// Removed, but a person labeled it after the removal, which restores it.
  case restored(by: Annotator)
  /// Removed; its labels stay in the dataset, hidden.
  case removed

  /// Decides the visibility of `photo` from `labels`, all of its labels.
  ///
  /// A person's label stamped after the removal restores the photo. A withdrawal, a favorite or a
  /// model's label does not.
  package init(of photo: Photo, labels: some Sequence<Label>) {
    guard photo.removed.value else {
      self = .visible
      return
    }
    let later = labels.filter {
      $0.annotator.isHuman && $0.verdict != .withdrawn && $0.classKey != .favorite
        && $0.stamp > photo.removed.stamp
    }
    if let last = later.max(by: { ($0.stamp, $0.annotator) < ($1.stamp, $1.annotator) }) {
      self = .restored(by: last.annotator)
    } else {
      self = .removed
    }
  }

  /// Whether lists, searches and exports include the photo.
  public var isVisible: Bool { self != .removed }
}
