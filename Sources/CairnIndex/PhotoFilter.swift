public import CairnDocument
public import CairnMerge

/// Which photos are asked for: those that one of the alternatives holds for.
public struct PhotoFilter: Equatable, Sendable {
  public var alternatives: [PhotoConditions]

  public init(_ alternatives: [PhotoConditions]) { self.alternatives = alternatives }
}

/// What must all hold for a photo.
public struct PhotoConditions: Equatable, Sendable {
  public var claims: [Claim] = []
  /// The pins that it is at one of, for each element.
  public var pins: [[PinID]] = []
  public var areas: [MapArea] = []
  public var texts: [TextFilter] = []
  /// When it was taken: milliseconds of the camera's clock since 1970 began by it.
  public var taken: [Range<Int64>] = []
  /// The photos that it is one of, for each element.
  public var among: [[PhotoID]] = []
  public var traits: Set<PhotoTrait> = []
  /// What must not hold.
  public var excluded: [PhotoFilter] = []

  public init() {}
}

public enum PhotoTrait: Hashable, Sendable, CaseIterable {
  case inView
  /// There, and out of view.
  case removed
  /// Nothing stands of any class, present or absent.
  case unlabelled
  case hasPin
  /// It is at a pin, or its file says where it was taken.
  case hasPlace
  case hasTitle
  case hasCaption
  /// Somebody described it: a label with words.
  case hasText
  /// Its file says when it was taken.
  case hasTaken
}

/// What text is looked for in.
public enum PhotoTextField: String, Sendable, CaseIterable {
  /// Title, caption, file name, the name of the pin, and the words of labels.
  case words
  case camera, author, licence
  /// The service that it came from.
  case source
}

/// Words that come one after the other, in any case, with any accents.
public struct TextFilter: Equatable, Sendable {
  public var field: PhotoTextField
  public var text: String
  /// Whether the last word may be the beginning of one.
  public var isBeginning: Bool

  public init(_ text: String, in field: PhotoTextField = .words, isBeginning: Bool = false) {
    (self.field, self.text, self.isBeginning) = (field, text, isBeginning)
  }

  /// Whether there is a word in it; else it is found nowhere.
  public var hasWords: Bool { match != nil }

  var match: String? {
    SearchText.match(text, isBeginning: isBeginning, in: field.rawValue)
  }
}

/// What is true of one class on a photo.
public struct Claim: Equatable, Sendable {
  /// The class, aliases followed; nil for any, but one and the same for the whole claim.
  public var classKey: ClassKey?
  /// The states of which it has one; nil where what stands does not matter.
  public var states: Set<Resolution.State>?
  public var confidence = FractionRange()
  /// What was said of the class; of each, one label that was not taken back.
  public var statements: [SaidFilter] = []

  public init() {}
}

/// Which labels are meant.
public struct SaidFilter: Equatable, Sendable {
  /// Who says so, one of them; nil for anybody.
  public var annotators: [Annotator]?
  /// Milliseconds since 1970.
  public var time: Range<Int64>?
  public var run: RunID?
  public var hasRegion = false
  /// Only what says that the class is there.
  public var isPresent = false

  public init() {}
}

/// A part of what lies between 0 and 1.
public struct FractionRange: Equatable, Sendable {
  public var low = 0.0
  public var isLowIncluded = true
  public var high = 1.0
  public var isHighIncluded = true

  public init() {}

  public var isAll: Bool { self == FractionRange() }

  /// Returns what lies in both.
  public func intersection(_ other: FractionRange) -> FractionRange {
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

/// What photos are sorted by; those of which it is not known come last.
public enum PhotoOrder: String, Sendable, CaseIterable {
  case id
  /// When they were taken, by the clock of the camera; the latest first.
  case taken
  /// When they came into the dataset; the latest first.
  case added
  /// What was last said of them, the latest first.
  case said
  /// The highest confidence among the classes that were asked for, else among all that stand; the
  /// surest first.
  case confidence
  /// What they are called.
  case title
}

/// A photo that was found, with what stands of it.
public struct FoundPhoto: Sendable {
  public let photo: Photo
  /// Where its pin is; without one, or when the pin was removed, where its file says it was taken.
  public let location: Coordinate?
  public let standings: [Standing]

  public struct Standing: Equatable, Sendable {
    public let classKey: ClassKey
    /// What people call the class.
    public let name: String
    public let state: Resolution.State
    public let confidence: Double
  }
}
