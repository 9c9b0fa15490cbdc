public import CairnDocument
public import CairnMerge

/// A filter for photos: one of the alternatives must match.
package struct PhotoFilter: Equatable, Sendable {
  package var alternatives: [PhotoConditions]

  package init(_ alternatives: [PhotoConditions]) { self.alternatives = alternatives }
}

/// Conditions on a photo, all of which must match.
package struct PhotoConditions: Equatable, Sendable {
  package var assertions: [Assertion] = []
  /// Lists of pins; the photo must be at one pin of each list.
  package var pins: [[PinID]] = []
  package var areas: [MapArea] = []
  package var texts: [TextFilter] = []
  /// Ranges of its capture time, in milliseconds since 1970 by the camera's clock.
  package var taken: [Range<Int64>] = []
  /// Lists of photos; the photo must be in each list.
  package var among: [[PhotoID]] = []
  package var flags: Set<PhotoFlag> = []
  /// Filters that must not match.
  package var excluded: [PhotoFilter] = []

  package init() {}
}

package enum PhotoFlag: Hashable, Sendable, CaseIterable {
  case visible
  /// It exists but is not visible.
  case removed
  /// No class has a resolution, present or absent.
  case unlabeled
  /// A class has a resolution.
  case labeled
  case hasPin
  /// It is at a pin, or its file or its source has a location.
  case hasLocation
  case hasTitle
  case hasCaption
  /// It has a label with a text.
  case hasText
  /// Its file or its source has a capture time.
  case hasTaken
}

/// A text field to search in.
package enum PhotoTextField: String, Sendable, CaseIterable {
  /// Title, caption, file name, the keywords and names in the file, the name of the pin, and the
  /// texts of labels.
  case text = "words"
  case camera, author
  case license = "licence"
  /// The service that it was fetched from.
  case source
}

/// Consecutive words to search for, ignoring case and accents.
package struct TextFilter: Equatable, Sendable {
  package var field: PhotoTextField
  package var text: String
  /// Whether the last word may be a prefix.
  package var isBeginning: Bool

  package init(_ text: String, in field: PhotoTextField = .text, isBeginning: Bool = false) {
    (self.field, self.text, self.isBeginning) = (field, text, isBeginning)
  }

  /// Whether the text has any words; a text without words matches nothing.
  package var hasWords: Bool { match != nil }

  var match: String? {
    SearchText.match(text, isBeginning: isBeginning, in: field.rawValue)
  }
}

/// A condition on one class of a photo.
package struct Assertion: Equatable, Sendable {
  /// The class, including its aliases; nil for any class, but the same one for the whole condition.
  package var classKey: ClassKey?
  /// The allowed states; nil to ignore the resolution.
  package var states: Set<Resolution.State>?
  package var confidence = FractionRange()
  /// Filters for labels of the class, each of which must match a label that is not withdrawn.
  package var filters: [AssertionFilter] = []

  package init() {}
}

/// A filter for labels.
package struct AssertionFilter: Equatable, Sendable {
  /// The allowed annotators; nil for any.
  package var annotators: [Annotator]?
  /// Milliseconds since 1970.
  package var time: Range<Int64>?
  package var run: RunID?
  package var hasRegion = false
  /// Whether only labels with the verdict present match.
  package var isPresent = false

  package init() {}
}

/// A range within 0 to 1.
package struct FractionRange: Equatable, Sendable {
  package var low = 0.0
  package var isLowIncluded = true
  package var high = 1.0
  package var isHighIncluded = true

  package init() {}

  package var isAll: Bool { self == FractionRange() }

  /// Returns the intersection of two ranges.
  package func intersection(_ other: FractionRange) -> FractionRange {
    var range = self
    if other.low > low || other.low == low && !other.isLowIncluded {
      (range.low, range.isLowIncluded) = (other.low, other.isLowIncluded)
    }
    if other.high < high || other.high == high && !other.isHighIncluded {
      (range.high, range.isHighIncluded) = (other.high, other.isHighIncluded)
    }
    return range
  }

  func condition(_ column: String) -> String {
    "\(column) \(isLowIncluded ? ">=" : ">") \(low) AND \(column) \(isHighIncluded ? "<=" : "<") \(high)"
  }
}

/// A sort order for photos; photos with an unknown value come last.
public enum PhotoOrder: String, Sendable, CaseIterable {
  case id
  /// By capture time, according to the camera's clock; latest first.
  case taken
  /// By the time they were added to the dataset; latest first.
  case added
  /// By the time of the latest label, latest first.
  case labeled
  /// By the highest confidence among the queried classes, or among all resolutions if none were
  /// queried; highest first.
  case confidence
  /// By title.
  case title
}

/// A photo in search results, with its resolutions.
public struct FoundPhoto: Sendable {
  public let photo: Photo
  /// The location of its pin; without a pin, or if the pin was removed, the location in its file.
  public let location: Coordinate?
  public let resolutions: [ClassState]

  public struct ClassState: Equatable, Sendable {
    public let classKey: ClassKey
    /// The display name of the class.
    public let name: String
    public let state: Resolution.State
    public let confidence: Double
  }
}
