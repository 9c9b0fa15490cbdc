/// The verdict of a label: whether a class is on a photo.
public enum Verdict: String, Sendable, CaseIterable {
  case present, absent
  /// The annotator withdrew the label; it counts as if it did not exist.
  case withdrawn
}

/// One annotator's latest label of one class on one photo: a last-writer-wins register.
public struct Label: Equatable, Sendable {
  /// The photo that the label is about.
  public var photo: PhotoID
  /// The class that the label is about.
  public var classKey: ClassKey
  /// The person or the model that labels.
  public var annotator: Annotator
  /// What the label asserts.
  public var verdict: Verdict
  /// The confidence as its document has it.
  public var exactConfidence: JSONNumber
  /// The region that the label is about; nil for the whole photo.
  public var region: Region?
  /// The run that made the label; nil for people, and for models without a run.
  public var run: RunID?
  /// The text of a text label: a caption, a description.
  public var text: String?
  /// The origin of an imported label: `xmp:dc:subject`.
  public var source: String?
  /// The time and the replica of the last edit.
  public var stamp: Stamp
  /// Members that this version does not know.
  package var extra = JSONObject()

  /// Creates a label.
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
  /// The class.
  package let classKey: ClassKey
  /// A readable part of the annotator and a hash.
  package let tag: String
  /// The id of the region; nil for a label of the whole photo.
  package let region: RegionID?

  init(classKey: ClassKey, tag: String, region: RegionID?) {
    (self.classKey, self.tag, self.region) = (classKey, tag, region)
  }

  /// Parses a file name without its extension; nil if it is not one of a label.
  package init?(_ text: some StringProtocol) {
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
