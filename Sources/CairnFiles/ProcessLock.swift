internal import LibC
package import SystemPackage

/// An exclusive lock on a file, held until it is released or its process ends in any way.
///
/// The file names the holder. It is never removed, since a removed file can be locked twice.
package final class ProcessLock: Sendable {
  private let descriptor: CInt
  private let leftovers: Leftovers

  /// Whether the previous holder of the lock ended without releasing it, or could not remove a
  /// temporary file or a lock.
  package let isAfterCrash: Bool

  /// Acquires the lock at `path`; returns nil when another process holds it.
  ///
  /// - Parameter holder: One line describing this process, for processes that wait.
  package static func acquire(
    _ path: FilePath, holder: String, files: FileSystem
  ) throws(FileError) -> ProcessLock? {
    try files.fault?(.create, path)
    let descriptor = try files.call("lock", path) {
      open(path.string, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = Errno(rawValue: errno)
      close(descriptor)
      if code == .wouldBlock { return nil }
      throw FileError("lock", path, code)
    }
    // A holder that releases the lock, and leaves nothing behind, empties the file.
    let isAfterCrash = lseek(descriptor, 0, SEEK_END) > 0
    ftruncate(descriptor, 0)
    do {
      try FileDescriptor(rawValue: descriptor)
        .writeAll(toAbsoluteOffset: 0, (holder + "\n").utf8)
    } catch {
      // The disk is full. A hole needs no space, and tells the next process as well that this one
      // has crashed.
      ftruncate(descriptor, 0)
      ftruncate(descriptor, 1)
    }
    return ProcessLock(
      descriptor: descriptor, leftovers: files.leftovers, isAfterCrash: isAfterCrash)
  }

  /// Returns whether a process holds the lock at `path`. One that tries to acquire it at this moment
  /// may have to try again.
  package static func isHeld(_ path: FilePath, files: FileSystem) throws(FileError) -> Bool {
    let descriptor: CInt
    do throws(FileError) {
      descriptor = try files.call("lock", path) { open(path.string, O_RDONLY | O_CLOEXEC) }
    } catch {
      if error.code == .noSuchFileOrDirectory { return false }
      throw error
    }
    defer { close(descriptor) }
    let code = files.failure { flock(descriptor, LOCK_SH | LOCK_NB) }
    if let code, code != .wouldBlock { throw FileError("lock", path, code) }
    return code != nil
  }

  private init(descriptor: CInt, leftovers: Leftovers, isAfterCrash: Bool) {
    (self.descriptor, self.leftovers, self.isAfterCrash) = (descriptor, leftovers, isAfterCrash)
  }

  deinit {
    if !leftovers.exist { ftruncate(descriptor, 0) }
    close(descriptor)
  }

  /// Returns the description that the holder of the lock at `path` has recorded.
  package static func holder(of path: FilePath, files: FileSystem) -> String? {
    guard let bytes = try? files.read(path, limit: 4096) else { return nil }
    let line = bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
