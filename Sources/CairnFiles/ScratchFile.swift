package import SystemPackage

/// A temporary file that has no name, so that nothing is left of it after a crash.
package final class ScratchFile {
  private let path: FilePath
  private let files: FileSystem
  private let file: FileDescriptor

  /// The number of bytes in the file.
  package private(set) var length = 0

  /// Creates an empty file on the disk of a directory, which is created if it does not exist.
  package init(in directory: FilePath, files: FileSystem) throws {
    self.files = files
    path = directory.appending(TemporaryName.make("scratch"))
    try files.createDirectory(directory)
    file = try files.createNew(path)
    do {
      try files.remove(path)
    } catch {
      try? file.close()
      throw error
    }
  }

  deinit { try? file.close() }

  /// Appends bytes, and returns their offset.
  @discardableResult
  package func append(_ bytes: some Collection<UInt8>) throws -> Int {
    let offset = length
    try files.writeAll(bytes, to: file, path)
    length += bytes.count
    return offset
  }

  /// Returns a range of the bytes.
  package func read(_ range: Range<Int>) throws -> [UInt8] {
    let bytes = try files.read(file, path, at: range.lowerBound, count: range.count)
    guard bytes.count == range.count else { throw FileError("read", path, .ioError) }
    return bytes
  }
}
