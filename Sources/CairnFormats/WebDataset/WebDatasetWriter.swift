internal import CairnDocument

/// A writer of tar archives in which the files of a photo are adjacent: the image, `.cls` with the
/// number of its class, and `.json` with all its data. `classes.txt` has the names. A photo without
/// a class has the number -1, because readers expect the same files for every sample.
///
/// Source: WebDataset; POSIX.1-1988 “ustar”.
final class WebDatasetWriter: FormatWriter {
  private let output: FormatOutput
  private let classes: [AnnotationClass]
  private let numbers: [ClassKey: Int]
  private var shards: [String: Shard] = [:]

  /// The approximate bytes and photos per archive.
  private static let byteLimit = 256 << 20
  private static let photoLimit = 10_000

  private struct Shard {
    let file: OutputFile
    let number: Int
    var bytes = 0
    var photos = 0
  }

  init(_ output: FormatOutput, _ classes: [AnnotationClass]) {
    (self.output, self.classes) = (output, classes)
    numbers = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1.key, $0) })
  }

  func write(_ photo: AnnotatedPhoto) throws {
    let name = photo.split ?? "data"
    var shard = try shard(name)
    let file = shard.file
    try output.readImage(photo) { size, pieces in
      try Tar.write(photo.fileName, size: size, to: file, pieces)
      shard.bytes += size
    }
    let number = photo.best.flatMap { numbers[$0.labelClass.key] } ?? -1
    try Tar.write("\(photo.id).cls", Array(String(number).utf8), to: file)
    try Tar.write("\(photo.id).json", JSON.object(photo.members).canonicalBytes, to: file)
    shard.photos += 1
    shards[name] = shard
  }

  private func shard(_ name: String) throws -> Shard {
    let last = shards[name]
    if let last, last.bytes < WebDatasetWriter.byteLimit,
      last.photos < WebDatasetWriter.photoLimit
    {
      return last
    }
    try last.map { try Tar.finish($0.file) }
    let number = last.map { $0.number + 1 } ?? 0
    let digits = String(repeating: "0", count: max(0, 6 - String(number).count)) + String(number)
    return Shard(file: try output.open("\(name)-\(digits).tar"), number: number)
  }

  func finish() throws {
    for shard in shards.values { try Tar.finish(shard.file) }
    let names = classes.map { "\($0.key)\n" }.joined()
    try output.write(Array(names.utf8), to: "classes.txt")
  }
}

/// Members of a tar archive. Source: POSIX.1-1988, “ustar”.
enum Tar {
  static func write(_ name: String, _ bytes: [UInt8], to file: OutputFile) throws {
    try write(name, size: bytes.count, to: file) { take in try bytes.withUnsafeBytes(take) }
  }

  /// - Parameter pieces: Calls its argument with the bytes, piece by piece.
  static func write(
    _ name: String, size: Int, to file: OutputFile,
    _ pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    try file.write(header(name, size: size))
    var written = 0
    try pieces { piece in
      // A file that grows during the export must not exceed the size in its header.
      let chunk = piece.prefix(size - written)
      written += chunk.count
      try file.write(chunk)
    }
    let rest = size - written + (512 - size % 512) % 512
    if rest > 0 { try file.write(repeatElement(0, count: rest)) }
  }

  static func finish(_ file: OutputFile) throws {
    try file.write(repeatElement(0, count: 1024))
    try file.close()
  }

  /// - Precondition: The name has at most 100 bytes, the size 33 bits.
  private static func header(_ name: String, size: Int) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
    }
    func octal(_ number: Int, digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.count) + text
    }
    put(name, at: 0)
    put(octal(0o644, digits: 7), at: 100)
    put(octal(0, digits: 7), at: 108)
    put(octal(0, digits: 7), at: 116)
    put(octal(size, digits: 11), at: 124)
    put(octal(0, digits: 11), at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar", at: 257)
    put("00", at: 263)
    let sum = header.reduce(0) { $0 + Int($1) }
    put(octal(sum, digits: 6) + "\0 ", at: 148)
    return header
  }
}
