package import CairnDocument

/// The reason that an item needs a person's decision, the most urgent first.
package enum ReviewReason: String, Sendable, CaseIterable, Comparable {
  /// People disagree.
  case disputed
  /// A model is close to its threshold, or undecided between two classes of an exclusive set.
  case unsure
  /// Models disagree, and no person has labeled the class.
  case models
  /// A photo was removed, and people had labeled it on another device.
  case removed
  /// Photos that look the same have different classes.
  case duplicates
  /// A model predicts a class that has few examples.
  case rare

  package static func < (a: ReviewReason, b: ReviewReason) -> Bool { a.rank < b.rank }

  private var rank: Int { ReviewReason.allCases.firstIndex(of: self) ?? 0 }
}

/// A reason with its details, as text.
package struct ReviewReasonDetail: Equatable, Sendable {
  package let reason: ReviewReason
  package let text: String

  package init(_ reason: ReviewReason, _ text: String) {
    (self.reason, self.text) = (reason, text)
  }
}

/// The subject of an item: a class on a photo, or a photo as a whole.
package struct ReviewKey: Hashable, Sendable {
  package let photo: PhotoID
  /// Nil if the question is whether to restore a removed photo.
  package let classKey: ClassKey?

  package init(photo: PhotoID, classKey: ClassKey?) {
    (self.photo, self.classKey) = (photo, classKey)
  }
}

/// One item in the review queue.
package struct ReviewItem: Equatable, Sendable {
  package let key: ReviewKey
  /// The reasons for asking, the most urgent first; at least one.
  package let doubts: [ReviewReasonDetail]
  /// The latest stamp of the labels that raised the item: a later label makes it a new item.
  package let raised: Stamp

  package init(key: ReviewKey, doubts: [ReviewReasonDetail], raised: Stamp) {
    (self.key, self.doubts, self.raised) = (key, doubts, raised)
  }
}

/// The limits that decide which labels are doubtful.
package enum ReviewLimit {
  /// The largest difference at which two confidences are too close to decide; 1e-9 allows for
  /// rounding.
  package static let margin = 0.1 + 1e-9
  /// A class that is confirmed on fewer photos has few examples.
  package static let examples = 10
  /// The maximum number of differing bits in the perceptual hashes of photos that look the same.
  package static let duplicateDistance = 4
}
