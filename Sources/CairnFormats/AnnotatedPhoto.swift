public import CairnDocument

/// The resolution of a class on a photo, as export formats represent it.
public enum AnnotationState: String, Sendable, CaseIterable {
  case confirmed, rejected, predicted, disputed
}

/// A class in an export, identified by its key, which does not change when the class is renamed.
public struct AnnotationClass: Hashable, Comparable, Sendable {
  public let key: ClassKey
  /// The display name.
  public let name: String

  public init(key: ClassKey, name: String) { (self.key, self.name) = (key, name) }

  public static func < (a: AnnotationClass, b: AnnotationClass) -> Bool { a.key < b.key }
}

/// A box labeled with a class.
public struct AnnotatedBox: Sendable {
  public var region: Region
  /// The confidence that the class is in this box, between 0 and 1.
  public var confidence: Double
  public var annotator: Annotator
  /// The label's text about the box.
  public var text: String?

  public init(_ region: Region, confidence: Double, by annotator: Annotator, text: String? = nil) {
    (self.region, self.confidence) = (region, confidence)
    (self.annotator, self.text) = (annotator, text)
  }
}

/// The resolution of one class on one photo.
public struct AnnotatedLabel: Sendable {
  public var labelClass: AnnotationClass
  public var state: AnnotationState
  /// Between 0 and 1.
  public var confidence: Double
  /// The annotators whose labels count, sorted.
  public var annotators: [Annotator]
  /// The labeled boxes; empty when only the whole photo is labeled.
  public var boxes: [AnnotatedBox] = []
  /// Whether the whole photo is labeled, in addition to any boxes.
  public var isOfWhole = true
  /// The texts of the labels on the whole photo, sorted and without duplicates.
  public var texts: [String] = []

  public init(
    _ labelClass: AnnotationClass, _ state: AnnotationState, confidence: Double = 1,
    annotators: [Annotator] = []
  ) {
    (self.labelClass, self.state, self.confidence) = (labelClass, state, confidence)
    self.annotators = annotators
  }
}

/// A photo and its resolutions, from which every format is written.
public struct AnnotatedPhoto: Sendable {
  public struct Pin: Equatable, Sendable {
    public var id: PinID
    public var name: String
    public var location: Coordinate

    public init(id: PinID, name: String, location: Coordinate) {
      (self.id, self.name, self.location) = (id, name, location)
    }
  }

  public var id: PhotoID
  /// Its size is that of the upright image, which boxes refer to.
  public var image: ImageFacts
  public var title = ""
  public var caption = ""
  /// The name of the file it was added from.
  public var source = ""
  /// The photo's pin.
  public var pin: Pin?
  /// The photo's author, license and origin.
  public var credit: Credit?
  /// The split, such as `train`; nil when the dataset is not split.
  public var split: String?
  /// Sorted by class.
  public var labels: [AnnotatedLabel] = []

  public init(id: PhotoID, image: ImageFacts) { (self.id, self.image) = (id, image) }

  /// The image's file name: the photo's id, so that it is unique and is a safe file name.
  var fileName: String { "\(id).\(image.format.fileExtension)" }

  /// The coordinate where the photo was taken: the pin's, otherwise the one in the file's metadata.
  var location: Coordinate? { pin?.location ?? image.location?.coordinate }

  /// The most relevant label: confirmed before predicted, then by confidence, then by class.
  var best: AnnotatedLabel? {
    labels.filter { $0.state != .rejected }.min { a, b in
      (a.state == .confirmed ? 0 : 1, -a.confidence, a.labelClass)
        < (b.state == .confirmed ? 0 : 1, -b.confidence, b.labelClass)
    }
  }
}

extension Region {
  /// Returns the box's corner and size in pixels of an image, rounded to 10⁻⁹ pixels.
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
