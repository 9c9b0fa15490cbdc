internal import CairnBase
internal import CairnDocument
internal import CairnMerge
internal import CairnStore
internal import CairnSync

// Withdrawing labels, and accepting or rejecting predictions.

extension Dataset {
  /// Withdraws the annotator's labels of a class on photos, including those on regions; photos
  /// without such a label are skipped.
  ///
  /// - Parameter annotator: Nil for the current user.
  /// - Throws: ``CairnError/Kind/notFound`` when no photo has such a label.
  @discardableResult
  public func unlabel(
    _ photos: [PhotoID], _ className: String, annotator: Annotator? = nil
  ) throws(CairnError) -> [LabelResult] {
    try edit("unlabel", needsPerson: annotator == nil) { session in
      let annotator = try annotator ?? replica.person()
      let key = try existingClassKey(named: className)
      let edits = try withdraw(key, of: annotator, on: photos, session)
      guard !edits.isEmpty else {
        throw CairnError(
          .notFound,
          "\(annotator.identity) has no label “\(className)” \(photos.onPhotos).",
          hint: "`cairn show \(photos.first?.short ?? "PHOTO")` lists the labels.")
      }
      return edits
    }
  }

  /// Marks photos as favorites of the current user, or unmarks them.
  ///
  /// A favorite is one person's label of the class ``ClassKey/favorite``: it is synced and merged
  /// like other labels, and takes no part in resolution.
  @discardableResult
  public func setFavorites(
    _ photos: [PhotoID], _ areFavorites: Bool
  ) throws(CairnError) -> [PhotoEdit] {
    if areFavorites {
      return try label(photos, [ClassKey.favorite.text]).map {
        PhotoEdit(id: $0.label.photo, changed: $0.changed)
      }
    }
    return try edit("favorite", needsPerson: true) { session in
      let changed = Set(
        try withdraw(.favorite, of: replica.person(), on: photos, session).map(\.label.photo))
      return photos.map { PhotoEdit(id: $0, changed: changed.contains($0)) }
    }
  }

  private func withdraw(
    _ key: ClassKey, of annotator: Annotator, on photos: [PhotoID], _ session: EditSession
  ) throws -> [LabelResult] {
    var edits: [LabelResult] = []
    let names = DisplayNames { [replica] in try replica.read($0.description) }
    for photo in photos {
      let labels = try allLabels(of: try self.photo(photo).id)
      let rules = try rules(of: labels)
      let person = rules.mailmap.person(annotator)
      for var label in labels
      where rules.mailmap.person(label.annotator) == person
        && rules.classes.canonicalKey(of: label.classKey) == key && label.verdict != .withdrawn
      {
        label.verdict = .withdrawn
        label.stamp = session.stamp(replacing: label.stamp)
        try session.write([.label(label)], durable: photos.count <= EditSession.durableLimit)
        edits.append(
          LabelResult(
            label: label, className: names.name(of: label.classKey), changed: true))
      }
    }
    if photos.count > EditSession.durableLimit, !edits.isEmpty { try session.flush() }
    return edits
  }

  /// Confirms or rejects, as the current user, the predictions of a class on photos; photos without
  /// a prediction of it are skipped.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when no photo has a prediction of it.
  @discardableResult
  public func review(
    _ photos: [PhotoID], _ className: String, accepting: Bool
  ) throws(CairnError) -> [LabelResult] {
    let verdicts = try reviewedVerdicts(of: photos, className, accepting: accepting)
    return try oneOperation(accepting ? "accept" : "reject") {
      try verdicts.flatMap { verdict, photos in
        var assertion = LabelAssertion(verdict)
        assertion.keepsConfidence = true
        return try label(photos, [className], assertion)
      }
    }
  }

  /// Returns the verdicts that confirm or reject the predictions of a class, with their photos.
  func reviewedVerdicts(
    of photos: [PhotoID], _ className: String, accepting: Bool
  ) throws(CairnError) -> [(verdict: Verdict, photos: [PhotoID])] {
    try translating {
      let key = try existingClassKey(named: className)
      let verdicts = try photos.compactMap { photo in
        try modelVerdict(on: photo, of: key).map { (photo, $0) }
      }
      guard !verdicts.isEmpty else {
        let photo = photos.first?.short ?? "PHOTO"
        throw CairnError(
          .notFound, "No model predicted “\(className)” \(photos.onPhotos).",
          hint: "To \(accepting ? "label" : "reject") it yourself: `cairn label \(photo) "
            + "\(shellArgument(className))\(accepting ? "" : " --absent")`.")
      }
      return [Verdict.present, .absent].compactMap { verdict in
        let predicted: Verdict = accepting == (verdict == .present) ? .present : .absent
        let photos = verdicts.filter { $0.1 == predicted }.map(\.0)
        return photos.isEmpty ? nil : (verdict, photos)
      }
    }
  }

  /// Returns what models say of a class on a photo: present if it is predicted, or would be if no
  /// person had labeled it, otherwise the latest verdict of a model.
  private func modelVerdict(on photo: PhotoID, of key: ClassKey) throws -> Verdict? {
    let labels = try labels(of: try self.photo(photo).id)
    let rules = try rules(of: labels)
    let unlabeled = labels.filter {
      !$0.annotator.isHuman || rules.classes.canonicalKey(of: $0.classKey) != key
    }
    if [labels, unlabeled].contains(where: { rules.predicts(key, in: $0) }) { return .present }
    return labels.filter { label in
      rules.classes.canonicalKey(of: label.classKey) == key && label.verdict != .withdrawn
        && !label.annotator.isHuman && !(label.run.map(rules.withdrawnRuns.contains) ?? false)
    }
    .max { ($0.stamp, $0.annotator) < ($1.stamp, $1.annotator) }?.verdict
  }
}

extension ResolutionRules {
  /// Whether a class is predicted on a photo with these labels.
  fileprivate func predicts(_ key: ClassKey, in labels: [Label]) -> Bool {
    resolve(labels).contains { $0.classKey == key && $0.state == .predicted }
  }
}

extension [PhotoID] {
  /// `on 3fa9…`, `on any of 12 photos`.
  fileprivate var onPhotos: String {
    count == 1 ? "on \(self[0].short)…" : "on any of \(count) photos"
  }
}
