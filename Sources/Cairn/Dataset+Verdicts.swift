internal import CairnDocument
internal import CairnMerge
internal import CairnStore
internal import CairnSync

// What a person says of what was said.

extension Dataset {
  /// Takes back what the annotator said of a class on a photo, all regions included.
  ///
  /// - Parameter annotator: Nil for the person at work.
  public func unlabel(
    _ photo: PhotoID, _ className: String, annotator: Annotator? = nil
  ) throws(CairnError) -> [LabelEdit] {
    try unlabel([photo], className, annotator: annotator)
  }

  /// Takes back what the annotator said of a class on photos; those of which they said nothing are
  /// passed over.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when they said nothing of it on any.
  public func unlabel(
    _ photos: [PhotoID], _ className: String, annotator: Annotator? = nil
  ) throws(CairnError) -> [LabelEdit] {
    try edit("unlabel") { session in
      let annotator = try annotator ?? replica.person()
      let key = try existingClassKey(named: className)
      let edits = try withdraw(key, of: annotator, on: photos, session)
      guard !edits.isEmpty else {
        throw CairnError(
          .notFound,
          "\(annotator.identity) has not said anything of “\(className)” \(photos.place).",
          hint: "`cairn show \(photos.first?.short ?? "PHOTO")` lists what was said.")
      }
      return edits
    }
  }

  /// Puts photos among the favourites of the person at work, or takes them away from there.
  ///
  /// A favourite is one person's label of the class ``ClassKey/favorite``: it travels and merges as
  /// labels do, and nothing is resolved from it.
  public func setFavorites(
    _ photos: [PhotoID], _ areFavorites: Bool
  ) throws(CairnError) -> [(id: PhotoID, changed: Bool)] {
    if areFavorites {
      return try label(photos, [ClassKey.favorite.text]).map { ($0.label.photo, $0.changed) }
    }
    return try edit("favorite") { session in
      let changed = Set(
        try withdraw(.favorite, of: replica.person(), on: photos, session).map(\.label.photo))
      return photos.map { ($0, changed.contains($0)) }
    }
  }

  private func withdraw(
    _ key: ClassKey, of annotator: Annotator, on photos: [PhotoID], _ session: EditSession
  ) throws -> [LabelEdit] {
    var edits: [LabelEdit] = []
    for photo in photos {
      let labels = try labels(of: try self.photo(photo).id)
      let rules = try rules(of: labels)
      let person = rules.mailmap.person(annotator)
      for var label in labels
      where rules.mailmap.person(label.annotator) == person
        && rules.classes.canonicalKey(of: label.classKey) == key && label.verdict != .withdrawn
      {
        label.verdict = .withdrawn
        label.stamp = session.stamp(replacing: label.stamp)
        try session.write([.label(label)], durable: photos.count <= 16)
        edits.append(LabelEdit(label: label, changed: true))
      }
    }
    if photos.count > 16, !edits.isEmpty { try session.flush() }
    return edits
  }

  /// Says, as the person at work, that what a model says of a class on a photo is right or wrong.
  public func judge(
    _ photo: PhotoID, _ className: String, isRight: Bool
  ) throws(CairnError) -> LabelEdit {
    try judge([photo], className, isRight: isRight)[0]
  }

  /// Says, as the person at work, that what models say of a class on photos is right or wrong; those
  /// of which none says anything are passed over.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when no model says anything of it on any.
  public func judge(
    _ photos: [PhotoID], _ className: String, isRight: Bool
  ) throws(CairnError) -> [LabelEdit] {
    let verdicts = try translating {
      let key = try existingClassKey(named: className)
      let verdicts = try photos.compactMap { photo in
        try modelVerdict(on: photo, of: key).map { (photo, $0) }
      }
      guard !verdicts.isEmpty else {
        let photo = photos.first?.short ?? "PHOTO"
        throw CairnError(
          .notFound, "No model has said anything of “\(className)” \(photos.place).",
          hint: "To say it yourself: `cairn label \(photo) \"\(className)\"`.")
      }
      return verdicts
    }
    var edits: [LabelEdit] = []
    for verdict in [Verdict.present, .absent] {
      let said: Verdict = isRight == (verdict == .present) ? .present : .absent
      let photos = verdicts.filter { $0.1 == said }.map(\.0)
      var statement = Statement(verdict)
      statement.keepsConfidence = true
      if !photos.isEmpty { edits += try label(photos, [className], statement) }
    }
    return edits
  }

  /// The last word of a model on a class on a photo.
  private func modelVerdict(on photo: PhotoID, of key: ClassKey) throws -> Verdict? {
    let labels = try labels(of: try self.photo(photo).id)
    let rules = try rules(of: labels)
    return labels.filter { label in
      rules.classes.canonicalKey(of: label.classKey) == key && label.verdict != .withdrawn
        && !label.annotator.isHuman && !(label.run.map(rules.withdrawnRuns.contains) ?? false)
    }
    .max { ($0.stamp, $0.annotator) < ($1.stamp, $1.annotator) }?.verdict
  }
}

extension [PhotoID] {
  /// `on 3fa9…`, `on any of 12 photos`.
  fileprivate var place: String {
    count == 1 ? "on \(self[0].short)…" : "on any of \(count) photos"
  }
}
