public import CairnDocument

/// Whether a photo is in view, decided from its own deletion and the labels people gave it.
public enum PhotoVisibility: Equatable, Sendable {
  case visible
  /// Deleted, but a person labelled it after the deletion: it is back in view.
  case broughtBack(by: Annotator)
  /// Deleted; its labels stay in the dataset, out of view.
  case removed

  /// Decides for `photo`, whose labels are `labels`.
  ///
  /// A person's statement stamped after the deletion brings the photo back; a withdrawal or a
  /// favourite does not, and a model's statement never does.
  public init(of photo: Photo, labels: some Sequence<Label>) {
    guard photo.removed.value else {
      self = .visible
      return
    }
    let later = labels.filter {
      $0.annotator.isHuman && $0.verdict != .withdrawn && $0.classKey != .favorite
        && $0.stamp > photo.removed.stamp
    }
    if let last = later.max(by: { ($0.stamp, $0.annotator) < ($1.stamp, $1.annotator) }) {
      self = .broughtBack(by: last.annotator)
    } else {
      self = .removed
    }
  }

  public var isInView: Bool { self != .removed }
}
