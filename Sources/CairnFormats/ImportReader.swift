internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// The files of an import. They are untrusted: their sizes, depths and links are limited here.
final class ImportReader {
  /// The directory that names are relative to.
  let root: FilePath
  /// The file given to the import; nil for a directory.
  private(set) var file: String?
  private let format: ImportFormat
  private let files: FileSystem
  /// The directory for temporary copies.
  private let scratch: FilePath
  private let take: (ImportedItem) throws -> Void
  private var notes: Set<String> = []
  private var ignored: [String: Int] = [:]
  /// The numbers of cells, by the name of their column. Tables have millions of cells: their message
  /// is made at the end.
  private var ignoredCells: [String: Int] = [:]
  private var moreIgnored = 0
  private var temporaryCount = 0
  /// The maximum number of different notes.
  private static let noteLimit = 100

  /// The maximum size in bytes of a file read at once, and the maximum depth of directories.
  private static let sizeLimit = 16 << 20
  private static let depthLimit = 32
  static let textLimit = 4096

  init(
    _ path: FilePath, _ format: ImportFormat, files: FileSystem, scratch: FilePath,
    _ take: @escaping (ImportedItem) throws -> Void
  ) throws {
    (self.format, self.files, self.scratch, self.take) = (format, files, scratch, take)
    if files.directoryExists(path) {
      root = path
      file = nil
    } else {
      root = path.removingLastComponent()
      file = path.lastComponent?.string
    }
  }

  /// The location of the import as a whole.
  var location: ImportedLocation { ImportedLocation(root.string) }

  // MARK: Items

  func photo(_ photo: ImportedPhoto) throws { try take(.photo(photo)) }
  func pin(_ pin: ImportedPin) throws { try take(.pin(pin)) }

  func problem(_ location: ImportedLocation, _ message: String) throws {
    try take(.problem(location, message))
  }

  /// Reports a message once, however many lines it applies to.
  func note(_ message: String) throws {
    if notes.count < ImportReader.noteLimit, notes.insert(message).inserted {
      try take(.note(message))
    }
  }

  /// Counts data that are not imported; ``reportIgnored()`` reports the counts.
  func ignore(_ what: @autoclosure () -> String, _ count: Int = 1) {
    let what = what()
    if ignored[what] != nil || ignored.count < ImportReader.noteLimit {
      ignored[what, default: 0] += count
    } else {
      moreIgnored += count
    }
  }

  /// Counts a cell of a table that is not imported.
  func ignoreCell(of column: String) { ignoredCells[column, default: 0] += 1 }

  /// Counts the non-empty members of an object that are not imported.
  func ignore(_ object: JSONObject, but known: Set<String>, of what: String) {
    for (key, value) in object.members where !known.contains(key) && !value.isEmptyValue {
      ignore("“\(key.prefix(64))” of \(what)")
    }
  }

  /// Reports the counts of ignored data.
  func reportIgnored() throws {
    for (column, count) in ignoredCells.sorted(by: { $0.key < $1.key }) {
      ignore("the column “\(column.prefix(64))”", count)
    }
    for (what, count) in ignored.sorted(by: { $0.key < $1.key }) {
      try take(.note("ignored: \(what), \(count == 1 ? "once" : "\(count) times")"))
    }
    if moreIgnored > 0 { try take(.note("ignored: \(moreIgnored) items of other kinds")) }
  }

  /// Reads this file from now on, which a description of the dataset names.
  func select(_ path: String) { file = path }

  // MARK: Files

  /// Returns the path of the only file of the format.
  func onlyFile() throws -> String {
    if let file { return file }
    for name in format.fileNames where try files.status(root.appending(name)) != nil {
      return name
    }
    let names = format.fileNames.joined(separator: " or ")
    throw FormatError(location, "there is no \(names); give the path of the file itself")
  }

  /// Returns the path of the only file of the format or, if there is none, the paths of those in the
  /// directories of subsets.
  func filesOfSubsets() throws -> [String] {
    if file == nil, try !format.fileNames.contains(where: { try exists($0) }) {
      let found = try names(in: "", areDirectories: true).flatMap { directory in
        try format.fileNames.map { "\(directory)/\($0)" }.filter { try exists($0) }
      }
      if !found.isEmpty { return found }
    }
    return [try onlyFile()]
  }

  /// Returns the paths of files below a directory with one of these extensions, sorted by name,
  /// with “/” as separator. Links and hidden files are skipped.
  func paths(in directory: String = "", _ extensions: Set<String>) throws -> [String] {
    var found: [String] = []
    try walk(directory, depth: 0) { path in
      let name = path.split(separator: "/").last ?? ""
      let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
      if extensions.contains(suffix) { found.append(path) }
    }
    return found
  }

  /// Returns the sorted names of the directories or of the files in a directory.
  func names(in directory: String, areDirectories: Bool) throws -> [String] {
    try checkInside(directory)
    return try (files.list(filePath(directory)) ?? []).filter { name in
      let kind = try files.status(filePath(directory).appending(name))?.kind
      return !name.hasPrefix(".") && kind == (areDirectories ? .directory : .regular)
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func walk(_ directory: String, depth: Int, _ visit: (String) throws -> Void) throws {
    guard depth < ImportReader.depthLimit else {
      return try problem(
        ImportedLocation(directory), "directories are nested deeper than 32 levels")
    }
    try checkInside(directory)
    let names = try (files.list(filePath(directory)) ?? []).filter { !$0.hasPrefix(".") }
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let path = directory.isEmpty ? name : "\(directory)/\(name)"
      switch try files.status(filePath(path))?.kind {
      case .directory?: try walk(path, depth: depth + 1, visit)
      case .regular?: try visit(path)
      case .symlink?: try note("Symbolic links are not followed, such as \(path).")
      default: break
      }
    }
  }

  private func filePath(_ path: String) -> FilePath {
    path.isEmpty ? root : root.pushing(FilePath(path))
  }

  /// Returns whether a path stays inside the root after resolving links.
  private func staysInside(_ path: String) -> Bool {
    guard let top = files.resolve(root), let target = files.resolve(filePath(path)) else {
      return true
    }
    return target.starts(with: top)
  }

  private func checkInside(_ path: String) throws {
    if !staysInside(path) {
      throw FormatError(ImportedLocation(path), "a link to a path outside the directory")
    }
  }

  func exists(_ path: String) throws -> Bool { try files.status(filePath(path)) != nil }

  /// Returns the bytes of a file; nil when there is none.
  func read(_ path: String) throws -> [UInt8]? {
    try checkInside(path)
    if let size = try files.status(filePath(path))?.size, size > ImportReader.sizeLimit {
      throw FormatError(ImportedLocation(path), "larger than \(ImportReader.sizeLimit >> 20) MiB")
    }
    return try files.read(filePath(path), limit: ImportReader.sizeLimit)
  }

  /// Calls `body` with a snapshot of a file of any size.
  func withBytes(of path: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    try checkInside(path)
    guard try files.status(filePath(path))?.kind == .regular else {
      throw FormatError(ImportedLocation(path), "there is no such file")
    }
    try files.withCopy(of: filePath(path), in: scratch) { try body($0.bindMemory(to: UInt8.self)) }
  }

  /// Calls `body` with the path of a temporary file with these bytes, which exists until it returns.
  func withTemporaryFile(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (FilePath) throws -> Void
  ) throws {
    try files.createDirectory(scratch)
    temporaryCount += 1
    let path = scratch.appending("member-\(temporaryCount)")
    try? files.remove(path)
    try files.create(path, Array(bytes))
    defer { try? files.remove(path) }
    try body(path)
  }

  /// The progress through a file's bytes, which releases memory already read: files may be larger
  /// than memory.
  struct ReadProgress {
    private let bytes: UnsafeRawBufferPointer
    private var released = 0
    private static let step = 4 << 20

    /// - Parameter bytes: The bytes from ``withBytes(of:_:)``.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = UnsafeRawBufferPointer(bytes) }

    mutating func advance(to offset: Int) {
      guard offset - released >= ReadProgress.step else { return }
      released += FileSystem.releaseMapping(
        UnsafeRawBufferPointer(rebasing: bytes[released..<offset]))
    }
  }

  /// Calls `visit` with each non-blank line of a file, without its line ending and without a byte
  /// order mark.
  func forEachLine(
    of path: String, _ visit: (UnsafeBufferPointer<UInt8>, ImportedLocation) throws -> Void
  ) throws {
    try withBytes(of: path) { bytes in
      var (start, number) = (withoutByteOrderMark(bytes).startIndex, 0)
      var progress = ReadProgress(bytes)
      while start < bytes.count {
        progress.advance(to: start)
        number += 1
        let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
        start = end + 1
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        try visit(line, ImportedLocation(path, line: number))
      }
    }
  }

  /// Runs `body` and reports a JSON error with its line.
  func scanning<Value>(
    _ path: String, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let error as DocumentError {
      throw FormatError(ImportedLocation(path, line: error.line), error.message)
    }
  }
}

/// The extensions of image files that other tools read.
let imageExtensions = ImageFormat.knownExtensions.union([
  "bmp", "gif", "ppm", "pgm", "tif", "tiff",
])

extension JSON {
  /// Whether ignoring the value loses no information.
  fileprivate var isEmptyValue: Bool {
    isNull || bool == false || string?.isEmpty == true || array?.isEmpty == true
      || object?.isEmpty == true
  }

  /// A finite number, or the text of one.
  var number: Double? {
    let value = double ?? string.flatMap { Double($0) }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Four finite numbers.
  var fourNumbers: (Double, Double, Double, Double)? {
    guard let array, array.count == 4 else { return nil }
    let numbers = array.compactMap(\.number)
    return numbers.count == 4 ? (numbers[0], numbers[1], numbers[2], numbers[3]) : nil
  }
}

extension JSONObject {
  /// Returns the first non-empty text among these members.
  func text(_ keys: String...) -> String? {
    for key in keys { if let text = self[key]?.string, !text.isEmpty { return text } }
    return nil
  }

  func number(_ keys: String...) -> Double? {
    for key in keys { if let number = self[key]?.number { return number } }
    return nil
  }
}
