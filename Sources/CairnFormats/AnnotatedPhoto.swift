internal import CairnBase
package import CairnDocument

/// The resolution of a class on a photo, as export formats represent it.
public enum AnnotationState: String, Sendable, CaseIterable {
  case confirmed, rejected, predicted, disputed
}

/// A class in an export, identified by its key, which does not change when the class is renamed.
package struct AnnotationClass: Hashable, Comparable, Sendable {
  package let key: ClassKey
  /// The display name.
  package let name: String

  package init(key: ClassKey, name: String) { (self.key, self.name) = (key, name) }

  package static func < (a: AnnotationClass, b: AnnotationClass) -> Bool { a.key < b.key }
}

/// A box labeled with a class.
package struct AnnotatedBox: Sendable {
  package var region: Region
  /// The confidence that the class is in this box, between 0 and 1.
  package var confidence: Double
  package var annotator: Annotator
  /// The label's text about the box.
  package var text: String?

  package init(_ region: Region, confidence: Double, by annotator: Annotator, text: String? = nil) {
    (self.region, self.confidence) = (region, confidence)
    (self.annotator, self.text) = (annotator, text)
  }
}

/// The resolution of one class on one photo.
package struct AnnotatedLabel: Sendable {
  package var labelClass: AnnotationClass
  package var state: AnnotationState
  /// Between 0 and 1.
  package var confidence: Double
  /// The annotators whose labels count, sorted.
  package var annotators: [Annotator]
  /// The labeled boxes; empty when only the whole photo is labeled.
  package var boxes: [AnnotatedBox] = []
  /// Whether the whole photo is labeled, in addition to any boxes.
  package var labelsWholePhoto = true
  /// The texts of the labels on the whole photo, sorted and without duplicates.
  package var texts: [String] = []

  package init(
    _ labelClass: AnnotationClass, _ state: AnnotationState, confidence: Double = 1,
    annotators: [Annotator] = []
  ) {
    (self.labelClass, self.state, self.confidence) = (labelClass, state, confidence)
    self.annotators = annotators
  }
}

/// A photo and its resolutions, from which every format is written.
package struct AnnotatedPhoto: Sendable {
  package struct Pin: Equatable, Sendable {
    package var id: PinID
    package var name: String
    package var location: Coordinate

    package init(id: PinID, name: String, location: Coordinate) {
      (self.id, self.name, self.location) = (id, name, location)
    }
  }

  package var id: PhotoID
  /// Its size is that of the upright image, which boxes refer to.
  package var image: ImageFacts
  package var title = ""
  package var caption = ""
  /// The name of the file it was added from.
  package var source = ""
  /// The photo's pin.
  package var pin: Pin?
  /// The photo's author, license and origin.
  package var credit: Credit?
  /// The split, such as `train`; nil when the dataset is not split.
  package var split: String?
  /// Sorted by class.
  package var labels: [AnnotatedLabel] = []

  package init(id: PhotoID, image: ImageFacts) { (self.id, self.image) = (id, image) }

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
  /// Returns the box's corner and size in pixels of an image.
  func pixels(_ image: ImageFacts) -> PixelRect {
    box.pixels(width: image.width, height: image.height)
  }
}
