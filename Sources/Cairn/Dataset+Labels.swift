internal import CairnDocument
internal import CairnIndex
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// What to say of photos.
public struct Statement: Sendable {
  public var verdict: Verdict
  /// Nil for the person at work.
  public var annotator: Annotator?
  public var confidence: Double
  /// The corner and size of a box, in fractions of the upright image.
  public var box: (x: Double, y: Double, width: Double, height: Double)?

  public init(
    _ verdict: Verdict = .present, annotator: Annotator? = nil, confidence: Double = 1,
    box: (x: Double, y: Double, width: Double, height: Double)? = nil
  ) {
    (self.verdict, self.annotator) = (verdict, annotator)
    (self.confidence, self.box) = (confidence, box)
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
  /// A class that is named for the first time is added.
  public func label(
    _ photos: [PhotoID], _ classNames: [String], _ statement: Statement = Statement()
  ) throws(CairnError) -> [LabelEdit] {
    try edit("label") { session in
      let annotator = try statement.annotator ?? replica.person()
      guard 0...1 ~= statement.confidence else {
        throw CairnError(
          .invalidInput, "The confidence \(statement.confidence) is not between 0 and 1.")
      }
      if let box = statement.box { _ = try region(box) }
      let keys = try classNames.map { try classKey(named: $0, session: session) }
      let isBulk = photos.count * keys.count > 16
      var edits: [LabelEdit] = []
      for id in photos {
        let photo = try photo(id)
        for key in keys {
          edits.append(
            try state(
              statement, by: annotator, of: key, on: photo, session: session, durable: !isBulk))
        }
      }
      if isBulk { try session.flush() }
      return edits
    }
  }

  private func state(
    _ statement: Statement, by annotator: Annotator, of key: ClassKey, on photo: Photo,
    session: EditSession, durable: Bool
  ) throws -> LabelEdit {
    var label = Label(
      photo: photo.id, classKey: key, annotator: annotator, verdict: statement.verdict,
      confidence: statement.confidence, region: try statement.box.map(region),
      stamp: Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0)))
    // Said with knowledge of a removal, it is later than the removal, whatever the clocks say.
    let removal = photo.removed.value ? photo.removed.stamp : nil
    if case .label(let old) = try directory.document(at: .label(photo.id, label.name)) {
      let isSame =
        old.verdict == label.verdict && old.confidence == label.confidence
        && old.region == label.region
      // Said again of a photo that was removed since, it speaks for the photo.
      if isSame, !photo.removed.value || old.stamp > photo.removed.stamp {
        return LabelEdit(label: old, changed: false)
      }
      label.extra = old.extra
      label.run = old.run
      label.stamp = session.stamp(replacing: max(old.stamp, removal ?? old.stamp))
    } else {
      label.stamp = session.stamp(replacing: removal)
    }
    try session.write([.label(label)], durable: durable)
    return LabelEdit(label: label, changed: true)
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
      let own = try labels(of: try self.photo(photo).id).filter {
        $0.annotator == annotator && $0.classKey == key && $0.verdict != .withdrawn
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
      let said = try labels(of: try self.photo(photo).id)
        .filter { $0.classKey == key && $0.verdict != .withdrawn && !$0.annotator.isHuman }
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

  // MARK: Classes

  /// Returns the classes, sorted by key, with the number of photos labelled as having them.
  public func classes() throws(CairnError) -> [(labelClass: LabelClass, photos: Int)] {
    try translating { try query { try $0.classes() }.filter { !$0.labelClass.removed.value } }
  }

  /// Returns the key of the class called `name`, which is added when there is none.
  private func classKey(named name: String, session: EditSession) throws -> ClassKey {
    guard let display = ClassKey.displayName(name), let key = ClassKey(naming: name) else {
      throw CairnError(
        .invalidInput, "“\(name)” cannot be the name of a class.",
        hint: "A name has something to show, in any script, in at most 256 bytes.")
    }
    if try directory.document(at: .class(key)) == nil {
      let labelClass = LabelClass(key: key, name: display, stamp: session.stamp())
      try session.write([.class(labelClass)])
    }
    return key
  }

  private func existingClassKey(named name: String) throws -> ClassKey {
    guard let key = ClassKey(naming: name), try directory.document(at: .class(key)) != nil else {
      throw CairnError(
        .notFound, "There is no class “\(name)”.", hint: "`cairn class list` shows those there are."
      )
    }
    return key
  }
}
