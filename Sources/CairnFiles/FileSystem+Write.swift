internal import LibC
public import SystemPackage

extension FileSystem {
  /// Replaces the file at `path` by `bytes`, whole: through a temporary file of a directory on the
  /// same disk, renamed into place. Missing directories are made.
  ///
  /// - Parameter durable: Whether the bytes must be on the disk before the name is.
  public func write(
    _ bytes: some Collection<UInt8>, to path: FilePath, temporary: FilePath, durable: Bool = false
  ) throws(FileError) {
    try create(temporary, bytes, durable: durable)
    do throws(FileError) {
      try rename(temporary, to: path)
    } catch {
      try? remove(temporary)
      throw error
    }
  }

  /// Makes a new file of `bytes`; on failure there is none.
  public func create(
    _ path: FilePath, _ bytes: some Collection<UInt8>, durable: Bool = false,
    permissions: FilePermissions = .plainFile
  ) throws(FileError) {
    try fault?(.create, path)
    let file = try attempt("write", path) {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate], permissions: permissions)
    }
    do {
      try fault?(.write, path)
      try file.closeAfter {
        _ = try file.writeAll(bytes)
        if durable {
          try fault?(.sync, path)
          try call("write", path) { fsync(file.rawValue) }
        }
      }
    } catch {
      _ = unlink(path.string)
      throw (error as? FileError) ?? FileError("write", path, (error as? Errno) ?? .ioError)
    }
  }

  /// Opens a new file for writing piece by piece with ``writeAll(_:to:_:)``.
  public func createNew(_ path: FilePath) throws(FileError) -> FileDescriptor {
    try fault?(.create, path)
    return try attempt("write", path) {
      try FileDescriptor.open(
        path, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .plainFile)
    }
  }

  /// Opens a file to go on writing at its end, a new one where there is none, for this opener alone;
  /// nil while another has it.
  public func openAlone(_ path: FilePath) throws(FileError) -> FileDescriptor? {
    while true {
      try fault?(.create, path)
      let file = try attempt("write", path) {
        try FileDescriptor.open(
          path, .readWrite, options: [.create, .append, .closeOnExec], permissions: .plainFile)
      }
      guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
        let code = Errno(rawValue: systemErrno)
        try? file.close()
        if code == .wouldBlock { return nil }
        throw FileError("lock", path, code)
      }
      if isOpen(file, at: path) { return file }
      // Whoever had it has moved it to its place meanwhile.
      try? file.close()
    }
  }

  /// Whether an open file is the one that lies at `path` now.
  public func isOpen(_ file: FileDescriptor, at path: FilePath) -> Bool {
    var (opened, there) = (stat(), stat())
    return fstat(file.rawValue, &opened) == 0 && lstat(path.string, &there) == 0
      && opened.st_ino == there.st_ino && opened.st_dev == there.st_dev
  }

  /// Takes all bytes away from the open file at `path`.
  public func empty(_ file: FileDescriptor, _ path: FilePath) throws(FileError) {
    try fault?(.write, path)
    try call("write", path) { ftruncate(file.rawValue, 0) }
    _ = try attempt("write", path) { try file.seek(offset: 0, from: .start) }
  }

  /// Opens what lies at `path`, be it a pipe or a device, for writing from its start; a new file where
  /// there is nothing, also behind a link.
  public func openForWriting(_ path: FilePath) throws(FileError) -> FileDescriptor {
    try fault?(.write, path)
    return try attempt("write", path) {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate], permissions: .plainFile)
    }
  }

  /// Writes bytes to the open file at `path`.
  public func writeAll(
    _ bytes: some Sequence<UInt8>, to file: FileDescriptor, _ path: FilePath
  ) throws(FileError) {
    try fault?(.write, path)
    _ = try attempt("write", path) { try file.writeAll(bytes) }
  }

  /// Makes the bytes of the open file at `path` durable.
  public func sync(_ file: FileDescriptor, _ path: FilePath) throws(FileError) {
    try fault?(.sync, path)
    try call("write", path) { fsync(file.rawValue) }
  }

  /// Lets everybody read the file at `path` and nobody write it.
  public func makeReadOnly(_ path: FilePath) throws(FileError) {
    try call("write", path) { chmod(path.string, 0o444) }
  }

  /// Adds `bytes` at the end of a file, made when there is none.
  public func append(_ bytes: some Collection<UInt8>, to path: FilePath) throws(FileError) {
    try fault?(.write, path)
    _ = try attempt("write", path) {
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .append],
        permissions: .plainFile)
      try file.closeAfter { _ = try file.writeAll(bytes) }
    }
  }

  /// Makes a new symbolic link.
  public func createSymlink(_ path: FilePath, to target: String) throws(FileError) {
    try fault?(.create, path)
    try call("make", path) { symlink(target, path.string) }
  }

  /// Moves a file to `path`, over what may be there. Missing directories are made.
  public func rename(_ from: FilePath, to path: FilePath) throws(FileError) {
    try fault?(.rename, path)
    do throws(FileError) {
      try call("write", path) { systemRename(from.string, path.string) }
    } catch {
      guard error.code == .noSuchFileOrDirectory else { throw error }
      try createDirectory(path.removingLastComponent())
      try call("write", path) { systemRename(from.string, path.string) }
    }
  }

  /// Removes a file, if there is one.
  public func remove(_ path: FilePath) throws(FileError) {
    try fault?(.remove, path)
    do throws(FileError) {
      try call("remove", path) { unlink(path.string) }
    } catch  where error.code == .noSuchFileOrDirectory || error.code == .notDirectory {
    }
  }

  /// Removes a directory and all that lies in it; symbolic links are removed, not followed.
  public func removeTree(_ path: FilePath) throws(FileError) {
    guard try status(path)?.kind == .directory else { return try remove(path) }
    for name in try list(path) ?? [] { try removeTree(path.appending(name)) }
    try call("remove", path) { rmdir(path.string) }
  }

  /// Removes the directory of `path` and those above it while they are empty, up to `top`.
  public func removeEmptyDirectories(above path: FilePath, upTo top: FilePath) {
    var directory = path.removingLastComponent()
    while directory != top, directory.starts(with: top), rmdir(directory.string) == 0 {
      directory = directory.removingLastComponent()
    }
  }

  /// Makes a directory and those above it.
  public func createDirectory(_ path: FilePath) throws(FileError) {
    if path.isEmpty { return }
    try fault?(.create, path)
    do throws(FileError) {
      try call("make", path) { mkdir(path.string, 0o777) }
    } catch {
      if error.code == .fileExists, directoryExists(path) { return }
      guard error.code == .noSuchFileOrDirectory else { throw error }
      try createDirectory(path.removingLastComponent())
      do throws(FileError) {
        try call("make", path) { mkdir(path.string, 0o777) }
      } catch  where error.code == .fileExists {
        // Another process made it meanwhile.
      }
    }
  }

  /// True when `path` is a directory, or a link to one.
  public func directoryExists(_ path: FilePath) -> Bool {
    var buffer = stat()
    return stat(path.string, &buffer) == 0 && buffer.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes everything written so far durable: for many files cheaper than one by one.
  public func syncEverything(_ path: FilePath) throws(FileError) {
    try fault?(.sync, path)
    LibC.sync()
  }

  /// Makes the names in a directory durable.
  public func syncDirectory(_ path: FilePath) throws(FileError) {
    try fault?(.sync, path)
    _ = try attempt("write", path) {
      let directory = try FileDescriptor.open(path, .readOnly)
      try directory.closeAfter { _ = fsync(directory.rawValue) }
    }
  }

  /// Returns the absolute path without links of what lies at `path`; nil when nothing does.
  public func resolve(_ path: FilePath) -> FilePath? {
    guard let resolved = realpath(path.string, nil) else { return nil }
    defer { free(resolved) }
    return FilePath(String(cString: resolved))
  }
}

extension FilePermissions {
  /// 0644, less what the user masks.
  public static let plainFile: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
  /// 0755, less what the user masks.
  public static let executableFile: FilePermissions = [
    .ownerReadWriteExecute, .groupReadExecute, .otherReadExecute,
  ]
}

private func systemRename(_ from: String, _ to: String) -> CInt { rename(from, to) }
