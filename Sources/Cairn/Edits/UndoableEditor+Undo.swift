internal import CairnBase
package import CairnDocument
internal import CairnMerge
internal import CairnReview
internal import CairnStore
internal import CairnSync

extension UndoableEditor {
  /// Undoes an action, except for answers of a review, which ``ReviewSession`` undoes.
  package func undo(_ action: EditAction) throws(CairnError) -> UndoneEdit {
    var undone = UndoneEdit(of: action)
    repeat {
      undone += try undoPart(of: action)
    } while undone.left > 0
    return undone
  }

  /// Undoes the last changes of an action, about `limit`. Others may edit before the rest is undone,
  /// now or by a later undo.
  package func undoPart(
    of action: EditAction, limit: Int = 250
  ) throws(CairnError) -> UndoneEdit {
    try undoing(action) { () throws(CairnError) in try undoLastChanges(of: action, limit) }
  }

  private func undoLastChanges(
    of action: EditAction, _ limit: Int
  ) throws(CairnError) -> UndoneEdit {
    var undone = UndoneEdit(of: action)
    let (changes, before) = try translating {
      try lastChanges(of: action.number, limit: limit)
    }
    let areLast = before == 0 && changes.allSatisfy { $0.photo != nil }
    let restated = try undoLabelsAndPhotos(
      changes, &undone, ending: areLast ? action.number : nil)
    for change in changes.reversed() {
      do throws(CairnError) {
        try undo(change, &undone)
      } catch  where error.kind == .notFound {
        // Its document is gone, and must not block earlier actions.
        undone.kept += 1
      }
    }
    undone.left = before
    try translating {
      try end(action.number, left: before, kept: undone.kept, restated: restated)
    }
    return undone
  }

  /// Undoes changes of labels and of photos, at once.
  ///
  /// - Parameter action: The action whose last changes they are, if it has no others.
  private func undoLabelsAndPhotos(
    _ changes: [EditChange], _ undone: inout UndoneEdit, ending action: Int?
  ) throws(CairnError) -> [Restatement] {
    var labels: [(photo: PhotoID, changes: [LabelChange])] = []
    var fields: [(photo: PhotoID, field: EditChange.PhotoField, before: JSON, after: JSON)] = []
    for change in changes {
      switch change {
      case .label(let change) where labels.last?.photo == change.after.photo:
        labels[labels.count - 1].changes.append(change)
      case .label(let change): labels.append((change.after.photo, [change]))
      case .photo(let photo, let field, let before, let after):
        fields.append((photo, field, before, after))
      case .pin, .run, .review: break
      }
    }
    if labels.isEmpty, fields.isEmpty { return [] }
    let isBulk = labels.count + fields.count > EditSession.durableLimit
    var (photos, kept, outcome) = ([PhotoID](), 0, undone.outcome)
    let restated = try dataset.edit("undo") { session in
      var restated: [Restatement] = []
      for (photo, changes) in labels {
        guard let plan = try dataset.undoLabels(changes, session, durable: !isBulk) else {
          kept += changes.count
          continue
        }
        photos.append(photo)
        restated += plan.restated
        if plan.outcome != .asBefore { outcome = plan.outcome }
      }
      for (id, field, before, after) in fields.reversed() {
        guard case .photo(var photo)? = try dataset.validDocument(at: .photo(id)),
          photo.value(of: field) == after, try dataset.set(field, of: &photo, to: before, session)
        else {
          kept += 1
          continue
        }
        try session.write([.photo(photo)], durable: !isBulk)
        photos.append(id)
      }
      if isBulk { try session.flush() }
      // Otherwise `cairn undo` completes the record.
      if let action { try? recordEnd(ofUndo: action, kept: kept) }
      return restated
    }
    undone.photos += photos
    undone.kept += kept
    undone.outcome = outcome
    return restated
  }

  /// Undoes a change of a pin or a run, unless it was changed again since.
  private func undo(_ change: EditChange, _ undone: inout UndoneEdit) throws(CairnError) {
    switch change {
    case .label, .photo, .review: break
    case .pin(let id, let field, let before, let after):
      let pin = try dataset.pin(id.text)
      let isRemoval = field == .removed && before.bool == true
      let isUsed = isRemoval ? try isUsed(id) : false
      guard pin.value(of: field) == after, !isUsed else {
        undone.kept += 1
        return
      }
      switch field {
      case .name: try dataset.renamePin(id, to: before.string ?? "")
      case .removed: try dataset.setPinRemoved(id, before.bool ?? false)
      case .location:
        if let location = Coordinate(json: before) { try dataset.movePin(id, to: location) }
      }
      undone.hasPins = true
    case .run(let id, let isWithdrawn):
      try dataset.setRunWithdrawn(id, !isWithdrawn)
      undone.hasRuns = true
    }
  }

  /// Whether a photo has a pin.
  private func isUsed(_ id: PinID) throws(CairnError) -> Bool {
    try translating { try dataset.query { try $0.photoCounts()[id, default: 0] > 0 } }
  }
}

extension Dataset {
  /// Gives a field of a photo an earlier value again; returns false if its pin is gone, or if it
  /// would remove a photo that a person has labeled since it was added or restored.
  fileprivate func set(
    _ field: EditChange.PhotoField, of photo: inout Photo, to value: JSON, _ session: EditSession
  ) throws -> Bool {
    switch field {
    case .title: session.set(&photo.title, to: value.string ?? "")
    case .caption: session.set(&photo.caption, to: value.string ?? "")
    case .pin:
      let pin = value.string.flatMap { PinID($0) }
      if let pin, try replica.document(at: .pin(pin)) == nil { return false }
      session.set(&photo.pin, to: pin)
    case .removed:
      let isRemoved = value.bool ?? false
      let labels = try allLabels(of: photo.id)
      var hidden = photo
      hidden.removed = Register(true, photo.removed.stamp)
      if isRemoved, Visibility(of: hidden, labels: labels).isVisible { return false }
      setRemoved(&photo, isRemoved, knowing: labels, session)
    }
    return true
  }
}

// MARK: Pins and runs

extension UndoableEditor {
  package func addPin(
    at location: Coordinate, name: String
  ) throws(CairnError) -> (pin: Pin, report: Report) {
    beginOperation("New pin: \(name)")
    let pin = try dataset.addPin(at: location, name: name)
    return (pin, try record([.pin(pin.id, .removed, before: true, after: false)], "New pin", name))
  }

  package func editPin(
    _ id: PinID, location: Coordinate?, name: String?
  ) throws(CairnError) -> (pin: Pin, report: Report) {
    let old = try dataset.pin(id.text)
    beginOperation("Pin changed: \(old.name.value)")
    var pin = old
    var changes: [EditChange] = []
    if let location {
      pin = try dataset.movePin(id, to: location)
      changes.append(change(.location, old, pin))
    }
    if let name {
      pin = try dataset.renamePin(id, to: name)
      changes.append(change(.name, old, pin))
    }
    return (pin, try record(changes, location == nil ? "Pin renamed" : "Pin moved", pin.name.value))
  }

  package func setPinRemoved(
    _ id: PinID, _ removed: Bool
  ) throws(CairnError) -> (pin: Pin, report: Report) {
    let old = try dataset.pin(id.text)
    let text = removed ? "Pin removed" : "Pin restored"
    beginOperation("\(text): \(old.name.value)")
    let pin = try dataset.setPinRemoved(id, removed)
    return (pin, try record([change(.removed, old, pin)], text, pin.name.value))
  }

  package func setRunWithdrawn(
    _ id: RunID, _ withdrawn: Bool
  ) throws(CairnError) -> (run: Run, report: Report) {
    let text = withdrawn ? "Run withdrawn" : "Run restored"
    beginOperation("\(text): \(id.text.prefix(8))")
    let edit = try dataset.setRunWithdrawn(id, withdrawn)
    let changes: [EditChange] = edit.changed ? [.run(id, isWithdrawn: withdrawn)] : []
    return (edit.run, try record(changes, text, edit.run.annotator.identity))
  }

  /// Records that photos were added, perhaps in place of others: undoing it removes them, except
  /// those that people have labeled since, and restores the others.
  ///
  /// - Parameter operation: The number of their operation; nil for the one that has begun.
  package func recordAdded(
    _ photos: [PhotoID], replacing removed: [PhotoID] = [], _ text: String, operation: Int? = nil
  ) throws(CairnError) -> Report {
    var report = Report(changed: photos.count + removed.count)
    let changes =
      photos.map { EditChange.photo($0, .removed, before: true, after: false) }
      + removed.map { EditChange.photo($0, .removed, before: false, after: true) }
    try recordAction(changes, text, &report, operation: operation)
    return report
  }

  /// Records that a review answer was written, so that it is undone in its turn.
  package func recordReview(_ text: String, _ answer: ReviewAnswerID?) throws(CairnError) -> Int {
    let number = try begin(text)
    try translating { try record([.review(answer)], in: number) }
    return number
  }

  /// Ends an action whose review answer was undone.
  package func endReview(_ action: EditAction) throws(CairnError) {
    try translating { try end(action.number, restated: []) }
  }

  /// Returns whether an action is an answer of a review.
  package func isReview(_ action: EditAction) -> Bool {
    changes(of: action.number).contains { if case .review = $0 { true } else { false } }
  }

  /// Returns which answer of a review an action is; nil if an earlier version of the program did
  /// not record it.
  package func answer(of action: EditAction) -> ReviewAnswerID? {
    for case .review(let answer) in changes(of: action.number) { return answer }
    return nil
  }

  private func change(_ field: EditChange.PinField, _ old: Pin, _ new: Pin) -> EditChange {
    .pin(old.id, field, before: old.value(of: field), after: new.value(of: field))
  }

  private func record(
    _ changes: [EditChange], _ text: String, _ name: String
  ) throws(CairnError) -> Report {
    var report = Report(changed: changes.count)
    try recordAction(changes, name.isEmpty ? text : "\(text): \(name)", &report)
    return report
  }
}

extension Pin {
  fileprivate func value(of field: EditChange.PinField) -> JSON {
    switch field {
    case .name: .string(name.value)
    case .removed: .bool(removed.value)
    case .location: [JSON(location.value.latitude), JSON(location.value.longitude)]
    }
  }
}

extension Coordinate {
  fileprivate init?(json: JSON) {
    let numbers = json.array?.compactMap(\.double) ?? []
    guard numbers.count == 2 else { return nil }
    self.init(latitude: numbers[0], longitude: numbers[1])
  }
}
