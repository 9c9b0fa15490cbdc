public import CairnDocument

/// What stands of a class on a photo, as far as other programs have a use for it.
public enum AnnotationState: String, Sendable, CaseIterable {
  case confirmed, rejected, predicted, disputed
}

/// A class as formats name it: by its key, which stays when people rename the class.
public struct AnnotationClass: Hashable, Comparable, Sendable {
  public let key: ClassKey
  /// What people call it.
  public let name: String

  public init(key: ClassKey, name: String) { (self.key, self.name) = (key, name) }

  public static func < (a: AnnotationClass, b: AnnotationClass) -> Bool { a.key < b.key }
}

/// A box that a class was said of.
public struct AnnotatedBox: Sendable {
  public var region: Region
  /// How surely the class is in this box, between 0 and 1.
  public var confidence: Double
  public var annotator: Annotator
  /// What it says of the box in words.
  public var text: String?

  public init(_ region: Region, confidence: Double, by annotator: Annotator, text: String? = nil) {
    (self.region, self.confidence) = (region, confidence)
    (self.annotator, self.text) = (annotator, text)
  }
}

/// What stands of one class on one photo.
public struct AnnotatedLabel: Sendable {
  public var labelClass: AnnotationClass
  public var state: AnnotationState
  /// Between 0 and 1.
  public var confidence: Double
  /// Who counts for it, sorted.
  public var annotators: [Annotator]
  /// The boxes that it was said of; none when it was said of the whole photo.
  public var boxes: [AnnotatedBox] = []
  /// Whether it was said of the whole photo, too, where it has boxes.
  public var isOfWhole = true
  /// What is said of the whole photo in words, sorted, each once.
  public var texts: [String] = []

  public init(
    _ labelClass: AnnotationClass, _ state: AnnotationState, confidence: Double = 1,
    annotators: [Annotator] = []
  ) {
    (self.labelClass, self.state, self.confidence) = (labelClass, state, confidence)
    self.annotators = annotators
  }
}

/// A photo with what stands of it: what every format is written from.
public struct AnnotatedPhoto: Sendable {
  public struct Place: Equatable, Sendable {
    public var pin: PinID
    public var name: String
    public var location: Coordinate

    public init(pin: PinID, name: String, location: Coordinate) {
      (self.pin, self.name, self.location) = (pin, name, location)
    }
  }

  public var id: PhotoID
  /// Its size is that of the upright image, as boxes are.
  public var image: ImageFacts
  public var title = ""
  public var caption = ""
  /// The name of the file it was added from.
  public var source = ""
  /// Where its pin is.
  public var place: Place?
  /// Whose it is and where it came from.
  public var credit: Credit?
  /// The part of the data that it belongs to, such as `train`; nil when they are not parted.
  public var split: String?
  /// Sorted by class.
  public var labels: [AnnotatedLabel] = []

  public init(id: PhotoID, image: ImageFacts) { (self.id, self.image) = (id, image) }

  /// The name of its file: its id, so that no two are the same and none can lead elsewhere.
  var fileName: String { "\(id).\(image.format.fileExtension)" }

  /// Where it was taken: where its pin is, else what its file says.
  var location: Coordinate? { place?.location ?? image.place?.coordinate }

  /// The label that says best what is on it: confirmed before predicted, the surest, the first.
  var best: AnnotatedLabel? {
    labels.filter { $0.state != .rejected }.min { a, b in
      (a.state == .confirmed ? 0 : 1, -a.confidence, a.labelClass)
        < (b.state == .confirmed ? 0 : 1, -b.confidence, b.labelClass)
    }
  }
}

extension Region {
  /// The corner and the size in pixels of an image, to a thousandth of a millionth of one.
  func pixels(_ image: ImageFacts) -> (x: Double, y: Double, width: Double, height: Double) {
    func pixels(_ fraction: Double, _ size: Int) -> Double {
      (fraction * Double(size) * 1e9).rounded() / 1e9
    }
    return (
      pixels(x, image.width), pixels(y, image.height), pixels(width, image.width),
      pixels(height, image.height)
    )
  }
}
