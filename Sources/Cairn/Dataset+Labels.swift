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
    // Said with knowledge of a removal, it is later than the removal, whatever the clocks say.
    let removal = photo.removed.value ? photo.removed.stamp : nil
    if case .label(let old) = try replica.document(at: .label(photo.id, label.name)) {
      let isSame =
        old.verdict == label.verdict && old.confidence == label.confidence
        && old.region == label.region && old.run == label.run
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

  /// Takes back what the annotator said of a class on a photo, all regions included.
  ///
  /// - Parameter annotator: Nil for the person at work.
  public func unlabel(
    _ photo: PhotoID, _ className: String, annotator: Annotator? = nil
  ) throws(CairnError) -> [LabelEdit] {
    try edit("unlabel") { session in
      let annotator = try annotator ?? replica.person()
      let key = try existingClassKey(named: className)
      let labels = try labels(of: try self.photo(photo).id)
      let rules = try rules(of: labels)
      let own = labels.filter {
        rules.mailmap.person($0.annotator) == rules.mailmap.person(annotator)
          && rules.classes.canonicalKey(of: $0.classKey) == key && $0.verdict != .withdrawn
      }
      guard !own.isEmpty else {
        throw CairnError(
          .notFound,
          "\(annotator.identity) has not said anything of “\(className)” on \(photo.short)….",
          hint: "`cairn show \(photo.short)` lists what was said.")
      }
      return try own.map { label in
        var label = label
        label.verdict = .withdrawn
        label.stamp = session.stamp(replacing: label.stamp)
        try session.write([.label(label)])
        return LabelEdit(label: label, changed: true)
      }
    }
  }

  /// Says, as the person at work, that what a model says of a class on a photo is right or wrong.
  public func judge(
    _ photo: PhotoID, _ className: String, isRight: Bool
  ) throws(CairnError) -> LabelEdit {
    let verdict = try translating {
      let key = try existingClassKey(named: className)
      let labels = try labels(of: try self.photo(photo).id)
      let rules = try rules(of: labels)
      let said =
        labels
        .filter { label in
          rules.classes.canonicalKey(of: label.classKey) == key && label.verdict != .withdrawn
            && !label.annotator.isHuman && !rules.isWithdrawn(label.run)
        }
        .max { ($0.stamp, $0.annotator) < ($1.stamp, $1.annotator) }?.verdict
      guard let said else {
        throw CairnError(
          .notFound, "No model has said anything of “\(className)” on \(photo.short)….",
          hint: "To say it yourself: `cairn label \(photo.short) \"\(className)\"`.")
      }
      return said
    }
    let opposite: Verdict = verdict == .present ? .absent : .present
    return try label([photo], [className], Statement(isRight ? verdict : opposite))[0]
  }
}

extension Mailmap {
  /// Whether two annotators are one person, or versions of one model.
  fileprivate func isSame(_ a: Annotator, _ b: Annotator) -> Bool {
    a.model.map { $0.name == b.model?.name } ?? (person(a) == person(b))
  }
}

extension ResolutionRules {
  fileprivate func isWithdrawn(_ run: RunID?) -> Bool { run.map(withdrawnRuns.contains) ?? false }
}
