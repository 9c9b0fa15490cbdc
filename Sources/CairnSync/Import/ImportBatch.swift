internal import CairnDocument
internal import CairnGit
internal import CairnMerge

/// The documents that one core parses from some lines of an import, packed.
final class ImportBatch {
  /// A line that is a document, or would be one with the fields of the document at its path.
  struct Item {
    /// Counted from the first line of the batch.
    let line: Int
    let text: UnsafeBufferPointer<UInt8>
    /// The range of its path in ``paths``.
    let path: Range<Int>
    let kind: DocumentKind
    /// The index of its object in ``segment``; nil with an error.
    let object: Int?
    let error: DocumentError?
    /// The photo that it describes or labels.
    var photo: PhotoID?
    var format: ImageFormat?
    /// The index of a label's class in ``classes``.
    var classIndex = 0
  }

  let segment = PackSegment()
  /// The documents in ``segment``, if they are kept.
  private(set) var documents: [Document] = []
  private let keepsDocuments: Bool
  private(set) var items: [Item] = []
  private(set) var paths: [UInt8] = []
  private(set) var classes: [ClassKey] = []
  private(set) var errors: [(line: Int, error: DocumentError)] = []
  private(set) var future: [Int] = []
  private(set) var manifests = 0
  private(set) var lines = 0
  /// The latest of the stamps that are not too far in the future for a clock to follow.
  private(set) var latest: Stamp?

  private var tags = AnnotatorTags()

  init(keepsDocuments: Bool) { self.keepsDocuments = keepsDocuments }

  /// Reads lines, and replaces what was read before.
  ///
  /// - Parameter now: Milliseconds since 1970.
  func fill(_ block: UnsafeBufferPointer<UInt8>, _ rules: DocumentLine.Rules, now: Int64) {
    empty()
    var rest = block[...]
    while !rest.isEmpty {
      let end = rest.firstByte(0x0A) ?? rest.endIndex
      let text = UnsafeBufferPointer(rebasing: rest[..<end])
      rest = rest[min(end + 1, rest.endIndex)...]
      if text.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) {
        read(text, rules, limit: now + HybridClock.maximumDrift)
      }
      lines += 1
    }
  }

  private func empty() {
    segment.removeAll()
    documents.removeAll(keepingCapacity: true)
    items.removeAll(keepingCapacity: true)
    paths.removeAll(keepingCapacity: true)
    classes.removeAll(keepingCapacity: true)
    (errors, future, manifests, lines, latest) = ([], [], 0, 0, nil)
  }

  private func read(
    _ text: UnsafeBufferPointer<UInt8>, _ rules: DocumentLine.Rules, limit: Int64
  ) {
    if text.containsText("label\""), let label = try? Label(bytes: text) {
      return add(label, text, limit: limit)
    }
    do throws(DocumentError) {
      let line = try DocumentLine(bytes: text)
      if line.kind == .dataset {
        manifests += 1
        return
      }
      let path = try line.path(rules)
      do throws(DocumentError) {
        let document = try line.document(rules)
        if case .label(let label) = document { return add(label, text, limit: limit) }
        add(document, text, limit: limit)
      } catch {
        // The existing document may have the missing fields.
        add(text, path, object: nil, error)
      }
    } catch {
      errors.append((lines, error))
    }
  }

  private func add(_ label: Label, _ text: UnsafeBufferPointer<UInt8>, limit: Int64) {
    let start = paths.count
    DocumentPath.appendLabel(label, tag: tags.tag(of: label.annotator), to: &paths)
    if classes.last != label.classKey { classes.append(label.classKey) }
    segment.add(.blob, label.canonicalBytes, family: DocumentKind.label.rawValue)
    if keepsDocuments { documents.append(.label(label)) }
    items.append(
      Item(
        line: lines, text: text, path: start..<paths.count, kind: .label, object: segment.count - 1,
        error: nil, photo: label.photo, classIndex: classes.count - 1))
    observe(label.stamp, limit)
  }

  private func add(_ document: Document, _ text: UnsafeBufferPointer<UInt8>, limit: Int64) {
    segment.add(.blob, document.canonicalBytes, family: document.path.kind?.rawValue)
    if keepsDocuments { documents.append(document) }
    add(text, document.path, object: segment.count - 1, nil)
    if case .photo(let photo) = document { items[items.count - 1].format = photo.image.format }
    if let stamp = document.json.latestStamp { observe(stamp, limit) }
  }

  private func add(
    _ text: UnsafeBufferPointer<UInt8>, _ path: DocumentPath, object: Int?, _ error: DocumentError?
  ) {
    let start = paths.count
    paths.append(contentsOf: path.description.utf8)
    if case .label(_, let name) = path { classes.append(name.classKey) }
    items.append(
      Item(
        line: lines, text: text, path: start..<paths.count, kind: path.kind!, object: object,
        error: error, photo: path.photo, classIndex: classes.count - 1))
  }

  private func observe(_ stamp: Stamp, _ limit: Int64) {
    if stamp.milliseconds > limit {
      future.append(lines)
    } else if latest.map({ $0 < stamp }) ?? true {
      latest = stamp
    }
  }
}
