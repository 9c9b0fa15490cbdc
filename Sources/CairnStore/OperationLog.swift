package import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// What commands of this device changed, so that it can be undone.
///
/// One file for each operation, `.git/cairn/operations/<number>`, with lines of JSON:
/// - first `{"branch": …, "by": …, "text": …, "time": …}`; an undo also has `"undoes": 30`;
/// - `{"after": …, "before": …, "path": …}` for each document, appended before it is written; null
///   where there is no document;
/// - `{"commits": [BEFORE, AFTER]}` for documents that were committed without being edited first;
/// - last `{"done": true}` for an undo, with `"kept": 2` if it left documents unchanged. Without it,
///   the undo was interrupted.
///
/// The dataset's lock must be held while an operation is recorded. Entries are not synchronized with
/// the disk: after a power failure, the last operation may be missing, while its edits are there.
package struct OperationLog {
  /// The header of an operation.
  package struct Header: Equatable, Sendable {
    /// Increases with each operation of this device.
    package let number: Int
    /// Milliseconds since 1970.
    package let time: Int64
    /// The person; nil if git did not know who it was.
    package let by: Annotator?
    /// The command line, or the name of what was done.
    package let text: String
    /// The branch that was checked out, such as `refs/heads/main`; empty if none was, and nil if that was not
    /// recorded.
    package let branch: String?
    /// The operation that this one undoes.
    package let undoes: Int?
    /// Whether this is an undo that was interrupted.
    package let isUnfinished: Bool
    /// The number of documents that an undo left unchanged.
    package let kept: Int
  }

  /// What an operation did, in order.
  package enum Entry: Equatable, Sendable {
    case document(DocumentEdit)
    /// The commits before and after, in hexadecimal; nil before the first commit.
    case commits(before: String?, after: String)
    /// The end of an undo, with the number of documents that it left unchanged.
    case done(kept: Int)
  }

  /// The number of operations of a few documents that are kept, and of larger ones and imports: a day
  /// of labeling on the page must not discard the import of the day before. Older ones cannot be undone.
  package static let limit = 1000
  /// Maximum size of the file of an operation of a few documents, in bytes.
  private static let smallSize: Int64 = 8 << 10
  /// Maximum total size of their files in bytes.
  private static let sizeLimit: Int64 = 512 << 20
  /// How often old operations are removed: checking each time would cost as much as an edit.
  private static let cleaningInterval = 50
  /// Maximum length of the text of an operation, in characters: a command line can name many files.
  private static let textLimit = 500
  /// The size of the part of a file that contains its header, in bytes.
  private static let headerLimit = 1 << 16
  /// The size of the part of a file that contains the end of an undo, in bytes.
  private static let endLimit = 64

  private let directory: FilePath
  private let files: FileSystem

  package init(_ directory: DatasetDirectory) {
    self.directory = directory.privateDirectory.appending("operations")
    files = directory.files
  }

  private func file(_ number: Int) -> FilePath { directory.appending(String(number)) }

  /// Returns the numbers of the operations, the oldest first.
  package func numbers() throws -> [Int] {
    try (files.list(directory) ?? []).compactMap { Int($0) }.sorted()
  }

  // MARK: Recording

  /// Begins an operation, with its first entries.
  package func begin(
    _ text: String, by person: Annotator?, on branch: String? = nil, at time: Int64,
    undoes: Int? = nil, _ entries: [Entry] = []
  ) throws -> Int {
    let numbers = try numbers()
    let number = (numbers.last ?? 0) + 1
    if number % OperationLog.cleaningInterval == 0 { try removeOldest(of: numbers) }
    let text =
      text.count > OperationLog.textLimit ? text.prefix(OperationLog.textLimit) + "…" : text
    var header: JSONObject = ["text": .string(text), "time": JSON(Double(time))]
    header["by"] = person.map { .string($0.description) }
    header["branch"] = branch.map { .string($0) }
    header["undoes"] = undoes.map { JSON($0) }
    try files.createDirectory(directory)
    try append([.object(header)] + entries.map(\.json), to: number)
    return number
  }

  package func add(_ entries: [Entry], to number: Int) throws {
    try append(entries.map(\.json), to: number)
  }

  private func append(_ lines: [JSON], to number: Int) throws {
    // The line before may be incomplete, after a disk that was full.
    try files.append(Array(("\n" + lines.map(\.line).joined()).utf8), to: file(number))
  }

  private func removeOldest(of numbers: [Int]) throws {
    var (small, large, total) = (0, 0, Int64(0))
    for number in numbers.reversed() {
      let size = try size(of: number)
      total += size
      if size <= OperationLog.smallSize { small += 1 }
      // A small file is read only where it would be removed.
      let changedMany =
        try size > OperationLog.smallSize || small >= OperationLog.limit && isLarge(number)
      if changedMany { large += 1 }
      if (changedMany ? large : small) >= OperationLog.limit || total > OperationLog.sizeLimit {
        try files.remove(file(number))
      }
    }
  }

  private func size(of number: Int) throws -> Int64 {
    try files.status(file(number))?.size ?? 0
  }

  /// Whether an operation changed many documents, which a small file need not name: an import names
  /// its commit, and the undo of a prediction its run.
  private func isLarge(_ number: Int) throws -> Bool {
    if try size(of: number) > OperationLog.smallSize { return true }
    if try entries(of: number).contains(where: { if case .commits = $0 { true } else { false } }) {
      return true
    }
    guard let undone = try header(of: number)?.undoes, undone < number else { return false }
    return try isLarge(undone)
  }

  // MARK: Reading

  /// Returns the header of an operation; nil if there is none with this number, or a crash left it
  /// unreadable.
  package func header(of number: Int) throws -> Header? {
    guard let file = try files.openForReading(file(number)) else { return nil }
    defer { try? file.close() }
    let start = try files.read(
      file, self.file(number), at: 0, count: OperationLog.headerLimit)
    guard let line = OperationLog.lines(of: start).first, let json = try? JSON(bytes: line),
      let text = json["text"]?.string, let time = json["time"]?.double
    else { return nil }
    let undoes = json["undoes"]?.int
    let kept = try undoes.flatMap { _ in try end(file, number) }
    return Header(
      number: number, time: Int64(time), by: json["by"]?.string.flatMap { Annotator($0) },
      text: text, branch: json["branch"]?.string, undoes: undoes,
      isUnfinished: undoes != nil && kept == nil, kept: kept ?? 0)
  }

  /// Returns the number of documents that an undo left unchanged; nil if it was interrupted.
  private func end(_ file: FileDescriptor, _ number: Int) throws -> Int? {
    let size = try files.status(self.file(number))?.size ?? 0
    let last = try files.read(
      file, self.file(number), at: max(Int(size) - OperationLog.endLimit, 0),
      count: OperationLog.endLimit)
    guard let line = OperationLog.lines(of: last).last, let json = try? JSON(bytes: line),
      case .done(let kept)? = Entry(json)
    else { return nil }
    return kept
  }

  /// Returns what an operation did, in order. An incomplete line, left by a crash, is skipped: the
  /// document was not written.
  package func entries(of number: Int) throws -> [Entry] {
    let lines = OperationLog.lines(of: try files.read(file(number)) ?? [])
    return lines.dropFirst().compactMap { line in (try? JSON(bytes: line)).flatMap(Entry.init) }
  }

  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: UInt8(ascii: "\n"))
  }
}

/// One change of a document; nil where there is no document.
package struct DocumentEdit: Equatable, Sendable {
  package let path: DocumentPath
  package let before: JSON?
  package let after: JSON?

  package init(_ path: DocumentPath, before: JSON?, after: JSON?) {
    (self.path, self.before, self.after) = (path, before, after)
  }
}

extension OperationLog.Entry {
  fileprivate var json: JSON {
    switch self {
    case .document(let edit):
      [
        "after": edit.after ?? .null, "before": edit.before ?? .null,
        "path": .string(edit.path.description),
      ]
    case .commits(let before, let after): ["commits": [JSON(before), .string(after)]]
    case .done(let kept): kept == 0 ? ["done": true] : ["done": true, "kept": JSON(kept)]
    }
  }

  /// Parses an entry; nil if it is invalid.
  fileprivate init?(_ json: JSON) {
    if let path = json["path"]?.string.flatMap({ DocumentPath($0) }) {
      func version(_ key: String) -> JSON? { json[key].flatMap { $0.isNull ? nil : $0 } }
      self = .document(DocumentEdit(path, before: version("before"), after: version("after")))
    } else if let commits = json["commits"]?.array, commits.count == 2,
      let after = commits[1].string
    {
      self = .commits(before: commits[0].string, after: after)
    } else if json["done"]?.bool == true {
      self = .done(kept: json["kept"]?.int ?? 0)
    } else {
      return nil
    }
  }
}
