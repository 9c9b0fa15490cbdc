internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// The files of an import. They come from anywhere: their sizes, depths and links are bounded here.
final class ForeignSource {
  /// The directory that names are relative to.
  let root: FilePath
  /// The file that was named; nil for a directory.
  let file: String?
  private let format: ImportFormat
  private let files: FileSystem
  /// Where copies may be made.
  private let scratch: FilePath
  private let take: (ForeignItem) throws -> Void
  private var notes: Set<String> = []
  private var ignored: [String: Int] = [:]
  private var moreIgnored = 0
  /// How many different things are told.
  private static let noteLimit = 100

  /// The largest file that is read at once, in bytes, and the deepest directory.
  private static let sizeLimit = 16 << 20
  private static let depthLimit = 32
  static let textLimit = 4096

  init(
    _ path: FilePath, _ format: ImportFormat, files: FileSystem, scratch: FilePath,
    _ take: @escaping (ForeignItem) throws -> Void
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

  /// The whole of it.
  var place: ForeignPlace { ForeignPlace(root.string) }

  // MARK: What is found

  func photo(_ photo: ForeignPhoto) throws { try take(.photo(photo)) }
  func pin(_ pin: ForeignPin) throws { try take(.pin(pin)) }

  func problem(_ place: ForeignPlace, _ message: String) throws {
    try take(.problem(place, message))
  }

  /// Says something that is true of many lines, once.
  func note(_ message: String) throws {
    if notes.count < ForeignSource.noteLimit, notes.insert(message).inserted {
      try take(.note(message))
    }
  }

  /// Counts something that is not imported; the counts are told at the end.
  func ignore(_ what: @autoclosure () -> String, _ count: Int = 1) {
    let what = what()
    if ignored[what] != nil || ignored.count < ForeignSource.noteLimit {
      ignored[what, default: 0] += count
    } else {
      moreIgnored += count
    }
  }

  /// Counts the members of an object that are not imported, those that are empty left out.
  func ignore(_ object: JSONObject, but known: Set<String>, of what: String) {
    for (key, value) in object.members where !known.contains(key) && !value.saysNothing {
      ignore("“\(key.prefix(64))” of \(what)")
    }
  }

  /// Tells what was counted.
  func tellIgnored() throws {
    for (what, count) in ignored.sorted(by: { $0.key < $1.key }) {
      try take(.note("ignored: \(what), \(count == 1 ? "once" : "\(count) times")"))
    }
    if moreIgnored > 0 { try take(.note("ignored: \(moreIgnored) of other names")) }
  }

  // MARK: Files

  /// Returns the one file that the format consists of.
  func onlyFile() throws -> String {
    if let file { return file }
    for name in format.fileNames where try files.status(root.appending(name)) != nil {
      return name
    }
    let names = format.fileNames.joined(separator: " or ")
    throw FormatError(place, "there is no \(names); name the file itself")
  }

  /// Returns the paths of files below a directory that end in one of `extensions`, sorted by name, with
  /// “/” between their parts. Links and hidden files are passed over.
  func paths(in directory: String = "", _ extensions: Set<String>) throws -> [String] {
    var found: [String] = []
    try walk(directory, depth: 0) { path in
      let name = path.split(separator: "/").last ?? ""
      let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
      if extensions.contains(suffix) { found.append(path) }
    }
    return found
  }

  /// Returns the names in a directory, sorted: directories, or files.
  func names(in directory: String, areDirectories: Bool) throws -> [String] {
    try checkInside(directory)
    return try (files.list(location(directory)) ?? []).filter { name in
      let kind = try files.status(location(directory).appending(name))?.kind
      return !name.hasPrefix(".") && kind == (areDirectories ? .directory : .regular)
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func walk(_ directory: String, depth: Int, _ visit: (String) throws -> Void) throws {
    guard depth < ForeignSource.depthLimit else {
      return try problem(ForeignPlace(directory), "directories nest deeper than 32 levels")
    }
    try checkInside(directory)
    let names = try (files.list(location(directory)) ?? []).filter { !$0.hasPrefix(".") }
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let path = directory.isEmpty ? name : "\(directory)/\(name)"
      switch try files.status(location(path))?.kind {
      case .directory?: try walk(path, depth: depth + 1, visit)
      case .regular?: try visit(path)
      case .symlink?: try note("Links are not followed, such as \(path).")
      default: break
      }
    }
  }

  private func location(_ path: String) -> FilePath {
    path.isEmpty ? root : root.pushing(FilePath(path))
  }

  /// Whether links on the way to a file or directory stay below the top.
  private func staysInside(_ path: String) -> Bool {
    guard let top = files.resolve(root), let target = files.resolve(location(path)) else {
      return true
    }
    return target.starts(with: top)
  }

  private func checkInside(_ path: String) throws {
    if !staysInside(path) {
      throw FormatError(ForeignPlace(path), "a link that leads out of the directory")
    }
  }

  func exists(_ path: String) throws -> Bool { try files.status(location(path)) != nil }

  /// Returns the bytes of a file; nil when there is none.
  func read(_ path: String) throws -> [UInt8]? {
    try checkInside(path)
    if let size = try files.status(location(path))?.size, size > ForeignSource.sizeLimit {
      throw FormatError(ForeignPlace(path), "larger than \(ForeignSource.sizeLimit >> 20) MiB")
    }
    return try files.read(location(path), limit: ForeignSource.sizeLimit)
  }

  /// Lends the bytes of a file of any size, as they are now.
  func withBytes(of path: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    try checkInside(path)
    guard try files.status(location(path))?.kind == .regular else {
      throw FormatError(ForeignPlace(path), "there is no such file")
    }
    try files.withCopy(of: location(path), in: scratch) { try body($0.bindMemory(to: UInt8.self)) }
  }

  /// What was read of a file's bytes, whose memory is given back now and then: files may be larger than
  /// what there is.
  struct Passed {
    private let bytes: UnsafeRawBufferPointer
    private var released = 0
    private static let step = 4 << 20

    /// - Parameter bytes: As ``withBytes(of:_:)`` lends them.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = UnsafeRawBufferPointer(bytes) }

    mutating func pass(to offset: Int) {
      guard offset - released >= Passed.step else { return }
      released += FileSystem.releaseMapping(
        UnsafeRawBufferPointer(rebasing: bytes[released..<offset]))
    }
  }

  /// Calls `visit` with each line of a file that is not blank, without its end.
  func forEachLine(
    of path: String, _ visit: (UnsafeBufferPointer<UInt8>, ForeignPlace) throws -> Void
  ) throws {
    try withBytes(of: path) { bytes in
      var (start, number) = (0, 0)
      var passed = Passed(bytes)
      while start < bytes.count {
        passed.pass(to: start)
        number += 1
        let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
        start = end + 1
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        try visit(line, ForeignPlace(path, line: number))
      }
    }
  }

  /// Reads JSON, and says where it is wrong.
  func scanning<Value>(
    _ path: String, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let error as DocumentError {
      throw FormatError(ForeignPlace(path, line: error.line), error.message)
    }
  }
}

/// The extensions of image files that others' readers take.
let imageExtensions = ImageFormat.knownExtensions.union([
  "bmp", "gif", "ppm", "pgm", "tif", "tiff",
])

extension JSON {
  /// Whether it holds nothing that could be lost.
  fileprivate var saysNothing: Bool {
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
  /// The text of the first of these members that has some.
  func text(_ keys: String...) -> String? {
    for key in keys { if let text = self[key]?.string, !text.isEmpty { return text } }
    return nil
  }

  func number(_ keys: String...) -> Double? {
    for key in keys { if let number = self[key]?.number { return number } }
    return nil
  }
}
