internal import CairnBase
internal import CairnDocument

// Data that a format cannot hold are removed from a photo and counted before its writer receives
// it: in one place for all formats, so that none drops anything silently.

/// The data about a photo that a format can hold.
struct FormatCapabilities {
  enum Boxes {
    case none
    /// Boxes, and labels of whole photos.
    case additional
    /// A box replaces the label of the whole photo.
    case replacing
    /// Boxes only.
    case required
  }

  var hasSeveralClasses = true
  /// What to do with a photo of several classes if the format holds one.
  var several = SeveralClasses.first
  var boxes = Boxes.none
  enum Outlines {
    /// Only the box around an outline.
    case none
    case additional
    /// Outlines only.
    case required
  }

  var outlines = Outlines.none
  /// Whether regions can be marked as holding a group of objects.
  var hasCrowds = false
  enum Absence {
    case none
    /// An absent class, without annotators and confidence.
    case withoutDetails
    case withDetails
  }

  var absence = Absence.none
  var hasConfidence = false
  var hasAnnotators = false
  /// The states that the format distinguishes from confirmed.
  var states: Set<AnnotationState> = []
  /// Whether labels have texts.
  var hasTexts = false
  /// Whether photos without labels are kept.
  var hasUnlabeledPhotos = true
  /// Locations and pins, titles and captions, capture time and camera, credit.
  var hasPhotoMetadata = false
  /// Whether cairn imports the format.
  var isImportable = false

  static let everything = FormatCapabilities(
    boxes: .additional, outlines: .additional, hasCrowds: true, absence: .withDetails,
    hasConfidence: true, hasAnnotators: true, states: [.predicted, .disputed], hasTexts: true,
    hasPhotoMetadata: true)
  /// What a row of a table can hold.
  static let table = FormatCapabilities(
    boxes: .additional, absence: .withDetails, hasConfidence: true, hasAnnotators: true,
    states: [.predicted, .disputed], hasTexts: true, hasPhotoMetadata: true)
}

/// The data omitted from an export, with counts.
public struct LossReport: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case photo, image, erasedImage = "erased-image", furtherClass = "class"
    case severalClasses = "several-classes"
    case wholePhoto = "whole-photo", region, outline, crowd, box, absence
    case confidence, annotators, state, labelText = "label-text", location, text, capture, credit
    case furtherLabel = "further-label"
  }

  public private(set) var counts: [Kind: Int] = [:]

  mutating func add(_ kind: Kind, _ count: Int = 1) {
    if count > 0 { counts[kind, default: 0] += count }
  }

  /// Returns one line per kind of omitted data: “12 region labels, which imagefolder cannot hold”.
  public func sentences(_ format: ExportFormat) -> [String] {
    Kind.allCases.compactMap { kind in
      counts[kind].map { LossReport.sentence(kind, $0, format) }
    }
  }

  private static func sentence(_ kind: Kind, _ count: Int, _ written: ExportFormat) -> String {
    let format = written.rawValue
    func counted(_ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
    let cannot = "which \(format) cannot hold"
    return switch kind {
    case .photo: counted("photo", "photos") + " without a label that \(format) can hold"
    case .image, .erasedImage:
      imageSentence(count, written, isErased: kind == .erasedImage)
    case .furtherClass:
      counted("further class", "further classes") + " of photos: \(format) holds one per photo"
    case .severalClasses:
      counted("photo", "photos") + " with several classes: \(format) holds one per photo"
    case .wholePhoto: counted("label", "labels") + " of whole photos, \(cannot)"
    case .region: counted("region label", "region labels") + ", \(cannot)"
    case .outline: counted("outline", "outlines") + ", \(cannot): their boxes were written"
    case .crowd: counted("crowd", "crowds") + ", \(cannot)"
    case .box: counted("box", "boxes") + " without an outline, \(cannot)"
    case .absence: counted("rejected label", "rejected labels") + ", \(cannot)"
    case .confidence: counted("confidence", "confidences") + " below 1, \(cannot)"
    case .annotators: "the annotators of " + counted("label", "labels") + ", \(cannot)"
    case .state:
      "the state of " + counted("label", "labels") + " (predicted or disputed), \(cannot)"
    case .labelText: counted("text of a label", "texts of labels") + ", \(cannot)"
    case .location: counted("location", "locations") + ", \(cannot)"
    case .text: counted("title or caption", "titles or captions") + ", \(cannot)"
    case .capture: "the capture time or camera of " + counted("photo", "photos") + ", \(cannot)"
    case .credit: "the credit of " + counted("photo", "photos") + ", \(cannot)"
    case .furtherLabel:
      counted("further label", "further labels")
        + " of the same class or box with another text or confidence: an import of \(format) "
        + "merges them into one"
    }
  }

  private static func imageSentence(
    _ count: Int, _ format: ExportFormat, isErased: Bool
  ) -> String {
    let isOne = count == 1
    let photos = isOne ? "1 photo" : "\(count) photos"
    if format.isMadeOfImages {
      return photos + " whose image " + (isErased ? "was erased" : "is not on this disk")
    }
    let images = isOne ? "its image, which " : "their images, which "
    let verb = isErased ? (isOne ? "was" : "were") : (isOne ? "is" : "are")
    return "\(photos) without \(images)\(verb) \(isErased ? "erased" : "not on this disk")"
  }
}

extension AnnotatedPhoto {
  /// Returns the part of the photo that a format can hold; nil when there is none.
  func fitted(to limits: FormatCapabilities, _ leftOut: inout LossReport) -> AnnotatedPhoto? {
    var photo = self
    photo.labels = labels.compactMap { $0.fitted(to: limits, &leftOut) }
    if !limits.hasSeveralClasses, let best = photo.best, photo.labels.count > 1 {
      switch limits.several {
      case .copy: break
      case .skip:
        leftOut.add(.severalClasses)
        return nil
      case .first, .refuse:
        leftOut.add(.furtherClass, photo.labels.count - 1)
        photo.labels = [best]
      }
    }
    guard limits.hasUnlabeledPhotos || !photo.labels.isEmpty else {
      leftOut.add(.photo)
      return nil
    }
    for label in photo.labels { label.count(against: limits, &leftOut) }
    if !limits.hasPhotoMetadata {
      leftOut.add(.location, location == nil ? 0 : 1)
      leftOut.add(.text, [title, caption].count { !$0.isEmpty })
      leftOut.add(.capture, image.taken == nil && image.camera == nil ? 0 : 1)
      leftOut.add(.credit, credit == nil ? 0 : 1)
    }
    return photo
  }
}

extension AnnotatedLabel {
  /// Returns the part of the label that a format can hold; nil when there is none.
  fileprivate func fitted(to limits: FormatCapabilities, _ leftOut: inout LossReport)
    -> AnnotatedLabel?
  {
    if state == .rejected, limits.absence == .none {
      leftOut.add(.absence)
      return nil
    }
    guard var label = withoutRegions(beyond: limits, &leftOut) else { return nil }
    let boxes = label.boxes
    switch limits.boxes {
    case .none:
      leftOut.add(.region, boxes.count)
      (label.boxes, label.labelsWholePhoto) = ([], true)
    case .required where boxes.isEmpty:
      leftOut.add(.wholePhoto)
      return nil
    case .required, .replacing:
      if !boxes.isEmpty, labelsWholePhoto {
        leftOut.add(.wholePhoto)
        label.labelsWholePhoto = false
      }
    case .additional: break
    }
    return label
  }

  /// Returns the label without the regions of kinds that a format does not have; nil if it has no
  /// others and is not about the whole photo.
  private func withoutRegions(
    beyond limits: FormatCapabilities, _ leftOut: inout LossReport
  ) -> AnnotatedLabel? {
    if boxes.isEmpty || limits.boxes == .none { return self }
    var label = self
    if !limits.hasCrowds { label.boxes.removeAll { $0.region.isCrowd } }
    leftOut.add(.crowd, boxes.count - label.boxes.count)
    switch limits.outlines {
    case .additional: break
    case .none:
      leftOut.add(.outline, label.boxes.count { !$0.region.polygons.isEmpty })
      for index in label.boxes.indices { label.boxes[index].region.removeOutline() }
    case .required:
      let count = label.boxes.count
      label.boxes.removeAll { $0.region.polygons.isEmpty }
      leftOut.add(.box, count - label.boxes.count)
    }
    return label.boxes.isEmpty && !label.labelsWholePhoto ? nil : label
  }

  /// Counts the details that a format omits from a label that it holds.
  fileprivate func count(against limits: FormatCapabilities, _ leftOut: inout LossReport) {
    let isWithoutDetails = state == .rejected && limits.absence == .withoutDetails
    let confidences = (labelsWholePhoto ? [confidence] : []) + boxes.map(\.confidence)
    if !limits.hasConfidence || isWithoutDetails {
      leftOut.add(.confidence, confidences.count { $0 < 1 })
    }
    if !limits.hasAnnotators || isWithoutDetails, !annotators.isEmpty { leftOut.add(.annotators) }
    if [.predicted, .disputed].contains(state), !limits.states.contains(state) {
      leftOut.add(.state)
    }
    if !limits.hasTexts || isWithoutDetails {
      leftOut.add(.labelText, texts.count + boxes.count { $0.text != nil })
    }
    if limits.isImportable, !isWithoutDetails {
      leftOut.add(.furtherLabel, mergedLabelCount(limits))
    }
  }

  /// Returns the number of labels that an import merges into others: all labels by people are
  /// imported as labels by one person.
  private func mergedLabelCount(_ limits: FormatCapabilities) -> Int {
    struct Subject: Hashable {
      let box: [Double]
      let outline: [Polygon]
      let model: Annotator?
    }
    var first: [Subject: AnnotatedBox] = [:]
    var count = limits.hasTexts ? max(0, texts.count - 1) : 0
    for box in boxes {
      let (region, isModels) = (box.region, state == .predicted)
      let subject = Subject(
        box: [region.x, region.y, region.width, region.height], outline: region.polygons,
        model: isModels ? box.annotator : nil)
      guard let earlier = first[subject] else {
        first[subject] = box
        continue
      }
      let hasOtherText = limits.hasTexts && box.text != earlier.text
      let hasOtherConfidence = limits.hasConfidence && box.confidence != earlier.confidence
      if hasOtherText || hasOtherConfidence { count += 1 }
    }
    return count
  }
}
