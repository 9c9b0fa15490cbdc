public import CairnDocument
internal import CairnFiles
public import CairnGit
internal import CairnStore

/// The options of an export.
public struct ExportOptions: Sendable {
  /// The commit to export; nil for the current dataset.
  public var commit: ObjectID?
  /// The kinds of documents to export; by default all but the manifest.
  public var kinds: Set<DocumentKind> = Set(DocumentKind.allCases).subtracting([.dataset])

  /// Creates options that export the working documents.
  public init() {}
}

/// The result of an export.
public struct ExportReport: Sendable {
  /// The number of documents of each kind.
  public internal(set) var documents: [DocumentKind: Int] = [:]
  /// Documents that were left out because they do not parse.
  public internal(set) var problems: [WorkingProblem] = []
}

extension Replica {
  /// Writes documents as lines of compact JSON, sorted by path.
  ///
  /// - Parameter write: Called with blocks of whole lines.
  package func exportDocuments(
    _ options: ExportOptions = ExportOptions(), to write: ([UInt8]) throws -> Void
  ) throws -> ExportReport {
    var export = Export(kinds: options.kinds)
    var working: [(path: String, blob: [UInt8]?)] = []
    if options.commit == nil {
      let state = try workingState()
      export.report.problems = state.problems
      working = state.changes.filter { $0.path.kind != nil }
        .map { ($0.path.description, $0.blob) }.sorted { $0.path < $1.path }
    }
    var rest = working[...]
    let tree = try repository.tree(ofCommit: options.commit ?? repository.head())
    for name in DocumentPath.topLevel where options.includes(name) {
      try repository.forEachFile(in: tree, below: name) { path, node in
        while let first = rest.first, first.path < path {
          try export.add(rest.removeFirst(), write)
        }
        if rest.first?.path == path { return try export.add(rest.removeFirst(), write) }
        if node.mode == .submodule { return }
        try repository.withObject(node.id) { _, bytes in try export.add(path, bytes, write) }
      }
    }
    for change in rest { try export.add(change, write) }
    try export.flush(write)
    return export.report
  }
}

extension ExportOptions {
  /// Whether a top-level directory contains documents to export.
  fileprivate func includes(_ name: String) -> Bool {
    // Redactions are below erasures.
    DocumentPath.kinds[name].map(kinds.contains) == true
      || name == "erasures" && kinds.contains(.redaction)
  }
}

/// A buffer of lines to write.
private struct Export {
  let kinds: Set<DocumentKind>
  var report = ExportReport()
  private var lines: [UInt8] = []

  private static let limit = 1 << 20

  init(kinds: Set<DocumentKind>) { self.kinds = kinds }

  mutating func add(
    _ change: (path: String, blob: [UInt8]?), _ write: ([UInt8]) throws -> Void
  ) throws {
    if let blob = change.blob {
      try blob.withUnsafeBytes { try add(change.path, $0, write) }
    }
  }

  mutating func add(
    _ path: String, _ bytes: UnsafeRawBufferPointer, _ write: ([UInt8]) throws -> Void
  ) throws {
    guard let path = DocumentPath(path), let kind = path.kind, kinds.contains(kind) else { return }
    do throws(DocumentError) {
      let document = try Document(bytes: bytes.bindMemory(to: UInt8.self), at: path)
      JSON.appendLine(ofCanonical: document.canonicalBytes, to: &lines)
      report.documents[kind, default: 0] += 1
    } catch {
      report.problems.append(
        WorkingProblem(path: path.description, reason: .invalidDocument(error)))
    }
    if lines.count >= Export.limit { try flush(write) }
  }

  mutating func flush(_ write: ([UInt8]) throws -> Void) throws {
    if !lines.isEmpty { try write(lines) }
    lines.removeAll(keepingCapacity: true)
  }
}
