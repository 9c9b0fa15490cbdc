public import CairnDocument

/// Why something deserves a person's eye, the most pressing first.
public enum ReviewReason: String, Sendable, CaseIterable, Comparable {
  /// People disagree.
  case disputed
  /// A model is close to its threshold, or torn between two classes of an exclusive set.
  case unsure
  /// Models disagree, and no person has spoken.
  case models
  /// A photo was removed, and people had spoken of it on another device.
  case removed
  /// Photos that look the same have different classes.
  case duplicates
  /// A model names a class of which there are few examples.
  case rare

  public static func < (a: ReviewReason, b: ReviewReason) -> Bool { a.rank < b.rank }

  private var rank: Int { ReviewReason.allCases.firstIndex(of: self) ?? 0 }
}

/// A reason with the facts behind it, in words.
public struct Doubt: Equatable, Sendable {
  public let reason: ReviewReason
  public let because: String

  public init(_ reason: ReviewReason, _ because: String) {
    (self.reason, self.because) = (reason, because)
  }
}

/// What is asked about: a class on a photo, or a photo as a whole.
public struct ReviewKey: Hashable, Sendable {
  public let photo: PhotoID
  /// Nil where the question is whether the photo stays removed.
  public let classKey: ClassKey?

  public init(photo: PhotoID, classKey: ClassKey?) {
    (self.photo, self.classKey) = (photo, classKey)
  }
}

/// One thing in the queue.
public struct ReviewItem: Equatable, Sendable {
  public let key: ReviewKey
  /// Why it is asked, the most pressing first; at least one.
  public let doubts: [Doubt]
  /// The latest of what raised the question: when something later is said, it is a new question.
  public let raised: Stamp

  public init(key: ReviewKey, doubts: [Doubt], raised: Stamp) {
    (self.key, self.doubts, self.raised) = (key, doubts, raised)
  }
}

/// The numbers that decide what is doubtful.
public enum ReviewLimit {
  /// How close two confidences are when they are too close to be believed; 1e-9 for what is lost in
  /// their digits.
  public static let margin = 0.1 + 1e-9
  /// A class that people confirm on fewer photos has few examples.
  public static let examples = 10
  /// How many bits the perceptual hashes of photos that look the same differ in, at most.
  public static let duplicateDistance = 4
}
