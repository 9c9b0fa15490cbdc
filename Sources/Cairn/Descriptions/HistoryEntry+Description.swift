internal import CairnDocument
internal import CairnMerge

extension HistoryEntry {
  /// The changes to a photo as text, naming classes and runs but not the photo.
  public var sentences: [String] {
    changes.flatMap { change in
      let about = change.path.photo == nil ? "\(change.subject): " : ""
      return change.texts.map { about + $0 }
    }
  }
}
