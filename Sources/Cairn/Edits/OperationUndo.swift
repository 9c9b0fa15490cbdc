internal import CairnDocument
internal import CairnMerge
internal import CairnReview
internal import CairnStore
internal import CairnSync

/// Undoes one operation, document by document.
final class OperationUndo {
  private let dataset: Dataset
  private let isDryRun: Bool
  private let edits: [RecordedEdit]
  private let restored: RestoredVersions
  /// Whether another branch is checked out than was at the operation.
  private let isElsewhere: Bool
  /// The number of documents that are as before the operation because of that.
  private var absent = 0
  /// The runs that the operation started: withdrawing one undoes all its new labels.
  private let newRuns: Set<RunID>
  private var report: UndoReport

  // What the operation's own documents use, as far as the index still counts it.
  private var ownLabels: [ClassKey: Int] = [:]
  private var ownPhotos: [PinID: Int] = [:]
  /// The labels that a dry run would undo.
  private var undoneLabels: Set<DocumentPath> = []

  /// The number of photos or documents that are undone at once, so that others need not wait long.
  private static let batchSize = 250

  init(_ dataset: Dataset, _ operation: OperationRecord, dryRun: Bool) throws {
    (self.dataset, isDryRun) = (dataset, dryRun)
    report = UndoReport(operation: operation)
    let recorded = try dataset.replica.edits(of: operation.number)
    if let commit = recorded.missingCommit {
      throw CairnError(
        .notFound,
        "Operation \(operation.number) cannot be undone: its commit \(commit.prefix(8)) no longer exists."
      )
    }
    edits = recorded.edits
    let replica = dataset.replica
    isElsewhere =
      try operation.branch != nil && operation.branch != replica.repository.headBranch() ?? ""
    newRuns = Set(
      try edits.compactMap { edit in
        guard case .run(let id) = edit.path, edit.before == .missing else { return nil }
        return try replica.read(edit.path.description) == nil ? nil : id
      })
    restored = try RestoredVersions(
      since: operation, of: Set(edits.map(\.path)), in: dataset)
  }

  func run() throws -> UndoReport {
    try undoLabels()
    // Photos before the pins and classes that they use.
    for kind in [DocumentKind.photo, .run] {
      try forEach(edits.filter { $0.path.kind == kind }) { edit, session, isDurable in
        try unlessInvalid(edit) { try undo($0, session, isDurable) { _ in false } }
      }
    }
    let others = edits.filter { [.pin, .class, .dataset].contains($0.path.kind) }
    if !others.isEmpty {
      let (labels, photos, classes) = try dataset.query {
        (try $0.labelCountsByClass(), try $0.photoCounts(), try $0.classes())
      }
      let own = Set(others.map(\.path))
      let aliased = Set(
        classes.filter { !own.contains(.class($0.key)) }.compactMap { $0.aliasOf?.value })
      func isUsed(_ path: DocumentPath) -> Bool {
        switch path {
        case .pin(let id): photos[id, default: 0] > ownPhotos[id, default: 0]
        case .class(let key):
          labels[key, default: 0] > ownLabels[key, default: 0] || aliased.contains(key)
        default: false
        }
      }
      try forEach(others) { edit, session, isDurable in
        try unlessInvalid(edit) { try undo($0, session, isDurable, isUsed) }
      }
    }
    report.kept.sort { $0.description.precedesInUTF8($1.description) }
    return report
  }

  /// Calls `body` for each value, in edit sessions that leave others time between them.
  ///
  /// - Parameter body: Gets no session in a dry run, and whether each document must be durable.
  private func forEach<Value>(
    _ values: [Value], _ body: (Value, EditSession?, Bool) throws -> Void
  ) throws {
    let isDurable = values.count <= EditSession.durableLimit
    for start in stride(from: 0, to: values.count, by: OperationUndo.batchSize) {
      dataset.report("undoing", start, of: values.count)
      let batch = values[start..<min(start + OperationUndo.batchSize, values.count)]
      if isDryRun {
        for value in batch { try body(value, nil, isDurable) }
        continue
      }
      try dataset.edit("undo") { session in
        for value in batch { try body(value, session, isDurable) }
        if !isDurable { try session.flush() }
      }
    }
  }

  /// Calls `body` with the versions of a document, unless one of them or the current one is invalid:
  /// then the document is left unchanged.
  ///
  /// - Throws: ``FileError`` if one cannot be read, since the operation would not be undone.
  private func unlessInvalid<Value>(
    _ edit: RecordedEdit, _ body: (DocumentEdit) throws -> Value?
  ) throws -> Value? {
    do {
      return try body(dataset.replica.versions(of: edit))
    } catch StoreError.invalidDocument {
      report.kept.append(edit.path)
      return nil
    }
  }

  private func count(_ kind: DocumentKind, _ number: Int = 1) {
    if number > 0 { report.undone[kind, default: 0] += number }
  }

  // MARK: Labels

  private func undoLabels() throws {
    var photos: [[RecordedEdit]] = []
    var indices: [PhotoID: Int] = [:]
    for edit in edits where edit.path.kind == .label {
      guard let photo = edit.path.photo else { continue }
      if let index = indices[photo] {
        photos[index].append(edit)
      } else {
        indices[photo] = photos.count
        photos.append([edit])
      }
    }
    try forEach(photos, undoLabels)
  }

  /// Undoes the labels of one photo.
  private func undoLabels(
    _ edits: [RecordedEdit], _ session: EditSession?, _ isDurable: Bool
  ) throws {
    let changes = try edits.compactMap { edit in
      try unlessInvalid(edit) { try change($0, session) }
    }
    if changes.isEmpty { return }
    if let session {
      let plan = try dataset.undoLabels(changes, session, durable: isDurable)
      if plan == nil { return report.kept += changes.map { Document.label($0.after).path } }
    } else {
      for change in changes {
        undoneLabels.insert(Document.label(change.after).path)
        noteOwn(change.after)
      }
    }
    count(.label, changes.count)
  }

  /// Returns the change of a label that is still in effect; nil after settling it otherwise.
  private func change(_ edit: DocumentEdit, _ session: EditSession?) throws -> LabelChange? {
    func label(_ json: JSON?) -> Label? { json.flatMap { try? Label(bytes: $0.canonicalBytes) } }
    if edit.before == nil, let after = label(edit.after), let run = after.run,
      newRuns.contains(run)
    {
      noteOwn(after)
      count(.label)
      return nil
    }
    let now = try dataset.replica.document(at: edit.path)
    let original = restored.original(of: now?.json, at: edit.path)
    if case .label(let now)? = now, original == edit.after {
      return LabelChange(before: label(edit.before), after: now)
    }
    if original == edit.before {
      noteAsBefore(edit)
      return nil
    }
    if edit.after == nil, let before = label(edit.before), now == nil {
      // An undo removed it before any other device knew of it.
      try session?.write([.label(before)])
      count(.label)
    } else {
      report.kept.append(edit.path)
    }
    return nil
  }

  private func noteOwn(_ label: Label) {
    if label.verdict != .withdrawn { ownLabels[label.classKey, default: 0] += 1 }
  }

  // MARK: Other documents

  /// Undoes the change of a document that is not a label.
  ///
  /// - Parameter isUsed: Whether others use a pin or a class that the operation added.
  private func undo(
    _ edit: DocumentEdit, _ session: EditSession?, _ isDurable: Bool,
    _ isUsed: (DocumentPath) -> Bool
  ) throws {
    let now = try dataset.replica.document(at: edit.path)?.json
    guard let kind = edit.path.kind, let after = edit.after,
      case let original = restored.original(of: now, at: edit.path), original != edit.before
    else { return noteAsBefore(edit) }
    let isChanged = original != edit.after
    guard let now,
      try !(isAddition(edit) && (isChanged || isUsed(edit.path) || isLabeledPhoto(edit)))
    else { return report.kept.append(edit.path) }
    func write(_ json: JSON) throws {
      let document = try Document(bytes: json.canonicalBytes, at: edit.path)
      try session?.write([document], durable: isDurable)
      if session == nil { noteOwn(now, undone: json) }
      count(kind)
    }
    let committed = try dataset.replica.committedDocument(at: edit.path)?.json
    if now == after, let before = edit.before, before == committed {
      // Never committed: no other device can know of it.
      return try write(before)
    }
    let undo = RegisterUndo(
      from: edit.before, to: after, in: now,
      earlier: { restored.original(of: $1, $0, at: edit.path) },
      stamp: { session?.stamp(replacing: $0) ?? $0.successor() })
    let isValid = (try? Document(bytes: undo.document.canonicalBytes, at: edit.path)) != nil
    if !undo.kept.isEmpty || !isValid { report.kept.append(edit.path) }
    if undo.document != now, isValid { try write(undo.document) }
  }

  /// Notes a document that is as before the operation: on another branch it is not undone, while here a
  /// crash may have come before it was written.
  private func noteAsBefore(_ edit: DocumentEdit) {
    if !isElsewhere { return }
    absent += 1
    report.kept.append(edit.path)
  }

  /// Whether another branch is checked out, which has nothing of the operation.
  var isOnAnotherBranch: Bool { isElsewhere && report.count == 0 && report.kept.count == absent }

  /// Whether the operation added a document, or restored a removed one.
  private func isAddition(_ edit: DocumentEdit) -> Bool {
    func isRemoved(_ version: JSON?) -> Bool { version?["removed"]?["value"]?.bool == true }
    return edit.before == nil || isRemoved(edit.before) && !isRemoved(edit.after)
  }

  /// Whether a person has labeled a photo that the operation added, or since the removal of one that
  /// it restored: removing it again would hide a photo that the label keeps visible.
  private func isLabeledPhoto(_ edit: DocumentEdit) throws -> Bool {
    guard case .photo(let id) = edit.path else { return false }
    let labels = try dataset.allLabels(of: id).filter {
      !undoneLabels.contains(Document.label($0).path)
    }
    guard let before = edit.before else {
      return labels.contains { $0.annotator.isHuman && $0.verdict != .withdrawn }
    }
    return Visibility(of: try Photo(bytes: before.canonicalBytes), labels: labels).isVisible
  }

  /// Notes the pin of a photo that a dry run would remove or move.
  private func noteOwn(_ now: JSON, undone: JSON) {
    guard let photo = try? Photo(bytes: now.canonicalBytes), let pin = photo.pin.value,
      !photo.removed.value, let other = try? Photo(bytes: undone.canonicalBytes),
      other.removed.value || other.pin.value != pin
    else { return }
    ownPhotos[pin, default: 0] += 1
  }
}
