public import CairnBase

/// The verdict of a label: whether a class is on a photo.
public enum Verdict: String, Sendable, CaseIterable {
  case present, absent
  /// The annotator withdrew the label; it counts as if it did not exist.
  case withdrawn
}

/// A box on a photo, in fractions (0 to 1) of the width and height of the upright image, from its
/// top left corner.
public struct Region: Equatable, Sendable {
  public var id: RegionID
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double
  /// Members that this version does not know.
  public var extra = JSONObject()

  /// Creates a region; nil unless it has an area and lies within the image.
  public init?(id: RegionID, x: Double, y: Double, width: Double, height: Double) {
    self.init(id: id, box: NormalizedRect(x: x, y: y, width: width, height: height))
  }

  /// Creates a region; nil unless its box has an area and lies within the image.
  public init?(id: RegionID, box: NormalizedRect) {
    guard box.isWithinPhoto else { return nil }
    (self.id, x, y, width, height) = (id, box.x, box.y, box.width, box.height)
  }

  /// The region's corner and size.
  public var box: NormalizedRect { NormalizedRect(x: x, y: y, width: width, height: height) }
}

/// One annotator's latest label of one class on one photo: a last-writer-wins register.
public struct Label: Equatable, Sendable {
  public var photo: PhotoID
  public var classKey: ClassKey
  public var annotator: Annotator
  public var verdict: Verdict
  /// The confidence as its document has it.
  public var exactConfidence: JSONNumber
  public var region: Region?
  public var run: RunID?
  /// The text of a text label: a caption, a description.
  public var text: String?
  /// The origin of an imported label: `xmp:dc:subject`.
  public var source: String?
  public var stamp: Stamp
  /// Members that this version does not know.
  public var extra = JSONObject()

  public init(
    photo: PhotoID, classKey: ClassKey, annotator: Annotator, verdict: Verdict,
    confidence: Double = 1, region: Region? = nil, run: RunID? = nil, stamp: Stamp
  ) {
    self.photo = photo
    self.classKey = classKey
    self.annotator = annotator
    self.verdict = verdict
    exactConfidence = JSONNumber(confidence)
    self.region = region
    self.run = run
    self.stamp = stamp
  }

  /// Between 0 and 1; for a person, 1 by default.
  public var confidence: Double {
    get { exactConfidence.double }
    set { exactConfidence = JSONNumber(newValue) }
  }

  /// The name of its document in the photo's directory, without `.json`: a function of annotator,
  /// class and region, so that no two annotators ever write the same file.
  public var name: LabelName {
    LabelName(classKey: classKey, tag: annotator.tag, region: region?.id)
  }
}

/// The file name of a label, without `.json`: `<class>~<annotator tag>[~<region id>]`.
public struct LabelName: Hashable, Sendable, CustomStringConvertible {
  public let classKey: ClassKey
  public let tag: String
  public let region: RegionID?

  init(classKey: ClassKey, tag: String, region: RegionID?) {
    (self.classKey, self.tag, self.region) = (classKey, tag, region)
  }

  public init?(_ text: some StringProtocol) {
    let parts = String(text).utf8.split(
      separator: UInt8(ascii: "~"), omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    guard 2...3 ~= parts.count, let classKey = ClassKey(parts[0]),
      Slug.isValid(parts[1], length: 40)
    else { return nil }
    (self.classKey, tag) = (classKey, parts[1])
    if parts.count == 3 {
      guard let id = RegionID(parts[2]) else { return nil }
      region = id
    } else {
      region = nil
    }
  }

  public var description: String {
    "\(classKey)~\(tag)" + (region.map { "~\($0)" } ?? "")
  }
}
