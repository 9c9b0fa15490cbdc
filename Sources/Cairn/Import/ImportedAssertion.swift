internal import CairnDocument
internal import CairnFormats

/// An imported label by one annotator for one class, on a photo or on a box in it.
struct ImportedAssertion {
  let photo: PhotoID
  let key: ClassKey
  let annotator: Annotator
  let region: JSON?
  /// The annotator's existing label with the same verdict.
  let existing: Label?
  /// The stamp of the annotator's existing label, with any verdict.
  private let replaced: Stamp?
  /// When the label was made; nil for the time of the import.
  var stamp: Stamp?
  private(set) var label: ImportedLabel

  init(
    _ label: ImportedLabel, of photo: PhotoID, _ key: ClassKey, by annotator: Annotator,
    _ region: JSON?, over existing: Label?
  ) {
    (self.photo, self.key, self.annotator) = (photo, key, annotator)
    (self.region, self.label) = (region, label)
    self.existing = existing?.verdict == label.verdict ? existing : nil
    replaced = existing?.stamp
  }

  /// Merges a repeated label: keeps the first text and the higher confidence, but prefers a value
  /// that equals the existing label's.
  ///
  /// - Returns: Whether the repeated label differs.
  mutating func merge(_ other: ImportedLabel) -> Bool {
    if other.text == label.text, (other.confidence ?? 1) == (label.confidence ?? 1) { return false }
    if let text = other.text, label.text == nil || text == existing?.text { label.text = text }
    let confidences = [label.confidence, other.confidence]
    let given = confidences.compactMap { $0 }
    if let known = existing?.confidence, given.contains(known) {
      label.confidence = known
    } else {
      label.confidence = given.count == confidences.count ? given.max() : nil
    }
    return true
  }

  // Values missing from the file are taken from the existing label.
  private var text: String? { label.text ?? existing?.text }
  private var confidence: Double { label.confidence ?? existing?.confidence ?? 1 }

  /// Whether the dataset has an equal label.
  var isKnown: Bool {
    guard let existing else { return false }
    return text == existing.text && confidence == existing.confidence
  }

  /// Whether the annotator has changed the label in the dataset since they made this one.
  var isOutdated: Bool {
    guard !isKnown, let stamp, let replaced, replaced >= stamp else { return false }
    return !(stamp.isTimeless && replaced.isTimeless)
  }

  /// Whether the dataset has no label that this one would change, and its document is all that is
  /// needed. A region gets its id from the line's reader.
  var isNew: Bool { replaced == nil && region == nil }

  /// Returns the document of a new label, which is read several times faster than a ``line``.
  func document(run: RunID?, stamp: Stamp) -> Label {
    var document = Label(
      photo: photo, classKey: key, annotator: annotator, verdict: label.verdict,
      confidence: confidence, run: run, stamp: self.stamp ?? stamp)
    document.text = text
    return document
  }

  /// The line of the label.
  var line: JSONObject {
    var line: JSONObject = [
      "kind": "label", "photo": .string(photo.description), "class": .string(key.text),
      "annotator": .string(annotator.description), "verdict": .string(label.verdict.rawValue),
      "confidence": JSON(confidence),
    ]
    line["region"] = region
    line["text"] = text.map { .string($0) }
    if isKnown {
      line["run"] = existing?.run.map { .string($0.text) }
      line["source"] = existing?.source.map { .string($0) }
    } else if let stamp {
      // A corrected file changes a label that an earlier import of it made without a time.
      let isCorrected = stamp.isTimeless && replaced?.isTimeless == true
      let written = isCorrected ? replaced?.successor() ?? stamp : stamp
      line["stamp"] = .string(written.description)
    }
    return line
  }

  /// A hash of the photo, class, annotator and region.
  var subjectHash: UInt64 {
    var hasher = Hasher()
    hasher.combine(photo)
    hasher.combine(key)
    hasher.combine(annotator)
    hasher.combine(region?.canonicalBytes)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// Whether the file says when the label was made.
  var isDated: Bool { stamp?.isTimeless == false }

  /// What is remembered of a label after the labels of its photo were written: a million labels
  /// would not fit in memory.
  struct Summary: Equatable {
    private let bits: UInt32

    init(_ assertion: ImportedAssertion) {
      var hasher = Hasher()
      hasher.combine(assertion.label.confidence ?? 1)
      hasher.combine(assertion.label.text)
      bits =
        UInt32(truncatingIfNeeded: hasher.finalize()) << 2 | (assertion.isDated ? 2 : 0)
        | (assertion.label.isAbsent ? 1 : 0)
    }

    var isDated: Bool { bits & 2 != 0 }

    func contradicts(_ other: Summary) -> Bool { (bits ^ other.bits) & 1 != 0 }

    /// Whether the confidence and the text are the same.
    func isSame(as other: Summary) -> Bool { bits | 2 == other.bits | 2 }
  }
}

extension ImportedLabel {
  fileprivate var verdict: Verdict { isAbsent ? .absent : .present }
}
