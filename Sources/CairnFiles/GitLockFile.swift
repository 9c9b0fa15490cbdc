internal import LibC
package import SystemPackage

/// A lock as git takes it: a file that must not exist yet and is removed when the lock is released.
///
/// A process that is killed leaves its file behind, and git asks the user to remove it. A lock file
/// of cairn is marked by its content and also locked with flock: if the flock is free, its process
/// is dead and the next process removes the file.
package final class GitLockFile {
  /// Names the host: the flock of one machine is not visible to another, for example on a network
  /// share.
  private static let mark: [UInt8] = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return Array("held by cairn on ".utf8) + host + [0x0A]
  }()

  private let path: FilePath
  private let descriptor: CInt
  private let files: FileSystem

  private init(path: FilePath, descriptor: CInt, files: FileSystem) {
    (self.path, self.descriptor, self.files) = (path, descriptor, files)
  }

  /// Takes the lock; returns nil when another process holds it.
  ///
  /// - Parameter unnamed: A ``TemporaryName`` path on the same disk, used until the file is marked
  ///   and locked.
  package static func acquire(
    _ path: FilePath, unnamed: FilePath, files: FileSystem
  ) throws(FileError) -> GitLockFile? {
    if try files.exists(path), !removeIfDead(path) { return nil }
    try files.fault?(.create, path)
    // The file is marked and locked before it gets its name.
    #if os(Linux)
      if let lock = try acquireUnnamed(path, files: files) { return lock }
      if try files.exists(path) { return nil }
    #endif
    let descriptor = try files.call("lock", path) {
      open(unnamed.string, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    }
    defer { unlink(unnamed.string) }
    flock(descriptor, LOCK_EX | LOCK_NB)
    var code = writeMark(to: descriptor)
    if code == nil {
      do throws(FileError) {
        try files.fault?(.link, path)
        try files.call("lock", path) { link(unnamed.string, path.string) }
        return GitLockFile(path: path, descriptor: descriptor, files: files)
      } catch {
        code = error.code
      }
    }
    close(descriptor)
    if code == .fileExists { return nil }
    if let code, refusesLinks(code) { return try acquireWithoutLinks(path, files: files) }
    throw FileError("lock", path, code ?? .ioError)
  }

  /// Whether an error means that a disk has no hard links.
  private static func refusesLinks(_ code: Errno) -> Bool {
    [
      .notPermitted, .notSupported, .noFunction, .tooManyLinks, .improperLink, .permissionDenied,
    ].contains(code)
  }

  #if os(Linux)
    /// Takes the lock with a file that starts without a name, so that a killed process leaves
    /// nothing behind; returns nil when another process holds the lock, or when the file system or
    /// kernel does not support it.
    ///
    /// Source: open(2), “O_TMPFILE”.
    private static func acquireUnnamed(
      _ path: FilePath, files: FileSystem
    ) throws(FileError) -> GitLockFile? {
      let nameless: CInt = 0o20_000_000 | O_DIRECTORY
      let directory = path.removingLastComponent().string
      let descriptor = open(
        directory.isEmpty ? "." : directory, O_RDWR | nameless | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { return nil }
      flock(descriptor, LOCK_EX | LOCK_NB)
      do throws(FileError) {
        try files.fault?(.link, path)
        if writeMark(to: descriptor) == nil,
          linkat(
            AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path.string, AT_SYMLINK_FOLLOW) == 0
        {
          return GitLockFile(path: path, descriptor: descriptor, files: files)
        }
        close(descriptor)
        return nil
      } catch {
        close(descriptor)
        if refusesLinks(error.code) { return nil }
        throw error
      }
    }
  #endif

  /// Writes the mark and returns the error; nil on success.
  private static func writeMark(to descriptor: CInt) -> Errno? {
    do {
      try FileDescriptor(rawValue: descriptor).writeAll(mark)
      return nil
    } catch {
      return error as? Errno ?? .ioError
    }
  }

  /// Takes the lock on a file system without hard links (FAT, some network shares), or when
  /// `unnamed` is on another disk: a process killed before it writes the mark leaves a lock that
  /// the user has to remove.
  private static func acquireWithoutLinks(
    _ path: FilePath, files: FileSystem
  ) throws(FileError) -> GitLockFile? {
    let descriptor = open(path.string, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw FileError("lock", path, Errno(rawValue: errno))
    }
    flock(descriptor, LOCK_EX | LOCK_NB)
    if let code = writeMark(to: descriptor) {
      unlink(path.string)
      close(descriptor)
      throw FileError("lock", path, code)
    }
    return GitLockFile(path: path, descriptor: descriptor, files: files)
  }

  /// Whether a lock file was made by cairn on this computer.
  package static func isOwn(_ path: FilePath) -> Bool {
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return isMarked(descriptor, path)
  }

  /// Whether the content of a file is the mark.
  private static func isMarked(_ descriptor: CInt, _ path: FilePath) -> Bool {
    let file = FileDescriptor(rawValue: descriptor)
    return (try? FileSystem().read(file, path, at: 0, count: mark.count + 1)) == mark
  }

  /// Removes the lock file of a cairn process that has ended; returns false when it is not one.
  @discardableResult
  package static func removeIfDead(_ path: FilePath) -> Bool {
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT }
    defer { close(descriptor) }
    guard isMarked(descriptor, path), flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      return false
    }
    // The holder of the flock may remove the file if it still has this name.
    var (held, named) = (stat(), stat())
    guard fstat(descriptor, &held) == 0, stat(path.string, &named) == 0 else {
      return errno == ENOENT
    }
    guard held.st_ino == named.st_ino, held.st_dev == named.st_dev else { return true }
    return unlink(path.string) == 0
  }

  deinit {
    files.discard(path)
    close(descriptor)
  }
}
