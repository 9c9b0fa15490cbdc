internal import LibC
package import SystemPackage

extension FileSystem {
  /// Atomically replaces the file at `path` with `bytes`: writes `temporary`, which must be on the
  /// same disk, and renames it. Creates missing directories.
  ///
  /// - Parameter durable: Whether the bytes must be on the disk before the rename.
  package func write(
    _ bytes: some Collection<UInt8>, to path: FilePath, temporary: FilePath, durable: Bool = false
  ) throws(FileError) {
    try create(temporary, bytes, durable: durable)
    do throws(FileError) {
      try rename(temporary, to: path)
    } catch {
      discard(temporary)
      throw error
    }
  }

  /// Creates a new file that contains `bytes`; leaves no file on failure.
  ///
  /// - Parameter isNew: Whether to fail if there is a file, or a link to one.
  package func create(
    _ path: FilePath, _ bytes: some Collection<UInt8>, durable: Bool = false,
    permissions: FilePermissions = .plainFile, isNew: Bool = false
  ) throws(FileError) {
    try fault?(.create, path)
    let file = try attempt("write", path) {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, isNew ? .exclusiveCreate : .truncate],
        permissions: permissions)
    }
    // Not a file that may contain a password.
    if permissions.contains(.groupRead) { share(file) }
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

  /// Opens a new file to write in pieces with ``writeAll(_:to:_:)``.
  package func createNew(_ path: FilePath) throws(FileError) -> FileDescriptor {
    try fault?(.create, path)
    let file = try attempt("write", path) {
      try FileDescriptor.open(
        path, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .plainFile)
    }
    share(file)
    return file
  }

  /// Opens a file for appending under an exclusive lock, creating it if it does not exist; returns
  /// nil while another opener holds the lock.
  package func openExclusively(_ path: FilePath) throws(FileError) -> FileDescriptor? {
    try openLocked(path, LOCK_EX | LOCK_NB)
  }

  /// Opens a file for appending, creating it if it does not exist; waits while another opener holds
  /// the lock. Use it where the lock is held for one write.
  package func openExclusivelyWaiting(_ path: FilePath) throws(FileError) -> FileDescriptor {
    while true { if let file = try openLocked(path, LOCK_EX) { return file } }
  }

  private func openLocked(
    _ path: FilePath, _ operation: CInt
  ) throws(FileError) -> FileDescriptor? {
    while true {
      try fault?(.create, path)
      let file = try attempt("write", path) {
        try FileDescriptor.open(
          path, .readWrite, options: [.create, .append, .closeOnExec], permissions: .plainFile)
      }
      guard flock(file.rawValue, operation) == 0 else {
        let code = Errno(rawValue: systemErrno)
        try? file.close()
        if code == .wouldBlock || code == .interrupted { return nil }
        throw FileError("lock", path, code)
      }
      if isOpen(file, at: path) { return file }
      // The previous holder has meanwhile renamed it.
      try? file.close()
    }
  }

  /// Opens the file at `path`, creating it if it does not exist, and locks it for one change that
  /// ends with a rename; other users' files too, since it is opened for reading.
  ///
  /// - Parameter timeout: The time to wait for another opener, in milliseconds.
  /// - Returns: Nil after the timeout, or if the file system has no locks.
  package func lockToReplace(
    _ path: FilePath, timeout: Int
  ) throws(FileError) -> FileDescriptor? {
    let pause = 20
    var waited = 0
    while true {
      try fault?(.create, path)
      let file = try attempt("write", path) {
        try FileDescriptor.open(
          path, .readOnly, options: [.create, .closeOnExec], permissions: .plainFile)
      }
      let isLocked = flock(file.rawValue, LOCK_EX | LOCK_NB) == 0
      let code = Errno(rawValue: systemErrno)
      if isLocked, isOpen(file, at: path) { return file }
      try? file.close()
      // When it is locked, the previous holder has meanwhile replaced it.
      let isLater = isLocked || code == .wouldBlock || code == .interrupted
      guard isLater, waited < timeout else { return nil }
      usleep(UInt32(pause * 1000))
      waited += pause
    }
  }

  /// Returns whether an open file is the one now at `path`.
  package func isOpen(_ file: FileDescriptor, at path: FilePath) -> Bool {
    var (opened, there) = (stat(), stat())
    return fstat(file.rawValue, &opened) == 0 && lstat(path.string, &there) == 0
      && opened.st_ino == there.st_ino && opened.st_dev == there.st_dev
  }

  /// Truncates the open file at `path`, and moves to its end.
  package func truncate(
    _ file: FileDescriptor, _ path: FilePath, to size: Int = 0
  ) throws(FileError) {
    try fault?(.write, path)
    try call("write", path) { ftruncate(file.rawValue, off_t(size)) }
    _ = try attempt("write", path) { try file.seek(offset: Int64(size), from: .start) }
  }

  /// Opens the file, pipe or device at `path` for writing from its start; creates a file if nothing
  /// exists there, also at the target of a symbolic link.
  package func openForWriting(_ path: FilePath) throws(FileError) -> FileDescriptor {
    try fault?(.write, path)
    return try attempt("write", path) {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate], permissions: .plainFile)
    }
  }

  /// Writes bytes to the open file at `path`.
  ///
  /// - Parameter offset: Where to write them; nil for behind what was written last.
  package func writeAll(
    _ bytes: some Sequence<UInt8>, to file: FileDescriptor, _ path: FilePath,
    at offset: Int64? = nil
  ) throws(FileError) {
    try fault?(.write, path)
    _ = try attempt("write", path) {
      if let offset { return try file.writeAll(toAbsoluteOffset: offset, bytes) }
      return try file.writeAll(bytes)
    }
  }

  /// Overwrites a range of a file with zeros, in place; what is beyond its end is left out.
  package func overwrite(_ path: FilePath, at offset: Int, count: Int) throws(FileError) {
    try fault?(.write, path)
    let size = Int(try status(path)?.size ?? 0)
    let zeros = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
    try attempt("write", path) {
      let file = try FileDescriptor.open(path, .writeOnly)
      try file.closeAfter {
        _ = try file.writeAll(toAbsoluteOffset: Int64(offset), zeros)
        try call("write", path) { fsync(file.rawValue) }
      }
    }
  }

  /// Copies the permissions of another file, if that file exists.
  package func copyPermissions(of other: FilePath, to path: FilePath) throws(FileError) {
    var buffer = stat()
    guard stat(other.string, &buffer) == 0 else { return }
    try call("write", path) { chmod(path.string, buffer.st_mode & 0o7777) }
  }

  /// Returns whether the permissions of a file let other users read it.
  package func isReadableByOthers(_ path: FilePath) throws(FileError) -> Bool {
    var buffer = stat()
    try call("access", path) { stat(path.string, &buffer) }
    return buffer.st_mode & 0o044 != 0
  }

  /// Creates a directory that only this user can enter.
  package func createPrivateDirectory(_ path: FilePath) throws(FileError) {
    try fault?(.create, path)
    try call("create", path) { mkdir(path.string, 0o700) }
  }

  /// Makes the file at `path` readable by all and writable by none, where the file system supports
  /// it: FAT and some network shares do not.
  package func makeReadOnly(_ path: FilePath) throws(FileError) {
    do throws(FileError) {
      try fault?(.permissions, path)
      try call("write", path) { chmod(path.string, 0o444) }
    } catch {
      if ![.notPermitted, .notSupported, .noFunction].contains(error.code) { throw error }
    }
  }

  /// Appends `bytes` to a file, creating it if it does not exist.
  ///
  /// - Parameter durable: Whether the bytes must be on the disk on return.
  package func append(
    _ bytes: some Collection<UInt8>, to path: FilePath, durable: Bool = false
  ) throws(FileError) {
    try fault?(.write, path)
    try attempt("write", path) {
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .append],
        permissions: .plainFile)
      share(file)
      try file.closeAfter {
        _ = try file.writeAll(bytes)
        if durable { try sync(file, path) }
      }
    }
  }

  /// Creates a symbolic link.
  package func createSymlink(_ path: FilePath, to target: String) throws(FileError) {
    try fault?(.create, path)
    try call("create", path) { symlink(target, path.string) }
  }

  /// Moves a file to `path`, replacing any file there. Creates missing directories.
  package func rename(_ from: FilePath, to path: FilePath) throws(FileError) {
    try fault?(.rename, path)
    do throws(FileError) {
      try call("write", path) { systemRename(from.string, path.string) }
    } catch {
      guard error.code == .noSuchFileOrDirectory else { throw error }
      try createDirectory(above: path)
      try call("write", path) { systemRename(from.string, path.string) }
    }
  }

  /// Returns the path without its last component; empty for a single component.
  func directory(above path: String) -> String {
    let slash = UInt8(ascii: "/")
    guard let end = path.utf8.lastIndex(of: slash) else { return "" }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// Creates a directory and its missing parents.
  package func createDirectory(_ path: FilePath) throws(FileError) {
    try createDirectory(path.string)
  }

  /// Creates the directory that a file is in, and its missing parents.
  package func createDirectory(above path: FilePath) throws(FileError) {
    try createDirectory(directory(above: path.string))
  }

  /// Creates a directory and its missing parents.
  ///
  /// - Parameter path: The text of a `FilePath`: without a slash at its end.
  private func createDirectory(_ path: String) throws(FileError) {
    if path.isEmpty { return }
    if let fault { try fault(.create, FilePath(path)) }
    if let code = failure({ mkdir(path, 0o777) }) {
      if code == .fileExists, directoryExists(path) { return }
      guard code == .noSuchFileOrDirectory else { throw FileError("create", FilePath(path), code) }
      try createDirectory(directory(above: path))
      if let code = failure({ mkdir(path, 0o777) }) {
        // Another process has created it meanwhile.
        if code == .fileExists { return }
        throw FileError("create", FilePath(path), code)
      }
    }
    guard let sharing else { return }
    var buffer = stat()
    try call("create", FilePath(path)) { stat(path, &buffer) }
    let permissions = sharing.permissions(buffer.st_mode)
    try call("create", FilePath(path)) { chmod(path, permissions) }
  }

  /// Returns whether `path` is a directory, or a link to one.
  package func directoryExists(_ path: FilePath) -> Bool { directoryExists(path.string) }

  private func directoryExists(_ path: String) -> Bool {
    var buffer = stat()
    return stat(path, &buffer) == 0 && buffer.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the absolute path of `path` with symbolic links resolved; nil when it does not exist.
  package func resolve(_ path: FilePath) -> FilePath? {
    guard let resolved = realpath(path.string, nil) else { return nil }
    defer { free(resolved) }
    return FilePath(String(cString: resolved))
  }
}

extension FilePermissions {
  /// 0644, minus the user's umask.
  package static let plainFile: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
  /// 0755, minus the user's umask.
  package static let executableFile: FilePermissions = [
    .ownerReadWriteExecute, .groupReadExecute, .otherReadExecute,
  ]
}

private func systemRename(_ from: String, _ to: String) -> CInt { rename(from, to) }
