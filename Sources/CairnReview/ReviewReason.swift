public import CairnDocument
package import CairnMerge

/// The reason that an item needs a person's decision, the most urgent first.
public enum ReviewReason: String, Sendable, CaseIterable, Comparable {
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
  /// A model that was trained without the photo contradicts what people labeled.
  case suspect
  /// A model predicts a class that has few examples.
  case rare

  public static func < (a: ReviewReason, b: ReviewReason) -> Bool { a.rank < b.rank }

  private var rank: Int { ReviewReason.allCases.firstIndex(of: self) ?? 0 }
}

/// A reason with its details.
package enum ReviewReasonDetail: Equatable, Sendable {
  /// People disagree, for the reason of the resolution.
  case disputed(ResolutionReason)
  /// A model is undecided between two classes of an exclusive set.
  case undecided(ModelPrediction, second: ModelPrediction)
  /// A model's confidence is close to its threshold.
  case nearThreshold(ModelPrediction, threshold: Double)
  /// Other models contradict a prediction; at least one.
  case contradicted(ModelPrediction, by: [ModelContradiction])
  /// The photo was removed, and these people had labeled it on another device.
  case removed(labeledBy: [Annotator])
  /// The class, by its display name, is confirmed on a photo that looks the same.
  case duplicate(className: String, confirmedOn: PhotoID, isRejectedHere: Bool)
  /// A model that was trained without the photo contradicts what people labeled.
  case suspect(ModelPrediction)
  /// The class, by its display name, is confirmed on few photos.
  case rare(className: String, examples: Int)
  /// A detail from this device's log, which contains its text.
  case logged(ReviewReason, text: String)

  package var reason: ReviewReason {
    switch self {
    case .disputed: .disputed
    case .undecided, .nearThreshold: .unsure
    case .contradicted: .models
    case .removed: .removed
    case .duplicate: .duplicates
    case .suspect: .suspect
    case .rare: .rare
    case .logged(let reason, _): reason
    }
  }
}

/// A model's label that a class is present.
package struct ModelPrediction: Equatable, Sendable {
  package let model: Annotator
  /// The display name of the class.
  package let className: String
  package let confidence: JSONNumber

  package init(_ model: Annotator, _ className: String, confidence: JSONNumber) {
    (self.model, self.className, self.confidence) = (model, className, confidence)
  }
}

/// A model's label that contradicts another model's prediction.
package enum ModelContradiction: Equatable, Sendable {
  /// This model labels the class as absent.
  case absent(Annotator)
  /// Another model predicts another class of the exclusive set.
  case other(ModelPrediction)
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

/// An entry of the review queue: what a person is asked about, and why.
public struct ReviewItem: Equatable, Sendable {
  package let key: ReviewKey
  /// The reasons for asking, the most urgent first; at least one.
  package let reasons: [ReviewReasonDetail]
  /// The latest stamp of the labels that raised the item: a later label makes it a new item.
  package let raised: Stamp

  /// The photo.
  public var photo: PhotoID { key.photo }

  /// The class; nil if the question is whether to restore a removed photo.
  public var classKey: ClassKey? { key.classKey }

  package init(key: ReviewKey, reasons: [ReviewReasonDetail], raised: Stamp) {
    (self.key, self.reasons, self.raised) = (key, reasons, raised)
  }

  /// Returns whether both ask about the same class of the same photo.
  public func isAbout(_ other: ReviewItem) -> Bool { key == other.key }
}

/// The limits that decide which labels are doubtful.
package enum ReviewLimit {
  /// The largest difference at which two confidences are too close to decide; 1e-9 allows for
  /// rounding.
  package static let margin = 0.1 + 1e-9
  /// A class that is confirmed on fewer photos has few examples.
  package static let examples = 10
  /// The maximum number of differing bits in the perceptual hashes of photos that look the same:
  /// fewer than for a search, since a person is asked about each match.
  package static let duplicateDistance = 4
}
