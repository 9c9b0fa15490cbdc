internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// What to say of photos.
public struct Statement: Sendable {
  public var verdict: Verdict
  /// Nil for the person at work, or the model of the run.
  public var annotator: Annotator?
  public var confidence: Double
  /// The run of the model that says so.
  public var run: RunID?
  /// The corner and size of a box, in fractions of the upright image.
  public var box: (x: Double, y: Double, width: Double, height: Double)?
  /// What it says in words.
  public var text: String?
  /// Where it was read from, when nobody typed it here.
  public var source: String?
  /// Whether whoever said the same already is as sure as they were.
  var keepsConfidence = false

  public init(
    _ verdict: Verdict = .present, annotator: Annotator? = nil, confidence: Double = 1,
    run: RunID? = nil,
    box: (x: Double, y: Double, width: Double, height: Double)? = nil
  ) {
    (self.verdict, self.annotator) = (verdict, annotator)
    (self.confidence, self.run, self.box) = (confidence, run, box)
  }
}

/// A label after an edit, and whether the edit changed anything.
public struct LabelEdit: Sendable {
  public let label: Label
  public let changed: Bool
}

extension Dataset {
  /// Labels photos: of each photo and each class, the annotator's statement becomes `statement`.
  ///
  /// A class that is named for the first time is added; of an alias, the class it leads to is meant.
  public func label(
    _ photos: [PhotoID], _ classNames: [String], _ statement: Statement = Statement()
  ) throws(CairnError) -> [LabelEdit] {
    try edit("label") { session in
      let run = try statement.run.map(runThatCounts)
      let annotator = try statement.annotator ?? run?.annotator ?? replica.person()
      if let run, run.annotator != annotator {
        throw CairnError(
          .invalidInput,
          "The run \(run.id.text.prefix(8)) is one of \(run.annotator.identity), not of \(annotator.identity)."
        )
      }
      guard 0...1 ~= statement.confidence else {
        throw CairnError(
          .invalidInput, "The confidence \(statement.confidence) is not between 0 and 1.")
      }
      if let box = statement.box { _ = try region(box) }
      _ = try statement.text.map { try checkedText($0, "text") }
      let keys = try classKeys(coining: classNames, session: session)
      let mailmap = Mailmap(try mailmapText())
      let isBulk = photos.count * keys.count > 16
      var edits: [LabelEdit] = []
      for id in photos {
        let photo = try photo(id)
        // Later than all that one has said of the photo: under another key or address, as another
        // version, or of another class of an exclusive set, it may replace that.
        var last = try labels(of: id).filter { mailmap.isSame($0.annotator, annotator) }
          .map(\.stamp).max()
        for key in keys {
          let edit = try state(
            statement, by: annotator, of: key, on: photo, after: last, session: session,
            durable: !isBulk)
          last = [last, edit.label.stamp].compactMap { $0 }.max()
          edits.append(edit)
        }
      }
      if isBulk { try session.flush() }
      return edits
    }
  }

  private func state(
    _ statement: Statement, by annotator: Annotator, of key: ClassKey, on photo: Photo,
    after last: Stamp?, session: EditSession, durable: Bool
  ) throws -> LabelEdit {
    var label = Label(
      photo: photo.id, classKey: key, annotator: annotator, verdict: statement.verdict,
      confidence: statement.confidence, region: try statement.box.map(region), run: statement.run,
      stamp: Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0)))
    (label.text, label.source) = (statement.text, statement.source)
    // Said with knowledge of a removal, it is later than the removal, whatever the clocks say.
    let removal = photo.removed.value ? photo.removed.stamp : nil
    if case .label(let old) = try replica.document(at: .label(photo.id, label.name)) {
      // Whoever says it again without a word takes none back.
      if old.verdict == label.verdict {
        label.text = label.text ?? old.text
        if statement.keepsConfidence { label.confidence = old.confidence }
      }
      let isSame =
        old.verdict == label.verdict && old.confidence == label.confidence
        && old.region == label.region && old.run == label.run
        && old.text == label.text && old.source == label.source
      // Said again of a photo that was removed since, it speaks for the photo; said again after
      // something else that replaced it, it stands again.
      if isSame, !photo.removed.value || old.stamp > photo.removed.stamp, try !isReplaced(old) {
        return LabelEdit(label: old, changed: false)
      }
      label.extra = old.extra
    }
    label.stamp = session.stamp(replacing: [last, removal].compactMap { $0 }.max())
    try session.write([.label(label)], durable: durable)
    return LabelEdit(label: label, changed: true)
  }

  /// Whether a person has said something since that takes the place of their `label`.
  private func isReplaced(_ label: Label) throws -> Bool {
    guard label.annotator.isHuman else { return false }
    let others = try labels(of: label.photo)
    guard others.contains(where: { $0.stamp > label.stamp && $0.annotator.isHuman }) else {
      return false
    }
    return try rules(of: others).explain(others).flatMap(\.evidence).contains { evidence in
      if case .superseded = evidence.standing { return evidence.label.name == label.name }
      return false
    }
  }

  private func region(
    _ box: (x: Double, y: Double, width: Double, height: Double)
  ) throws -> Region {
    let id = RegionID(random: world.random)
    guard
      let region = Region(id: id, x: box.x, y: box.y, width: box.width, height: box.height)
    else {
      throw CairnError(
        .invalidInput, "The region does not lie within the image.",
        hint: "Give x,y,width,height as fractions of it, such as --region 0.1,0.2,0.5,0.4.")
    }
    return region
  }
}

extension Mailmap {
  /// Whether two annotators are one person, or versions of one model.
  fileprivate func isSame(_ a: Annotator, _ b: Annotator) -> Bool {
    a.model.map { $0.name == b.model?.name } ?? (person(a) == person(b))
  }
}
