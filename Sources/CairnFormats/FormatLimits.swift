// What a format cannot hold is taken off a photo before its writer sees it, and counted: in one place
// for all formats, so that none drops anything in silence.

/// What a format holds of a photo.
struct FormatLimits {
  enum Boxes {
    case none
    /// Boxes, and labels of whole photos.
    case beside
    /// Nothing but boxes.
    case alone
  }

  var hasSeveralClasses = true
  var boxes = Boxes.none
  var hasAbsence = false
  var hasConfidence = false
  var hasAnnotators = false
  /// Whether it tells what people say from what a model predicts or people dispute.
  var hasState = false
  var hasPlace = false
  var hasText = false
  /// Photos of which nothing stands.
  var hasBarePhotos = true
}

/// What was left out of an export, and how often.
public struct LeftOut: Equatable, Sendable {
  public enum Part: String, Sendable, CaseIterable {
    case photo, image, furtherClass = "class", wholePhoto = "whole-photo", region, absence,
      confidence, annotators, state, place, text
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
    case .place: what("position", "positions") + ", \(cannot)"
    case .text: what("title or caption", "titles or captions") + ", \(cannot)"
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
    for label in photo.labels {
      if !limits.hasConfidence, label.state != .rejected, label.confidence < 1 {
        leftOut.add(.confidence)
      }
      if !limits.hasAnnotators, !label.annotators.isEmpty { leftOut.add(.annotators) }
      if !limits.hasState, [.predicted, .disputed].contains(label.state) { leftOut.add(.state) }
    }
    if !limits.hasPlace, place != nil { leftOut.add(.place) }
    if !limits.hasText { leftOut.add(.text, [title, caption].count { !$0.isEmpty }) }
    return photo
  }
}

extension AnnotatedLabel {
  fileprivate func fitted(to limits: FormatLimits, _ leftOut: inout LeftOut) -> AnnotatedLabel? {
    if state == .rejected, !limits.hasAbsence {
      leftOut.add(.absence)
      return nil
    }
    var label = self
    switch limits.boxes {
    case .none:
      leftOut.add(.region, regions.count)
      label.regions = []
    case .alone where regions.isEmpty:
      leftOut.add(.wholePhoto)
      return nil
    case .alone, .beside: break
    }
    return label
  }
}
