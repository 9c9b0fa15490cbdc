internal import CairnDocument

// What a format cannot hold is taken off a photo before its writer sees it, and counted: in one place
// for all formats, so that none drops anything in silence.

/// What a format holds of a photo.
struct FormatLimits {
  enum Boxes {
    case none
    /// Boxes, and labels of whole photos.
    case beside
    /// A box takes the place of what is said of the whole photo.
    case instead
    /// Nothing but boxes.
    case alone
  }

  var hasSeveralClasses = true
  var boxes = Boxes.none
  enum Absence {
    case none
    /// That a class is not there, and not who says so and how surely.
    case bare
    case whole
  }

  var absence = Absence.none
  var hasConfidence = false
  var hasAnnotators = false
  /// What it tells from what people have confirmed.
  var states: Set<AnnotationState> = []
  /// What labels say in words.
  var hasWords = false
  /// Photos of which nothing stands.
  var hasBarePhotos = true
  /// Positions and pins, titles and captions, when and with what they were taken, whose they are.
  var aboutPhotos = false
  /// Whether it is imported again.
  var isReadBack = false

  static let everything = FormatLimits(
    boxes: .beside, absence: .whole, hasConfidence: true, hasAnnotators: true,
    states: [.predicted, .disputed], hasWords: true, aboutPhotos: true)
}

/// What was left out of an export, and how often.
public struct LeftOut: Equatable, Sendable {
  public enum Part: String, Sendable, CaseIterable {
    case photo, image, furtherClass = "class", wholePhoto = "whole-photo", region, absence,
      confidence, annotators, state, words, place, text, capture, credit
    case furtherStatement = "further-statement"
  }

  public private(set) var counts: [Part: Int] = [:]

  mutating func add(_ part: Part, _ count: Int = 1) {
    if count > 0 { counts[part, default: 0] += count }
  }

  /// What was left out, a line each: “12 region labels, which imagefolder cannot hold”.
  public func sentences(_ format: ExportFormat) -> [String] {
    Part.allCases.compactMap { part in
      counts[part].map { LeftOut.sentence(part, $0, format.rawValue) }
    }
  }

  private static func sentence(_ part: Part, _ count: Int, _ format: String) -> String {
    func what(_ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
    let cannot = "which \(format) cannot hold"
    return switch part {
    case .photo: what("photo", "photos") + " without a label that \(format) can hold"
    case .image: what("photo", "photos") + " whose image is not on this disk"
    case .furtherClass:
      what("further class", "further classes") + " of photos, of which \(format) holds one"
    case .wholePhoto: what("label", "labels") + " of whole photos, \(cannot)"
    case .region: what("region label", "region labels") + ", \(cannot)"
    case .absence: what("rejected label", "rejected labels") + ", \(cannot)"
    case .confidence: what("confidence", "confidences") + " below 1, \(cannot)"
    case .annotators: "who says so, of " + what("label", "labels") + ", \(cannot)"
    case .state:
      "that nobody has confirmed " + what("label", "labels") + " (predicted or disputed), \(cannot)"
    case .words: what("label", "labels") + " in words, \(cannot)"
    case .place: what("position", "positions") + ", \(cannot)"
    case .text: what("title or caption", "titles or captions") + ", \(cannot)"
    case .capture:
      "when and with what " + what("photo was", "photos were") + " taken, \(cannot)"
    case .credit: "whose " + what("photo is", "photos are") + ", \(cannot)"
    case .furtherStatement:
      what("further statement", "further statements")
        + " of the same class or box in other words or another confidence, of which an import of "
        + "\(format) makes one"
    }
  }
}

extension AnnotatedPhoto {
  /// Returns what a format holds of the photo; nil when that is nothing.
  func fitted(to limits: FormatLimits, _ leftOut: inout LeftOut) -> AnnotatedPhoto? {
    var photo = self
    photo.labels = labels.compactMap { $0.fitted(to: limits, &leftOut) }
    if !limits.hasSeveralClasses, let best = photo.best, photo.labels.count > 1 {
      leftOut.add(.furtherClass, photo.labels.count - 1)
      photo.labels = [best]
    }
    guard limits.hasBarePhotos || !photo.labels.isEmpty else {
      leftOut.add(.photo)
      return nil
    }
    for label in photo.labels { label.count(against: limits, &leftOut) }
    if !limits.aboutPhotos {
      leftOut.add(.place, location == nil ? 0 : 1)
      leftOut.add(.text, [title, caption].count { !$0.isEmpty })
      leftOut.add(.capture, image.taken == nil && image.camera == nil ? 0 : 1)
      leftOut.add(.credit, credit == nil ? 0 : 1)
    }
    return photo
  }
}

extension AnnotatedLabel {
  /// Returns what a format holds of the label; nil when that is nothing.
  fileprivate func fitted(to limits: FormatLimits, _ leftOut: inout LeftOut) -> AnnotatedLabel? {
    if state == .rejected, limits.absence == .none {
      leftOut.add(.absence)
      return nil
    }
    var label = self
    switch limits.boxes {
    case .none:
      leftOut.add(.region, boxes.count)
      (label.boxes, label.isOfWhole) = ([], true)
    case .alone where boxes.isEmpty:
      leftOut.add(.wholePhoto)
      return nil
    case .alone, .instead:
      if !boxes.isEmpty, isOfWhole {
        leftOut.add(.wholePhoto)
        label.isOfWhole = false
      }
    case .beside: break
    }
    return label
  }

  /// Counts what a format does not hold of a label that it holds.
  fileprivate func count(against limits: FormatLimits, _ leftOut: inout LeftOut) {
    let isBare = state == .rejected && limits.absence == .bare
    let confidences = (isOfWhole ? [confidence] : []) + boxes.map(\.confidence)
    if !limits.hasConfidence || isBare { leftOut.add(.confidence, confidences.count { $0 < 1 }) }
    if !limits.hasAnnotators || isBare, !annotators.isEmpty { leftOut.add(.annotators) }
    if [.predicted, .disputed].contains(state), !limits.states.contains(state) {
      leftOut.add(.state)
    }
    if !limits.hasWords || isBare {
      leftOut.add(.words, texts.count + boxes.count { $0.text != nil })
    }
    if limits.isReadBack, !isBare { leftOut.add(.furtherStatement, furtherStatements(limits)) }
  }

  /// How many statements an import makes one with others: all that people say comes back as one
  /// person's.
  private func furtherStatements(_ limits: FormatLimits) -> Int {
    struct Subject: Hashable {
      let box: [Double]
      let model: Annotator?
    }
    var first: [Subject: AnnotatedBox] = [:]
    var count = limits.hasWords ? max(0, texts.count - 1) : 0
    for box in boxes {
      let (region, isModels) = (box.region, state == .predicted)
      let subject = Subject(
        box: [region.x, region.y, region.width, region.height],
        model: isModels ? box.annotator : nil)
      guard let said = first[subject] else {
        first[subject] = box
        continue
      }
      let hasOtherWords = limits.hasWords && box.text != said.text
      let isOtherwiseSure = limits.hasConfidence && box.confidence != said.confidence
      if hasOtherWords || isOtherwiseSure { count += 1 }
    }
    return count
  }
}
