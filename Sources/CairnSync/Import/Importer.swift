internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

/// A collector of an import's documents, packed as they arrive, and of their paths.
///
/// Batches do the expensive work, on all cores; here one thread compares the results with the
/// existing documents.
final class Importer {
  let replica: Replica
  let session: EditSession
  let rules: DocumentLine.Rules
  let names: ClassNameTable
  /// The tree of the last commit.
  let base: ObjectID?
  /// The uncommitted changes in the work tree; nil for a document that was removed.
  let overlay: [String: [UInt8]?]
  let writer: PackWriter
  let onDocuments: (([Document]) -> Void)?
  let cursor: TreeCursor
  private let hasImages: Bool

  var report = ImportReport()
  var edit: BulkTreeEdit
  private var lines = 0
  /// New photos and classes, and the photos and classes of new labels.
  private(set) var photos = Set<PhotoID>()
  private(set) var labeled = Set<PhotoID>()
  private var lastLabeled: PhotoID?
  private(set) var ownClasses = Set<ClassKey>()
  var classes = Set<ClassKey>()
  /// Objects that do not come from a batch.
  let segment = PackSegment()

  init(
    _ replica: Replica, overlay: [String: [UInt8]?], _ options: ImportOptions,
    session: EditSession, onDocuments: (([Document]) -> Void)?
  ) throws {
    (self.replica, self.overlay, self.session) = (replica, overlay, session)
    self.onDocuments = onDocuments
    let repository = replica.repository
    let base = try repository.tree(ofCommit: repository.head())
    self.base = base
    let scratch = replica.directory.privateDirectory.appending("tmp")
    writer = PackWriter(
      repository, temporaryDirectory: scratch, packLimit: replica.importPackLimit)
    edit = BulkTreeEdit(spillingInto: scratch, files: replica.environment.files)
    cursor = try TreeCursor(repository, tree: base)
    let images = replica.directory.blobs.directory.appending("objects")
    hasImages = try replica.environment.files.list(images)?.isEmpty == false
    nonisolated(unsafe) let unshared = replica
    names = ClassNameTable(naming: options.classNames) { unshared.classes(overlay) }
    let names = names
    rules = DocumentLine.Rules(
      stamp: session.stamp(), person: try replica.person(),
      classKey: { (name) throws(DocumentError) in try names.key(name) })
  }

  /// The tag of a file in ``edit``: its line, and whether a document existed at its path.
  struct Tag {
    let line: Int
    let isChange: Bool

    init(line: Int, isChange: Bool) { (self.line, self.isChange) = (line, isChange) }

    init(_ number: UInt32) { (line, isChange) = (Int(number >> 1), number & 1 == 1) }

    var number: UInt32 { UInt32(truncatingIfNeeded: line) << 1 | (isChange ? 1 : 0) }
  }

  // MARK: Lines

  /// Takes the contents of a block's batches.
  func take(_ batches: some Sequence<ImportBatch>) throws {
    for batch in batches {
      for (line, error) in batch.errors { report.note(error.message, line: lines + line + 1) }
      for line in batch.future { report.noteFuture(line: lines + line + 1) }
      report.manifests += batch.manifests
      if let latest = batch.latest { session.observe(latest) }
      try takeItems(of: batch)
      lines += batch.lines
    }
  }

  func takeLongLine() {
    lines += 1
    report.note("larger than the limit of \(DocumentLimit.size) bytes", line: lines)
  }

  private func takeItems(of batch: ImportBatch) throws {
    var isWanted = [Bool](repeating: false, count: batch.segment.count)
    try batch.paths.withUnsafeBufferPointer { paths in
      var order = Array(batch.items.indices)
      if cursor.hasDirectories {
        // In tree order, each directory is read once.
        order.sort {
          paths[batch.items[$0].path].lexicographicallyPrecedes(paths[batch.items[$1].path])
        }
      }
      for index in order {
        let item = batch.items[index]
        if try take(item, of: batch, at: UnsafeBufferPointer(rebasing: paths[item.path])) {
          isWanted[item.object!] = true
        }
      }
    }
    if let onDocuments {
      onDocuments(zip(batch.documents, isWanted).filter(\.1).map(\.0))
    }
    try writer.append(batch.segment) { isWanted[$0] }
    try writer.append(segment)
    segment.removeAll()
  }

  /// Takes one line.
  ///
  /// - Returns: Whether to write its document as it is in the batch.
  private func take(
    _ item: ImportBatch.Item, of batch: ImportBatch, at path: UnsafeBufferPointer<UInt8>
  ) throws -> Bool {
    let line = lines + item.line + 1
    let id = item.object.map(batch.segment.id)
    let existing = try existing(at: path, unless: id)
    switch existing {
    case .same:
      report.known += 1
    case .nothing:
      if let error = item.error {
        report.note(error.message, line: line)
        return false
      }
      try edit.set(path, to: id!, tag: Tag(line: line, isChange: false).number)
      try note(item, of: batch)
      return true
    case .other(let bytes):
      guard let merged = merged(item, over: bytes, path, line: line) else { return false }
      if merged == bytes {
        report.known += 1
      } else {
        let tag = Tag(line: line, isChange: true)
        try edit.set(path, to: segment.add(.blob, merged), tag: tag.number)
        notify(merged, String(decoding: path, as: UTF8.self))
      }
    }
    return false
  }

  private enum Existing: Equatable {
    case nothing
    case same
    case other([UInt8])
  }

  /// Returns the existing content at a path.
  private func existing(
    at path: UnsafeBufferPointer<UInt8>, unless id: ObjectID?
  ) throws -> Existing {
    if !overlay.isEmpty, let bytes = overlay[String(decoding: path, as: UTF8.self)] {
      return bytes.map { .other($0) } ?? .nothing
    }
    guard cursor.hasDirectories, let node = try cursor.node(at: path), !node.isDirectory else {
      return .nothing
    }
    if node.id == id { return .same }
    return .other(try replica.repository.blob(node.id))
  }

  /// Returns the merge of a line and the document at its path; nil for an invalid line.
  private func merged(
    _ item: ImportBatch.Item, over bytes: [UInt8], _ path: UnsafeBufferPointer<UInt8>, line: Int
  ) -> [UInt8]? {
    do throws(DocumentError) {
      let document = try DocumentLine(bytes: item.text)
        .document(rules, over: try? JSON(bytes: bytes)) { session.stamp(replacing: $0) }
      return DocumentMerge(bytes, document.canonicalBytes, at: document.path).bytes
    } catch {
      report.note(error.message, line: line)
      return nil
    }
  }

  /// Records a new document and what it refers to.
  private func note(_ item: ImportBatch.Item, of batch: ImportBatch) throws {
    switch item.kind {
    case .photo:
      guard let id = item.photo else { return }
      photos.insert(id)
      if hasImages, let format = item.format { try addPointer(to: id, format) }
    case .label:
      if item.photo != lastLabeled, let photo = item.photo {
        labeled.insert(photo)
        lastLabeled = photo
      }
      classes.insert(batch.classes[item.classIndex])
    case .class:
      let path = DocumentPath(String(decoding: batch.paths[item.path], as: UTF8.self))
      if case .class(let key)? = path { ownClasses.insert(key) }
    case .dataset, .pin, .run, .erasure, .redaction: break
    }
  }

  /// Adds the pointer to a new photo's image if the image is on this disk.
  private func addPointer(to id: PhotoID, _ format: ImageFormat) throws {
    guard let size = try replica.directory.blobs.size(of: id) else { return }
    let path = DocumentPath.image(id, format).description
    guard try replica.repository.node(at: path, in: base) == nil else { return }
    try set(path, Pointer(id: id, size: size).bytes)
    report.images += 1
  }

  /// Sets a file that does not come from a line.
  func set(_ path: String, _ bytes: [UInt8]) throws {
    let id = segment.add(.blob, bytes)
    let tag = Tag(line: 0, isChange: false)
    try Array(path.utf8).withUnsafeBufferPointer { try edit.set($0, to: id, tag: tag.number) }
  }

  /// Passes a document to ``onDocuments``.
  func notify(_ bytes: [UInt8], _ path: String) {
    guard let onDocuments, let path = DocumentPath(path) else { return }
    if let document = try? Document(bytes: bytes, at: path) { onDocuments([document]) }
  }
}

extension Replica {
  /// Returns the classes of the last commit, with those of the work tree in their place.
  fileprivate func classes(_ overlay: [String: [UInt8]?]) -> [LabelClass] {
    var classes: [String: LabelClass] = [:]
    let tree = try? repository.tree(ofCommit: repository.head())
    try? repository.forEachFile(in: tree, below: "classes") { path, node in
      classes[path] = try? LabelClass(bytes: repository.blob(node.id))
    }
    for (path, bytes) in overlay where path.hasPrefix("classes/") {
      classes[path] = bytes.flatMap { try? LabelClass(bytes: $0) }
    }
    return Array(classes.values)
  }
}
