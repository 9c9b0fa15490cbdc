public import CairnDocument
internal import CairnMerge
internal import CairnReview
internal import CairnStore
internal import CairnSync

/// The outcome of undoing an operation.
public struct UndoReport: Sendable {
  /// The operation that was undone.
  public let operation: OperationRecord
  /// The number of documents of each kind that are as before the operation.
  public internal(set) var undone: [DocumentKind: Int] = [:]
  /// The documents that were changed again since, or that others use now: they stay as they are.
  public internal(set) var kept: [DocumentPath] = []

  /// The number of documents that are as before.
  public var count: Int { undone.values.reduce(0, +) }
}

extension Dataset {
  /// Undoes an operation of this device.
  ///
  /// Each document that the operation changed gets its values from before, as a new edit, so that a
  /// sync undoes it on all devices. What was changed again since stays as it is. Documents that the
  /// operation added are removed, as by ``setPhotosRemoved(_:_:)``, unless others use them now. An
  /// undo can be undone as well.
  ///
  /// - Parameters:
  ///   - number: Nil for the last operation that is neither undone nor an undo.
  ///   - dryRun: Whether to report only what would be undone.
  /// - Throws: ``CairnError/Kind/notFound`` when there is no such operation,
  ///   ``CairnError/Kind/invalidInput`` when it was undone already.
  @discardableResult
  public func undo(_ number: Int? = nil, dryRun: Bool = false) throws(CairnError) -> UndoReport {
    let operation = try operation(number)
    if operation.isUndone {
      throw CairnError(
        .invalidInput, "Operation \(operation.number) was undone already.",
        hint: "`cairn operations` lists what can be undone.")
    }
    return try translating {
      let outer = replica.operation
      replica.operation = RecordedOperation("undo \(operation.number)", undoes: operation.number)
      defer { replica.operation = outer }
      return try OperationUndo(self, operation, dryRun: dryRun).run()
    }
  }
}

/// Undoes one operation, document by document.
private final class OperationUndo {
  private let dataset: Dataset
  private let isDryRun: Bool
  private let edits: [DocumentEdit]
  /// What undos since then have restored: the versions that they wrote, and which earlier ones
  /// these stand for.
  private var restored: [DocumentPath: [(version: JSON?, original: JSON?)]] = [:]
  /// The runs that the operation started: withdrawing one takes back all its new labels.
  private let newRuns: Set<RunID>
  private var report: UndoReport

  /// The number of photos whose labels are undone at once, so that others need not wait long.
  private static let batchSize = 250

  init(_ dataset: Dataset, _ operation: OperationRecord, dryRun: Bool) throws {
    (self.dataset, isDryRun) = (dataset, dryRun)
    report = UndoReport(operation: operation)
    edits = try dataset.replica.edits(of: operation.number)
    newRuns = Set(
      edits.compactMap { edit in
        if case .run(let id) = edit.path, edit.before == nil { id } else { nil }
      })
    let paths = Set(edits.map(\.path))
    for undo in try dataset.operations() where undo.number > operation.number {
      guard let other = undo.undoes else { continue }
      let originals = Dictionary(
        try dataset.replica.edits(of: other).map { ($0.path, $0.before) }, uniquingKeysWith: { $1 })
      for edit in try dataset.replica.edits(of: undo.number) where paths.contains(edit.path) {
        if let original = originals[edit.path] {
          restored[edit.path, default: []].append((edit.after, original))
        }
      }
    }
  }

  func run() throws -> UndoReport {
    try undoLabels()
    // Photos before the pins and classes that they use.
    for kind in [DocumentKind.photo, .run, .pin, .class, .dataset] {
      let edits = edits.filter { $0.path.kind == kind }
      if edits.isEmpty { continue }
      if isDryRun {
        for edit in edits { try undo(edit, nil) }
      } else {
        try dataset.edit("undo") { session in
          for edit in edits { try undo(edit, session) }
        }
      }
    }
    return report
  }

  private func count(_ kind: DocumentKind, _ number: Int = 1) {
    if number > 0 { report.undone[kind, default: 0] += number }
  }

  // MARK: Labels

  private func undoLabels() throws {
    var photos: [(id: PhotoID, edits: [DocumentEdit])] = []
    var withdrawn = 0
    for edit in edits where edit.path.kind == .label {
      guard let photo = edit.path.photo else { continue }
      let run = edit.after?["run"]?.string.flatMap { RunID($0) }
      if edit.before == nil, let run, newRuns.contains(run) {
        withdrawn += 1
      } else if photos.last?.id == photo {
        photos[photos.count - 1].edits.append(edit)
      } else {
        photos.append((photo, [edit]))
      }
    }
    count(.label, withdrawn)
    for start in stride(from: 0, to: photos.count, by: OperationUndo.batchSize) {
      dataset.report("undoing", start, of: photos.count)
      let part = photos[start..<min(start + OperationUndo.batchSize, photos.count)]
      if isDryRun {
        for (_, edits) in part { count(.label, try changes(edits).count) }
        continue
      }
      let isBulk = photos.count > 16
      try dataset.edit("undo") { session in
        for (_, edits) in part {
          let changes = try changes(edits)
          if changes.isEmpty { continue }
          if try dataset.undoLabels(changes, session, durable: !isBulk) != nil {
            count(.label, changes.count)
          } else {
            report.kept += edits.map(\.path)
          }
        }
        if isBulk { try session.flush() }
      }
    }
  }

  /// Returns the changes of a photo's labels that are still in effect.
  private func changes(_ edits: [DocumentEdit]) throws -> [LabelChange] {
    try edits.compactMap { edit in
      guard case .label(let now)? = try dataset.readableDocument(at: edit.path),
        original(now.json, at: edit.path) == edit.after
      else {
        if try !isAsBefore(edit) { report.kept.append(edit.path) }
        return nil
      }
      let before = edit.before.flatMap { try? Label(bytes: $0.canonicalBytes) }
      return LabelChange(before: before, after: now)
    }
  }

  /// Whether a document is as before already: a crash may have come before it was written.
  private func isAsBefore(_ edit: DocumentEdit) throws -> Bool {
    original(try dataset.readableDocument(at: edit.path)?.json, at: edit.path) == edit.before
  }

  /// Returns the version that undos have restored as `version`; `version` itself if none did.
  private func original(_ version: JSON?, at path: DocumentPath) -> JSON? {
    var version = version
    // The newest undo first.
    for (restored, original) in restored[path] ?? [] where restored == version {
      version = original
    }
    return version
  }

  // MARK: Other documents

  /// - Parameter session: Nil for a dry run.
  private func undo(_ edit: DocumentEdit, _ session: EditSession?) throws {
    guard let kind = edit.path.kind, let after = edit.after,
      let now = try dataset.readableDocument(at: edit.path)?.json
    else { return }
    if try isAsBefore(edit) { return }
    if edit.before == nil, try isUsed(edit.path) { return report.kept.append(edit.path) }
    let committed = try dataset.replica.committedDocument(at: edit.path)?.json
    if now == after, let before = edit.before, before == committed {
      // Never committed: no other device can know of it.
      try write(before, at: edit.path, session)
      return count(kind)
    }
    let undo = RegisterUndo(
      from: edit.before, to: after, in: now,
      earlier: { name, register in earlier(name, register, at: edit.path) },
      stamp: { session?.stamp(replacing: $0) ?? $0.successor() })
    let isValid = (try? Document(bytes: undo.document.canonicalBytes, at: edit.path)) != nil
    if !undo.kept.isEmpty || !isValid { report.kept.append(edit.path) }
    if undo.document == now || !isValid { return }
    try write(undo.document, at: edit.path, session)
    count(kind)
  }

  private func write(_ json: JSON, at path: DocumentPath, _ session: EditSession?) throws {
    try session?.write([Document(bytes: json.canonicalBytes, at: path)])
  }

  /// Returns the register that undos have restored as `register`; `register` itself if none did.
  private func earlier(_ name: String, _ register: JSON, at path: DocumentPath) -> JSON {
    let keys = name.split(separator: ".").map(String.init)
    func member(of version: JSON?) -> JSON? { keys.reduce(version) { json, key in json?[key] } }
    var register = register
    // The newest undo first.
    for (restored, original) in restored[path] ?? [] where member(of: restored) == register {
      register = member(of: original) ?? register
    }
    return register
  }

  /// Whether a document that the operation added is used by what others did since.
  private func isUsed(_ path: DocumentPath) throws -> Bool {
    switch path {
    case .photo(let id):
      try dataset.labels(of: id).contains { $0.annotator.isHuman && $0.verdict != .withdrawn }
    case .pin(let id): try dataset.query { try $0.photoCounts() }[id, default: 0] > 0
    case .class(let key): try isUsed(key)
    case .label, .run, .manifest, .image: false
    }
  }

  /// Whether photos have a label of a class that the operation did not give.
  private func isUsed(_ key: ClassKey) throws -> Bool {
    var (own, photos) = (Set<DocumentPath>(), Set<PhotoID>())
    for edit in edits {
      guard case .label(let photo, let name) = edit.path, name.classKey == key else { continue }
      own.insert(edit.path)
      photos.insert(photo)
    }
    var labeled = 0
    for photo in photos {
      let labels = try dataset.labels(of: photo).filter {
        $0.classKey == key && $0.verdict == .present
      }
      if labels.contains(where: { !own.contains(Document.label($0).path) }) { return true }
      if !labels.isEmpty { labeled += 1 }
    }
    return try dataset.query { try $0.photoCount(of: [key]) } > labeled
  }
}
