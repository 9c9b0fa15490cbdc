package import CairnDocument
internal import CairnFiles
internal import CairnMerge
internal import CairnReview
internal import CairnStore
internal import CairnSync
internal import SystemPackage

/// Edits of many photos that can be undone, by one person on this device.
///
/// What an edit changed is recorded, so that ``undo(_:)`` takes back whole actions, of this session
/// or an earlier one, without limit.
package final class UndoableEditor {
  let dataset: Dataset
  let me: Annotator
  private let path: FilePath
  private var log: EditLog
  private var fileSize: Int64?
  /// The operations of the actions that were edited or undone last, the latest at the end: a large
  /// action has several steps, and other actions come between them.
  private var recent: [ActionOperation] = []

  private struct ActionOperation {
    let action: Int
    let operation: RecordedOperation
    /// Whether it undoes the action.
    var isUndo = false
    /// The number of changes that the undo left unchanged.
    var kept = 0
  }

  /// Maximum number of recent operations.
  private static let recentLimit = 32

  /// - Precondition: The current user of `dataset` is the same whenever the editor is used.
  package init(_ dataset: Dataset) throws(CairnError) {
    self.dataset = dataset
    (me, path, log) = try translating {
      let me = try dataset.replica.person()
      let path = dataset.directory.privateDirectory.appending("edits").appending(me.tag)
      return (me, path, try EditLog(path, files: dataset.environment.files))
    }
    fileSize = try? dataset.environment.files.status(path)?.size
  }

  /// An edit of photos.
  package enum Edit: Equatable, Sendable {
    case label([String], Verdict)
    /// Confirms or rejects predictions.
    case review(String, accepting: Bool)
    case withdraw(String)
    case favorite(Bool)
    case remove(Bool)
    case pin(PinID?)
    case title(String)
    case caption(String)
  }

  /// The result of an edit.
  package struct Report: Sendable {
    /// Nil if nothing changed.
    package var action: Int?
    package var changed = 0
    /// The number of photos to which the edit does not apply.
    package var skipped = 0

    package init(action: Int? = nil, changed: Int = 0, skipped: Int = 0) {
      (self.action, self.changed, self.skipped) = (action, changed, skipped)
    }
  }

  // MARK: Actions

  /// Begins an action; edits can then be added to it.
  ///
  /// - Parameter operation: The number of its operation; nil for the one that has begun.
  package func begin(_ text: String, operation: Int? = nil) throws(CairnError) -> Int {
    try translating {
      try refresh()
      defer { remember() }
      return try log.begin(
        text, at: dataset.environment.now(), operation: operation ?? dataset.operationNumber)
    }
  }

  /// Makes the edits until the next call one operation, or part of that of an action.
  package func beginOperation(_ text: String, of action: Int? = nil) {
    if let known = recent.last(where: { $0.action == action }), !known.isUndo {
      dataset.replica.operation = known.operation
    } else {
      dataset.beginOperation("serve: \(text)")
    }
  }

  private func keep(_ operation: ActionOperation) {
    recent.removeAll { $0.action == operation.action }
    recent = Array(recent.suffix(UndoableEditor.recentLimit - 1)) + [operation]
  }

  /// Makes the edits of `body` the undo of an action's operation. If it has none, they are not
  /// recorded, since they would look like an operation to undo.
  ///
  /// - Parameter action: Nil for an answer of a review that was given elsewhere.
  package func undoing<Value>(
    _ action: EditAction?, _ body: () throws(CairnError) -> Value
  ) throws(CairnError) -> Value {
    let (operation, isRecorded) = (dataset.replica.operation, dataset.recordsOperations)
    defer { (dataset.replica.operation, dataset.recordsOperations) = (operation, isRecorded) }
    guard let action, let number = try recordedOperation(of: action) else {
      dataset.recordsOperations = false
      return try body()
    }
    let known = recent.last {
      $0.action == action.number && $0.isUndo && $0.operation.undoes == number
    }
    let undo = try translating {
      try known
        ?? ActionOperation(
          action: action.number, operation: dataset.replica.undo(of: number), isUndo: true)
    }
    keep(undo)
    dataset.replica.operation = undo.operation
    return try body()
  }

  /// Returns the number of an action's operation; nil if it is not recorded any more. Its number may
  /// then be that of a later one.
  private func recordedOperation(of action: EditAction) throws(CairnError) -> Int? {
    guard let number = action.operation else { return nil }
    return try translating {
      let header = try dataset.replica.operationLog.header(of: number)
      return header.map { $0.time <= action.operationTime } == true ? number : nil
    }
  }

  /// The actions that can be undone, oldest first.
  package func actions() throws(CairnError) -> [EditAction] {
    try translating {
      try refresh()
      return log.undoable
    }
  }

  /// Adds changes to an action.
  func record(_ changes: [EditChange], in action: Int) throws {
    try log.add(
      changes, to: action, at: dataset.environment.now(), operation: dataset.operationNumber)
    remember()
  }

  func end(_ action: Int, left: Int = 0, kept: Int = 0, restated: [Restatement]) throws {
    try refresh()
    try log.end(action, left: left, restated: restated)
    remember()
    guard var undo = recent.last(where: { $0.action == action }), undo.isUndo else { return }
    undo.kept += kept
    keep(undo)
    if left > 0 || undo.operation.number == nil { return }
    // The action is undone, even if this fails: `cairn undo` completes the record.
    try? dataset.edit("undo") { _ in try recordEnd(ofUndo: action) }
  }

  /// Records that the undo of an action is complete, while the lock is held. One that has changed
  /// nothing is not recorded.
  ///
  /// - Parameter kept: The number of its last changes that were left unchanged.
  func recordEnd(ofUndo action: Int, kept: Int = 0) throws {
    guard let undo = recent.last(where: { $0.action == action }), undo.isUndo else { return }
    recent.removeAll { $0.action == action }
    if undo.operation.number == nil { return }
    // Also a class that the action has created, for example.
    let left = try dataset.replica.documentsLeft(by: undo.operation)
    try dataset.replica.recordEnd(of: undo.operation, kept: max(undo.kept + kept, left))
  }

  func changes(of action: Int) -> [EditChange] { log.changes(of: action) }

  /// Returns the last changes of an action, and how many come before them.
  func lastChanges(of action: Int, limit: Int) throws -> (changes: [EditChange], before: Int) {
    try refresh()
    return log.lastChanges(of: action, limit: limit)
  }

  /// Reads the log again if another process has written it.
  private func refresh() throws {
    let size = try dataset.environment.files.status(path)?.size
    if size == fileSize { return }
    log = try EditLog(path, files: dataset.environment.files)
    fileSize = size
  }

  private func remember() { fileSize = try? dataset.environment.files.status(path)?.size }

  // MARK: Edits

  /// Edits photos, as an action of its own or as part of one.
  ///
  /// - Parameters:
  ///   - text: The text of a new action.
  ///   - action: The action to add to; nil for a new one. If it was undone, another one begins.
  @discardableResult
  package func apply(
    _ edit: Edit, to photos: [PhotoID], as text: String, in action: Int? = nil
  ) throws(CairnError) -> Report {
    var report = Report()
    beginOperation(text, of: action)
    let changes = try changes(edit, photos, &report)
    report.changed = Set(changes.compactMap(\.photo)).count
    try recordAction(changes, text, &report, action)
    return report
  }

  func recordAction(
    _ changes: [EditChange], _ text: String, _ report: inout Report, _ action: Int? = nil,
    operation: Int? = nil
  ) throws(CairnError) {
    if changes.isEmpty { return }
    // Another process may have undone the action, or begun one of its own.
    try translating { try refresh() }
    let isOpen = action.map { log.isOpen($0) } ?? false
    let number = if let action, isOpen { action } else { try begin(text, operation: operation) }
    try translating { try record(changes, in: number) }
    report.action = number
    if let operation = dataset.replica.operation {
      keep(ActionOperation(action: number, operation: operation))
    }
  }

  private func changes(
    _ edit: Edit, _ photos: [PhotoID], _ report: inout Report
  ) throws(CairnError) -> [EditChange] {
    switch edit {
    case .label(let classes, let verdict):
      return try labeling(photos) { () throws(CairnError) in
        try dataset.label(photos, classes, LabelAssertion(verdict))
      }
    case .review(let name, let accepting):
      let predicted = try dataset.predictedPhotos(among: photos, name)
      report.skipped = photos.count - predicted.count
      if predicted.isEmpty { return [] }
      return try labeling(predicted) { () throws(CairnError) in
        try dataset.review(predicted, name, accepting: accepting)
      }
    case .withdraw(let name):
      return try labeling(photos) { () throws(CairnError) in
        do throws(CairnError) {
          return try dataset.unlabel(photos, name)
        } catch  where error.kind == .notFound {
          // Unknown classes are errors, too, and are reported.
          _ = try dataset.classKey(name)
          return []
        }
      }
    case .favorite(let areFavorites):
      return try labeling(photos) { () throws(CairnError) in
        let edited = try dataset.setFavorites(photos, areFavorites).filter(\.changed).map(\.id)
        return try dataset.ownFavorites(of: edited)
      }
    case .remove(let removed):
      return try dataset.setPhotosRemoved(photos, removed).filter(\.changed).map {
        .photo($0.id, .removed, before: .bool(!removed), after: .bool(removed))
      }
    case .pin, .title, .caption: return try fieldChanges(edit, photos)
    }
  }

  /// Returns the changes that `body` makes to labels of photos.
  func labeling(
    _ photos: [PhotoID], _ body: () throws(CairnError) -> [LabelResult]
  ) throws(CairnError) -> [EditChange] {
    var before: [PhotoID: [LabelName: Label]] = [:]
    try translating {
      for photo in photos {
        before[photo] = Dictionary(
          try dataset.allLabels(of: photo).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
      }
    }
    return try body().filter(\.changed).compactMap { result in
      let old = before[result.label.photo]?[result.label.name]
      return old == result.label ? nil : .label(LabelChange(before: old, after: result.label))
    }
  }

  private func fieldChanges(
    _ edit: Edit, _ photos: [PhotoID]
  ) throws(CairnError) -> [EditChange] {
    let old = try translating {
      Dictionary(try photos.map { ($0, try dataset.photo($0)) }, uniquingKeysWith: { $1 })
    }
    let edited =
      switch edit {
      case .title(let text): try dataset.editPhotos(photos, title: text)
      case .caption(let text): try dataset.editPhotos(photos, caption: text)
      case .pin(let pin): try dataset.editPhotos(photos, pin: .some(pin))
      default: [EditedPhoto]()
      }
    return edited.filter(\.changed).map(\.photo).compactMap { photo in
      guard let before = old[photo.id] else { return nil }
      let field: EditChange.PhotoField =
        switch edit {
        case .title: .title
        case .caption: .caption
        default: .pin
        }
      return .photo(
        photo.id, field, before: before.value(of: field), after: photo.value(of: field))
    }
  }
}

extension Photo {
  func value(of field: EditChange.PhotoField) -> JSON {
    switch field {
    case .title: .string(title.value)
    case .caption: .string(caption.value)
    case .pin: JSON(pin.value?.text)
    case .removed: .bool(removed.value)
    }
  }
}

extension Dataset {
  /// Returns the photos on which models predict a class, which a person can accept or reject.
  package func predictedPhotos(among photos: [PhotoID], _ name: String) throws(CairnError)
    -> [PhotoID]
  {
    do throws(CairnError) {
      // Accepting what a model called absent would label it absent, and rejecting it present.
      return try reviewedVerdicts(of: photos, name, accepting: true)
        .filter { $0.verdict == .present }.flatMap(\.photos)
    } catch  where error.kind == .notFound {
      // An unknown class is an error, too, and is reported.
      _ = try classKey(name)
      return []
    }
  }

  /// Returns the current user's favorite labels on photos, as edited just now.
  fileprivate func ownFavorites(of photos: [PhotoID]) throws(CairnError) -> [LabelResult] {
    try translating {
      let mailmap = Mailmap(try mailmapText())
      let me = mailmap.person(try replica.person())
      return try photos.flatMap { photo in
        try labels(of: photo)
          .filter { $0.classKey == .favorite && mailmap.person($0.annotator) == me }
          .map { LabelResult(label: $0, className: ClassKey.favorite.text, changed: true) }
      }
    }
  }
}
