internal import CairnDocument
internal import CairnFormats

/// What files say for one annotator of a class, on a photo or in a box of it.
struct ForeignStatement {
  let photo: PhotoID
  let key: ClassKey
  /// The class as its line is to name it.
  let className: String
  let annotator: Annotator
  let region: JSON?
  /// The same that the annotator says already.
  let standing: Label?
  private(set) var label: ForeignLabel

  init(
    _ label: ForeignLabel, of photo: PhotoID, _ key: ClassKey, named className: String,
    by annotator: Annotator, _ region: JSON?, over standing: Label?
  ) {
    (self.photo, self.key, self.className) = (photo, key, className)
    (self.annotator, self.region, self.label) = (annotator, region, label)
    self.standing = standing?.verdict == label.verdict ? standing : nil
  }

  /// Takes the same once more: the first words and the greater confidence, or what stands where either
  /// says that.
  ///
  /// - Returns: Whether it is said otherwise.
  mutating func join(_ other: ForeignLabel) -> Bool {
    if other.text == label.text, (other.confidence ?? 1) == (label.confidence ?? 1) { return false }
    if let text = other.text, label.text == nil || text == standing?.text { label.text = text }
    let confidences = [label.confidence, other.confidence]
    let given = confidences.compactMap { $0 }
    if let own = standing?.confidence.double, given.contains(own) {
      label.confidence = own
    } else {
      label.confidence = given.count == confidences.count ? given.max() : nil
    }
    return true
  }

  /// The line of the label. What the file does not say stays as it stands.
  var line: JSONObject {
    let text = label.text ?? standing?.text
    let confidence = label.confidence ?? standing?.confidence.double ?? 1
    var line: JSONObject = [
      "kind": "label", "photo": .string(photo.description), "class": .string(className),
      "annotator": .string(annotator.description), "verdict": .string(label.verdict.rawValue),
      "confidence": JSON(confidence),
    ]
    line["region"] = region
    line["text"] = text.map { .string($0) }
    if let standing, text == standing.text, confidence == standing.confidence.double {
      line["run"] = standing.run.map { .string($0.text) }
      line["source"] = standing.source.map { .string($0) }
    }
    return line
  }

  /// Of what it is said, and by whom.
  var subjectHash: UInt64 {
    var hasher = Hasher()
    hasher.combine(photo)
    hasher.combine(key)
    hasher.combine(annotator)
    hasher.combine(region?.canonicalBytes)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// What is said; the lowest bit is whether the class is not there.
  var contentHash: UInt32 {
    var hasher = Hasher()
    hasher.combine(label.confidence ?? 1)
    hasher.combine(label.text)
    return UInt32(truncatingIfNeeded: hasher.finalize()) << 1 | (label.isAbsent ? 1 : 0)
  }
}

extension ForeignLabel {
  fileprivate var verdict: Verdict { isAbsent ? .absent : .present }
}
