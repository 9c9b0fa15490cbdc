internal import LibC
package import SystemPackage

extension FileSystem {
  /// Returns a file's bytes; nil when the file does not exist.
  ///
  /// - Throws: ``FileError`` with `.fileTooLarge` when it has more than `limit` bytes.
  package func read(_ path: FilePath, limit: Int = .max) throws(FileError) -> [UInt8]? {
    try readFault?(path)
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(path, .readOnly)
    } catch {
      if let code = error as? Errno, code == .noSuchFileOrDirectory || code == .notDirectory {
        return nil
      }
      throw FileError("read", path, (error as? Errno) ?? .ioError)
    }
    defer { try? file.close() }
    return try attempt("read", path) {
      var status = stat()
      try call("read", path) { fstat(file.rawValue, &status) }
      if status.st_mode & S_IFMT == S_IFDIR { throw Errno.isDirectory }
      let size = Int(status.st_size)
      if size > limit { throw Errno.fileTooLarge }
      // A file that grows meanwhile is read up to its original size.
      return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        while count < size {
          let read = try file.read(
            into: UnsafeMutableRawBufferPointer(
              rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
          if read == 0 { break }
          count += read
        }
      }
    }
  }

  /// Calls `body` with a reader that returns the bytes at an offset, fewer at the end of the file.
  package func withReader<Result>(
    of path: FilePath, _ body: ((_ offset: Int, _ count: Int) throws -> [UInt8]) throws -> Result
  ) throws -> Result {
    let file = try open(path)
    defer { try? file.close() }
    return try body { try read(file, path, at: $0, count: $1) }
  }

  private func open(
    _ path: FilePath, _ options: FileDescriptor.OpenOptions = []
  ) throws(FileError) -> FileDescriptor {
    try readFault?(path)
    return try attempt("read", path) { try FileDescriptor.open(path, .readOnly, options: options) }
  }

  /// Opens a file for reading; returns nil when it does not exist.
  package func openForReading(_ path: FilePath) throws(FileError) -> FileDescriptor? {
    do throws(FileError) {
      return try open(path, .closeOnExec)
    } catch {
      if error.code == .noSuchFileOrDirectory { return nil }
      throw error
    }
  }

  /// Returns bytes of the open file at `path`, fewer at its end.
  package func read(
    _ file: FileDescriptor, _ path: FilePath, at offset: Int, count length: Int
  ) throws(FileError) -> [UInt8] {
    try attempt("read", path) {
      try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        while count < length {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<length])
          let read = try file.read(fromAbsoluteOffset: Int64(offset + count), into: rest)
          if read == 0 { break }
          count += read
        }
      }
    }
  }

  /// Calls `body` with a file's bytes, mapped into memory. Use it only for files that no process
  /// writes: if another process truncates the file meanwhile, this process crashes.
  package func withMapping<Result>(
    of path: FilePath, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let file = try open(path)
    defer { try? file.close() }
    return try withMapping(of: file, path, body)
  }

  /// Calls `body` with a snapshot of a file's bytes, unaffected by later changes to the file. Small
  /// files are read into memory; larger ones are copied to an already unlinked file in `directory`.
  package func withCopy<Result>(
    of path: FilePath, in directory: FilePath, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let few = 1 << 20
    if let size = try status(resolve(path) ?? path)?.size, size <= few,
      let bytes = try read(path, limit: few)
    {
      return try bytes.withUnsafeBytes(body)
    }
    try createDirectory(directory)
    let copy = directory.appending(TemporaryName.make("copy"))
    let file = try createNew(copy)
    defer { try? file.close() }
    try remove(copy)
    try forEachPiece(of: path) { try writeAll($0, to: file, copy) }
    return try withMapping(of: file, path, body)
  }

  /// Calls `body` with the bytes of the open file at `path`, mapped into memory: see
  /// ``withMapping(of:_:)``.
  package func withMapping<Result>(
    of file: FileDescriptor, _ path: FilePath, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let size = try attempt("read", path) { Int(try file.seek(offset: 0, from: .end)) }
    if size == 0 { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.rawValue, 0),
      start != MAP_FAILED
    else { throw FileError("read", path, Errno(rawValue: errno)) }
    defer { munmap(start, size) }
    return try body(UnsafeRawBufferPointer(start: start, count: size))
  }

  /// Releases the memory of the whole pages at the beginning of a mapping; later access reads the
  /// file again.
  ///
  /// - Parameter bytes: Bytes of ``withMapping(of:_:)``, starting at a page boundary.
  /// - Returns: The number of bytes released.
  package static func releaseMapping(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = bytes.count / pageSize * pageSize
    if count > 0 {
      madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), count, MADV_DONTNEED)
    }
    return count
  }

  /// Reads a file in chunks of at most 1 MiB.
  ///
  /// - Returns: The number of bytes read.
  @discardableResult
  package func forEachPiece(
    of path: FilePath, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    let file = try open(path)
    defer { try? file.close() }
    return try forEachPiece(of: file, path, body)
  }

  /// Reads the rest of the open file at `path` in chunks of at most 1 MiB.
  @discardableResult
  package func forEachPiece(
    of file: FileDescriptor, _ path: FilePath, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    try withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 16) { buffer in
      var total = 0
      while true {
        let count = try attempt("read", path) { try file.read(into: buffer) }
        if count == 0 { return total }
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        total += count
      }
    }
  }

  /// Returns the names in a directory, unsorted, without `.` and `..`; nil when the directory does
  /// not exist.
  package func list(_ path: FilePath) throws(FileError) -> [String]? { try list(path.string) }

  /// The same for a path as text.
  package func list(_ path: String) throws(FileError) -> [String]? {
    try entries(of: path)?.map(\.name)
  }

  /// Returns the entries of a directory, unsorted, without `.` and `..`; nil when the directory does
  /// not exist.
  package func entries(of path: String) throws(FileError) -> [DirectoryEntry]? {
    try readFault?(FilePath(path))
    var opened = opendir(path)
    while opened == nil, errno == EINTR { opened = opendir(path) }
    guard let directory = opened else {
      let code = Errno(rawValue: errno)
      if code == .noSuchFileOrDirectory || code == .notDirectory { return nil }
      throw FileError("list", FilePath(path), code)
    }
    defer { closedir(directory) }
    var entries: [DirectoryEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { throw FileError("list", FilePath(path), Errno(rawValue: errno)) }
        return entries
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      let isDirectory = Int(entry.pointee.d_type) == Int(DT_DIR)
      entries.append(DirectoryEntry(name: name, isKnownDirectory: isDirectory))
    }
  }
}

/// What a directory says about a file in it.
package struct DirectoryEntry: Sendable {
  package let name: String
  /// Whether it is a directory. Some file systems report that only with the file's status.
  package let isKnownDirectory: Bool
}

private let pageSize = Int(sysconf(CInt(_SC_PAGESIZE)))
