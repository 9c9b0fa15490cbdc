public import CairnBase
package import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// The verdict, annotator and details of labels to write.
public struct LabelAssertion: Sendable {
  /// What the labels assert.
  public var verdict: Verdict
  /// Nil for the current user, or the model of the run.
  public package(set) var annotator: Annotator?
  /// From 0 to 1; people usually label with 1.
  public var confidence: Double
  /// The run of the model that made the label.
  public var run: RunID?
  /// What the labels are about; nil for the whole photo.
  package var shape: RegionShape?
  /// The text of the label, such as a caption.
  public var text: String?
  /// Where the label was imported or fetched from; nil if a person entered it.
  public var source: String?
  /// Whether an existing label with the same verdict keeps its confidence.
  var keepsConfidence = false
  /// Whether the current user is the annotator.
  fileprivate var needsPerson: Bool { annotator == nil && run == nil }

  /// The box that the labels are about; nil for the whole photo, and for an outline.
  public var box: NormalizedRect? {
    get { if case .box(let box)? = shape { box } else { nil } }
    set { shape = newValue.map(RegionShape.box) }
  }

  /// Creates an assertion by the current user or, with a run, by its model. By default, it asserts
  /// that classes are present, with confidence 1, on whole photos.
  public init(
    _ verdict: Verdict = .present, confidence: Double = 1, run: RunID? = nil,
    box: NormalizedRect? = nil
  ) {
    self.verdict = verdict
    (self.confidence, self.run, shape) = (confidence, run, box.map(RegionShape.box))
  }

  /// Creates an assertion by a model, or by another person.
  public init(
    _ verdict: Verdict = .present, by annotator: Annotator, confidence: Double = 1,
    run: RunID? = nil, box: NormalizedRect? = nil
  ) {
    self.init(verdict, confidence: confidence, run: run, box: box)
    self.annotator = annotator
  }
}

/// An assertion about one photo and class.
public struct PhotoAssertion: Sendable {
  public var photo: PhotoID
  public var className: String
  public var assertion: LabelAssertion

  /// Creates an assertion about one photo. By default, the class is present.
  public init(
    _ photo: PhotoID, _ className: String, _ assertion: LabelAssertion = LabelAssertion()
  ) {
    (self.photo, self.className, self.assertion) = (photo, className, assertion)
  }
}

/// A label after an edit, and whether the edit changed anything.
public struct LabelResult: Sendable {
  /// The label as it is now.
  public let label: Label
  /// The display name of the label's class.
  public let className: String
  /// False if the annotator had already given exactly this label.
  public let changed: Bool
}

extension Dataset {
  /// Labels photos: sets the annotator's label of each class on each photo to `assertion`.
  ///
  /// Creates classes that do not exist yet; an alias stands for the class that it leads to.
  ///
  /// ```swift
  /// try dataset.label(photos, ["heather"])
  ///
  /// if let model = Annotator(model: "treenet@2026-11") {
  ///   let prediction = LabelAssertion(
  ///     by: model, confidence: 0.81,
  ///     box: NormalizedRect(x: 0.1, y: 0.2, width: 0.5, height: 0.4))
  ///   try dataset.label(photos, ["Scots pine"], prediction)
  /// }
  /// ```
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` when the confidence is not between 0 and 1, the box
  ///   is not within the image, or a name cannot be that of a class;
  ///   ``CairnError/Kind/ambiguous`` when several classes have a name;
  ///   ``CairnError/Kind/erased`` when the metadata of a photo was erased from the history;
  ///   ``CairnError/Kind/noIdentity`` when git's configuration does not name the current user.
  @discardableResult
  public func label(
    _ photos: [PhotoID], _ classNames: [String], _ assertion: LabelAssertion = LabelAssertion()
  ) throws(CairnError) -> [LabelResult] {
    try edit("label", needsPerson: assertion.needsPerson) { session in
      try checkCanGetLabels(photos)
      let isBulk = photos.count * classNames.count > EditSession.durableLimit
      let edits = try label(photos, classNames, assertion, session, durable: !isBulk)
      if isBulk { try session.flush() }
      return edits
    }
  }

  /// Labels photos, each with an assertion of its own, and writes the labels to the disk at once,
  /// which is faster than one after the other.
  ///
  /// ```swift
  /// try dataset.label(zip(photos, names).map { PhotoAssertion($0, $1) })
  /// ```
  ///
  /// - Returns: The labels in the order of the assertions.
  @discardableResult
  public func label(
    _ assertions: [PhotoAssertion]
  ) throws(CairnError) -> [LabelResult] {
    try edit("label", needsPerson: assertions.contains { $0.assertion.needsPerson }) { session in
      try checkCanGetLabels(assertions.map(\.photo))
      var edits: [LabelResult] = []
      for item in assertions {
        edits += try label([item.photo], [item.className], item.assertion, session, durable: false)
      }
      try session.flush()
      return edits
    }
  }

  /// Labels photos for which ``checkCanGetLabels(_:)`` was called.
  func label(
    _ photos: [PhotoID], _ classNames: [String], _ assertion: LabelAssertion,
    _ session: EditSession, durable: Bool
  ) throws -> [LabelResult] {
    let run = try assertion.run.map(activeRun)
    let annotator = try assertion.annotator ?? run?.annotator ?? replica.person()
    if let run, run.annotator != annotator {
      throw CairnError(
        .invalidInput,
        "The run \(run.id.text.prefix(8)) belongs to \(run.annotator.identity), not to "
          + "\(annotator.identity).")
    }
    guard 0...1 ~= assertion.confidence else {
      throw CairnError(
        .invalidInput, "The confidence \(assertion.confidence) is not between 0 and 1.")
    }
    if let shape = assertion.shape { _ = try region(shape) }
    var assertion = assertion
    assertion.text = try assertion.text.map { try checkedText($0, "text") }
    let keys = try classKeys(creating: classNames, session: session)
    let names = DisplayNames { [replica] in try replica.read($0.description) }
    let mailmap = Mailmap(try mailmapText())
    var edits: [LabelResult] = []
    for id in photos {
      let photo = try photo(id)
      // The stamp must be later than those of all earlier labels of the same annotator on the
      // photo: the new label may replace one under another key or address, by another version of
      // the model, or of another class of an exclusive set.
      var last = try labels(of: id).filter { mailmap.isSame($0.annotator, annotator) }.map(\.stamp)
        .max()
      for key in keys {
        let edit = try writeLabel(
          assertion, by: annotator, of: key, on: photo, after: last, session: session,
          durable: durable)
        last = [last, edit.label.stamp].compactMap { $0 }.max()
        edits.append(
          LabelResult(
            label: edit.label, className: names.name(of: key), changed: edit.changed))
      }
    }
    return edits
  }

  /// Throws ``CairnError/Kind/erased`` when the metadata of a photo was erased from the history.
  func checkCanGetLabels(_ photos: [PhotoID]) throws {
    try checkNotErased(.metadata, of: photos) {
      "The metadata of photo \($0)… was erased for good, so it cannot get a label."
    }
  }

  private func writeLabel(
    _ assertion: LabelAssertion, by annotator: Annotator, of key: ClassKey, on photo: Photo,
    after last: Stamp?, session: EditSession, durable: Bool
  ) throws -> (label: Label, changed: Bool) {
    var label = Label(
      photo: photo.id, classKey: key, annotator: annotator, verdict: assertion.verdict,
      confidence: assertion.confidence, region: try assertion.shape.map(region), run: assertion.run,
      stamp: Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0)))
    (label.text, label.source) = (assertion.text, assertion.source)
    // The label knows of the removal, so its stamp is later, whatever the clocks report.
    let removal = photo.removed.value ? photo.removed.stamp : nil
    if case .label(let old) = try replica.document(at: .label(photo.id, label.name)) {
      // Repeating a label without a text keeps the earlier text.
      if old.verdict == label.verdict {
        label.text = label.text ?? old.text
        if assertion.keepsConfidence { label.exactConfidence = old.exactConfidence }
      }
      let isSame =
        old.verdict == label.verdict && old.exactConfidence == label.exactConfidence
        && old.region == label.region && old.run == label.run
        && old.text == label.text && old.source == label.source
      // Repeating a label restores a photo that was removed since, and makes a label count again
      // that was superseded since.
      if isSame, !photo.removed.value || old.stamp > photo.removed.stamp, try !isReplaced(old) {
        return (old, false)
      }
      label.extra = old.extra
    }
    let replaced = [last, removal].compactMap { $0 }.max()
    // A model's label outside of any run gets the same stamp on every device.
    label.stamp =
      annotator.isHuman || assertion.run != nil
      ? session.stamp(replacing: replaced) : replaced?.successor() ?? .given
    try session.write([.label(label)], durable: durable)
    return (label, true)
  }

  /// Returns whether the person has superseded their `label` since.
  private func isReplaced(_ label: Label) throws -> Bool {
    guard label.annotator.isHuman else { return false }
    let others = try labels(of: label.photo)
    guard others.contains(where: { $0.stamp > label.stamp && $0.annotator.isHuman }) else {
      return false
    }
    return try rules(of: others).explain(others).flatMap(\.evidence).contains { evidence in
      if case .superseded = evidence.status { return evidence.label.name == label.name }
      return false
    }
  }

  /// Returns a new region of a shape.
  func region(_ shape: RegionShape) throws(CairnError) -> Region {
    guard let region = Region(id: RegionID(random: environment.random), shape: shape) else {
      throw shape.error
    }
    return region
  }
}

extension RegionShape {
  /// The error for a shape that is not that of a region.
  var error: CairnError {
    switch self {
    case .box:
      CairnError(
        .invalidInput, "The region is not within the image.",
        hint: "Give x,y,width,height as fractions of the image: `--region 0.1,0.2,0.5,0.4`.")
    case .outline:
      CairnError(
        .invalidInput, "The outline is not within the image, or has no area.",
        hint: "Each ring needs at least 3 points, as fractions of the image.")
    }
  }
}

extension Mailmap {
  /// Returns whether two annotators are the same person, or versions of the same model.
  fileprivate func isSame(_ a: Annotator, _ b: Annotator) -> Bool {
    a.model.map { $0.name == b.model?.name } ?? (person(a) == person(b))
  }
}
